"""From bytes to characters: decoding, lines, and characters that must not pass or must be made
visible."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from benchmarks.protocols.base import Note, Problem
from benchmarks.protocols.files.limits import MAX_LISTED, MAX_SHOWN

# C0 without tab, line feed, vertical tab, form feed and carriage return; DEL; the one-character
# ANSI introducer; lone surrogates. PostgreSQL refuses NUL and surrogates, terminals obey the
# others.
FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\x9b\ud800-\udfff]")

# Only these three end a line; str.splitlines also cuts at U+2028, U+0085, VT and FF in an answer
# (case 52).
_LINE = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_UNDECODED = re.compile("[\udc80-\udcff]")

_UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_SAMPLE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Decoded:
    """`text` is None where the bytes are no UTF-8 text at all. Single bad bytes are replaced and
    reported, so that the rest of the file can be checked in the same go."""

    text: str | None
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()


def decode(content: bytes) -> Decoded:
    encoding = _foreign_encoding(content)
    if encoding:
        message = f"The file is {encoding}. Save it as UTF-8."
        return Decoded(None, (Problem("encoding", message, 1, "byte 1", "UTF-8", encoding),))
    notes: tuple[Note, ...] = ()
    if content.startswith(_UTF8_MARK):
        notes = (Note("bom", "A byte-order mark at the start of the file was taken off."),)
    try:
        return Decoded(content.removeprefix(_UTF8_MARK).decode(), notes=notes)
    except UnicodeDecodeError:
        text = content.removeprefix(_UTF8_MARK).decode(errors="replace")
        return Decoded(text, (_bad_bytes(content),), notes)


def _foreign_encoding(content: bytes) -> str:
    """The encoding a mark or a pattern of NUL bytes gives away; empty for everything else (cases
    40, 41)."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return f"{name} with a byte-order mark"
    sample = content[:_SAMPLE_BYTES]
    nul = sample.count(0)
    for bits, tenths in ((32, 7), (16, 3)):
        if nul and nul * 10 >= len(sample) * tenths and _is_text(sample, bits):
            return f"UTF-{bits} without a byte-order mark"
    return ""


def _is_text(sample: bytes, bits: int) -> bool:
    """Whether the bytes are a text in this encoding: what is no text at all has NUL bytes too."""
    whole = sample[: len(sample) // 4 * 4]
    decoded = (whole.decode(f"utf-{bits}-{order}", "replace") for order in ("le", "be"))
    return any("\ufffd" not in text and "\0" not in text for text in decoded)


def _bad_bytes(content: bytes) -> Problem:
    offset = _first_bad_byte(content)
    before = content[:offset]
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    escaped = content.decode(errors="surrogateescape")
    damaged = (
        number for number, line in enumerate(split_lines(escaped), 1) if _UNDECODED.search(line)
    )
    lines = list(islice(damaged, MAX_LISTED + 1))
    listed = ", ".join(map(str, lines[:MAX_LISTED])) + (", …" if len(lines) > MAX_LISTED else "")
    message = (
        f"Byte {offset + 1} of the file (byte {offset - start + 1} of line {lines[0]}) is not "
        f"UTF-8. Lines with such bytes: {listed}. Save the file as UTF-8."
    )
    found = f"0x{content[offset]:02X}"
    return Problem("encoding", message, lines[0], f"byte {offset - start + 1}", "UTF-8", found)


def _first_bad_byte(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return error.start
    raise AssertionError("called for content that is UTF-8")


def split_lines(text: str) -> Iterator[str]:
    """The lines with their ends, cut at LF, CRLF and CR only."""
    return (match.group() for match in _LINE.finditer(text))


def count_line_ends(text: str, start: int, stop: int) -> int:
    """Line ends between two positions of which neither stands between a CR and its LF."""
    return (
        text.count("\n", start, stop)
        + text.count("\r", start, stop)
        - text.count("\r\n", start, stop)
    )


def place(text: str, position: int) -> tuple[int, int]:
    """Line and character of a position, both from 1."""
    start = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    return count_line_ends(text, 0, start) + 1, position - start + 1


def visible(text: str, limit: int = MAX_SHOWN) -> str:
    """At most `limit` characters of a text, with an escape for everything that a page would not
    show."""
    start = text[: limit + 1]
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in start)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def quoted(text: str) -> str:
    return f'"{visible(text)}"'
