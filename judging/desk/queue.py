"""The queue of annotators and reviewers: what is to be described, what is theirs of it, and what
comes next for whom.

Figures whose judges read no description are in no queue. What is missing is told from what each
process keeps of releases (benchmarks/figure_names.py) and of approvals, and from the versions that
are in work: nothing looks at all questions or all descriptions for every reader.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from benchmarks.figure_names import (
    BenchmarkMark,
    FigureIndex,
    Key,
    Place,
    read_index,
    release_marks,
)
from benchmarks.lately import lasting
from benchmarks.models import Assignment, Benchmark, Claim, Description
from benchmarks.registry import protocols
from benchmarks.services.claims import LASTS
from benchmarks.text_search import DESCRIPTIONS, containing
from judging.models import JudgeSpec
from judging.texts import texts_read

State = Description.State
IN_WORK = (State.DRAFT, State.IN_REVIEW, State.SENT_BACK)
MOST_FOUND = 5_000  # places whose descriptions hold some words; each is a few bytes
MISSING = "missing"
"""The state of a figure of which nobody has written a word that is still looked at."""


class Version(NamedTuple):
    """A version that is in work, without its text."""

    pk: int
    state: str
    author: int | None


@dataclass(frozen=True, slots=True)
class Assigned:
    user: int
    name: str
    by: str
    note: str


@dataclass(frozen=True, slots=True)
class Item:
    """A place in the queue. `version` is the newest in work, by `author` at the time `since`, None
    where there is none; `state` is that of it, "approved" or "missing". `open_by`: others who have
    its form open. `twins`: other benchmarks that show the same pictures: one
    approval serves them all."""

    place: Place
    benchmark: Benchmark
    releases: tuple[str, ...]
    state: str
    version: Version | None
    author: str
    since: datetime | None
    assigned: Assigned | None
    open_by: tuple[str, ...]
    twins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """All that is known of the work without reading a text. `indexes`: of the benchmarks that were
    asked for, of `every_index` that there is. `open_places`: those without an approved description,
    by benchmark. `newest` and `in_review`: versions in
    work by place, in review all that no approval has overtaken, the longest waiting first.
    `open_by`: who else has which form open; `held`: where they type or review."""

    benchmarks: Mapping[int, Benchmark]
    marks: Mapping[int, BenchmarkMark]
    indexes: Mapping[int, FigureIndex]
    every_index: tuple[FigureIndex, ...]
    approved: frozenset[Key]
    open_places: Mapping[int, Sequence[Place]]
    newest: Mapping[Key, Version]
    in_review: Mapping[Key, Version]
    assigned: Mapping[Key, Assigned]
    open_by: Mapping[Key, tuple[str, ...]]
    held: frozenset[Key]

    def places(self) -> Iterator[Place]:
        for index in self.indexes.values():
            yield from index.places

    def work_in(self, benchmark: int) -> Sequence[Place]:
        """Its places that are not approved, or of which a version is in work, in their order."""
        changed = self.newest.keys() & self.approved
        if not changed:
            return self.open_places[benchmark]
        places = self.indexes[benchmark].places
        return [place for place in places if place.key not in self.approved or place.key in changed]

    def place(self, key: Key) -> Place | None:
        found = (index.by_key.get(key) for index in self.indexes.values())
        return next((place for place in found if place), None)

    def figure(self, pk: int) -> str:
        """What it is called, also where it is in no release that is open."""
        found = (index.names.get(pk) for index in self.every_index)
        return next((str(name) for name in found if name), f"Figure {pk}")

    def state(self, key: Key) -> str:
        if version := self.newest.get(key):
            return version.state
        return State.APPROVED if key in self.approved else MISSING


def read_queue(*, user: User, benchmark: str = "") -> Queue:
    """Of all benchmarks whose judges read descriptions, or of this one. Claims are those of others
    than the user."""
    described = {one.pk: one for one in described_benchmarks()}
    marks = release_marks()
    indexes = {pk: read_index(marks[pk]) for pk in described if pk in marks}
    chosen = {pk for pk, one in described.items() if benchmark in ("", one.slug)}
    newest, in_review = versions_in_work()
    open_by, held = open_forms(user)
    done = read_done(
        tuple(marks.values()), Description.objects.filter(state=State.APPROVED).count()
    )
    return Queue(
        benchmarks=described,
        marks=marks,
        indexes={pk: index for pk, index in indexes.items() if pk in chosen},
        every_index=tuple(indexes.values()),
        approved=done.places,
        open_places=done.open_places,
        newest=newest,
        in_review=in_review,
        assigned=read_assignments(),
        open_by=open_by,
        held=held,
    )


def described_benchmarks() -> list[Benchmark]:
    """Those of which some judge reads descriptions, by title."""
    readers = description_readers(JudgeSpec.objects.count())
    return list(Benchmark.objects.filter(slug__in=readers))


@lru_cache(maxsize=2)
def description_readers(specs: int) -> frozenset[str]:
    """Slugs. By the number of judges, none of which ever changes. The rules speak for a benchmark
    that no model has judged yet."""
    found = {
        slug
        for slug, family in protocols().items()
        if "description" in family.judging.texts_read(None)
    }
    models = JudgeSpec.objects.filter(protocol__in=protocols()).select_related("prompt_set")
    return frozenset(
        found | {spec.protocol for spec in models if "description" in texts_read(spec)}
    )


class Done(NamedTuple):
    """What is approved, and by benchmark the places of which nothing is."""

    places: frozenset[Key]
    open_places: Mapping[int, Sequence[Place]]


@lru_cache(maxsize=2)
def read_done(marks: tuple[BenchmarkMark, ...], count: int) -> Done:
    """By the releases and the number of approved versions: nothing approved is ever taken back."""
    found = Description.objects.filter(state=State.APPROVED).order_by()
    places = frozenset(found.values_list("figure", "language"))
    still_open = {
        mark[0]: [place for place in read_index(mark).places if place.key not in places]
        for mark in marks
    }
    return Done(places, still_open)


def versions_in_work() -> tuple[dict[Key, Version], dict[Key, Version]]:
    """By place: the newest version, and the newest in review, of those that no approval has
    overtaken."""
    newer = Description.objects.filter(
        figure=OuterRef("figure"),
        language=OuterRef("language"),
        state=State.APPROVED,
        version__gt=OuterRef("version"),
    )
    rows = (
        Description.objects.filter(~Exists(newer), state__in=IN_WORK)
        .order_by("version")
        .values_list("figure", "language", "pk", "state", "author")
    )
    waits = str(State.IN_REVIEW)
    newest: dict[Key, Version] = {}
    in_review: dict[Key, Version] = {}
    for figure, language, pk, state, author in rows:
        newest[figure, language] = version = Version(pk, state, author)
        if state == waits:
            in_review[figure, language] = version
    return newest, dict(sorted(in_review.items(), key=lambda one: one[1].pk))


def read_assignments() -> dict[Key, Assigned]:
    rows = Assignment.objects.values_list(
        "figure", "language", "user", "user__username", "by__username", "note"
    )
    return {
        (figure, language): Assigned(user, name, by or "", note)
        for figure, language, user, name, by, note in rows
    }


def open_forms(user: User) -> tuple[dict[Key, tuple[str, ...]], frozenset[Key]]:
    """Who but this person has which form open; and where one of them does not only look."""
    claims = Claim.objects.filter(lasting("until", Now(), LASTS)).exclude(user=user)
    found: dict[Key, tuple[str, ...]] = {}
    held = set()
    for figure, language, name, holds_review in claims.order_by("since").values_list(
        "figure", "language", "user__username", "holds_review"
    ):
        found[figure, language] = (*found.get((figure, language), ()), name)
        if holds_review:
            held.add((figure, language))
    return found, frozenset(held)


# --- whose work it is -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """What one person can do now, in the order in which it is given to them. `assigned` holds only
    what is to be written; it is in no other list."""

    assigned: tuple[Place, ...]
    sent_back: tuple[Place, ...]
    drafts: tuple[Place, ...]
    missing: tuple[Place, ...]
    to_review: tuple[Place, ...]

    def to_write(self) -> Iterator[Place]:
        yield from self.assigned
        yield from self.sent_back
        yield from self.drafts
        yield from self.missing


def work_of(queue: Queue, user: User) -> Work:
    """What is missing is listed once where several benchmarks show the same pictures; what others
    are asked to write or have sent in is not theirs to begin."""
    kinds: dict[str, list[Place]] = {kind: [] for kind in ("assigned", *IN_WORK, MISSING)}
    begun = begun_pictures(queue)
    for benchmark in queue.indexes:
        for place in queue.work_in(benchmark):
            kind = kind_for(queue, place.key, user)
            if kind == MISSING and begun.setdefault(place.pictures, benchmark) != benchmark:
                continue
            kinds.get(kind, []).append(place)
    waiting = (
        queue.place(key) for key, version in queue.in_review.items() if version.author != user.pk
    )
    return Work(
        assigned=tuple(kinds["assigned"]),
        sent_back=tuple(kinds[State.SENT_BACK]),
        drafts=tuple(kinds[State.DRAFT]),
        missing=tuple(kinds[MISSING]),
        to_review=tuple(place for place in waiting if place),
    )


def begun_pictures(queue: Queue) -> dict[tuple[str, str], int]:
    """By pictures and language: the benchmark in which somebody is at work on them."""
    found = {}
    for index in queue.every_index:
        for key in queue.newest:
            if place := index.by_key.get(key):
                found[place.pictures] = index.benchmark
    return found


def kind_for(queue: Queue, key: Key, user: User) -> str:
    """ "assigned", "missing", or a state whose version is theirs; "" where it is no work of this
    person."""
    state, assigned = queue.state(key), queue.assigned.get(key)
    if state in (State.APPROVED, State.IN_REVIEW):
        return ""
    if assigned:
        return "assigned" if assigned.user == user.pk else ""
    if state == MISSING:
        return MISSING
    return state if queue.newest[key].author == user.pk else ""


def in_turn(places: Iterable[Place], taken: Container[Key], after: Key | None = None) -> list[Key]:
    """Those that are not taken: what follows `after` first, then from the beginning."""
    free = [place.key for place in places if place.key not in taken]
    if after not in free:
        return free
    here = free.index(after)
    return [*free[here + 1 :], *free[:here]]


# --- the list -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filters:
    """Empty or None: all. `state`: one, "open" for all that is not approved. `author`: of the
    newest version in work. `assigned`: a person's key, 0 for nobody. `words`: of a question's id,
    a figure's name, or a description."""

    benchmark: str = ""
    ability: int | None = None
    subtask: int | None = None
    state: str = "open"
    author: int | None = None
    assigned: int | None = None
    words: str = ""


