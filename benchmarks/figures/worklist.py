"""Where a figure stands: its newest description, the languages it is described in, and the versions
that wait for a review."""

from benchmarks.models import Description, Figure, Release


def newest_description(figure: Figure, language: str) -> Description | None:
    found = Description.objects.filter(figure=figure, language=language).select_related("author")
    return found.order_by("-version").first()


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
