"""The official HallusionBench file: a JSON array, one object per figure and question, every value a
string.

A row is named `category/subcategory/set_id/figure_id/question_id`, "VD/figure/0/0/0"; this is its
public id. Cut after the figure id the name means a figure, cut after the set id a set, the unit of
resampling. The rows that differ in the figure id alone form a pair, and figure id 0 is its
original: the unedited image (VD) or no image at all (VS).

Two schemas are read. The full file carries `gt_answer` and `filename`; the older sample of 254 rows
has neither (its rows get no truth and no image) and adds `model_prediction`, passed over like any
unknown field.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from benchmarks.protocols.base import (
    AbilityEntry,
    Anomaly,
    DatasetItem,
    Facts,
    ImageSource,
    Note,
    PairedQuestion,
    Problem,
    QuestionRow,
    QuestionView,
    SubtaskEntry,
)
from benchmarks.protocols.long_lists import limited

TAXONOMY: tuple[AbilityEntry, ...] = (
    AbilityEntry(
        "VD",
        "Visual Dependent",
        (
            SubtaskEntry("VD/illusion", "Illusion"),
            SubtaskEntry("VD/math", "Math"),
            SubtaskEntry("VD/ocr", "OCR"),
            SubtaskEntry("VD/figure", "Figure"),
            SubtaskEntry("VD/video", "Video"),
        ),
    ),
    AbilityEntry(
        "VS",
        "Visual Supplement",
        (
            SubtaskEntry("VS/chart", "Chart"),
            SubtaskEntry("VS/table", "Table"),
            SubtaskEntry("VS/map", "Map"),
            SubtaskEntry("VS/ocr", "OCR"),
        ),
    ),
)

_SUBCATEGORIES = {
    ability.slug: tuple(entry.slug.partition("/")[2] for entry in ability.subtasks)
    for ability in TAXONOMY
}
_NUMBER = re.compile(r"[0-9]{1,9}")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SPOKEN_LABEL = re.compile(r"(yes|no)\b", re.IGNORECASE)


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    """The questions in file order, then anomalies and notes; of a faulty file up to 100 problems
    instead."""
    return _read(stream, lambda row: True)


def read_images_only(stream: BinaryIO) -> Iterator[DatasetItem]:
    """`read` for the questions that are asked with an image alone: 951 of the official 1,129, as
    the common kits ask them. Pairs whose original is the question without one have none here."""
    return _read(stream, lambda row: row.visual_input != 0)


def _read(stream: BinaryIO, is_asked: Callable[["_Row"], bool]) -> Iterator[DatasetItem]:
    entries = _entries(stream.read())
    if isinstance(entries, Problem):
        yield entries
        return
    rows, problems = _rows(entries)
    if problems:
        yield from limited(problems)
        return
    asked = [row for row in rows if is_asked(row)]
    known = {row.public_id for row in asked}
    for row in asked:
        yield _question(row, known)
    for find in _ANOMALY_FINDERS:
        yield from (anomaly for anomaly in find(rows) if anomaly.question in known)
    yield from _missing_labels(asked)


# --- the file -------------------------------------------------------------------------------------


def _entries(content: bytes) -> list[object] | Problem:
    """The elements of the array, or what keeps the file from being one."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _not_utf8(content, error.start)
    if not text.strip():
        return Problem("empty-file", "The file is empty.", expected="a JSON array of rows")
    root = _json(text)
    if isinstance(root, Problem):
        return root
    if not isinstance(root, list):
        message = "The file is not a JSON array of rows."
        return Problem("not-an-array", message, expected="an array", found=_shortened(root))
    return root or Problem("empty-file", "The array has no rows.", expected="at least one row")


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}"
        message = f"This is not valid JSON at line {error.lineno}, {place}: {error.msg}."
        return Problem("invalid-json", message, line=error.lineno, column=place)
    except RecursionError:
        return Problem(
            "invalid-json", "The JSON is nested too deeply.", expected="an array of flat objects"
        )
    except ValueError:  # Python refuses to convert a number of several thousand digits
        return Problem("invalid-json", "The JSON contains a number with too many digits.")


