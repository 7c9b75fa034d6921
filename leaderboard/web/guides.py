"""The guides of docs/ as pages of the site, of the version that runs: for visitors at /guides/, for
the people who work here in the admin."""

import posixpath
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

CONTENTS = "visitor/index"
PUBLIC = (
    CONTENTS,
    "visitor/reading_a_board",
    "visitor/intervals",
    "visitor/rank_ranges",
    "visitor/human_labels",
    "visitor/handing_in",
    "visitor/teams",
    "visitor/hidden_tests",
    "visitor/evidence",
    "annotator/rating",
    "hallusionbench",
    "touchstone",
    "tiny_lvlm_ehub",
)
STAFF = ("annotator/annotating", "annotator/reviewing", "annotator/studies")
"""Documents below docs/, without their suffix; the last part of the path is the slug."""
SCROLLING = (
    (
        "<table>",
        '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="ledger">',
    ),
    ("</table>", "</table></div>"),
    ("<pre>", '<pre tabindex="0">'),
    ('<th scope="col"></th>', "<td></td>"),
)
"""What scrolls sideways is reached by the keyboard, and an empty corner heads no column."""


def slug_of(document: str) -> str:
    return posixpath.basename(document)


def address_of(document: str, *, for_staff: bool) -> str | None:
    """None where the reader has no page of it: visitors have none of the admin."""
    if document == CONTENTS:
        return reverse("guides")
    if document in PUBLIC:
        return reverse("public-guide", args=[slug_of(document)])
    return reverse("guide", args=[slug_of(document)]) if for_staff and document in STAFF else None


def document_of(slug: str, documents: Sequence[str]) -> str:
    """Raises Http404 where none of the documents has this slug."""
    for document in documents:
        if slug_of(document) == slug:
            return document
    raise Http404("There is no such guide.")


def as_markup(text: str, document: str = CONTENTS) -> SafeString:
    """HTML of the text, which is the document or a part of it. HTML in it is shown as text, links
    lead to other guides alone, and pictures are those of docs/annotator/pictures/."""
    # It takes 80 ms to import, and few processes ever show a guide.
    options = {"html": False, "xhtmlOut": False}
    reader = import_module("markdown_it").MarkdownIt("commonmark", options).enable("table")
    tokens = reader.parse(text)
    for place, token in enumerate(tokens):
        if token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "td_open" and tokens[place - 1].type == "tr_open":  # it names the row
            token.tag = tokens[place + 2].tag = "th"
            token.attrSet("scope", "row")
        adapt(token.children or (), document)
    markup: str = reader.renderer.render(tokens, reader.options, {})
    for plain, scrolling in SCROLLING:
        markup = markup.replace(plain, scrolling)
    return mark_safe(markup)  # noqa: S308 # nosec B308 B703 - the library escapes all else


def adapt(tokens: Sequence[Any], document: str) -> None:
    """Pictures and links in a line of the document lead to where a site has them; other links
    become plain words."""
    folder, address = posixpath.dirname(document), None
    for token in tokens:
        if token.type == "image":
            name = token.attrGet("src").removeprefix("pictures/")
            token.attrs = {
                "class": "guide-picture",
                "src": static(f"guides/{name}"),
                "alt": "",  # filled in from the words
            }
        elif token.type == "link_open":
            target = posixpath.normpath(posixpath.join(folder, token.attrGet("href")))
            address = address_of(target.removesuffix(".md"), for_staff=document in STAFF)
            token.attrs = {"href": address} if address else {}
            token.hidden = not address
        elif token.type == "link_close":
            token.hidden = not address


@cache
def guide_of(document: str) -> tuple[str, SafeString]:
    """Title and HTML of the rest. Read once: a document changes with the version of the site."""
    text = (settings.BASE_DIR / "docs" / f"{document}.md").read_text(encoding="utf-8")
    title, _, rest = text.partition("\n")
    return title.removeprefix("# "), as_markup(rest, document)


@require_safe
def guides(request: HttpRequest) -> HttpResponse:
    return public_page(request, CONTENTS)


@require_safe
def public_guide(request: HttpRequest, slug: str) -> HttpResponse:
    return public_page(request, document_of(slug, PUBLIC[1:]))


def public_page(request: HttpRequest, document: str) -> HttpResponse:
    title, guide = guide_of(document)
    shown = {"title": title, "guide": guide, "is_contents": document == CONTENTS}
    return render(request, "site/guide.html", shown)


@require_safe
def staff_guide(request: HttpRequest, slug: str) -> HttpResponse:
    title, guide = guide_of(document_of(slug, STAFF))
    shown = {
        **admin.site.each_context(request),
        "guide": guide,
        "title": title,
        "guides": [(guide_of(one)[0], address_of(one, for_staff=True)) for one in STAFF],
    }
    return render(request, "admin/guide.html", shown)
