"""A page as a visitor has it: its words, the cells of its tables, and where its links lead."""

from typing import Any

from django.test import Client
from lxml import html  # type: ignore[import-untyped]  # ships no types

from tests.person import named, words


def page_at(client: Client, address: str, status: int = 200) -> Any:
    answer = client.get(address)
    assert answer.status_code == status, (address, answer.status_code)
    return html.fromstring(answer.content.decode())


def shown(client: Client, address: str, status: int = 200) -> str:
    """All words of the page, as one line."""
    return words(page_at(client, address, status))


def part(page: Any, name: str = "content") -> Any:
    """The part of a page that has this anchor."""
    return page.xpath(f"//*[@id='{name}']")[0]


def cells(part: Any) -> list[list[str]]:
    """Of all tables in there, row by row."""
    rows = part.xpath(".//tbody/tr")
    return [[words(cell) for cell in row.xpath("./th | ./td")] for row in rows]


def links(part: Any) -> dict[str, str]:
    """By name where the first link of that name leads."""
    found: dict[str, str] = {}
    for a in part.xpath(".//a[@href]"):
        found.setdefault(named(a), a.get("href"))
    return found


def told(part: Any) -> dict[str, str]:
    """What stands beside each term of a list of terms."""
    terms = part.xpath(".//dt")
    return {words(term): words(term.xpath("following-sibling::dd[1]")[0]) for term in terms}
