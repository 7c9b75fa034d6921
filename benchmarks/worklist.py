"""What annotators have to do: figures whose description is missing, in work or waiting for review,
and how far each ability is. Only figures of open releases count: the others keep the description
they have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.contrib.auth.models import User
from django.db.models import Count, Exists, Min, OuterRef, QuerySet, Subquery

from benchmarks.models import Benchmark, Description, Figure, Question, Release, ReleaseQuestion

State = Description.State
Mark = tuple[int, tuple[tuple[int, str, datetime], ...], int]
SHOWN = 50


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A figure in a language; `description` is its version to look at, None where it has none
    yet."""

    figure: Figure
    language: str
    description: Description | None


@dataclass(frozen=True, slots=True)
class Section:
    """The first items of a list, and how many there are."""

    items: Sequence[WorkItem]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.items)


@dataclass(frozen=True, slots=True)
class AbilityProgress:
    title: str
    language: str
    described: int
    figures: int


@dataclass(frozen=True, slots=True)
class Counted:
    """first_missing: keys of figures, with a language; at most SHOWN."""

    missing: int
    first_missing: tuple[tuple[int, str], ...]
    progress: tuple[AbilityProgress, ...]


@dataclass(frozen=True, slots=True)
class Worklist:
    missing: Section
    my_drafts: Section
    in_review: Section
    sent_back: Section
    progress: tuple[AbilityProgress, ...]


def newest_description(figure: Figure, language: str) -> Description | None:
    found = Description.objects.filter(figure=figure, language=language).select_related("author")
    return found.order_by("-version").first()


def newest_versions(benchmark: Benchmark) -> "QuerySet[Description]":
    versions = Description.objects.filter(figure=OuterRef("figure"), language=OuterRef("language"))
    newest = Subquery(versions.order_by("-version").values("pk")[:1])
    return Description.objects.filter(figure__benchmark=benchmark, pk=newest).select_related(
        "figure", "author"
    )


def reviewable(benchmark: Benchmark) -> "QuerySet[Description]":
    """Versions in review that no newer approval has overtaken, the longest waiting first."""
    newer = Description.objects.filter(
        figure=OuterRef("figure"),
        language=OuterRef("language"),
        state=State.APPROVED,
        version__gt=OuterRef("version"),
    )
    waiting = Description.objects.filter(
        ~Exists(newer), figure__benchmark=benchmark, state=State.IN_REVIEW
    )
    return waiting.select_related("figure", "author").order_by("created", "pk")


def benchmarks_with_figures() -> dict[Benchmark, bool]:
    """By benchmark: whether it has a description of any kind."""
    shown = ReleaseQuestion.objects.filter(
        release__benchmark=OuterRef("pk"),
        release__state=Release.State.OPEN,
        question__figure__isnull=False,
    )
    described = Description.objects.filter(figure__benchmark=OuterRef("pk"))
    found = Benchmark.objects.filter(Exists(shown)).annotate(is_described=Exists(described))
    return {benchmark: benchmark.is_described for benchmark in found}


def figure_languages(figure: Figure) -> list[str]:
    """The languages a description of the figure can have: those of its releases, and those it has
    already."""
    asked = (
        Release.objects.published()
        .filter(questions__figure=figure)
        .order_by()
        .values_list("language", flat=True)
    )
    written = (
        Description.objects.filter(figure=figure).order_by().values_list("language", flat=True)
    )
    return sorted({*asked, *written})


def read_worklist(*, benchmark: Benchmark, user: User) -> Worklist:
    newest = newest_versions(benchmark).order_by("created", "pk")
    counted = count_figures(state_of(benchmark))
    return Worklist(
        missing=missing_section(counted),
        my_drafts=section(newest.filter(state=State.DRAFT, author=user)),
        in_review=section(reviewable(benchmark)),
        sent_back=section(newest.filter(state=State.SENT_BACK)),
        progress=counted.progress,
    )


def section(versions: "QuerySet[Description]") -> Section:
    items = [WorkItem(version.figure, version.language, version) for version in versions[:SHOWN]]
    return Section(items, len(items) if len(items) < SHOWN else versions.count())


def shown_questions(benchmark: int) -> "QuerySet[Question]":
    """Those with a figure, once for each open release."""
    return Question.objects.filter(
        benchmark=benchmark, figure__isnull=False, releases__state=Release.State.OPEN
    ).order_by()


def approved_here() -> "QuerySet[Description]":
    """Approved descriptions of the question's figure in the release's language."""
    return Description.objects.filter(
        figure=OuterRef("figure"), language=OuterRef("releases__language"), state=State.APPROVED
    )


def state_of(benchmark: Benchmark) -> Mark:
    """What changes with every approval and with every release: of the same mark, the same is
    missing. Nothing approved is ever taken back."""
    releases = benchmark.releases.order_by("pk").values_list("pk", "state", "created")
    return benchmark.pk, tuple(releases), Description.objects.filter(state=State.APPROVED).count()


@lru_cache(maxsize=16)  # a few kB for each, and a site has as many benchmarks, or some more
def count_figures(mark: Mark) -> Counted:
    """All figures are looked at: once after an approval in each process, not by every reader."""
    questions = shown_questions(mark[0])
    # An annotation looks at the releases that are open; a second filter would join all of them.
    missing = questions.annotate(is_described=Exists(approved_here())).filter(is_described=False)
    places = missing.values_list("figure", "releases__language").distinct()
    first = places.annotate(position=Min("subtask__ability__position"))
    ordered = first.order_by("position", "releases__language", "figure")
    return Counted(
        missing=places.count(),
        first_missing=tuple((figure, language) for figure, language, _ in ordered[:SHOWN]),
        progress=ability_progress(mark[0]),
    )


def missing_section(counted: Counted) -> Section:
    """Figures in languages without an approved description, each with its newest version."""
    keys = counted.first_missing
    figures = Figure.objects.in_bulk({figure for figure, _ in keys})
    versions = (
        Description.objects.filter(figure__in=figures).select_related("author").order_by("version")
    )
    newest = {(version.figure_id, version.language): version for version in versions}
    items = [
        WorkItem(figures[figure], language, newest.get((figure, language)))
        for figure, language in keys
    ]
    return Section(items, counted.missing)


def ability_progress(benchmark: int) -> tuple[AbilityProgress, ...]:
    ability = ("subtask__ability__position", "subtask__ability__title", "releases__language")
    counted = (
        shown_questions(benchmark)
        .annotate(is_described=Exists(approved_here()))
        .values_list(*ability, "is_described")
        .annotate(figures=Count("figure", distinct=True))
        .order_by(*ability)
    )
    found: dict[tuple[int, str, str], dict[bool, int]] = {}
    for position, title, language, is_described, figures in counted:
        found.setdefault((position, title, language), {})[is_described] = figures
    return tuple(
        AbilityProgress(title, language, done.get(True, 0), sum(done.values()))
        for (_, title, language), done in found.items()
    )