def matching(queue: Queue, filters: Filters) -> list[Place]:
    wanted = [test for test in tests_of(queue, filters) if test is not None]
    places = list(queue.places())
    if filters.state == "open":
        places = [place for benchmark in queue.indexes for place in queue.work_in(benchmark)]
    for test in wanted:
        places = [place for place in places if test(place)]
    return places


Test = Callable[[Place], bool]


def tests_of(queue: Queue, filters: Filters) -> Sequence[Test | None]:
    """One for each filter that is set, the quickest first."""
    return (
        is_same(lambda place: place.name.subtask.ability, filters.ability),
        is_same(lambda place: place.name.subtask.pk, filters.subtask),
        state_test(queue, filters.state),
        is_same(lambda place: author_of(queue, place), filters.author),
        is_same(lambda place: assigned_to(queue, place), filters.assigned),
        words_test(filters.words),
    )


def words_test(typed: str) -> Test | None:
    if not (words := typed.casefold()):
        return None
    described = described_with(words)
    return lambda place: has_words(place, words, described)


def is_same(value: Callable[[Place], int], wanted: int | None) -> Test | None:
    return None if wanted is None else lambda place: value(place) == wanted


def state_test(queue: Queue, state: str) -> Test | None:
    if state in ("", "open"):  # which is where `matching` begins
        return None
    return lambda place: queue.state(place.key) == state


