"""Descriptions and references of a release as a file that people work on elsewhere: a row per text,
as CSV or JSON lines out, and as CSV, TSV, JSON lines, JSON or a workbook in.

Plain Python: what comes in is read in a process that has nothing of the site
(submissions/files/reader.py).
"""

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.common.spreadsheets import LINE_END, begins_formula, csv_text
from benchmarks.protocols.base import BenchmarkProtocol, Problem, QuestionRow, TextKind, Upload
from benchmarks.protocols.files import Form, Record, read_records, visible

COLUMNS = ("kind", "name", "version", "state", "question", "picture", "text")
FORM = Form(required=("kind", "name", "version", "text"), ignored=("state", "question", "picture"))
KINDS: tuple[TextKind, ...] = ("description", "reference")
MOST_CHARACTERS = 20_000  # of one text, as the forms of the admin have it
MOST_ROWS = 25_000  # a figure and a reference for each question of the longest release, and some


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text as a file has it. `name`: of a description the figure's, as people call it or as the
    dataset does, of a reference the question's id. `version`: the one its writer started from, 0
    for none; None where the file does not tell, as an official one. `line`: where it stands."""

    kind: TextKind
    name: str
    text: str
    version: int | None = None
    line: int | None = None


# --- out ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """A text as it is handed out; `question` says what a reference answers, `picture` what the
    dataset calls the figure of a description."""

    kind: TextKind
    name: str
    version: int
    state: str
    question: str
    picture: str
    text: str


def as_csv(rows: Iterable[WrittenRow]) -> Iterator[str]:
    """Parts of a CSV file of which no cell is run as a formula; `read_texts` takes the apostrophes
    away again."""
    yield csv_text([COLUMNS])
    for row in rows:
        values = asdict(row)
        yield csv_text([[guarded(str(values[name])) for name in COLUMNS]])


def as_json_lines(rows: Iterable[WrittenRow]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(asdict(row), ensure_ascii=False) + "\n"


def guarded(text: str) -> str:
    """Text of which no line begins a formula. `unguarded` gives exactly the text back: a line that
    has apostrophes before a formula's sign gets one more."""
    return "".join(f"'{part}" if is_guarded(part) else part for part in LINE_END.split(text))


def unguarded(text: str) -> str:
    parts = LINE_END.split(text)
    return "".join(p[1:] if p.startswith("'") and is_guarded(p) else p for p in parts)


def is_guarded(line: str) -> bool:
    """Whether a formula begins behind its apostrophes, if it has any."""
    return begins_formula(line.lstrip("'"))


# --- in -------------------------------------------------------------------------------------------


def texts_document(upload: Upload) -> dict[str, Any]:
    """JSON of the `rows` of a file of texts, and every `problem` of it."""
    records = read_records(upload, (FORM,), MOST_ROWS)
    is_table = upload.name.lower().endswith((".csv", ".tsv"))
    rows, problems = [], list(records.problems)
    seen: dict[tuple[str, str], int] = {}
    for record in records.records:
        found = [*row_problems(record, seen)]
        problems += found
        if not found:
            rows.append(row_of(record, is_table))
    if not records.records and not problems:
        problems.append(Problem("empty", "The file has no texts.", expected="a row per text"))
    return document(rows, problems)


def document(rows: Sequence[TextRow], problems: Sequence[Problem], **more: Any) -> dict[str, Any]:
    return {"rows": [asdict(r) for r in rows], "problems": [asdict(p) for p in problems], **more}


def row_of(record: Record, is_table: bool) -> TextRow:
    """Line ends are one kind and blanks around it are gone, as in what is typed into a form."""
    fields = record.fields
    text = str(fields["text"]).replace("\r\n", "\n").replace("\r", "\n")
    text = (unguarded(text) if is_table else text).strip()
    name = str(fields["name"])
    kind: TextKind = "description" if fields["kind"] == "description" else "reference"
    return TextRow(
        kind, unguarded(name) if is_table else name, text, int(str(fields["version"])), record.line
    )


def row_problems(record: Record, seen: dict[tuple[str, str], int]) -> Iterator[Problem]:
    fields = record.fields
    for name in ("kind", "name", "text"):
        if not isinstance(fields.get(name), str):
            found = visible(json.dumps(fields.get(name)))
            yield record.problem("type", f"The {name} is not a text.", name, "a text", found)
            return
    kind, name, text = str(fields["kind"]), str(fields["name"]), str(fields["text"])
    if kind not in KINDS:
        message = "This is no kind of text."
        yield record.problem("kind", message, "kind", " or ".join(KINDS), visible(kind))
    if not is_version(fields.get("version")):
        message = "The version is not the number of one; 0 is for a text that is the first."
        found = visible(str(fields.get("version")))
        yield record.problem("version", message, "version", "a whole number", found)
    first = seen.setdefault((kind, name), record.line)
    if first != record.line:
        message = f"This {visible(kind)} stands in the file twice, first on line {first}."
        yield record.problem("duplicate", message, "name", "each text once", visible(name))
    yield from text_problems(text, record.line)


def is_version(value: object) -> bool:
    text = str(value)
    return not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) < 7


def text_problems(text: str, line: int | None, column: str = "text") -> Iterator[Problem]:
    """What the forms refuse as well. Hidden characters are looked for in what is handed in: a file
    that was taken away comes back with the texts that nobody touched."""
    if len(text) > MOST_CHARACTERS:
        expected = f"at most {MOST_CHARACTERS:,} characters"
        found = f"{len(text):,} characters"
        yield Problem("too-long", "The text is too long.", line, column, expected, found)


# --- an official file -----------------------------------------------------------------------------


def official_document(upload: Upload, family: BenchmarkProtocol) -> dict[str, Any]:
    """The `texts_document` of an official dataset file; `questions` has what is asked by id, to be
    compared with a release. A text that is empty is no row."""
    rows: dict[tuple[str, str], TextRow] = {}
    problems: list[Problem] = []
    questions: dict[str, Any] = {}
    for item in family.dataset.read(io.BytesIO(upload.content)):
        if isinstance(item, Problem):
            problems.append(item)
        elif isinstance(item, QuestionRow):
            questions[item.public_id] = asked(item)
            for row in texts_of(item):
                if (row.kind, row.name) not in rows:  # a picture described twice keeps the first
                    rows[row.kind, row.name] = row
                    problems += text_problems(row.text, row.line, row.kind)
    return document([*rows.values()], problems, questions=questions)


def asked(question: QuestionRow) -> list[Any]:
    """What makes the question another one, beside its reference and picture's content."""
    view = question.view()
    return [view.subtask, view.figure, view.group, view.text, dict(view.facts), dict(view.truth)]


def texts_of(question: QuestionRow) -> Iterator[TextRow]:
    if question.figure and question.description.strip():
        yield TextRow(
            "description", question.figure, plain(question.description), None, question.line
        )
    if question.reference.strip():
        yield TextRow("reference", question.public_id, plain(question.reference), None, None)


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def rows_of(found: Mapping[str, Any]) -> tuple[list[TextRow], list[Problem]]:
    """What a document of either kind has, as values again."""
    return [TextRow(**r) for r in found["rows"]], [Problem(**p) for p in found["problems"]]
