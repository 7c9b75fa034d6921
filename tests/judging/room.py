"""The annotators' room as tests visit it: a figure two questions ask about, and what its form
sends."""

from django.test import Client

from benchmarks.models import Description, Figure

WORKLIST = "/admin/benchmarks/description/"


def place(figure: Figure, language: str = "en") -> str:
    return f"{WORKLIST}figure/{figure.pk}/{language}/"


def review_of(description: Description) -> str:
    return f"{WORKLIST}{description.pk}/review/"


def save(client: Client, figure: Figure, text: str = "A cat.", base: int = 0, button: str = "save"):
    return client.post(
        place(figure), {"text": text, "base_version": base, button: "x"}, follow=True
    )


def page_of(response) -> str:
    return str(response.content, "utf-8")


def says(page: str, *sentences: str) -> None:
    """Each of them stands on the page."""
    missing = [one for one in sentences if one not in page]
    assert not missing, f"not on the page: {missing}"


def hides(page: str, *sentences: str) -> None:
    """None of them stands on the page."""
    found = [one for one in sentences if one in page]
    assert not found, f"on the page: {found}"
