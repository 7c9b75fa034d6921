"""Pictures from dataset files: verified before anything stores them."""

import hashlib
import io
import warnings
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

MAX_PIXELS = 50_000_000
FORMATS = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "GIF": ".gif"}


class ImageError(ValueError):
    """Why these bytes are not accepted as a picture, in one sentence."""


@dataclass(frozen=True, slots=True)
class ImageFacts:
    sha256: str
    width: int
    height: int
    extension: str

    @property
    def stored_name(self) -> str:
        return f"{self.sha256[:2]}/{self.sha256}{self.extension}"


def examine_image(content: bytes) -> ImageFacts:
    """Size and name of a picture that decodes; its size is checked first. Raises ImageError for
    anything else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=tuple(FORMATS)) as image:
                width, height, kind = image.width, image.height, image.format or ""
                if width * height > MAX_PIXELS:
                    raise ImageError(
                        f"has {width} × {height} pixels; at most {MAX_PIXELS:,} are accepted"
                    )
                image.load()
    except ImageError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageError(f"has more pixels than the {MAX_PIXELS:,} that are accepted") from None
    except UnidentifiedImageError:
        raise ImageError("is not a readable PNG, JPEG, WebP or GIF picture") from None
    except (OSError, ValueError, SyntaxError) as error:
        raise ImageError(f"is not a readable PNG, JPEG, WebP or GIF picture ({error})") from None
    return ImageFacts(hashlib.sha256(content).hexdigest(), width, height, FORMATS[kind])