def _not_utf8(content: bytes, start: int) -> Problem:
    line = content.count(b"\n", 0, start) + 1
    line_start = content.rfind(b"\n", 0, start)
    place = f"byte {start - line_start}"
    message = f"The file is not UTF-8 text: line {line}, {place}."
    return Problem("not-utf8", message, line, place, "UTF-8", f"byte 0x{content[start]:02x}")


# --- the rows -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """One object of the array, checked. `label` is None in a file without labels, `image` without a
    name."""

    category: str
    subcategory: str
    set_id: int
    figure_id: int
    question_id: int
    visual_input: int
    text: str
    reference: str
    label: int | None
    image: str | None

    @property
    def subtask(self) -> str:
        return f"{self.category}/{self.subcategory}"

    @property
    def group(self) -> str:
        return f"{self.subtask}/{self.set_id}"

    @property
    def figure(self) -> str:
        return f"{self.group}/{self.figure_id}"

    @property
    def public_id(self) -> str:
        return f"{self.figure}/{self.question_id}"

    @property
    def original(self) -> str:
        """The name its pair's original row has, if the file holds it."""
        return f"{self.group}/0/{self.question_id}"


class _Fields:
    """One object of the array, read field by field; what is wrong with it is collected in
    `problems`."""

    def __init__(self, number: int, values: Mapping[str, object]) -> None:
        self.number = number
        self.values = values
        self.problems: list[Problem] = []

    def refuse(self, code: str, name: str, what: str, expected: str, found: object = "") -> None:
        message = f"Row {self.number}: {name} {what}."
        self.problems.append(Problem(code, message, self.number, name, expected, _shortened(found)))

    def text(self, name: str) -> str:
        """The field as text; "" after a problem."""
        value = self.values.get(name)
        if name not in self.values:
            self.refuse("missing-field", name, "is missing", "a string")
        elif isinstance(value, bool) or not isinstance(value, str | int):
            self.refuse("wrong-type", name, "is not a string", "a string", value)
        elif not str(value).strip():
            self.refuse("empty-field", name, "is empty", "a string with text in it")
        elif _UNSTORABLE.search(str(value)):
            self.refuse(
                "bad-character", name, "contains a character that is not text", "text", value
            )
        else:
            return str(value)
        return ""

    def identifier(self, name: str) -> int:
        text = self.text(name)
        if _NUMBER.fullmatch(text):
            return int(text)
        if text:
            self.refuse("not-a-number", name, "is not a whole number", "digits, at most nine", text)
        return 0

    def choice(self, name: str, allowed: Sequence[str]) -> str:
        text = self.text(name)
        if text and text not in allowed:
            expected = " or ".join(allowed)
            self.refuse(
                f"unknown-{name.replace('_', '-')}", name, f"is not {expected}", expected, text
            )
        return text

    def image(self, name: str) -> str | None:
        """A path below the images folder without its leading "./"; None where the field is null or
        absent."""
        if self.values.get(name) is None:
            return None
        text = self.text(name)
        path = text.removeprefix("./")
        steps = path.split("/")
        if text and (
            "\\" in path or ":" in steps[0] or any(step in ("", ".", "..") for step in steps)
        ):
            self.refuse(
                "unsafe-path", name, "leads out of the images folder", "a relative path", text
            )
        return path


def _rows(entries: Sequence[object]) -> tuple[list[_Row], list[Problem]]:
    """The rows, and everything wrong with any of them. A file labels all of its rows or none."""
    labelled = any(isinstance(entry, dict) and "gt_answer" in entry for entry in entries)
    rows: dict[int, _Row] = {}
    problems: list[Problem] = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            message = f"Row {number} is not an object."
            problems.append(
                Problem("not-an-object", message, number, "", "an object", _shortened(entry))
            )
            continue
        fields = _Fields(number, entry)
        row = _row(fields, labelled)
        problems += fields.problems
        if not fields.problems:
            rows[number] = row
    problems += _repeated_keys(rows)
    problems += _conflicting_images(rows)
    return list(rows.values()), problems