def author_of(queue: Queue, place: Place) -> int:
    version = queue.newest.get(place.key)
    return (version.author if version else None) or 0


def assigned_to(queue: Queue, place: Place) -> int:
    assigned = queue.assigned.get(place.key)
    return assigned.user if assigned else 0


def has_words(place: Place, words: str, described: Container[Key]) -> bool:
    questions = place.name.questions
    is_named = words in str(place.name).casefold()
    return is_named or any(words in one.casefold() for one in questions) or place.key in described


def described_with(words: str) -> frozenset[Key]:
    """Places in whose description every word stands: in the newest version, or in the one that is
    judged by. At most MOST_FOUND: who finds as many types another word."""
    same = Description.objects.filter(
        figure=OuterRef("figure"), language=OuterRef("language"), version__gt=OuterRef("version")
    )
    is_live = Q(state=State.APPROVED) & ~Exists(same.filter(state=State.APPROVED))
    found = containing(Description.objects.all(), DESCRIPTIONS, words.split())
    rows = found.filter(~Exists(same) | is_live).values_list("figure", "language")
    return frozenset(rows[:MOST_FOUND])


def items_of(queue: Queue, places: Sequence[Place]) -> list[Item]:
    """What a page shows of these."""
    versions = [found for place in places if (found := queue.newest.get(place.key))]
    rows = Description.objects.filter(pk__in=[version.pk for version in versions])
    written = {
        pk: (name or "", created)
        for pk, name, created in rows.values_list("pk", "author__username", "created")
    }
    return [item_of(queue, place, written) for place in places]


