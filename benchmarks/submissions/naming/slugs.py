"""The word by which an address names a model. It never changes, whatever the model is called
later."""

import secrets
from collections.abc import Callable, Collection, Iterator
from uuid import UUID

from django.utils.text import slugify

SLUG_LENGTH = 100
NUMBERED = 50
"""Models of one name that are told apart by a number; later ones by eight random letters: who hands
in a thousand models of one name must not make the thousand and first slow."""
NAMELESS = "model"
"""Of names in which no letter is one of an address, as of most that are not in Latin letters."""


def slug_of(name: str) -> str:
    """Small Latin letters, digits and hyphens; never what reads as an entry's id.

    >>> slug_of("Qwen-VL 9.6B (Chat)"), slug_of("Émile²"), slug_of("通义千问")
    ('qwen-vl-96b-chat', 'emile2', 'model')
    """
    slug = slugify(name)[:SLUG_LENGTH].strip("-_") or NAMELESS
    try:
        UUID(slug)
    except ValueError:
        return slug
    return f"{NAMELESS}-{slug}"


def free_slug(name: str, taken: Callable[[Collection[str]], Collection[str]]) -> str:
    """The first of `slug_choices` that is not among those that `taken` says of them."""
    choices = list(slug_choices(name))
    known = taken(choices)
    return next((slug for slug in choices if slug not in known), random_slug(name))


def slug_choices(name: str) -> Iterator[str]:
    slug = slug_of(name)
    yield slug
    for number in range(2, NUMBERED + 1):
        yield ended(slug, str(number))


def random_slug(name: str) -> str:
    return ended(slug_of(name), secrets.token_hex(4))


def ended(slug: str, ending: str) -> str:
    return f"{slug[: SLUG_LENGTH - len(ending) - 1].rstrip('-_')}-{ending}"
