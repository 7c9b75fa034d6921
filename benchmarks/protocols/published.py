"""Facts from papers that stand beside a board, as JSON files in a protocol's folder.

They are read once, when the board is imported: part of the package like its code, but data.
Protocols read no other files, because what they compute must depend on nothing but their arguments.
"""

import json
from pathlib import Path
from typing import Any

from benchmarks.protocols.base import PublishedRow


def read_published(folder: Path) -> tuple[PublishedRow, ...]:
    """The printed figures of `published.json`, a row per model and source, in the order of the
    file."""
    return tuple(PublishedRow(**row) for row in read_facts(folder, "published.json"))


def read_facts(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))
