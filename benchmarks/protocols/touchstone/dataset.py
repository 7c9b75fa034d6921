"""The official TouchStone file, a table with its pictures inside, and our own layout with pictures
beside.

The official file is tab-separated with seven columns in any order; `image` holds a picture in
base64. It is read row by row, never as a whole: the file has hundreds of megabytes. Our layout is a
JSON array of objects with the same seven fields, whose `image` is a path below the images folder.
What the file is, its first character that is no blank says. In either one, `image` may be a JSON
array: the pictures of a question about several, in their order. The official file has each such
question as one picture in which they stand side by side.

`category` may hold several names joined by commas; the first is the ability of the question, and a
repeated name counts twice, as in the official code (docs/touchstone.md). Categories and task names
that nobody published are subtasks of their own, with a note.
"""

import binascii
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from benchmarks.protocols.base import (
    Anomaly,
    DatasetItem,
    Gap,
    ImageSource,
    NewSubtask,
    Note,
    Problem,
    QuestionRow,
)
from benchmarks.protocols.long_lists import limited
from benchmarks.protocols.touchstone import taxonomy
from benchmarks.protocols.touchstone.tables import MAX_ROW_BYTES, Row, read_rows

TAXONOMY = taxonomy.TAXONOMY

COLUMNS = (
    "index",
    "image",
    "question",
    "human_annotation",
    "gpt4_ha_answer",
    "category",
    "task_name",
)
OTHER_DESCRIPTION = "other-description"
"""Code of the anomaly of a picture that is described in two ways."""

MAX_OWN_SUBTASKS = 100
"""Beside the 27: a file with more has something else in that column."""
MAX_LISTED = 20
MAX_JSON_BYTES = 16 * 1024 * 1024
MAX_ID_CHARACTERS = 100
MAX_NAME_CHARACTERS = 200
MAX_PICTURES = 8
"""Of a question; those of the paper compare two to four."""

_LISTED = frozenset(subtask.slug for ability in TAXONOMY for subtask in ability.subtasks)
_MARK = b"\xef\xbb\xbf"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    """The questions in file order, with anomalies and at most 100 problems between them."""
    head = stream.readline(MAX_ROW_BYTES + 1).removeprefix(_MARK)
    first_line = 1
    while head.isspace():
        head = stream.readline(MAX_ROW_BYTES + 1)
        first_line += 1
    if not head:
        yield Problem(
            "empty-file", "The file is empty.", expected="a header and a row per question"
        )
    elif head.lstrip().startswith(b"["):
        yield from limited(_questions(_document_entries(head, stream)))
    else:
        yield from limited(_questions(_table_entries(read_rows(head, stream, first_line))))


# --- a row, whatever the file ---------------------------------------------------------------------


