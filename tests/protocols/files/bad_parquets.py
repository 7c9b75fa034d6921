"""Cases 110-116: Parquet tables."""

import datetime
import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.protocols.base import Upload
from benchmarks.protocols.files.limits import MAX_CHARACTERS, MAX_FIELDS, MAX_UNPACKED_BYTES
from tests.protocols.files.writing import GOOD, GOOD_ROWS, IDS, Case, accepted

ANSWERS = [answer for _, answer in GOOD_ROWS]


def parquet(columns: Any, **how: Any) -> Upload:
    """A table of these columns, by name."""
    found = columns if isinstance(columns, pa.Table) else pa.table(columns)
    file = io.BytesIO()
    pq.write_table(found, file, **how)
    return Upload("answers.parquet", file.getvalue())


def good(**more: Any) -> dict[str, Any]:
    return {"id": list(IDS), "prediction": ANSWERS, **more}


def with_answer(answer: object, row: int = 3) -> dict[str, Any]:
    return good(prediction=[*ANSWERS[: row - 1], answer, *ANSWERS[row:]])


def tables() -> Iterator[Case]:
    yield accepted(110, "a Parquet table", parquet(good()))
    for packed in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
        upload = parquet(good(), compression=packed, row_group_size=3)
        yield accepted(110, f"Parquet packed by {packed}", upload)
    for name, of in (("large", pa.large_string()), ("viewed", pa.string_view())):
        columns = {key: pa.array(column, of) for key, column in good().items()}
        yield accepted(110, f"Parquet of {name} texts", parquet(columns))
    listed = {key: pa.array(column).dictionary_encode() for key, column in good().items()}
    yield accepted(110, "Parquet of categories", parquet(listed))
    index = parquet(good(__index_level_0__=list(range(len(IDS)))))
    yield accepted(110, "Parquet with an index", index, "ignored-fields")
    nested = parquet(good(question=[{"image": {"bytes": b"\xff", "size": [1, 2]}}] * len(IDS)))
    yield accepted(110, "Parquet beside a nested column", nested)
    empty = parquet(with_answer("", row=1))
    read = {**GOOD, "1": ""}
    yield accepted(110, "Parquet with an empty answer", empty, "empty-answers", answers=read)


def broken_files() -> Iterator[Case]:
    whole = parquet(good()).content

    def named(content: bytes) -> Upload:
        return Upload("answers.parquet", content)

    for name, content in (
        ("half a Parquet table", whole[: len(whole) // 2]),
        ("a Parquet table without its end", whole[:-5]),
        ("a Parquet table of nothing", b"PAR1PAR1"),
        ("a Parquet table whose end is far away", whole[:-8] + b"\xff\xff\xff\x7fPAR1"),
        ("Parquet: no table", b"PAR1" + bytes(range(256)) * 8 + b"PAR1"),
    ):
        yield Case(111, name, named(content), "parquet", 1, ("cannot be read",))
    locked = b"PARE" + whole[4:-4] + b"PARE"
    yield Case(111, "an encrypted Parquet table", named(locked), "type", None, ("encrypted",))
    text = named(b"id,prediction\n1,x\n")
    yield Case(111, "a text named .parquet", text, "type", None, ("a text",))
    other = Upload("answers.csv", whole)
    yield Case(111, "a Parquet table named .csv", other, "type", None, ("Parquet",))


def bombs() -> Iterator[Case]:
    """Each a few kilobytes, and hundreds of megabytes unpacked."""
    huge = "x" * (MAX_UNPACKED_BYTES // len(IDS) + 1)
    plain = parquet(good(prediction=[huge] * len(IDS)), use_dictionary=False, compression="zstd")
    yield Case(112, "Parquet: bomb", plain, "size", None, ("unpack", "67108864"))
    once = parquet(good(prediction=[huge] * len(IDS)), compression="zstd")
    yield Case(112, "Parquet: one text many times", once, "size", 1, ("unpack",))
    labels = pa.array([huge] * len(IDS)).dictionary_encode()
    kept = parquet(good(prediction=labels), compression="zstd")
    yield Case(112, "Parquet: one label many times", kept, "size", 1, ("unpack",))
    many = parquet({"id": ["1"] * 2_000_000, "prediction": ["x"] * 2_000_000})
    yield Case(112, "Parquet: two million rows", many, "too-many-rows", len(IDS) + 1, ("more",))


def column_types() -> Iterator[Case]:
    size = len(IDS)
    odd: Sequence[tuple[str, Any, str]] = (
        ("bytes", [answer.encode() for answer in ANSWERS], "binary"),
        ("lists", [[answer] for answer in ANSWERS], "list"),
        ("objects", [{"text": answer} for answer in ANSWERS], "struct"),
        ("days", [datetime.date(2026, 1, 2)] * size, "date32"),
    )
    for name, column, word in odd:
        words = ("prediction", word, "a column of texts")
        upload = parquet(good(prediction=column))
        yield Case(113, f"Parquet: {name} for answers", upload, "column-type", None, words)
    numbers = parquet(good(prediction=list(range(size))))
    yield Case(113, "Parquet: numbers for answers", numbers, "type-of-answer", 1, ("prediction",))
    ids = parquet(good(id=list(range(size))))
    yield Case(113, "Parquet: numbers for ids", ids, "type-of-id", 1, ("id", "a number"))
    nothing = parquet(with_answer(None))
    yield Case(113, "Parquet: no answer", nothing, "type-of-answer", 3, ("null",))


def texts() -> Iterator[Case]:
    written = [answer.encode() for answer in ANSWERS]
    written[2] = "très".encode("latin-1")
    column = pa.Array.from_buffers(pa.string(), len(IDS), pa.array(written).buffers())
    upload = parquet(good(prediction=column))
    yield Case(114, "Parquet: Latin-1", upload, "encoding", 3, ("UTF-8", "Byte 3", "\\xe8"))
    for answer, code in (("x\0y", "control"), ("x" * (MAX_CHARACTERS + 1), "too-long")):
        upload = parquet(with_answer(answer))
        yield Case(115, f"Parquet: {code}", upload, code, 3, ("prediction",))


def names() -> Iterator[Case]:
    spelled = parquet({"ID": list(IDS), "prediction": ANSWERS})
    yield Case(116, "Parquet: ID", spelled, "field-name", 1, ("id",))
    more = parquet(good(score=[1] * len(IDS)))
    yield Case(116, "Parquet: a column more", more, "unknown-field", 1, ("score",))
    twice = pa.table([list(IDS), list(IDS), ANSWERS], names=["id", "id", "prediction"])
    yield Case(116, "Parquet: a column twice", parquet(twice), "duplicate-field", None, ("id",))
    none = parquet({"key": list(IDS), "text": ANSWERS})
    yield Case(116, "Parquet: no column known", none, "header", None, ("id, prediction", "key"))
    wide = parquet(good(**{f"c{n}": list(IDS) for n in range(MAX_FIELDS)}))
    yield Case(116, "Parquet: 34 columns", wide, "too-many-fields", None, ("34",))