def item_of(queue: Queue, place: Place, written: Mapping[int, tuple[str, datetime]]) -> Item:
    key, twins, version = place.key, twins_of(queue, place), queue.newest.get(place.key)
    author, since = written.get(version.pk, ("", None)) if version else ("", None)
    index = next(one for one in queue.indexes.values() if key in one.by_key)
    state = queue.state(key)
    return Item(
        place=place,
        benchmark=queue.benchmarks[index.benchmark],
        releases=tuple(index.titles[release] for release in place.releases),
        state=state,
        version=version,
        author=author,
        since=since,
        assigned=queue.assigned.get(key),
        open_by=queue.open_by.get(key, ()),
        twins=tuple(one.title for one, _ in twins),
    )


def twins_of(queue: Queue, place: Place) -> list[tuple[Benchmark, Key]]:
    """The places of other benchmarks that show the same pictures in the same language."""
    return [
        (queue.benchmarks[index.benchmark], other.key)
        for index in queue.every_index
        if place.key not in index.by_key
        for other in index.by_pictures.get(place.pictures, ())
    ]


# --- how far it is --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AbilityRow:
    """Counts of places; `missing`, `drafts` and `sent_back` are what this person can do of them."""

    benchmark: Benchmark
    ability: int
    title: str
    language: str
    figures: int
    described: int
    missing: int
    drafts: int
    sent_back: int
    to_review: int


Group = tuple[int, str]
"""An ability, with a language."""


def group_of(place: Place) -> Group:
    return place.name.subtask.ability, place.language


@lru_cache(maxsize=16)
def figures_by_group(mark: BenchmarkMark) -> tuple[Mapping[Group, int], Mapping[Group, str]]:
    """How many, and what the ability is called."""
    places = read_index(mark).places
    titles = {group_of(place): place.name.subtask.ability_title for place in places}
    return Counter(map(group_of, places)), titles


def by_ability(queue: Queue, work: Work) -> list[AbilityRow]:
    counted = {
        "missing": Counter(map(group_of, work.missing)),
        "drafts": Counter(map(group_of, work.drafts)),
        "sent_back": Counter(map(group_of, work.sent_back)),
        "to_review": Counter(map(group_of, work.to_review)),
    }
    rows = []
    for benchmark in queue.indexes:
        figures, titles = figures_by_group(queue.marks[benchmark])
        left = Counter(map(group_of, queue.open_places[benchmark]))
        for group, title in titles.items():
            rows.append(
                AbilityRow(
                    benchmark=queue.benchmarks[benchmark],
                    ability=group[0],
                    title=title,
                    language=group[1],
                    figures=figures[group],
                    described=figures[group] - left[group],
                    **{kind: found[group] for kind, found in counted.items()},
                )
            )
    return rows
