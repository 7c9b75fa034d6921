"""Cases 58-71: the shape of tables, and files without end in any format."""

import json
from collections.abc import Iterator

from benchmarks.protocols.base import Upload
from tests.protocols.files.writing import (
    GOOD,
    GOOD_ROWS,
    Case,
    accepted,
    as_csv,
    as_json,
    as_jsonl,
    as_tsv,
    table,
    uploads,
    with_line,
    with_row,
)

GOOD_TABLE = table(GOOD_ROWS)
NAMED = "name the file .json"


def _changed(number: int, line: bytes) -> Upload:
    return as_csv(with_line(number, line, GOOD_TABLE))


def quotes_and_cells() -> Iterator[Case]:
    never = ("never closed",)
    yield Case(58, "open quote", _changed(3, b'2,"open'), "quote", 3, never)
    in_tsv = as_tsv(with_line(3, b'2\t"open', table(GOOD_ROWS, "\t")))
    yield Case(58, "open quote in TSV", in_tsv, "quote", 3, never)
    yield Case(
        58, "open quote in a long file", _changed(3, b'2,"' + b"x\n" * 131_072), "quote", 3, never
    )
    yield Case(58, "text after a quote", _changed(4, b'7,"a" b'), "quote", 4, ("doubled",))
    wide = _changed(3, b"2," + b"x" * 131_073)
    yield Case(59, "a cell beyond the limit of csv", wide, "too-long", 3, ("131072",))
    yield Case(60, "short row", _changed(5, b"12"), "short-row", 5, ("2 cells", "1 cells"))
    yield Case(61, "long row", _changed(5, b"12,yes, no"), "long-row", 5, ("quotes", "3 cells"))
    for number, name, answer in (
        (68, "line ends", "a\nb\r\nc\rd"),
        (69, "quotes", 'He said ""no"", "yes"'),
    ):
        for upload in uploads(with_row(2, "2", answer)):
            yield accepted(
                number, f"{name} in {upload.name}", upload, answers={**GOOD, "2": answer}
            )


def headers() -> Iterator[Case]:
    twice = _changed(1, b"id,prediction,prediction")
    yield Case(62, "a column twice", twice, "duplicate-field", 1, ("prediction",))
    for found in ("ID,prediction", "id, prediction", "id,Prediction ", "\u200bid,prediction"):
        upload = _changed(1, found.encode())
        yield Case(63, f"header {found!a}", upload, "field-name", 1, ("Did you mean",))
    extra = as_csv(GOOD_TABLE.replace(b".\n", b".,n\n").replace(b"on\n", b"on,note\n", 1))
    yield Case(64, "a column more", extra, "unknown-field", 1, ('"note"',))
    index = b",id,prediction\n" + b"".join(
        b"0," + line + b"\n" for line in GOOD_TABLE.split(b"\n")[1:-1]
    )
    yield Case(64, "an index column", as_csv(index), "unknown-field", 1, ("no name",))
    swapped = table([(answer, id_) for id_, answer in GOOD_ROWS], header=False)
    yield accepted(65, "columns swapped", as_csv(b"prediction,id\n" + swapped))
    yield Case(66, "semicolons", as_csv(table(GOOD_ROWS, ";")), "delimiter", 1, ("looks like ;",))
    yield Case(66, "tabs", as_csv(table(GOOD_ROWS, "\t")), "delimiter", 1, ("tabs",))
    yield Case(66, "commas in TSV", as_tsv(GOOD_TABLE), "delimiter", 1, ("commas",))
    headless = as_csv(table(GOOD_ROWS, header=False))
    yield Case(67, "no header", headless, "header", 1, ("id,prediction",))
    yield Case(67, "half a header", _changed(1, b"id,text"), "missing-field", 1, ("prediction",))


def endless_files() -> Iterator[Case]:
    for name, upload, line in (
        ("10 million rows", as_csv(b"id,prediction\n" + b",\n" * 10_000_000), 10),
        ("5 million lines", as_jsonl(b"{}\n" * 5_000_000), 9),
        ("7 million elements", as_json(b"[" + b"{}," * 6_900_000 + b"{}]"), 1),
        ("5 million lines that cannot be read", as_jsonl(b"?\n" * 5_000_000), 9),
    ):
        yield Case(70, name, upload, "too-many-rows", line, ("more rows than questions (8)",))
    cells = as_csv(b"id,prediction\n" + b"ab," * 5_000_000)
    yield Case(71, "5 million cells in a row", cells, "too-long", 2, ("1000000 characters",))
    cells = as_csv(b"id,prediction\n" + b'"a\n",' * 3_000_000)
    yield Case(71, "3 million cells on as many lines", cells, "too-long", 2, ("never closed",))
    columns = [f"c{number}" for number in range(50_000)]
    header = as_csv(",".join(("id", "prediction", *columns)).encode() + b"\n")
    yield Case(71, "50,000 columns", header, "too-many-fields", 1, ("50002",))
    fields = json.dumps(dict.fromkeys(columns, 1)).encode()
    yield Case(71, "50,000 fields", as_json(b"[" + fields + b"]"), "too-many-fields", 1)
    yield Case(71, "50,000 fields on a line", as_jsonl(fields), "too-many-fields", 1, (NAMED,))
    ids = json.dumps(dict.fromkeys(columns[:33], "one")).encode()
    yield Case(71, "all answers on a line", as_jsonl(ids), "shape", 1, (NAMED,))
    some = json.dumps(dict.fromkeys(["id", "prediction", *columns[:31]], "1")).encode()
    yield Case(71, "33 fields", as_jsonl(some), "too-many-fields", 1, ("33 fields",))
