"""Links of pages."""

from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (address := dict(attrs).get("href")):
            self.found.append(address)


def links_on(page: str, at: str) -> Iterator[str]:
    """Those that stay on the site, without the places they name on it."""
    links = Links()
    links.feed(page)
    for link in links.found:
        whole = urldefrag(urljoin(f"http://testserver{at}", link)).url
        if whole.startswith("http://testserver/"):
            yield whole.removeprefix("http://testserver")


def kind_of(address: str) -> tuple[str, tuple[str, ...]]:
    """Addresses that differ in the values of their query are of one kind: filters, orders."""
    parts = urlsplit(address)
    return parts.path, tuple(sorted({name for name, _ in parse_qsl(parts.query)}))