@dataclass(slots=True)
class _Entry:
    """One row: its fields as text, its pictures in order, and what is wrong with it so far. `place`
    is for messages."""

    place: str
    line: int
    fields: dict[str, str]
    pictures: tuple[ImageSource, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def refuse(self, code: str, name: str, what: str, expected: str, found: object = "") -> None:
        message = f"{self.place}: {name} {what}."
        self.problems.append(Problem(code, message, self.line, name, expected, _shortened(found)))

    def text(self, name: str) -> str:
        """The field with text in it; "" after a problem."""
        value = self.fields.get(name, "")
        if any(problem.column == name for problem in self.problems):
            return ""
        if not value.strip():
            self.refuse("empty-field", name, "is empty", "a text")
        elif _UNSTORABLE.search(value):
            self.refuse(
                "bad-character", name, "contains a character that is not text", "text", value
            )
        else:
            return value
        return ""

    def text_or_gap(self, name: str) -> str:
        """The `text`, empty where people may write it later."""
        if name in self.fields and not self.fields[name].strip():
            message = f"{self.place}: {name} is empty."
            problem = Problem("empty-field", message, self.line, name, "a text")
            self.gaps.append(Gap(problem))
            return ""
        return self.text(name)


def _questions(entries: Iterable[_Entry | Problem]) -> Iterator[DatasetItem]:
    intake = _Intake()
    for entry in entries:
        if isinstance(entry, Problem):
            yield entry
            continue
        row = intake.question(entry)
        new = intake.new_subtask(entry, row)
        if entry.problems:
            yield from entry.problems
        else:
            if new is not None:
                yield new
            yield from entry.gaps
            yield row
            yield from intake.anomalies(row)
    yield from intake.notes()


class _Named(NamedTuple):
    slug: str
    name: str


class _Intake:
    """What has to be remembered of earlier rows: ids, pictures and names, none of the pictures
    themselves."""

    def __init__(self) -> None:
        self.own: Counter[str] = Counter()
        self._titles: dict[str, NewSubtask] = {}
        self._lines: dict[str, str] = {}
        self._described: dict[str, tuple[str, str]] = {}
        self._reported: set[str] = set()

    def question(self, entry: _Entry) -> QuestionRow:
        """The question; worthless if it left problems in the entry."""
        public_id = self._public_id(entry)
        named = _categories(entry)
        categories = tuple(category.slug for category in named)
        subtask = _subtask(entry, named[0] if named else None)
        figure = _figure_key([picture.name for picture in entry.pictures])
        return QuestionRow(
            public_id=public_id,
            ability=categories[0] if categories else "",
            subtask=subtask,
            figure=figure,
            group=figure,
            text=entry.text("question"),
            reference=entry.text_or_gap("gpt4_ha_answer"),
            images=entry.pictures,
            description=entry.text_or_gap("human_annotation"),
            facts={
                "categories": ",".join(categories),
                "task_name": entry.fields.get("task_name", ""),
            },
        )

    def new_subtask(self, entry: _Entry, row: QuestionRow) -> NewSubtask | None:
        """The subtask of its own that the row is the first of."""
        if entry.problems or row.subtask in _LISTED:
            return None
        self.own[row.subtask] += 1
        if row.subtask in self._titles:
            return None
        if len(self._titles) == MAX_OWN_SUBTASKS:
            expected = f"at most {MAX_OWN_SUBTASKS} names beside the official ones"
            entry.refuse("too-many-subtasks", "task_name", "is one too many", expected, row.subtask)
            return None
        ability = row.subtask.partition("/")[0]
        title = next((a.title for a in TAXONOMY if a.slug == ability), "")
        category = entry.fields["category"].split(",")[0].strip()
        new = NewSubtask(
            ability,
            title or category[:MAX_NAME_CHARACTERS],
            row.subtask,
            entry.fields["task_name"].strip()[:MAX_NAME_CHARACTERS],
        )
        self._titles[row.subtask] = new
        return new

    def notes(self) -> Iterator[Note]:
        if self.own:
            listed = ", ".join(
                f"“{self._titles[slug].ability_title}: {self._titles[slug].title}” ({count})"
                for slug, count in self.own.most_common(MAX_LISTED)
            )
            more = f" and {len(self.own) - MAX_LISTED} more" if len(self.own) > MAX_LISTED else ""
            yield Note(
                "own-subtasks",
                "In no official list, and so subtasks of their own, with their questions: "
                f"{listed}{more}. They count in the overall score and have figures on entry "
                "pages, but no column of the board.",
            )

    def _public_id(self, entry: _Entry) -> str:
        public_id = entry.text("index").strip()
        first = self._lines.setdefault(public_id, entry.place) if public_id else entry.place
        if first != entry.place:
            what = f"was given before, see {first.lower()}"
            entry.refuse("duplicate", "index", what, "a new index", public_id)
        if len(public_id) > MAX_ID_CHARACTERS:
            entry.refuse(
                "too-long",
                "index",
                "is too long",
                f"at most {MAX_ID_CHARACTERS} characters",
                public_id,
            )
        return public_id

    def anomalies(self, row: QuestionRow) -> Iterator[Anomaly]:
        name = str(row.facts["task_name"])
        is_renamed = row.subtask in _LISTED and taxonomy.folded(name) not in taxonomy.SUBTASKS
        is_nearest = (
            taxonomy.folded(name) in taxonomy.NEAREST
        )  # our reading, so every row of it is flagged
        if is_renamed and (is_nearest or name not in self._reported):
            self._reported.add(name)
            code, how = "subtask-renamed", "it was read as the picture's"
            if is_nearest:
                code, how = (
                    "subtask-nearest",
                    "the picture has none like it; it was read as the nearest,",
                )
            message = f"The subtask “{name}” is the paper's name; {how} “{row.subtask}”."
            yield Anomaly(row.public_id, code, message, is_public=True)
        categories = str(row.facts["categories"]).split(",")
        if row.subtask.partition("/")[0] not in categories:
            message = (
                f"The subtask {row.subtask} does not belong to the category "
                f"{' or '.join(categories)}."
            )
            yield Anomaly(row.public_id, "category-contradicts-subtask", message, is_public=True)
        if len(set(categories)) < len(categories):
            message = (
                "A category is named twice; the row counts twice in it, as in the official code."
            )
            yield Anomaly(row.public_id, "repeated-category", message, is_public=True)
        if not row.description:
            return
        digest = hashlib.sha256(row.description.encode()).hexdigest()
        first, known = self._described.setdefault(row.figure, (row.public_id, digest))
        if known != digest:
            message = (
                f"The picture is that of question {first}, described otherwise there; one "
                "description is used."
            )
            yield Anomaly(row.public_id, OTHER_DESCRIPTION, message, is_public=True)


def _categories(entry: _Entry) -> tuple[_Named, ...]:
    """Slugs and names of the abilities, in the order of the row; empty after a problem."""
    text = entry.text("category")
    found = []
    for name in text.split(",") if text else ():
        slug = taxonomy.ABILITIES.get(taxonomy.folded(name)) or taxonomy.own_slug(name)
        if not slug:
            entry.refuse(
                "unknown-category", "category", "has no letters in it", "a name", name.strip()
            )
            return ()
        found.append(_Named(slug, name.strip()))
    return tuple(found)


def _subtask(entry: _Entry, ability: _Named | None) -> str:
    """Slug of the subtask, one of its own below the row's first ability where the name is in no
    list; "" after a problem. What is below an ability of its own is its own too."""
    name = entry.text("task_name")
    key = taxonomy.folded(name)
    known = (
        taxonomy.SUBTASKS.get(key) or taxonomy.PAPER_SUBTASKS.get(key) or taxonomy.NEAREST.get(key)
    )
    own = taxonomy.own_slug(name)
    if name and not own:
        entry.refuse("unknown-subtask", "task_name", "has no letters in it", "a name", name)
    if not own or ability is None:
        return ""
    is_listed = ability.slug in taxonomy.ABILITIES.values()
    return known if known and is_listed else f"{ability.slug}/{own}"


# --- the official table ---------------------------------------------------------------------------


def _table_entries(rows: Iterable[Row | Problem]) -> Iterator[_Entry | Problem]:
    header: list[str] | None = None
    for row in rows:
        if isinstance(row, Problem):
            yield row
        elif header is None:
            names = _header(row)
            if isinstance(names, Problem):
                yield names
                return
            header = names
        elif len(row.cells) != len(header):
            yield _width_problem(row, len(header))
        else:
            yield _table_entry(header, row)


def _header(row: Row) -> list[str] | Problem:
    try:
        names = [cell.decode().strip() for cell in row.cells]
    except UnicodeDecodeError:
        return Problem("not-utf8", "The first line is not UTF-8 text.", row.line, expected="UTF-8")
    missing = [name for name in COLUMNS if name not in names]
    twice = [name for name in COLUMNS if names.count(name) > 1]
    expected, found = "<tab>".join(COLUMNS), _shortened("<tab>".join(names))
    if missing:
        message = f"The header lacks {', '.join(missing)}. Columns are separated by tabs."
        return Problem("missing-column", message, row.line, missing[0], expected, found)
    if twice:
        message = f"The header names {', '.join(twice)} more than once."
        return Problem("duplicate-column", message, row.line, twice[0], expected, found)
    return names


def _width_problem(row: Row, width: int) -> Problem:
    expected, found = f"{width} cells", f"{len(row.cells)} cells"
    if len(row.cells) < width and row.is_cut:
        return Problem(
            "cut-off", "The file ends in the middle of this row.", row.line, "", expected, found
        )
    code, what = ("short-row", "fewer") if len(row.cells) < width else ("long-row", "more")
    return Problem(
        code, f"The row has {what} cells than the header.", row.line, "", expected, found
    )


def _table_entry(header: Sequence[str], row: Row) -> _Entry:
    entry = _Entry(f"Line {row.line}", row.line, {})
    for name, cell in zip(header, row.cells, strict=True):
        if name == "image":
            entry.pictures = _pictures(entry, cell)
        elif name in COLUMNS:
            try:
                entry.fields[name] = cell.decode()
            except UnicodeDecodeError as error:
                found = f"byte 0x{cell[error.start]:02x}"
                entry.refuse("not-utf8", name, "is not UTF-8 text", "UTF-8", found)
    return entry


def _pictures(entry: _Entry, cell: bytes) -> tuple[ImageSource, ...]:
    """The pictures in the cell, each named after its content; none after a problem."""
    if not cell.strip():
        entry.refuse("empty-field", "image", "is empty", "a picture in base64")
        return ()
    if not cell.lstrip().startswith(b"["):
        found = [_picture(entry, cell)]
    else:
        try:
            values = _several(entry, json.loads(cell))
        except (ValueError, RecursionError):
            entry.refuse("invalid-json", "image", "is no JSON array", "pictures in base64")
            return ()
        found = [_picture(entry, value.encode()) for value in values]
    return tuple(picture for picture in found if picture is not None)


def _picture(entry: _Entry, cell: bytes) -> ImageSource | None:
    """The picture, named after its content; None after a problem."""
    try:
        content = binascii.a2b_base64(cell.translate(None, b" \r\n"), strict_mode=True)
    except binascii.Error as error:
        what = f"is not valid base64 ({str(error).lower()}); the picture may have been cut off"
        entry.refuse(
            "invalid-base64", "image", what, "a picture in base64", f"{len(cell)} characters"
        )
        return None
    return ImageSource(hashlib.sha256(content).hexdigest()[:16], content)


def _several(entry: _Entry, values: object) -> list[str]:
    """The strings of an array of pictures; none after a problem."""
    expected = f"1 to {MAX_PICTURES} different strings"
    is_array = isinstance(values, list) and all(isinstance(value, str) for value in values)
    if not isinstance(values, list) or not is_array:
        entry.refuse("wrong-type", "image", "is no array of strings", expected, values)
    elif not 1 <= len(values) <= MAX_PICTURES or len(set(values)) < len(values):
        entry.refuse(
            "wrong-number", "image", f"has {len(values)} pictures", expected, f"{len(values)}"
        )
    else:
        return values
    return []


def _figure_key(names: Sequence[str]) -> str:
    """The name of the figure these pictures make; "" for none. One picture is the figure."""
    key = " + ".join(names)
    if len(key) <= MAX_NAME_CHARACTERS:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return f"{names[0][:150]} + {len(names) - 1} more, {digest}"


# --- our layout -----------------------------------------------------------------------------------


def _document_entries(head: bytes, stream: BinaryIO) -> Iterator[_Entry | Problem]:
    content = head + stream.read(max(0, MAX_JSON_BYTES + 1 - len(head)))
    rows = _rows(content)
    if isinstance(rows, Problem):
        yield rows
        return
    for number, row in enumerate(rows, start=1):
        if isinstance(row, dict):
            yield _document_entry(row, number)
        else:
            message = f"Row {number} is not an object."
            yield Problem("not-an-object", message, number, "", "an object", _shortened(row))


def _rows(content: bytes) -> list[object] | Problem:
    if len(content) > MAX_JSON_BYTES:
        expected = f"at most {MAX_JSON_BYTES} bytes"
        return Problem(
            "too-long", "A JSON file of this size is not read; use a table.", expected=expected
        )
    try:
        rows = json.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Problem(
            "not-utf8", f"The file is not UTF-8 text, see line {line}.", line, "", "UTF-8"
        )
    except json.JSONDecodeError as error:
        place = f"column {error.colno}"
        message = f"This is not valid JSON at line {error.lineno}, {place}: {error.msg}."
        return Problem("invalid-json", message, error.lineno, place)
    except (RecursionError, ValueError):
        return Problem(
            "invalid-json", "The JSON is nested too deeply or holds a number of too many digits."
        )
    assert isinstance(rows, list), "it begins with a bracket"
    return rows or Problem("empty-file", "The array has no rows.", expected="at least one row")


def _document_entry(values: Mapping[str, object], number: int) -> _Entry:
    entry = _Entry(f"Row {number}", number, {})
    for name in COLUMNS:
        value = values.get(name)
        if name not in values:
            entry.refuse("missing-field", name, "is missing", "a string")
        elif name == "image" and isinstance(value, list):
            entry.pictures = tuple(map(ImageSource, _several(entry, value)))
        elif isinstance(value, str):
            entry.fields[name] = value
        elif name == "index" and isinstance(value, int) and not isinstance(value, bool):
            entry.fields[name] = str(value)
        else:
            entry.refuse("wrong-type", name, "is not a string", "a string", value)
    if "image" in entry.fields:
        entry.pictures = (ImageSource(entry.text("image")),)
    for picture in entry.pictures:
        _check_path(entry, picture.name)
    return entry


def _check_path(entry: _Entry, name: str) -> None:
    if not name.strip() and "image" not in entry.fields:
        entry.refuse("empty-field", "image", "has an empty path", "a relative path", name)
    elif _UNSTORABLE.search(name):
        entry.refuse(
            "bad-character", "image", "contains a character that is not text", "text", name
        )
    elif name and not _is_safe(name):
        entry.refuse(
            "unsafe-path", "image", "leads out of the images folder", "a relative path", name
        )
    elif len(name) > MAX_NAME_CHARACTERS:
        entry.refuse(
            "too-long", "image", "is too long", f"at most {MAX_NAME_CHARACTERS} characters", name
        )


def _is_safe(path: str) -> bool:
    steps = path.split("/")
    return (
        "\\" not in path
        and ":" not in steps[0]
        and all(step not in ("", ".", "..") for step in steps)
    )


def _shortened(value: object) -> str:
    """A value as a message can show it, in a line of its own."""
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    text = value if isinstance(value, str) else json.dumps(value)
    text = "".join(c if c.isprintable() else "\ufffd" for c in text[:61])
    return text if len(text) <= 60 else f"{text[:59]}…"
