"""A drawing of a page as a file of its own: with the looks that its page gives it."""

import re
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

STYLES = ("css/tokens.css", "css/charts.css")
"""What decides how drawings look; the first has the colours of both themes."""
COMMENT = re.compile(r"/\*[^*]*\*/")
"""They show markup, which would be some in a drawing."""
ALONE = (
    "svg{background:var(--surface);color:var(--ink);font-family:var(--sans)}"
    "svg.forest.wide,svg.forest.narrow,svg.radar,svg.dots,svg.bars{display:block;max-width:none}"
)


@cache
def styles() -> str:
    found = "".join(Path(str(finders.find(name))).read_text() for name in STYLES)
    return COMMENT.sub("", found) + ALONE


def standalone(svg: SafeString, *, title: str) -> SafeString:
    """The drawing as a document: a title for who hears it, and the styles, whose texts are ours.
    Raises ValueError for what is no drawing."""
    opening, found, rest = svg.partition(">")
    if not (found and opening.startswith("<svg ")):
        raise ValueError("no drawing")
    head = opening.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    if "xmlns=" in opening:
        head = opening
    # The drawing is markup of ours, in which texts are escaped; styles() are files of ours.
    return mark_safe(f"{head}><title>{escape(title)}</title><style>{styles()}</style>{rest}")  # noqa: S308
