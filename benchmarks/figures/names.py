"""Figures by names that people can say: "Reading a chart 12". And the places of a benchmark: where
a description may be written, a figure in a language in which a release shows it.

Both are read once after a release was imported, opened or closed, in each process, and not by every
reader: `release_marks` says in one query whether they still hold.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from benchmarks.common.hashing import digest_of
from benchmarks.models import Figure, FigureImage, Question, Release, ReleaseQuestion, Subtask

Key = tuple[int, str]
"""Of a figure, with a language."""
ReleaseMark = tuple[int, str, str, str, str, str, datetime]
BenchmarkMark = tuple[int, tuple[ReleaseMark, ...]]
WORKED_ON = (Release.State.OPEN, Release.State.DRAFT)
"""A closed release keeps the descriptions it has."""


@dataclass(frozen=True, slots=True)
class SubtaskName:
    """`order`: place among the subtasks of its benchmark."""

    pk: int
    title: str
    ability: int
    ability_title: str
    order: tuple[int, int]


@dataclass(frozen=True, slots=True)
class FigureName:
    """`number`: among the figures of the subtask, from 1, the first imported first; later releases
    change none. `questions`: public ids. `pictures`: equal where two figures show the same."""

    figure: int
    subtask: SubtaskName
    number: int
    questions: tuple[str, ...]
    pictures: str

    def __str__(self) -> str:
        return f"{self.subtask.title} {self.number}"


@dataclass(frozen=True, slots=True)
class Place:
    """`pictures`: equal where the same are described in the same language."""

    name: FigureName
    language: str
    releases: tuple[int, ...]
    key: Key
    pictures: tuple[str, str]

    @property
    def order(self) -> tuple[object, ...]:
        return (self.name.subtask.order[0], self.language, *self.name.subtask.order, *self.rank)

    @property
    def rank(self) -> tuple[int, int]:
        return self.name.number, self.name.figure


@dataclass(frozen=True, slots=True)
class FigureIndex:
    """places: in the order in which they are worked on. titles: of releases, no two alike.
    by_pictures: the places that show these. shown_in: by figure, releases in whatever state."""

    benchmark: int
    names: Mapping[int, FigureName]
    subtasks: tuple[SubtaskName, ...]
    places: tuple[Place, ...]
    titles: Mapping[int, str]
    by_key: Mapping[Key, Place]
    by_pictures: Mapping[tuple[str, str], Sequence[Place]]
    shown_in: Mapping[int, Sequence[int]]


def release_marks(benchmark: int | None = None) -> dict[int, BenchmarkMark]:
    """By benchmark: of the same mark, the names and places are the same."""
    fields = ("benchmark", "pk", "slug", "title", "language", "state", "checksum", "created")
    releases = Release.objects.order_by("benchmark", "pk").values_list(*fields)
    found: dict[int, list[ReleaseMark]] = {}
    chosen = releases if benchmark is None else releases.filter(benchmark=benchmark)
    for of, *release in chosen:
        found.setdefault(of, []).append(tuple(release))
    return {of: (of, tuple(rows)) for of, rows in found.items()}


@lru_cache(
    maxsize=16
)  # a few MB for 10,000 figures, and a site has as many benchmarks, or some more
def read_index(mark: BenchmarkMark) -> FigureIndex:
    benchmark, releases = mark
    names = read_names(benchmark)
    shown_in = read_members([row[0] for row in releases])
    places = read_places(names, releases, shown_in)
    by_pictures: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        by_pictures.setdefault(place.pictures, []).append(place)
    subtasks = sorted({name.subtask for name in names.values()}, key=lambda one: one.order)
    return FigureIndex(
        benchmark=benchmark,
        names=names,
        subtasks=tuple(subtasks),
        places=places,
        titles=distinct_titles(releases),
        by_key={place.key: place for place in places},
        by_pictures=by_pictures,
        shown_in=shown_in,
    )


def distinct_titles(releases: Sequence[ReleaseMark]) -> dict[int, str]:
    """By release: its title, and what it is called in addresses where another has the same."""
    times = Counter(title for _, _, title, *_ in releases)
    return {
        pk: f"{title} ({slug})" if times[title] > 1 else title for pk, slug, title, *_ in releases
    }


def read_names(benchmark: int) -> dict[int, FigureName]:
    """A figure of several subtasks has the one of its first question."""
    subtasks = read_subtasks(benchmark)
    pictures = read_pictures(benchmark)
    questions = Question.objects.filter(benchmark=benchmark, figure__isnull=False)
    rows = questions.order_by("figure", "pk").values_list("figure", "subtask", "public_id")
    first: dict[int, int] = {}
    asked: dict[int, dict[str, None]] = {}
    for figure, subtask, public_id in rows:
        first.setdefault(figure, subtask)
        asked.setdefault(figure, {})[public_id] = None
    numbers: Counter[int] = Counter()
    names = {}
    for figure, subtask in first.items():
        numbers[subtask] += 1
        names[figure] = FigureName(
            figure, subtasks[subtask], numbers[subtask], tuple(asked[figure]), pictures[figure]
        )
    return names


def read_subtasks(benchmark: int) -> dict[int, SubtaskName]:
    found = Subtask.objects.filter(ability__benchmark=benchmark).select_related("ability")
    return {
        one.pk: SubtaskName(
            one.pk,
            one.title,
            one.ability_id,
            one.ability.title,
            (one.ability.position, one.position),
        )
        for one in found
    }


def read_pictures(benchmark: int) -> dict[int, str]:
    """By figure: its pictures' hashes, or what it is named by where it has none stored."""
    named = dict(Figure.objects.filter(benchmark=benchmark).values_list("pk", "content_hash"))
    images = FigureImage.objects.filter(figure__benchmark=benchmark).order_by("figure", "position")
    shown: dict[int, list[str]] = {}
    for figure, sha256 in images.values_list("figure", "sha256"):
        shown.setdefault(figure, []).append(sha256)
    return {
        figure: pictures_key(shown.get(figure, []), content) for figure, content in named.items()
    }


