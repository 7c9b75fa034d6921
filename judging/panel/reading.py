"""A file of ratings as rows: what can be told from the file alone.

Two headers are read: entry, item, rater, dimension, score, and entry, item, rater, label. A label,
correct or incorrect, is the score 1 or 0 on the dimension "correct"; unclear is the number that the
dimension has for it.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from benchmarks.protocols.base import Problem, Upload
from benchmarks.protocols.files import Form, Record, kind_of, read_records, visible
from benchmarks.protocols.files.lookalikes import Lookalikes, plain_reading
from benchmarks.protocols.files.text import quoted
from benchmarks.submissions.naming.names import name_fault
from judging.panel.models import MAX_RATER_CHARACTERS

MAX_ROWS = 200_000  # a file is read in memory; more raters are more files
LABEL_DIMENSION = "correct"
LABELS = {"correct": 1, "incorrect": 0}
UNCLEAR = "unclear"
FORMS = (
    Form(("entry", "item", "rater", "dimension", "score")),
    Form(("entry", "item", "rater", "label")),
)


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A row as the file has it; `score` is its label where it `is_label`."""

    line: int
    entry: str
    item: str
    rater: str
    dimension: str
    score: str
    is_label: bool


@dataclass(frozen=True, slots=True)
class RowReading:
    rows: tuple[RatingRow, ...]
    problems: tuple[Problem, ...]


def read_rows(upload: Upload) -> RowReading:
    """Every complete row, and every problem that the file has by itself. Rows without a column are
    left to the one problem that tells so."""
    kind = kind_of(upload)
    if isinstance(kind, str) and kind not in ("csv", "tsv"):
        expected = "a text file named .csv or .tsv"
        return RowReading(
            (),
            (
                Problem(
                    "type", "Ratings are read from tables.", expected=expected, found=f".{kind}"
                ),
            ),
        )
    read = read_records(upload, FORMS, MAX_ROWS)
    rows = tuple(rating_rows(read.records))
    problems = [of_ratings(problem) for problem in read.problems]
    if not read.records and not problems:
        problems.append(
            Problem("empty", "The file has a header and no ratings.", expected="a row per rating")
        )
    return RowReading(
        rows, (*problems, *label_problems(rows), *rater_problems(rows), *repetitions(rows))
    )


def of_ratings(problem: Problem) -> Problem:
    """The problem in words that fit: the reader speaks of a row per question."""
    if problem.code == "too-many-rows":
        message = (
            f"There are more than {MAX_ROWS:,} rows. Reading stopped here; hand the ratings in as "
            "several files."
        )
        return replace(problem, message=message, expected=f"at most {MAX_ROWS:,} rows")
    return replace(problem, expected="a row per rating") if problem.code == "empty" else problem


def rating_rows(records: Iterable[Record]) -> Iterator[RatingRow]:
    rated, labelled = (frozenset(form.required) for form in FORMS)
    for record in records:
        fields = {name: str(value) for name, value in record.fields.items()}
        if rated <= fields.keys():
            yield RatingRow(record.line, **fields, is_label=False)
        elif labelled <= fields.keys():
            label = fields.pop("label")
            yield RatingRow(
                record.line, **fields, dimension=LABEL_DIMENSION, score=label, is_label=True
            )


def label_problems(rows: Iterable[RatingRow]) -> Iterator[Problem]:
    for row in rows:
        if row.is_label and row.score not in (*LABELS, UNCLEAR):
            message, expected = "The label is none that is known.", "correct, incorrect or unclear"
            yield Problem("label", message, row.line, "label", expected, visible(row.score))


def rater_problems(rows: Iterable[RatingRow]) -> Iterator[Problem]:
    """Each name is looked at once: a file has thousands of rows and a handful of raters."""
    expected = f"a name of 1 to {MAX_RATER_CHARACTERS} characters, all of them to be seen"
    faults: dict[str, str] = {}
    for row in rows:
        if row.rater not in faults:
            faults[row.rater] = rater_fault(row.rater)
        if message := faults[row.rater]:
            yield Problem("rater", message, row.line, "rater", expected, visible(row.rater))


def rater_fault(rater: str) -> str:
    """What is wrong with the name; empty where nothing is. With what nobody sees, one person would
    count as two."""
    if not rater.strip():
        return "The rater has no name."
    if len(rater) > MAX_RATER_CHARACTERS:
        return f"The rater's name has {len(rater)} characters."
    if rater != rater.strip():
        return "Blanks stand around the rater's name."
    hidden = next(
        (c for c in rater if c != " " and (c.isspace() or unicodedata.category(c) == "Cf")), ""
    )
    if hidden:
        return (
            "The rater's name holds a character that cannot be told from others or none: "
            f"{visible(hidden)}."
        )
    composed = unicodedata.normalize("NFC", rater)
    if rater != composed:
        return "The rater's name is in decomposed characters (NFD); write them composed (NFC)."
    return name_fault(rater)


class PlainReadings(dict[str, str]):
    """The plain reading of each name asked for, made once."""

    def __missing__(self, name: str) -> str:
        self[name] = plain_reading(name)
        return self[name]


def repetitions(rows: Iterable[RatingRow]) -> Iterator[Problem]:
    """A rater scores an answer once on a dimension, whether or not the scores are the same, and in
    whatever writing."""
    first: dict[tuple[str, str, str, str], RatingRow] = {}
    readings = PlainReadings()
    for row in rows:
        earlier = first.setdefault((row.entry, row.item, readings[row.rater], row.dimension), row)
        if earlier is not row:
            manner = "the same score" if earlier.score == row.score else "another score"
            message = (
                f"The rater's score of this answer is already on line {earlier.line}, with "
                f"{manner}."
            )
            message += other_writing(earlier.rater, row.rater)
            expected = "each rater once per item and dimension"
            yield Problem("duplicate", message, row.line, "rater", expected, visible(row.rater))


def other_writing(name: str, rater: str) -> str:
    """How the name that stands already differs from this one; empty where it does not."""
    alike = Lookalikes([name]).find(rater)
    return (
        f" There the rater is {quoted(name)}, here {alike.reason}."
        if alike and name != rater
        else ""
    )
