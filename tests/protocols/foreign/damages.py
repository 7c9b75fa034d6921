"""What happens to a file of answers between its program and us, and what must be said of it."""

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.protocols.foreign.formats import (
    Answers,
    Format,
    by_id,
    ehub_row,
    lmms_eval,
    table,
    template,
    vlmevalkit,
    with_its_run,
)

ANY = "any"
"""Code of a refusal that depends on where a file was cut."""

Rows = list[dict[str, object]]


def everywhere(of: Format) -> bool:
    return True


def in_text(of: Format) -> bool:
    return of.is_text


def in_tables(of: Format) -> bool:
    return of.is_table


def in_json(of: Format) -> bool:
    return of.kind in ("json", "jsonl")


def in_workbooks(of: Format) -> bool:
    return of.kind == "xlsx"


def in_parquet(of: Format) -> bool:
    return of.kind == "parquet"


def with_ids(of: Format) -> bool:
    return everywhere(of) and not of.is_placed


def with_names(of: Format) -> bool:
    """Of fields: an object by id has none."""
    return everywhere(of) and of.write is not by_id


@dataclass(frozen=True)
class Damage:
    """Changes of the answers, of the rows made of them, of the workbook, of the bytes, of the name.

    codes: of the refusal; by format, kind or "" for the others. Empty: the file is read.
    row: the row to blame, from 1; 0 is the whole file. column: "id", "answer" or a name.
    """

    name: str
    codes: Mapping[str, str] | str = ""
    row: int = 0
    column: str = ""
    note: str = ""
    fits: Callable[[Format], bool] = everywhere
    answers: Callable[[Answers], Answers] = lambda answers: answers
    rows: Callable[[Rows, Format], Rows] = lambda rows, of: rows
    book: Callable[[Any], None] | None = None
    content: Callable[[bytes, random.Random], bytes] = lambda content, rng: content
    file_name: Callable[[str], str] = lambda name: name
    reads: Mapping[str, str] = field(default_factory=dict)

    def code(self, of: Format) -> str:
        if isinstance(self.codes, str):
            return self.codes
        for key in (of.name, "placed" if of.is_placed else "", "kit" if of.is_kit else "", of.kind):
            if key and key in self.codes:
                return self.codes[key]
        return self.codes.get("", "")


# --- of answers -----------------------------------------------------------------------------------

LONG = "word " * 5_000  # 25,000 characters: above what an answer may have, below what Excel keeps
ENDLESS = "word " * 28_000
HARD = (
    'Say "yes", or no; tab\there',
    "two\nlines\n\nand a third",
    " leading and trailing ",
    "=HYPERLINK(1)".replace("=", "-"),
    "null",
    "NaN",
    "漢字 العربية 😀 \u2028 end",
    "{'a': [1, 2]}",
    "\\n is no line end",
    "VD/figure/0/0/0",
    "a,b;c|d",
    "'single' “curly”",
)


def put(place: int, answer: str) -> Callable[[Answers], Answers]:
    """Another answer in row number `place`."""

    def change(answers: Answers) -> Answers:
        key = answers[place - 1][0]
        return [*answers[: place - 1], (key, answer), *answers[place:]]

    return change


def named(place: int, key_of: Callable[[Answers], tuple[str, str]]) -> Callable[[Answers], Answers]:
    """Another row number `place`."""

    def change(answers: Answers) -> Answers:
        return [*answers[: place - 1], key_of(answers), *answers[place:]]

    return change


def hard(answers: Answers) -> Answers:
    return [(key, text) for (key, _), text in zip(answers, HARD, strict=True)]


def unknown_id(key: str) -> str:
    """Of the same family, and of no release."""
    head, slash, _ = key.rpartition("/")
    return f"{head}{slash}987654"


