"""Every address of the site, from its URL resolver: what a test over all of them walks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.urls import get_resolver
from django.urls.resolvers import URLPattern, URLResolver

PLACEHOLDER = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")
ANY_TEXT = re.compile(r"\.\+|\.\*")


@dataclass(frozen=True)
class Route:
    """`name` with its namespaces, as `reverse` takes it; where there is none, the pattern
    itself."""

    name: str
    pattern: str

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(plain or grouped for plain, grouped in PLACEHOLDER.findall(self.pattern))

    def address(self, arguments: Mapping[str, object]) -> str:
        """The path with its placeholders filled. Raises KeyError for one that has no argument."""
        filled = PLACEHOLDER.sub(lambda found: str(arguments[found[1] or found[2]]), self.pattern)
        return "/" + ANY_TEXT.sub("nowhere", filled.replace("^", "").replace("$", ""))


def routes() -> tuple[Route, ...]:
    return tuple(walk(get_resolver().url_patterns))


def walk(
    patterns: Sequence[URLPattern | URLResolver],
    before: str = "",
    namespaces: tuple[str, ...] = (),
) -> Iterator[Route]:
    for found in patterns:
        pattern = before + str(found.pattern)
        if isinstance(found, URLResolver):
            inner = (*namespaces, found.namespace) if found.namespace else namespaces
            yield from walk(found.url_patterns, pattern, inner)
        else:
            yield Route(":".join([*namespaces, found.name]) if found.name else pattern, pattern)
