"""What an address asks for, which anybody may have typed: bounded before anything looks at it."""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict

MOST_LETTERS = 100
"""Of a search, a slug, or a word that a note repeats: names of models have at most so many."""
MOST_DIGITS = 6
"""Of the number of a page."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`notes` say on the page what of the address was not understood, and is left out."""

    query: QueryDict
    notes: list[str] = field(default_factory=list)

    def text(self, name: str) -> str:
        return plain(self.query.get(name, "")[: MOST_LETTERS + 1])[:MOST_LETTERS]

    def one_of(self, name: str, known: Container[str], note: str) -> str:
        """One of the known words, or else none and a note, in which the word stands for "{}"."""
        word = self.text(name)
        if word and word not in known:
            self.notes.append(note.format(word))
        return word if word in known else ""

    def search(self) -> str:
        text = self.query.get("q", "")
        if len(text) > MOST_LETTERS:
            self.notes.append(
                f"A search has at most {MOST_LETTERS} letters; these results are for the "
                "first ones of yours."
            )
        return plain(text[:MOST_LETTERS])

    def page(self) -> int:
        """Counted from 1."""
        number = self.text("page")
        if number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS and int(number):
            return int(number)
        if number:
            self.notes.append(f"There is no page “{number}”; this is the first.")
        return 1


def page_or_last(paginator: "Paginator[Any]", number: int, notes: list[str]) -> "Page[Any]":
    """The page of that number; the last one, and a note, where there are fewer."""
    if number > paginator.num_pages:
        notes.append(
            f"This list has no page {number:,}; this is its last, page {paginator.num_pages:,}."
        )
    return paginator.get_page(number)


def plain(text: str) -> str:
    """On one line, without what no name has: a database refuses some of it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