PLACED = {"placed": "other-question"}
OF_ANSWERS = (
    Damage("as it is"),
    Damage("re-ordered", PLACED, 1, "question", answers=lambda found: found[::-1]),
    Damage("a row missing", {"": "missing"}, answers=lambda found: [*found[:2], *found[3:]]),
    Damage(
        "an id twice",
        "duplicate",
        4,
        "id",
        answers=named(4, lambda found: found[1]),
        fits=with_ids,
    ),
    Damage(
        "an id twice with another answer",
        "conflict",
        4,
        "id",
        answers=named(4, lambda found: (found[1][0], "Something else.")),
        fits=with_ids,
    ),
    Damage(
        "an id of nobody",
        "unknown",
        4,
        "id",
        answers=named(4, lambda found: (unknown_id(found[3][0]), "x")),
        fits=with_ids,
    ),
    Damage(
        "all ids of another release",
        "unknown",
        fits=with_ids,
        answers=lambda found: [
            (f"{unknown_id(key)}{n}", text) for n, (key, text) in enumerate(found)
        ],
    ),
    Damage(
        "failed rows",
        "failed-answer",
        6,
        "answer",
        answers=put(6, "Failed to obtain answer via API. "),
    ),
    Damage("a word of programs for nothing", note="placeholders", answers=put(7, "NaN")),
    Damage("an empty answer", note="empty-answers", answers=put(3, "")),
    Damage("hard answers", answers=hard),
    Damage(
        "thoughts before the answer",
        note="thinking",
        answers=put(3, f"<think>{LONG}</think>Yes."),
        reads={"row 3": "Yes."},
    ),
    Damage("a huge answer", "too-long", 3, "answer", answers=put(3, LONG)),
    Damage(
        "an endless answer",
        {"": "too-long", "xlsx": "cut-off"},
        3,
        "",
        answers=put(3, ENDLESS),
    ),
    Damage("a control character", "control", 3, "answer", answers=put(3, "x\x08y"), fits=in_text),
    Damage(
        "a control character of Excel",
        "control",
        3,
        "answer",
        answers=put(3, "x_x0008_y"),
        fits=in_workbooks,
    ),
)


# --- of rows --------------------------------------------------------------------------------------


def renamed(old: str, new: str) -> Callable[[Rows, Format], Rows]:
    def change(rows: Rows, of: Format) -> Rows:
        name = getattr(of, old)
        if of.fields is lmms_eval:
            name = "aAcc"
        return [{new if key == name else key: v for key, v in row.items()} for row in rows]

    return change


def valued(row: int, value: object, name: str = "answer_field") -> Callable[[Rows, Format], Rows]:
    """Another value in a field of row number `row`."""

    def change(rows: Rows, of: Format) -> Rows:
        changed = dict(rows[row - 1])
        if of.fields is lmms_eval:
            inner = {**rows[row - 1]["aAcc"], getattr(of, name): value}  # type: ignore[dict-item]
            changed["aAcc"] = inner
        else:
            changed[getattr(of, name)] = value
        return [*rows[: row - 1], changed, *rows[row:]]

    return change


def with_one_id(of: Format) -> bool:
    """Under one name, as text."""
    return in_json(of) and of.fields in (template, vlmevalkit, ehub_row)


TABS = {"TouchStone.csv": "delimiter"}
"""The official name is read with the official columns alone: with others it is a .csv with tabs."""

OF_ROWS = (
    Damage(
        "columns in another order",
        rows=lambda rows, of: [dict(reversed(row.items())) for row in rows],
        fits=with_names,
    ),
    Damage(
        "the answer's column under another name",
        {"": "missing-field", **TABS},
        1,
        rows=renamed("answer_field", "output"),
        fits=with_names,
    ),
    Damage(
        "the answer's column in capitals",
        {"": "field-name", **TABS},
        1,
        rows=lambda rows, of: renamed("answer_field", of.answer_field.upper())(rows, of),
        fits=lambda of: with_names(of) and of.fields is not lmms_eval,
    ),
    Damage(
        "a column more",
        {"": "unknown-field", "kit": "", **TABS},
        1,
        rows=lambda rows, of: [{**row, "score": 1} for row in rows],
        fits=with_names,
    ),
    Damage(
        "a number for an answer",
        "type-of-answer",
        3,
        "answer",
        rows=valued(3, 7),
        fits=lambda of: in_json(of) or in_workbooks(of),
    ),
    Damage(
        "a list for an answer", "type-of-answer", 3, "answer", rows=valued(3, ["x"]), fits=in_json
    ),
    Damage(
        "nothing for an answer",
        {"": "type-of-answer", "VLMEvalKit.json": ""},
        3,
        "answer",
        rows=valued(3, None),
        reads={"row 3": ""},
        fits=in_json,
    ),
    Damage(
        "nested objects",
        "depth",
        3,
        rows=valued(3, {"a": {"b": {"c": {"d": 1}}}}),
        fits=in_json,
    ),
    Damage(
        "an id that is a number",
        {"": "type-of-id", "eHub.json": "", "eHub.jsonl": ""},  # which says the id of its row
        3,
        "id",
        rows=valued(3, 2, "id_field"),
        fits=with_one_id,
    ),
)


