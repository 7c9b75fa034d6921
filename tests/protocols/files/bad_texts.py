"""Cases 39-57: encodings, lines and characters."""

import json
import unicodedata
from collections.abc import Iterator

from benchmarks.protocols.base import Upload
from benchmarks.protocols.files.limits import MAX_CHARACTERS
from tests.protocols.files.writing import (
    GOOD,
    GOOD_ROWS,
    Case,
    accepted,
    as_csv,
    as_json,
    as_jsonl,
    document,
    lines,
    objects,
    table,
    uploads,
    with_line,
    with_row,
)

GOOD_TABLE, GOOD_LINES = table(GOOD_ROWS), lines(GOOD_ROWS)


def encodings() -> Iterator[Case]:
    for upload in uploads(GOOD_ROWS):
        marked = Upload(upload.name, b"\xef\xbb\xbf" + upload.content)
        yield accepted(39, f"mark in {upload.name}", marked, "bom")
        for encoding in ("UTF-16", "UTF-32"):
            content = upload.content.decode().encode(encoding)
            name = f"{encoding} in {upload.name}"
            yield Case(
                40, name, Upload(upload.name, content), "encoding", 1, (encoding, "byte-order mark")
            )
        for encoding in ("UTF-16-LE", "UTF-16-BE"):
            content = upload.content.decode().encode(encoding)
            name = f"{encoding} without mark in {upload.name}"
            yield Case(41, name, Upload(upload.name, content), "encoding", 1, ("UTF-16", "without"))


def wrong_bytes() -> Iterator[Case]:
    latin = GOOD_TABLE.decode().encode("latin-1")
    place = ("Byte 150 of the file", "byte 4 of line 8", "0xE9")
    yield Case(42, "Latin-1", as_csv(latin), "encoding", 8, place)
    for encoding in ("gbk", "shift-jis"):
        content = "id,prediction\n1,日本\n2,中\n".encode(encoding)
        yield Case(
            42, encoding, as_csv(content), "encoding", 2, ("Byte 17 of the file", "bytes: 2, 3")
        )
    ids = tuple(f"q{number}" for number in range(1000))
    for upload in uploads((id_, "yes") for id_ in ids):
        content = with_line(900, b'{"id": "q\xff"},', upload.content)
        words = ("of line 900", "0xFF")
        changed = Upload(upload.name, content)
        yield Case(43, f"one bad byte in {upload.name}", changed, "encoding", 900, words, ids=ids)


def forbidden_characters() -> Iterator[Case]:
    nul = as_csv(table(with_row(3, "7", "a\0b")))
    yield Case(44, "NUL in a cell", nul, "control", 4, ("Character 2", "\\x00"))
    for upload, line in (
        (as_jsonl(lines(with_row(3, "7", "a\0b"))), 3),
        (as_json(document(with_row(3, "7", "a\0b"))), 4),
    ):
        yield Case(45, f"escaped NUL in {upload.name}", upload, "control", line, ("Character 2",))
    for upload, line in (
        (as_jsonl(lines(with_row(3, "7", "ab\ud800"))), 3),
        (as_json(document(with_row(3, "7", "ab\ud800"))), 4),
    ):
        yield Case(46, f"lone surrogate in {upload.name}", upload, "surrogate", line, ("\\ud800",))
    for control in ("\x08", "\x1b[31m", "\x9b31m", "\x7f"):
        rows = with_row(2, "2", f"abc{control}")
        name, words = f"control {control!a}", ("Character 4",)
        yield Case(47, f"{name}, CSV", as_csv(table(rows)), "control", 3, words)
        yield Case(47, f"{name}, JSON", as_json(document(rows)), "control", 3, words)
        yield Case(47, f"{name}, JSON Lines", as_jsonl(lines(rows)), "control", 2, words)
        raw = lines(rows, ascii_only=False).replace(b"\\b", b"\b").replace(b"\\u001b", b"\x1b")
        yield Case(47, f"{name}, not escaped", as_jsonl(raw), "control", 2, words)


def line_ends() -> Iterator[Case]:
    for content, upload in ((GOOD_TABLE, as_csv), (GOOD_LINES, as_jsonl)):
        name = upload(b"").name
        yield accepted(48, f"LF in {name}", upload(content))
        yield accepted(48, f"CRLF in {name}", upload(content.replace(b"\n", b"\r\n")))
        yield accepted(49, f"CR in {name}", upload(content.replace(b"\n", b"\r")))
        start, rest = content[:50].replace(b"\n", b"\r\n"), content[50:].replace(b"\n", b"\r", 1)
        yield accepted(50, f"mixed ends in {name}", upload(start + rest))
        yield accepted(51, f"no end of the last line in {name}", upload(content.rstrip(b"\n")))
        yield accepted(53, f"blank end of {name}", upload(content + b"\n\r\n \n"))
        inside = content.replace(b"\n", b"\n\n\n", 1)
        yield Case(53, f"blank line inside {name}", upload(inside), "blank-line", 2, ("blank",))


def unusual_characters() -> Iterator[Case]:
    separators = "a\u2028b\u2029c\u0085d\ve\ff\tg\u00a0"
    bidi = "\u202eabc\u202c \u2066x\u2069"
    marks = "o" + "\u0301" * (MAX_CHARACTERS - 1)
    for number, name, answer in (
        (52, "separators", separators),
        (56, "bidi controls", bidi),
        (57, "combining marks", marks),
    ):
        for upload in uploads(with_row(2, "2", answer)):
            notes = ["hidden-text"] if answer == bidi else []
            yield accepted(
                number, f"{name} in {upload.name}", upload, *notes, answers={**GOOD, "2": answer}
            )
    raw = "".join(
        json.dumps(row, ensure_ascii=False) + "\n" for row in objects(with_row(2, "2", separators))
    )
    raw = raw.replace("\\u000b", "\v").replace("\\f", "\f").replace("\\t", "\t")
    yield accepted(
        52, "separators, not escaped", as_jsonl(raw.encode()), answers={**GOOD, "2": separators}
    )
    long = as_csv(table(with_row(2, "2", "o" + "\u0301" * 100_000)))
    yield Case(57, "100,000 combining marks", long, "too-long", 3, ("100001 characters",))


def unusual_ids() -> Iterator[Case]:
    meant = 'Did you mean "12"?'
    damages = (
        ("zero-width", "12\u200b"),
        ("NBSP", "\u00a012"),
        ("blank", "12 "),
        ("mark", "1\ufeff2"),
    )
    for name, damaged in damages:
        upload = as_csv(table(with_row(4, damaged, "x")))
        yield Case(54, f"{name} in an id", upload, "unknown", 5, (meant, "invisible"))
    decomposed = as_csv(table(with_row(7, unicodedata.normalize("NFD", "café"), "x")))
    yield Case(55, "NFD for NFC", decomposed, "unknown", 8, ("NFC instead of NFD", '"café"'))
