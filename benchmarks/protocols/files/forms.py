"""Which fields the rows of a file have, and how the names found in a file differ from the names
expected."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.protocols.answer_texts.normal_forms import normalised
from benchmarks.protocols.base import Note, Problem
from benchmarks.protocols.files.limits import MAX_FIELDS, MAX_LISTED
from benchmarks.protocols.files.text import quoted, visible

_MAX_NAME_CHARACTERS = (
    200  # ten times the longest name expected; of a cell put in the header no more is compared
)
_BETWEEN = re.compile(r"[\s_\-\ufeff\u200b]+")

Layout = tuple[str | None, ...]
"""Per field of a row, in file order, the name it is kept under; None where it is dropped."""


@dataclass(frozen=True, slots=True)
class Form:
    """One accepted shape of a row: all of `required`, what it has of `optional`, and beside them
    only `ignored`, dropped with a note.

    Whatever else a file says about itself (score, owner, __proto__) is refused by not being named
    here, but in files of programs whose next version adds a field: there it is ignored too
    (`ignores_others`). `asked` is the field with the text of the question: a row keeps it as ASKED,
    and no fault of it refuses a row.
    """

    required: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    ignores_others: bool = False
    asked: str = ""

    @property
    def kept(self) -> tuple[str, ...]:
        return self.required + self.optional

    @property
    def names(self) -> tuple[str, ...]:
        return self.kept + self.ignored + ((self.asked,) if self.asked else ())

    def keeps_as(self, name: str | None) -> str | None:
        if name is not None and name == self.asked:
            return ASKED
        return name if name in self.kept else None


ASKED = "the text of the question"
"""No name of a field: under it a row keeps what its file says was asked (answers.py)."""

PLAIN = Form(required=("id", "prediction"), asked="question")
"""The one form that every benchmark reads. The template of a release has the texts of its questions
beside the ids, and they may stay in what is handed in, each beside its own id. A JSON file may also
write such rows as one object, {id: prediction}."""


ID_NAMES = ("question_id", "qid", "uid", "key", "index")
_ANSWER_NAMES = (
    "model_answer",
    "model_response",
    "model_prediction",
    "response",
    "pred",
    "output",
    "generated_text",
    "text",
    "answer",
)
_OTHER_NAMES = {
    "id": ID_NAMES,
    "index": ("id", *ID_NAMES),
    **dict.fromkeys(
        ("prediction", "response", "model_prediction", "answer"), ("prediction", *_ANSWER_NAMES)
    ),
}
"""What people's own scripts call the fields of our template and of official files, the likeliest
first. They are asked, not guessed: a column "answer" is as often the right one as the model's."""
_UNNAMED = re.compile(r"|Unnamed: [0-9]{1,3}|__index_level_[0-9]__")
"""What pandas calls the index of a table in a file, and once more when that is read again."""


def in_rows(count: int) -> str:
    """What a problem told once says of its number."""
    return f" In {count} rows." if count > 1 else ""


def folded(name: str) -> str:
    """A name without what people vary by accident: case, blanks, dashes, invisible characters."""
    plain = normalised(name[:_MAX_NAME_CHARACTERS], most=_MAX_NAME_CHARACTERS)
    return _BETWEEN.sub("", plain).casefold()


_LONE = Problem(
    "field-name",
    'The row has one field. If its name is the id, write that in a field "id", and the answer in a '
    'field "prediction".',
    expected="id, prediction",
)


class Layouts:
    """Fits the field names of rows to the best of several forms; the first row that fits at all
    decides.

    A difference is remembered once, with its first place and a count: a thousand rows that share a
    wrong field are one problem.
    """

    def __init__(self, forms: Sequence[Form]) -> None:
        self.forms = tuple(forms)
        self._form: Form | None = None
        self._known: dict[tuple[str, ...], tuple[Layout, tuple[Problem, ...]]] = {}
        self._seen: dict[Problem, tuple[int, str, int]] = {}
        self._ignored: dict[str, None] = {}

    def fit(self, names: tuple[str, ...], line: int, place: str = "") -> Layout:
        if len(names) > MAX_FIELDS:
            self._remember(_too_many(len(names)), line, place)
            return ()
        if names not in self._known:
            self._known[names] = self._compare(names)
        layout, problems = self._known[names]
        for problem in problems:
            self._remember(problem, line, place)
        return layout

    def knows_any(self, names: Sequence[str]) -> bool:
        """Whether at least one name is, give or take case and blanks, a field of some form, or what
        people call a field of the plain one."""
        expected = {folded(name) for form in self.forms for name in form.names}
        if PLAIN in self.forms:
            expected.update(map(folded, (*ID_NAMES, *_ANSWER_NAMES)))
        return any(folded(name) in expected for name in names[:MAX_FIELDS])

    @property
    def bears_nan(self) -> bool:
        """Whether rows are those of a program, which writes NaN for an empty cell."""
        return self._form is not None and self._form.ignores_others

    def headers(self, delimiter: str = ", ") -> str:
        """What a header must hold, of any form."""
        return " or ".join(delimiter.join(form.required) for form in self.forms)

    def problems(self) -> tuple[Problem, ...]:
        return tuple(
            replace(problem, line=line, record=place, message=problem.message + in_rows(count))
            for problem, (line, place, count) in self._seen.items()
        )

    def notes(self) -> tuple[Note, ...]:
        if not self._ignored:
            return ()
        names = [visible(name) or "one without a name" for name in self._ignored]
        listed = ", ".join(names[:MAX_LISTED]) + (", …" if len(names) > MAX_LISTED else "")
        message = f"Fields not read: {listed}. Assay has its own copy of what the dataset says."
        return (Note("ignored-fields", message),)

    def _remember(self, problem: Problem, line: int, place: str) -> None:
        first, first_place, count = self._seen.get(problem, (line, place, 0))
        self._seen[problem] = (first, first_place, count + 1)

    def _compare(self, names: tuple[str, ...]) -> tuple[Layout, tuple[Problem, ...]]:
        if len(names) == 1 and PLAIN in self.forms and not self.knows_any(names):
            return (None,), (_LONE,)
        form = self._form or _best(self.forms, names)
        if _share(form, names):
            self._form = form
        self._ignored.update(dict.fromkeys(name for name in names if name in form.ignored))
        layout: list[str | None] = []
        misnamed = {}
        for name in names:
            meant = name if name in form.names else _meant(form, name, (*names, *layout))
            layout.append(form.keeps_as(meant))
            if meant is None and form.ignores_others:
                self._ignored[name] = None
            elif meant != name:
                misnamed[name] = _misnamed(form, name, meant)
        problems = []
        for name in form.required:
            if name not in layout:
                like = _other_name(form, name, names)
                misnamed.pop(like, None)  # one sentence is enough
                problems.append(_absent(self.forms, form, name, like))
        return tuple(layout), (*misnamed.values(), *problems)


