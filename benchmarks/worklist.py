"""Where a figure stands: its newest description, the languages it is described in, and the versions
that wait for a review."""

from django.db.models import Exists, OuterRef, QuerySet

from benchmarks.models import Benchmark, Description, Figure, Release


def newest_description(figure: Figure, language: str) -> Description | None:
    found = Description.objects.filter(figure=figure, language=language).select_related("author")
    return found.order_by("-version").first()


def reviewable(benchmark: Benchmark) -> "QuerySet[Description]":
    """Versions in review that no newer approval has overtaken, the longest waiting first."""
    newer = Description.objects.filter(
        figure=OuterRef("figure"),
        language=OuterRef("language"),
        state=Description.State.APPROVED,
        version__gt=OuterRef("version"),
    )
    waiting = Description.objects.filter(
        ~Exists(newer), figure__benchmark=benchmark, state=Description.State.IN_REVIEW
    )
    return waiting.select_related("figure", "author").order_by("created", "pk")


def figure_languages(figure: Figure) -> list[str]:
    """The languages a description of the figure can have: those of its releases, and those it has
    already."""
    asked = (
        Release.objects.filter(questions__figure=figure)
        .order_by()
        .values_list("language", flat=True)
    )
    written = (
        Description.objects.filter(figure=figure).order_by().values_list("language", flat=True)
    )
    return sorted({*asked, *written})
