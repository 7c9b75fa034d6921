"""The descriptions and references of a release as rows: handed out, and compared with what comes
back. Nothing is written here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from benchmarks.figures.names import read_index, release_marks
from benchmarks.forms.hidden_characters import hidden_sentence
from benchmarks.models import Description, Question, Reference, Release, ReleaseQuestion
from benchmarks.protocols.base import Problem, TextKind
from benchmarks.protocols.files import visible
from benchmarks.releases.text_files import TextRow, WrittenRow
from benchmarks.selectors import approved_descriptions, protocol_of
from benchmarks.selectors import newest_references as live_references

AT_ONCE = 500
"""Questions, or rows, whose texts are in memory at a time: a megabyte or two of them."""
LIVE = "live"
DECIDED = (Description.State.APPROVED, Description.State.SENT_BACK)

TextStatus = Literal["new", "changed", "unchanged", "older", "meanwhile"]
"""What a row of a file is to its release. "older": words that a former version had, of a file that
does not say from which version it was written, or about which a reviewer has decided. "meanwhile":
written from a version that is not the newest any more."""
TO_SUBMIT = frozenset({"new", "changed"})


class Version(NamedTuple):
    number: int
    text: str
    state: str


NONE = Version(0, "", "")


@dataclass(frozen=True, slots=True)
class Difference:
    """A row of a file beside what the site has. `key`: of the figure or the question; `name`: what
    people call it, whatever the file does. `base`: the newest version it was compared with, 0 for
    none; `old`: the text of that version."""

    row: TextRow
    key: int
    name: str
    status: TextStatus
    base: int
    old: str


@dataclass(frozen=True, slots=True)
class Comparison:
    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...] = ()

    def of(self, *statuses: str) -> list[Difference]:
        return [found for found in self.differences if found.status in statuses]


# --- out ------------------------------------------------------------------------------------------


def written_rows(release: Release) -> Iterator[WrittenRow]:
    """The newest version of every text in file order, a row with an empty text where there is none
    and a judge reads it. Three queries for each AT_ONCE questions, and the names of figures."""
    needed, seen = protocol_of(release).texts_judged(), set[int]()
    called = figures_called(release)
    members = ReleaseQuestion.objects.filter(release=release).order_by("position")
    questions = members.select_related("question__figure")
    for first in range(0, release.question_count, AT_ONCE):
        batch = [member.question for member in questions[first : first + AT_ONCE]]
        figures = [q.figure_id for q in batch if q.figure_id]
        described = newest_descriptions(figures, release.language)
        answered = newest_references([q.pk for q in batch])
        for question in batch:
            if question.figure is not None and question.figure.pk not in seen:
                seen.add(question.figure.pk)
                version = described.get(question.figure.pk, NONE)
                if version.number or "description" in needed:
                    name, picture = called[question.figure.pk], question.figure.key
                    yield written("description", name, version, picture=picture)
            version = answered.get(question.pk, NONE)
            if version.number or "reference" in needed:
                yield written("reference", question.public_id, version, question=question.text)


def written(
    kind: TextKind, name: str, version: Version, question: str = "", picture: str = ""
) -> WrittenRow:
    return WrittenRow(kind, name, version.number, version.state, question, picture, version.text)


def figures_called(release: Release) -> Mapping[int, str]:
    """What a file calls each figure: as people do, so that a row says what it is about also where
    the dataset's own name is a hash. By that name where people's is no name of one figure alone."""
    keys = figure_keys(release)
    names = read_index(release_marks(release.benchmark_id)[release.benchmark_id]).names
    names_by_figure = {figure: str(names[figure]) for figure in keys}
    taken = Counter([*names_by_figure.values(), *keys.values()])
    return {
        figure: name if taken[name] == 1 else keys[figure]
        for figure, name in names_by_figure.items()
    }


def figure_keys(release: Release) -> dict[int, str]:
    """By figure what its dataset calls it."""
    members = Question.objects.filter(memberships__release=release).exclude(figure=None)
    return dict(members.order_by().values_list("figure", "figure__key").distinct())


def newest_descriptions(figures: Sequence[int], language: str) -> Mapping[int, Version]:
    return {key: versions[0] for key, versions in descriptions_of(figures, language).items()}


def newest_references(questions: Sequence[int]) -> Mapping[int, Version]:
    return {key: versions[0] for key, versions in references_of(questions).items()}


def descriptions_of(figures: Sequence[int], language: str) -> Mapping[int, list[Version]]:
    """By figure every version, the newest first."""
    found = Description.objects.filter(figure__in=figures, language=language)
    rows = found.order_by("-version").values_list("figure", "version", "text", "state")
    return by_key(rows)


def references_of(questions: Sequence[int]) -> Mapping[int, list[Version]]:
    found = Reference.objects.filter(question__in=questions).order_by("-version")
    rows = found.values_list("question", "version", "text")
    return by_key((*row, LIVE) for row in rows)


def by_key(rows: Iterable[tuple[Any, ...]]) -> Mapping[int, list[Version]]:
    found: dict[int, list[Version]] = {}
    for key, *version in rows:
        found.setdefault(key, []).append(Version(*version))
    return found


def judged_texts(release: Release) -> Mapping[str, Mapping[str, str]]:
    """By question the texts that its judge reads today, those that there are."""
    rows = release.questions.values_list("public_id", "pk", "figure")
    described = approved_descriptions({f for _, _, f in rows if f}, release.language)
    answered = live_references([pk for _, pk, _ in rows])
    found: dict[str, dict[str, str]] = {}
    for public_id, pk, figure in rows:
        texts = {"description": described.get(figure or 0), "reference": answered.get(pk)}
        found[public_id] = {kind: text for kind, text in texts.items() if text}
    return found


# --- in -------------------------------------------------------------------------------------------


def compare(release: Release, rows: Sequence[TextRow]) -> Comparison:
    """What each row is to the texts of the release; a problem for each that names none of them, or
    the same as a row before, has no words where there are some, or is another text with characters
    that nobody sees. Two queries and the names of figures, and one for each AT_ONCE rows."""
    called = figures_called(release)
    keys = text_keys(release, called)
    problems, known = [], []
    named: set[tuple[TextKind, int]] = set()
    for row in rows:
        if (key := keys[row.kind].get(row.name)) is None:
            problems.append(unknown(row))
        elif (row.kind, key) in named:
            problems.append(named_twice(row))
        else:
            named.add((row.kind, key))
            known.append((row, key))
    found: list[Difference] = []
    for kind in ("description", "reference"):
        of_kind = [one for one in known if one[0].kind == kind]
        for first in range(0, len(of_kind), AT_ONCE):
            batch = of_kind[first : first + AT_ONCE]
            owners = [key for _, key in batch]
            versions = (
                descriptions_of(owners, release.language)
                if kind == "description"
                else references_of(owners)
            )
            for row, key in batch:
                name = called[key] if kind == "description" else row.name
                found.append(differ(row, key, name, versions.get(key, [])))
    problems += [emptied(one.row) for one in found if not one.row.text and one.base]
    problems += [
        Problem("hidden", sentence, one.row.line, "text", found=visible(one.row.name))
        for one in found
        if one.status in TO_SUBMIT and (sentence := hidden_sentence(one.row.text))
    ]
    return Comparison(tuple(found), tuple(problems))


def text_keys(release: Release, called: Mapping[int, str]) -> Mapping[str, Mapping[str, int]]:
    """By kind: the figure or question of each name. A figure also has the dataset's own name, as in
    an official file."""
    members = Question.objects.filter(memberships__release=release).order_by()
    figures = {key: figure for figure, key in figure_keys(release).items()}
    return {
        "description": figures | {name: figure for figure, name in called.items()},
        "reference": dict(members.values_list("public_id", "pk")),
    }


def differ(row: TextRow, key: int, name: str, versions: Sequence[Version]) -> Difference:
    newest = versions[0] if versions else NONE
    return Difference(row, key, name, status_of(row, newest, versions), newest.number, newest.text)


def status_of(row: TextRow, newest: Version, versions: Sequence[Version]) -> TextStatus:
    """A text that is that of the version it was written from was not touched, whatever came
    since."""
    own = [v for v in versions if v.number == row.version]
    if row.text == newest.text or (own and own[0].text == row.text):
        return "unchanged"
    if row.version is None:
        if any(version.text == row.text for version in versions):
            return "older"
    elif was_decided(row.text, versions):
        return "older"
    elif row.version != newest.number:
        return "meanwhile"
    return "changed" if versions else "new"


def was_decided(text: str, versions: Sequence[Version]) -> bool:
    """Whether a reviewer decided about these words: they were approved last, or sent back since. A
    form refuses them as well."""
    for version in versions:
        if version.text == text and version.state in DECIDED:
            return True
        if version.state == Description.State.APPROVED:
            return False
    return False


def unknown(row: TextRow) -> Problem:
    what = "figure" if row.kind == "description" else "question"
    message = f"The release has no {what} of this name."
    found = visible(row.name)
    return Problem("unknown", message, row.line, "name", f"a {what} of the release", found)


def named_twice(row: TextRow) -> Problem:
    message = f"Another row of the file is this {row.kind} by another name."
    found = visible(row.name)
    return Problem("duplicate", message, row.line, "name", "each text once", found)


def emptied(row: TextRow) -> Problem:
    message = f"The {row.kind} of {visible(row.name)} has no words; it has some on this site."
    return Problem("empty-field", message, row.line, "text", "a text")


# --- an official file -----------------------------------------------------------------------------


def other_questions(release: Release, asked: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Why an official file is another release: questions that differ, are new or are gone."""
    columns = ("subtask__slug", "figure__key", "group", "text", "facts", "truth")
    rows = Question.objects.in_file_order(release).values_list("public_id", *columns)
    # As they were imported: a label that was corrected here since is no other question.
    here = {key: [subtask, figure or "", *rest] for key, subtask, figure, *rest in rows}
    differing = [key for key, values in asked.items() if here.get(key, values) != values]
    added = [key for key in asked if key not in here]
    gone = [key for key in here if key not in asked]
    listed = [
        f"{len(ids):,} {what} ({', '.join(map(visible, ids[:5]))}{', …' if ids[5:] else ''})"
        for ids, what in ((differing, "changed"), (added, "new"), (gone, "missing"))
        if ids
    ]
    if not listed:
        return ()
    message = (
        f"The questions are not those of the release: {', '.join(listed)}. Questions never change; "
        "import the file as a new release."
    )
    return (Problem("questions", message),)