def pictures_key(hashes: Sequence[str], content_hash: str) -> str:
    """Equal for figures that show the same pictures in the same order."""
    if not hashes or not all(hashes):
        return content_hash
    return hashes[0] if len(hashes) == 1 else digest_of(list(hashes))


def read_members(releases: Sequence[int]) -> dict[int, list[int]]:
    """By figure: the releases that show it."""
    members = ReleaseQuestion.objects.filter(release__in=releases, question__figure__isnull=False)
    found: dict[int, list[int]] = {}
    rows = members.order_by("release").values_list("question__figure", "release")
    for figure, release in rows.distinct():
        found.setdefault(figure, []).append(release)
    return found


def read_places(
    names: Mapping[int, FigureName],
    releases: Sequence[ReleaseMark],
    shown_in: Mapping[int, Sequence[int]],
) -> tuple[Place, ...]:
    languages = {row[0]: row[3] for row in releases if row[4] in WORKED_ON}
    shown: dict[Key, list[int]] = {}
    for figure, members in shown_in.items():
        for release in members:
            if language := languages.get(release):
                shown.setdefault((figure, language), []).append(release)
    places = [
        Place(names[key[0]], key[1], tuple(in_releases), key, (names[key[0]].pictures, key[1]))
        for key, in_releases in shown.items()
    ]
    return tuple(sorted(places, key=lambda place: place.order))


@dataclass(frozen=True, slots=True)
class KnownFigure:
    """What is known of a figure by one query. `states`: of the releases that show it, by
    language."""

    name: str
    states: Mapping[str, set[str]]


def known_figure(figure: Figure, marks: Mapping[int, BenchmarkMark] | None = None) -> KnownFigure:
    """By the name that people call it, never the hash by which a dataset may name it. `marks`:
    where they were read before."""
    found = release_marks(figure.benchmark_id) if marks is None else marks
    mark = found.get(figure.benchmark_id)
    index = read_index(mark) if mark else None
    name = index.names.get(figure.pk) if index else None
    states: dict[str, set[str]] = {}
    shown_in = index.shown_in.get(figure.pk, ()) if index else ()
    for pk, _, _, language, state, *_ in mark[1] if mark else ():
        if pk in shown_in:
            states.setdefault(language, set()).add(state)
    return KnownFigure(str(name) if name else f"Figure {figure.pk}", states)


def name_of(figure: Figure) -> str:
    return known_figure(figure).name
