"""What docs/ says for the people who work here, as pages of the admin: where they need it, and of
the version that runs."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

GUIDES = {
    "annotating": "How to annotate",
    "reviewing": "How to review",
    "studies": "How to run a study",
}


def as_markup(text: str) -> SafeString:
    """Of a document, or a part of one. Markup in it is text, links lead to other guides alone, and
    pictures are those of docs/pictures/."""
    # It takes 80 ms to import, and nobody but staff reads guides.
    options = {"html": False, "xhtmlOut": False}
    reader = import_module("markdown_it").MarkdownIt("commonmark", options).enable("table")
    tokens = reader.parse(text)
    for place, token in enumerate(tokens):
        if token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "td_open" and tokens[place - 1].type == "tr_open":  # it names the row
            token.tag = tokens[place + 2].tag = "th"
            token.attrSet("scope", "row")
        adapt(token.children or ())
    markup: str = reader.renderer.render(tokens, reader.options, {})
    markup = markup.replace("<table>", '<div class="guide-table"><table>')
    markup = markup.replace("</table>", "</table></div>")
    return mark_safe(markup)  # noqa: S308 # nosec B308 B703 - the library escapes all else


def adapt(tokens: Sequence[Any]) -> None:
    """Pictures and links in a line lead to where a site has them; other links are words alone."""
    leads = False
    for token in tokens:
        if token.type == "image":
            name = token.attrGet("src").removeprefix("pictures/")
            token.attrs = {
                "class": "guide-picture",
                "src": static(f"guides/{name}"),
                "alt": "",  # filled in from the words
            }
        elif token.type == "link_open":
            slug = token.attrGet("href").removesuffix(".md")
            leads = slug in GUIDES
            token.attrs = {"href": reverse("guide", args=[slug])} if leads else {}
            token.hidden = not leads
        elif token.type == "link_close":
            token.hidden = not leads


@cache
def guide_of(slug: str) -> SafeString:
    """Read once: a document changes with the version of the site."""
    text = (settings.BASE_DIR / "docs/annotator" / f"{slug}.md").read_text(encoding="utf-8")
    return as_markup(text.partition("\n")[2])  # the page has a title of its own


@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponse:
    if slug not in GUIDES:
        raise Http404("There is no such guide.")
    shown = {
        **admin.site.each_context(request),
        "guide": guide_of(slug),
        "title": GUIDES[slug],
        "guides": [(title, reverse("guide", args=[one])) for one, title in GUIDES.items()],
    }
    return render(request, "admin/guide.html", shown)
