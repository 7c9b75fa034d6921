"""Links of pages as somebody who is signed in follows them."""

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from django.test import Client


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


def closed_links(client: Client, begin: str, within: str) -> Mapping[str, str]:
    """From page to page below `within`: the links that are not answered with a page, with where
    each stands. Of each kind one is followed."""
    closed: dict[str, str] = {}
    seen, waiting = {kind_of(begin)}, [(begin, "")]
    while waiting:
        address, where = waiting.pop()
        response = client.get(address, follow=True)
        at = response.request["PATH_INFO"]
        if response.status_code != 200 or "/login/" in at:
            closed[address] = where
        elif at.startswith(within) and response["Content-Type"].startswith("text/html"):
            for link in links_on(str(response.content, "utf-8"), at):
                if kind_of(link) not in seen:
                    seen.add(kind_of(link))
                    waiting.append((link, address))
        if response.streaming:
            b"".join(response)
    return closed
