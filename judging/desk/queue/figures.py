"""The queue of annotators and reviewers: what is to be described, and what is theirs of it.

A row of it is a figure in a language in which a release that is worked on shows it. Figures whose
judges read no description are in no queue. Names of figures, and which show the same pictures, are
what each process keeps of releases (benchmarks/figures/names.py).
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, F, Min, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest

from benchmarks.common.lately import lasting
from benchmarks.figures.names import WORKED_ON, FigureIndex, Key, Place, read_index, release_marks
from benchmarks.models import Assignment, Benchmark, Claim, Description, ReleaseQuestion
from benchmarks.registry import protocols
from benchmarks.services.claims import LASTS
from judging.models import JudgeSpec
from judging.texts import texts_read

State = Description.State
FIGURES = "_figures_to_describe"  # on a request
MISSING = "missing"
"""The state of a figure of which nobody has written a word that is still looked at."""
ASSIGNED, TO_REVIEW = "assigned", "to review"
COLUMNS = ("figure", "language", "benchmark", "state", "author", "asked")
IN_WORK = (State.DRAFT, State.IN_REVIEW, State.SENT_BACK)


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


class Figures:
    """What each process keeps of the figures of all benchmarks that are described."""

    def __init__(self) -> None:
        marks = release_marks()
        self.benchmarks = {one.pk: one for one in described_benchmarks()}
        self.indexes: dict[int, FigureIndex] = {
            pk: read_index(marks[pk]) for pk in self.benchmarks if pk in marks
        }

        self.places: dict[Key, Place] = {
            key: place for index in self.indexes.values() for key, place in index.by_key.items()
        }
        found = {place.name.subtask for place in self.places.values()}
        self.subtasks = sorted(found, key=lambda one: (one.order, one.pk))
        self.titles = {
            pk: title for index in self.indexes.values() for pk, title in index.titles.items()
        }

    def name(self, pk: int) -> str:
        """What it is called, also where it is in no release that is open."""
        found = (index.names.get(pk) for index in self.indexes.values())
        return next((str(name) for name in found if name), f"Figure {pk}")

    @cached_property
    def people(self) -> list[tuple[int, str]]:
        """Who wrote a version that is in work, or was asked to describe a figure."""
        written = Description.objects.filter(author=OuterRef("pk"), state__in=IN_WORK)
        asked = Assignment.objects.filter(user=OuterRef("pk"))
        found = User.objects.filter(Exists(written) | Exists(asked)).order_by("username")
        return list(found.values_list("pk", "username"))

    def twins(self, place: Place) -> list[str]:
        """Other benchmarks that show the same pictures in the same language."""
        return [
            self.benchmarks[index.benchmark].title
            for index in self.indexes.values()
            if place.key not in index.by_key and place.pictures in index.by_pictures
        ]


def figures_of(request: HttpRequest) -> Figures:
    """Read once for each request."""
    if not hasattr(request, FIGURES):
        setattr(request, FIGURES, Figures())
    found: Figures = getattr(request, FIGURES)
    return found


def figures_to_describe(figures: Figures) -> "QuerySet[ReleaseQuestion]":
    """A row for each figure in each language, in the order in which they are worked on: the first
    of the questions that show it. To filter by: `state` and `author` of its newest version that no
    approval has closed, and `asked`, whom staff asked to describe it."""
    shown = ReleaseQuestion.objects.filter(
        release__benchmark__in=figures.benchmarks,
        release__state__in=WORKED_ON,
        question__figure__isnull=False,
    )
    first = shown.order_by().values("question__figure", "release__language").annotate(Min("pk"))
    same = {"figure": OuterRef("question__figure"), "language": OuterRef("release__language")}
    newest = Description.objects.filter(**same).exclude(state=State.SUPERSEDED)
    newest = newest.order_by("-version")
    found = ReleaseQuestion.objects.filter(pk__in=first.values("pk__min")).annotate(
        figure=F("question__figure"), language=F("release__language")
    )
    return found.alias(
        state=Coalesce(Subquery(newest.values("state")[:1]), Value(MISSING)),
        author=Subquery(newest.values("author")[:1]),
        asked=Subquery(Assignment.objects.filter(**same).values("user")),
    )


IN_ORDER = (
    "release__benchmark__title",
    "question__subtask__ability__position",
    "release__language",
    "question__subtask__position",
    "question__figure",
)


def versions_in_review() -> dict[Key, tuple[int, int | None]]:
    """By figure and language: key and author of the newest version that no approval has overtaken,
    the longest waiting first."""
    newer = Description.objects.filter(
        figure=OuterRef("figure"),
        language=OuterRef("language"),
        state=State.APPROVED,
        version__gt=OuterRef("version"),
    )
    waiting = Description.objects.filter(~Exists(newer), state=State.IN_REVIEW).order_by("version")
    rows = waiting.values_list("figure", "language", "pk", "author")
    found = {(figure, language): (pk, author) for figure, language, pk, author in rows}
    return dict(sorted(found.items(), key=lambda one: one[1][0]))


def open_forms(user: User) -> tuple[dict[Key, list[str]], set[Key]]:
    """Who but this person has which form open; and where one of them does not only look."""
    claims = Claim.objects.filter(lasting("until", Now(), LASTS)).exclude(user=user)
    open_by: dict[Key, list[str]] = {}
    held = set()
    columns = ("figure", "language", "user__username", "holds_review")
    for *key, name, holds_review in claims.order_by("since").values_list(*columns):
        open_by.setdefault((key[0], key[1]), []).append(name)
        if holds_review:
            held.add((key[0], key[1]))
    return open_by, held


# --- whose work it is -----------------------------------------------------------------------------

Group = tuple[int, int, str]
"""A benchmark, an ability, and a language."""
ALL, DESCRIBED = "figures", "described"


@dataclass(slots=True)
class Work:
    """What one person can do now: rows by kind, in the order in which they are given to them.
    ASSIGNED holds only what is to be written; it is in no other list. `counts`: of each kind by
    group, and of all figures and those that are described."""

    kinds: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    counts: defaultdict[Group, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def to_write(self) -> Iterator[Any]:
        for kind in (ASSIGNED, State.SENT_BACK, State.DRAFT, MISSING):
            yield from self.kinds[kind]


def work_of(user: User, figures: Figures, allowed: Container[int] | None = None) -> Work:
    """What is missing is listed once where several benchmarks show the same pictures; what others
    are asked to write or have sent in is not theirs to begin. `allowed`: keys of rows; None for
    all."""
    work, waiting, to_review = Work(), versions_in_review(), {}
    found = figures_to_describe(figures).annotate(
        benchmark=F("release__benchmark"), state=F("state"), author=F("author"), asked=F("asked")
    )
    rows: Any = found.order_by(*IN_ORDER).values_list("pk", *COLUMNS, named=True)
    places = [(row, figures.places[row.figure, row.language]) for row in rows]
    started = {place.pictures: row.benchmark for row, place in places if row.state in IN_WORK}
    for row, place in places:
        if allowed is not None and row.pk not in allowed:
            continue
        counts = work.counts[row.benchmark, place.name.subtask.ability, row.language]
        counts[ALL] += 1
        counts[DESCRIBED] += row.state == State.APPROVED
        if place.key in waiting and waiting[place.key][1] != user.pk:
            to_review[place.key] = row
            counts[TO_REVIEW] += 1
        kind = kind_for(row, user)
        if kind == MISSING and started.setdefault(place.pictures, row.benchmark) != row.benchmark:
            continue
        work.kinds[kind].append(row)
        counts[kind] += 1
    work.kinds[TO_REVIEW] = [to_review[key] for key in waiting if key in to_review]
    return work


def kind_for(row: Any, user: User) -> str:
    """ASSIGNED, MISSING, or a state whose version is theirs; "" where it is no work of this
    person."""
    if row.state in (State.APPROVED, State.IN_REVIEW):
        return ""
    if row.asked:
        return ASSIGNED if row.asked == user.pk else ""
    return row.state if row.state == MISSING or row.author == user.pk else ""


def in_turn(keys: Iterable[Key], taken: Container[Key], after: Key | None = None) -> list[Key]:
    """Those that are not taken: what follows `after` first, then from the beginning."""
    free = [key for key in keys if key not in taken]
    if after not in free:
        return free
    here = free.index(after)
    return [*free[here + 1 :], *free[:here]]


def by_ability(figures: Figures, work: Work) -> list[dict[str, Any]]:
    """How far each is, and how much this person can do of it."""
    titles = {one.ability: one.ability_title for one in figures.subtasks}
    return [
        {
            "benchmark": figures.benchmarks[benchmark],
            "ability": ability,
            "title": titles[ability],
            "language": language,
            "counts": {kind.replace(" ", "_"): count for kind, count in counts.items()},
        }
        for (benchmark, ability, language), counts in work.counts.items()
    ]


# --- what a list shows ----------------------------------------------------------------------------


def items_of(figures: Figures, rows: Iterable[Any], user: User) -> list[dict[str, Any]]:
    """`version`: the newest that no approval has closed. `open_by`: others who have its form open.
    `twins`: other benchmarks that show the same pictures, which one approval serves."""
    rows = list(rows)
    shown = {row.figure for row in rows}
    versions = Description.objects.exclude(state=State.SUPERSEDED)
    newer = versions.filter(
        figure=OuterRef("figure"), language=OuterRef("language"), version__gt=OuterRef("version")
    )
    newest = versions.filter(~Exists(newer), figure__in=shown).defer("text")
    written = {(one.figure_id, one.language): one for one in newest.select_related("author")}
    assigned = Assignment.objects.filter(figure__in=shown).select_related("user", "by")
    asked = {(one.figure_id, one.language): one for one in assigned}
    open_by, _ = open_forms(user)
    found = []
    for row in rows:
        place = figures.places[row.figure, row.language]
        version = written.get(place.key)
        found.append(
            {
                "row": row,
                "place": place,
                "releases": [figures.titles[pk] for pk in place.releases],
                "version": version,
                "state": version.state if version else MISSING,
                "assigned": asked.get(place.key),
                "open_by": open_by.get(place.key, ()),
                "twins": figures.twins(place),
            }
        )
    return found
