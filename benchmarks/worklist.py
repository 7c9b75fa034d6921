"""What annotators have to do: figures whose description is missing, in work or waiting for review,
and how far each ability is. Only figures of open releases count: the others keep the description
they have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from benchmarks.models import Benchmark, Description, Figure, Question, Release

State = Description.State
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


def benchmarks_with_figures() -> list[Benchmark]:
    shown = Question.objects.filter(
        benchmark=OuterRef("pk"), figure__isnull=False, releases__state=Release.State.OPEN
    )
    return list(Benchmark.objects.filter(Exists(shown)))


def described_benchmarks() -> set[int]:
    """Benchmarks that have a description of any kind."""
    return set(
        Description.objects.order_by().values_list("figure__benchmark", flat=True).distinct()
    )


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
    shown = Question.objects.filter(
        benchmark=benchmark, figure__isnull=False, releases__state=Release.State.OPEN
    )
    places = list(
        shown.order_by("subtask__ability__position", "releases__language", "figure")
        .values_list("subtask__ability__title", "releases__language", "figure")
        .distinct()
    )
    approved = set(
        Description.objects.filter(figure__benchmark=benchmark, state=State.APPROVED)
        .order_by()
        .values_list("figure", "language")
    )
    wanted = list(dict.fromkeys((figure, language) for _, language, figure in places))
    newest = newest_versions(benchmark).order_by("created", "pk")
    return Worklist(
        missing=missing_section([place for place in wanted if place not in approved]),
        my_drafts=section(newest.filter(state=State.DRAFT, author=user)),
        in_review=section(reviewable(benchmark)),
        sent_back=section(newest.filter(state=State.SENT_BACK)),
        progress=ability_progress(places, approved),
    )


def section(versions: "QuerySet[Description]") -> Section:
    items = [WorkItem(version.figure, version.language, version) for version in versions[:SHOWN]]
    return Section(items, len(items) if len(items) < SHOWN else versions.count())


def missing_section(places: Sequence[tuple[int, str]]) -> Section:
    """Figures in languages without an approved description, each with its newest version."""
    first = places[:SHOWN]
    figures = Figure.objects.in_bulk({figure for figure, _ in first})
    versions = (
        Description.objects.filter(figure__in=figures).select_related("author").order_by("version")
    )
    newest = {(version.figure_id, version.language): version for version in versions}
    return Section(
        [WorkItem(figures[key], language, newest.get((key, language))) for key, language in first],
        len(places),
    )


def ability_progress(
    places: Iterable[tuple[str, str, int]], approved: set[tuple[int, str]]
) -> tuple[AbilityProgress, ...]:
    figures: dict[tuple[str, str], list[bool]] = {}
    for ability, language, figure in places:
        figures.setdefault((ability, language), []).append((figure, language) in approved)
    return tuple(
        AbilityProgress(ability, language, sum(done), len(done))
        for (ability, language), done in figures.items()
    )