def _best(forms: tuple[Form, ...], names: Sequence[str]) -> Form:
    """The form with most of its fields. Fields of the plain one count half under other names,
    unless there are fields that only other forms have."""
    found = {folded(name) for name in names}
    others = {folded(name) for form in forms for name in form.names if form != PLAIN}
    likes = {folded(like) for name in PLAIN.names for like in (name, *_OTHER_NAMES.get(name, ()))}
    is_plain = found & others <= likes

    def likeness(form: Form) -> float:
        if form != PLAIN or not is_plain:
            return _share(form, names)
        halves = sum(
            bool(_other_name(form, name, names)) / 2
            for name in form.required
            if folded(name) not in found
        )
        return _share(form, names) + halves / len(form.required)

    return max(forms, key=likeness)


def _share(form: Form, names: Sequence[str]) -> float:
    """The share of the required fields that are among the names, in whatever writing."""
    found = {folded(name) for name in names}
    return sum(folded(name) in found for name in form.required) / len(form.required)


def _meant(form: Form, name: str, taken: Sequence[str | None]) -> str | None:
    """The expected name that this one is in other writing, unless the row has that one too."""
    return next(
        (known for known in form.names if folded(known) == folded(name) and known not in taken),
        None,
    )


def _misnamed(form: Form, name: str, meant: str | None) -> Problem:
    shown = quoted(name)
    if meant is not None:
        message = f"The field {shown} is not written as expected. Did you mean {quoted(meant)}?"
        return Problem(
            "field-name", message, column=visible(name), expected=meant, found=visible(name)
        )
    message = f"The field {shown} is unknown."
    if _UNNAMED.fullmatch(name):
        message = (
            "A column has no name: an index, as pandas writes it? Leave it out, in pandas with "
            "to_csv(…, index=False)."
        )
    expected = "nothing but " + ", ".join(form.names)
    return Problem(
        "unknown-field", message, column=visible(name), expected=expected, found=visible(name)
    )


def _other_name(form: Form, name: str, names: Sequence[str]) -> str:
    """The name found that people use for this field; empty where there is none."""
    given = {folded(other): other for other in names if other not in form.names}
    known = map(folded, _OTHER_NAMES.get(name, ()))
    return next((given[one] for one in known if one in given), "")


def _absent(forms: Sequence[Form], form: Form, name: str, like: str) -> Problem:
    message = f"The field {quoted(name)} is missing."
    if like:
        message += f" If {quoted(like)} holds it, name that field {quoted(name)}."
    expected = ", ".join(form.required)
    if form != PLAIN and PLAIN in forms:
        expected += f"; or plain rows of {', '.join(PLAIN.required)}"
    return Problem("missing-field", message, column=name, expected=expected)


def repeated_column(names: Sequence[str], line: int) -> Problem | None:
    """What is wrong with a header on this line that has a name twice; of more than MAX_FIELDS names
    that is said of itself."""
    if len(names) > MAX_FIELDS or len(set(names)) == len(names):
        return None
    twice = next(name for name in names if names.count(name) > 1)
    message = f"The header names the column {quoted(twice)} more than once."
    if not twice:
        message = "Several columns have no name. Delete them, empty ones too."
    shown = visible(twice)
    return Problem("duplicate-field", message, line, shown, "each column once", shown)


def _too_many(count: int) -> Problem:
    message, expected = f"A row has {count} fields.", f"at most {MAX_FIELDS} fields"
    return Problem("too-many-fields", message, expected=expected, found=f"{count} fields")