def _row(fields: _Fields, labelled: bool) -> _Row:
    """The row; worthless if it left problems in `fields`."""
    category = fields.choice("category", tuple(_SUBCATEGORIES))
    subcategory = (
        fields.choice("subcategory", _SUBCATEGORIES[category])
        if category in _SUBCATEGORIES
        else fields.text("subcategory")
    )
    visual_input = fields.choice("visual_input", ("0", "1", "2"))
    row = _Row(
        category=category,
        subcategory=subcategory,
        set_id=fields.identifier("set_id"),
        figure_id=fields.identifier("figure_id"),
        question_id=fields.identifier("question_id"),
        visual_input=int(visual_input) if visual_input in ("0", "1", "2") else 0,
        text=fields.text("question"),
        reference=fields.text("gt_answer_details"),
        label=int(fields.choice("gt_answer", ("0", "1")) == "1") if labelled else None,
        image=fields.image("filename"),
    )
    if visual_input == "0" and row.image:
        what = "names an image though visual_input is 0"
        fields.refuse("image-not-expected", "filename", what, "null", row.image)
    return row


def _repeated_keys(rows: Mapping[int, _Row]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, row in rows.items():
        before = first.setdefault(row.public_id, number)
        if before != number:
            message = f"Row {number}: {row.public_id} was given in row {before} already."
            yield Problem(
                "duplicate-key", message, number, "question_id", "a new key", row.public_id
            )


def _conflicting_images(rows: Mapping[int, _Row]) -> Iterator[Problem]:
    """A figure is one picture: two file names for it cannot both be right."""
    first: dict[str, tuple[int, str]] = {}
    for number, row in rows.items():
        if row.image is None:
            continue
        before, name = first.setdefault(row.figure, (number, row.image))
        if name != row.image:
            message = f"Row {number}: filename is not the one row {before} gives for {row.figure}."
            yield Problem("conflicting-image", message, number, "filename", name, row.image)


def _question(row: _Row, known: Container[str]) -> QuestionRow:
    facts: Facts = {
        "category": row.category,
        "subcategory": row.subcategory,
        "visual_input": row.visual_input,
        "set_id": row.set_id,
        "figure_id": row.figure_id,
        "question_id": row.question_id,
        "original": row.original if row.original in known else None,
    }
    return QuestionRow(
        public_id=row.public_id,
        ability=row.category,
        subtask=row.subtask,
        figure=row.figure if row.visual_input else "",
        group=row.group,
        text=row.text,
        reference=row.reference,
        images=(ImageSource(row.image),) if row.image else (),
        facts=facts,
        truth={} if row.label is None else {"gt_answer": row.label},
    )


_PICTURES = {"0": "without a figure", "1": "original figure", "2": "edited figure"}
"""By visual_input."""


def pairing(question: QuestionView) -> PairedQuestion:
    facts = question.facts
    return PairedQuestion(
        f"{question.group}/{facts['question_id']}", _PICTURES[str(facts["visual_input"])]
    )


def _missing_labels(rows: Sequence[_Row]) -> Iterator[Note]:
    """A file labels all of its rows or none; rules_worth.json has how far the rules agree with
    people without them."""
    if all(row.label is None for row in rows):
        yield Note(
            "no-labels",
            "This file has no labels (gt_answer). The offline rules then guess the truth from the "
            "reference sentence and agree with people on 41 % of the official sample's answers, "
            "against 83 % with labels: their scores say next to nothing here. Have the release "
            "judged by a model. The yes/no bias is not computed.",
        )


# --- what is wrong with the questions themselves --------------------------------------------------


def _contradicted_labels(rows: Sequence[_Row]) -> Iterator[Anomaly]:
    for row in rows:
        spoken = _SPOKEN_LABEL.match(row.reference)
        if row.label is None or not spoken or (spoken[1].lower() == "yes") == (row.label == 1):
            continue
        label = "yes" if row.label else "no"
        message = (
            f"The reference begins with “{spoken[1]}” but the label says {label}: a judge that "
            "reads the reference and a statistic that reads the label can disagree on this row."
        )
        yield Anomaly(row.public_id, "label-contradicts-reference", message)


def _twins(rows: Sequence[_Row]) -> Iterator[Anomaly]:
    """Questions asked twice, word for word, of one figure."""
    same: dict[tuple[str, str], list[_Row]] = defaultdict(list)
    for row in rows:
        same[row.figure, row.text].append(row)
    for twins in same.values():
        if len({twin.label for twin in twins}) > 1:
            code, tail = (
                "contradictory-twins",
                "the labels differ, so no model can be right on all of them",
            )
        else:
            code, tail = (
                "identical-twins",
                "the label is the same, so one answer counts more than once",
            )
        for row in twins if len(twins) > 1 else ():
            others = _listed([twin.public_id for twin in twins if twin is not row])
            yield Anomaly(
                row.public_id, code, f"Word for word the same question as {others}; {tail}."
            )


def _doubtful_references(rows: Sequence[_Row]) -> Iterator[Anomaly]:
    for row in rows:
        if row.reference.rstrip().endswith("?"):
            message = "The reference ends in a question mark although it should state what is true."
            yield Anomaly(row.public_id, "reference-ends-in-question-mark", message)
        if _bare(row.reference) == _bare(row.text):
            message = "The reference only repeats the question and does not say what is true."
            yield Anomaly(row.public_id, "reference-repeats-question", message)


def _missing_originals(rows: Sequence[_Row]) -> Iterator[Anomaly]:
    known = {row.public_id for row in rows}
    for row in rows:
        if row.original not in known:
            message = f"The original row of this pair, {row.original}, is not in the file."
            yield Anomaly(row.public_id, "original-missing", message, is_public=True)


def _incomplete_grids(rows: Sequence[_Row]) -> Iterator[Anomaly]:
    """Figures that lack questions which another figure of their set has; told on the figure's first
    row."""
    asked: dict[str, dict[int, None]] = defaultdict(dict)
    figures: dict[str, dict[int, _Row]] = defaultdict(dict)
    for row in rows:
        asked[row.group][row.question_id] = None
        figures[row.figure][row.question_id] = row
    for figure, present in figures.items():
        first = next(iter(present.values()))
        number = len(asked[first.group]) - len(present)
        if number:
            missing = islice(
                (f"{figure}/{key}" for key in asked[first.group] if key not in present), 3
            )
            message = (
                "Other figures of the set are asked more; missing: "
                f"{_listed(list(missing), number)}."
            )
            yield Anomaly(first.public_id, "incomplete-grid", message, is_public=True)


_ANOMALY_FINDERS: tuple[Callable[[Sequence[_Row]], Iterator[Anomaly]], ...] = (
    _contradicted_labels,
    _twins,
    _doubtful_references,
    _missing_originals,
    _incomplete_grids,
)


# --- words ----------------------------------------------------------------------------------------


def _listed(names: Sequence[str], number: int = 0) -> str:
    """ "a", "a and b", "a, b and c", "a, b, c and 4 more" where `number` counts more than the names
    given."""
    more = [f"{number - len(names)} more"] if number > len(names) else []
    *head, last = [*names, *more]
    return f"{', '.join(head)} and {last}" if head else last


def _bare(text: str) -> str:
    """Text without case, spacing and closing marks. Symbols stay: some questions differ in "<"
    alone."""
    return " ".join(text.casefold().split()).rstrip(".?! ")


def _shortened(value: object) -> str:
    """A value as a message can show it, in a line of its own."""
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    text = _UNSTORABLE.sub("\ufffd", value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
