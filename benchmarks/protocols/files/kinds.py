"""Which reader a submitted file gets: decided by its name and first bytes, not by the browser."""

from typing import Literal, get_args

from benchmarks.protocols.base import Problem, Upload
from benchmarks.protocols.files.limits import MAX_FILE_BYTES
from benchmarks.protocols.files.text import visible

Kind = Literal["csv", "tsv", "jsonl", "json", "xlsx", "parquet"]

_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
_EXPECTED = (
    "a text file named .csv, .tsv, .jsonl or .json, an Excel workbook named .xlsx, or a Parquet "
    "table named .parquet"
)
_WORKBOOK = b"PK\x03\x04"
_PARQUET = b"PAR1"
_OPENINGS = {"xlsx": _WORKBOOK, "parquet": _PARQUET}
"""Of the kinds that are no text."""

_ARCHIVES = ("zip", "gz", "tgz", "bz2", "xz", "7z", "zst", "tar", "rar")
_UNPACK = " Unpack it and submit the file inside."

_SIGNATURES = (
    (_WORKBOOK, "a ZIP archive or an office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"PK\x07\x08", "a split ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"RIFF", "a RIFF media file"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old or password-protected Office document"),
    (b"\x00\x05\x16\x07", "what macOS keeps beside a file (._…), not the file itself"),
    (b"ARROW1", "an Arrow table (Feather)"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x93NUMPY", "a NumPy array"),
    (_PARQUET, "a Parquet table"),
    (b"PARE", "an encrypted Parquet table"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
)


def kind_of(upload: Upload) -> Kind | Problem:
    """The kind, or a problem with one of three codes the site answers differently: name, size,
    type."""
    if "\0" in upload.name:
        return Problem("name", "The file name holds a NUL character.", found=visible(upload.name))
    if len(upload.content) > MAX_FILE_BYTES:
        return _too_large(len(upload.content))
    ending = upload.name.rpartition(".")[2] if "." in upload.name else ""
    kind = _KINDS.get(ending.lower())
    if kind is None:
        message = "Files of this type are not accepted; they are not even opened."
        message += _UNPACK if ending.lower() in _ARCHIVES else ""
        found = visible(f".{ending}" if ending else upload.name)
        return Problem("type", message, expected=_EXPECTED, found=found)
    opening = _OPENINGS.get(kind, b"")
    if opening and upload.content.startswith(opening):
        return kind
    disguise = _disguise(upload.content) or (_otherwise(upload.content) if opening else "")
    if disguise:
        message = f"The file is named .{kind}, but its first bytes are those of {disguise}."
        message += _UNPACK if disguise.endswith("archive") else ""
        return Problem("type", message, expected=_EXPECTED, found=disguise)
    return kind


def _too_large(size: int) -> Problem:
    message = f"The file has {size} bytes; at most {MAX_FILE_BYTES} (20 MiB) are accepted."
    return Problem(
        "size", message, expected=f"at most {MAX_FILE_BYTES} bytes", found=f"{size} bytes"
    )


def _otherwise(content: bytes) -> str:
    """What bytes are that no signature tells."""
    return "something else" if b"\0" in content[:1024] else "a text"


def _disguise(content: bytes) -> str:
    """What the first bytes say the content is, where that is no table or JSON; else empty."""
    for signature, name in _SIGNATURES:
        if content.startswith(signature):
            return name
    # No table header and no JSON text opens with "<": this is HTML, XML, SVG or PHP.
    start = content[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    return "an HTML or XML page" if start.startswith(b"<") else ""
