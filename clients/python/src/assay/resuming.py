"""What is kept beside a file that was sent, so that sending it again goes on where it was cut off.

`answers.csv.assay` holds the key of the request and what was sent. As long as the file and all that
is said of it are the same, so is the key, and a site makes one submission of it however often it
comes.
"""

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

from assay.answers import sha256_of


def place_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.assay")


def key_for(path: Path, site: str, form: Mapping[str, str], *, again: bool = False) -> str:
    """The key under which the file is sent; a new one where the file, the site or anything said of
    it is another than last time, and where it is to be handed in `again`. Where nothing can be
    written beside the file, the key holds for this time alone."""
    sent = {"sha256": sha256_of(path), "site": site, "form": dict(form)}
    kept = place_of(path)
    if not again and (key := key_in(kept, sent)):
        return key
    key = str(uuid.uuid4())
    write(kept, json.dumps({"key": key, **sent}, indent=1, ensure_ascii=False) + "\n")
    return key


def key_in(kept: Path, sent: Mapping[str, object]) -> str:
    """Empty where nothing is kept, or of something else."""
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
        key = str(uuid.UUID(found.pop("key")))
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return ""
    return key if found == sent else ""


def write(kept: Path, text: str) -> None:
    """Whole or not at all: a file cut off half way would be another submission."""
    written = kept.with_name(f"{kept.name}.{os.getpid()}")
    try:
        written.write_text(text, encoding="utf-8")
        written.replace(kept)
    except OSError:
        written.unlink(missing_ok=True)
