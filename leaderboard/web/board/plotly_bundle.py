"""Which plotly.js this site serves: the small bundle of `make charts`, or the whole file of the
Python package."""

from importlib.resources import files
from pathlib import Path

from django.conf import settings


def bundle_path() -> Path:
    built = Path(settings.VAR_DIR, "plotly", "plotly.min.js")
    return (
        built if built.is_file() else Path(str(files("plotly") / "package_data" / "plotly.min.js"))
    )


def compressed_path(bundle: Path) -> Path | None:
    """The bundle as Brotli made it when it was built; None where there is no such file."""
    compressed = bundle.with_name(f"{bundle.name}.br")
    return compressed if compressed.is_file() else None


def bundle_tag() -> str:
    """Another text whenever the served file is another."""
    found = bundle_path().stat()
    return f"{found.st_mtime_ns:x}-{found.st_size:x}"