# --- of bytes and names ---------------------------------------------------------------------------


def zipped(content: bytes, rng: random.Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo("answers.csv"), content)
    return file.getvalue()


def cut(content: bytes, rng: random.Random) -> bytes:
    """Somewhere in its second half, inside a row."""
    return content[: rng.randrange(len(content) // 2, len(content) * 9 // 10)].rstrip()


def latin(content: bytes, rng: random.Random) -> bytes:
    return content.replace(b"Answer 4.", "Réponse 4.".encode("latin-1"))


def in_line(content: bytes, rng: random.Random) -> bytes:
    """A blank line inside."""
    parts = content.split(b"\n")
    return b"\n".join([*parts[:4], b"", *parts[4:]])


def without_header(content: bytes, rng: random.Random) -> bytes:
    return content.partition(b"\n")[2]


def other_delimiter(content: bytes, rng: random.Random) -> bytes:
    return content.replace(b",", b";") if b"\t" not in content else content.replace(b"\t", b",")


def called(ending: str) -> Callable[[str], str]:
    return lambda name: f"{name.rpartition('.')[0]}.{ending}"


def other_kind(name: str) -> str:
    kinds = {"csv": "json", "tsv": "csv", "jsonl": "json", "json": "jsonl", "xlsx": "csv"}
    kinds["parquet"] = "json"
    stem, _, ending = name.rpartition(".")
    return f"{stem}.{kinds[ending]}"


CUT_OFF = {
    "csv": "missing",
    "tsv": "quote",
    "jsonl": "syntax",
    "json": "syntax",
    "xlsx": "workbook",
    "template.csv": "",
}
OF_BYTES = (
    Damage(
        "nothing in it",
        {"": "empty", "xlsx": "type", "parquet": "type"},
        content=lambda content, rng: b"",
    ),
    Damage("blank", "empty", content=lambda content, rng: b" \n\n\t\n", fits=in_text),
    Damage(
        "a byte-order mark",
        note="bom",
        content=lambda content, rng: b"\xef\xbb\xbf" + content,
        fits=in_text,
    ),
    Damage(
        "line ends of Windows",
        content=lambda content, rng: content.replace(b"\n", b"\r\n"),
        fits=in_text,
    ),
    Damage(
        "UTF-16",
        "encoding",
        content=lambda content, rng: content.decode().encode("utf-16"),
        fits=in_text,
    ),
    Damage("Latin-1", "encoding", 4, content=latin, fits=in_text),
    Damage(
        "a NUL",
        {"": "control", "json": "syntax"},
        4,
        content=lambda content, rng: content.replace(b"Answer 4.", b"Answer\x004."),
        fits=in_text,
    ),
    Damage("cut off", ANY, content=cut),
    Damage("gzip", "type", content=lambda content, rng: gzip.compress(content, mtime=0)),
    Damage("zip", {"": "type", "xlsx": "workbook"}, content=zipped),
    Damage(
        "a page of a proxy",
        "type",
        content=lambda content, rng: b"<!doctype html><title>502</title>",
    ),
    Damage("called .txt", "type", file_name=called("txt")),
    Damage(
        "called as another kind",
        {
            "tsv": "delimiter",
            "xlsx": "type",
            "parquet": "type",
            **dict.fromkeys(("TouchStone.tsv", "TouchStone.csv", "template.csv"), ""),
            "lmms-eval logs.json": "syntax",
            "": "shape",
        },
        file_name=other_kind,
    ),
    Damage("in capitals", file_name=str.upper),
    Damage(
        "a blank line inside",
        {"": "blank-line", "json": ""},
        content=in_line,
        fits=in_text,
    ),
    Damage(
        "no header",
        {"": "header", "TouchStone.csv": "quote"},
        content=without_header,
        fits=in_tables,
    ),
    Damage(
        "another separator",
        {"": "delimiter", "TouchStone.csv": ""},
        content=other_delimiter,
        fits=in_tables,
    ),
    Damage(
        "its rows as a table",
        "shape",
        2,  # of lines; its first row is the second line of a table
        content=lambda content, rng: table([json.loads(line) for line in content.splitlines()]),
        file_name=called("csv"),
        fits=lambda of: of.name == "lmms-eval.jsonl",
    ),
    Damage(
        "a document without its rows",
        "shape",
        content=lambda content, rng: b'{"args": {"model": "ours"}, "time": "0101_0000"}',
        fits=lambda of: of.write is with_its_run,
    ),
)


# --- of workbooks ---------------------------------------------------------------------------------


def answers_column(sheet: Any) -> str:
    """Its letter, whichever format the sheet is of."""
    names = [cell.value for cell in sheet[1]]
    letter: str = sheet.cell(1, names.index("prediction") + 1).column_letter
    return letter


def merged(book: Any) -> None:
    column = answers_column(book.active)
    book.active.merge_cells(f"{column}4:{column}5")


def formula(book: Any) -> None:
    book.active[f"{answers_column(book.active)}4"] = '="Ye"&"s"'


def second_sheet(book: Any) -> None:
    book.create_sheet("Notes").append(["made by", "me"])


def cover_sheet(book: Any) -> None:
    book.create_sheet("Cover", 0).append(["Results of", "our model"])


def blank_cover_sheet(book: Any) -> None:
    book.create_sheet("Cover", 0)


OF_WORKBOOKS = (
    Damage("merged cells", "merged", 3, "answer", book=merged, fits=in_workbooks),
    Damage("a formula", "cell", 3, "answer", book=formula, fits=in_workbooks),
    Damage("a second sheet", note="other-sheets", book=second_sheet, fits=in_workbooks),
    Damage("a cover sheet", "header", book=cover_sheet, fits=in_workbooks),
    Damage("a blank cover sheet", "header", book=blank_cover_sheet, fits=in_workbooks),
)

# --- of Parquet tables ----------------------------------------------------------------------------


def rewritten(change: Callable[[Any], Any], **how: Any) -> Callable[[bytes, random.Random], bytes]:
    """The same table after a `change`, and written as `how` says."""

    def rewrite(content: bytes, rng: random.Random) -> bytes:
        file = io.BytesIO()
        pq.write_table(change(pq.read_table(io.BytesIO(content))), file, **how)
        return file.getvalue()

    return rewrite


def answers_as(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The table with another column of answers."""

    def changed(found: Any) -> Any:
        place = found.schema.names.index("prediction")
        return found.set_column(place, "prediction", change(found.column("prediction")))

    return changed


def not_utf8(column: Any) -> Any:
    """The text of row 3 in Latin-1."""
    texts = [text.encode() for text in column.to_pylist()]
    texts[2] = "Réponse".encode("latin-1")
    return pa.Array.from_buffers(pa.string(), len(texts), pa.array(texts).buffers())


OF_PARQUET = (
    Damage(
        "texts by their place in a dictionary",
        content=rewritten(lambda found: answers_as(lambda c: c.dictionary_encode())(found)),
        fits=in_parquet,
    ),
    Damage(
        "a group for each row, packed",
        content=rewritten(lambda found: found, row_group_size=1, compression="zstd"),
        fits=in_parquet,
    ),
    Damage(
        "an index of pandas",
        note="ignored-fields",
        content=rewritten(
            lambda found: found.append_column("__index_level_0__", pa.array(range(len(found))))
        ),
        fits=in_parquet,
    ),
    Damage(
        "lists for answers",
        "column-type",
        0,
        "answer",
        content=rewritten(answers_as(lambda c: pa.array([[text] for text in c.to_pylist()]))),
        fits=in_parquet,
    ),
    Damage(
        "bytes for answers",
        "column-type",
        0,
        "answer",
        content=rewritten(answers_as(lambda c: c.cast(pa.binary()))),
        fits=in_parquet,
    ),
    Damage(
        "numbers for answers",
        "type-of-answer",
        3,
        "answer",
        content=rewritten(answers_as(lambda c: pa.array(range(len(c))))),
        fits=in_parquet,
    ),
    Damage(
        "an answer in Latin-1",
        "encoding",
        3,
        "answer",
        content=rewritten(answers_as(not_utf8)),
        fits=in_parquet,
    ),
)

DAMAGES: Sequence[Damage] = (*OF_ANSWERS, *OF_ROWS, *OF_BYTES, *OF_WORKBOOKS, *OF_PARQUET)
