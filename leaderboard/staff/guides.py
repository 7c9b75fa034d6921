"""What docs/ says for the people who work here, as pages of the admin: where they need it, and of
the version that runs.

Reads as much of Markdown as these documents use: headings, paragraphs, lists, tables, pictures,
and in a line code, emphasis and links to each other.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

GUIDES = {
    "annotating": "How to annotate",
    "reviewing": "How to review",
    "studies": "How to run a study",
}
IMAGE = re.compile(r"!\[([^\]\[]*)\]\(pictures/([a-z-]+)\.png\)")
IN_LINE = re.compile(r"`([^`]+)`|\*([^*]+)\*|\[([^\]\[]+)\]\(([a-z_]+)\.md\)")


@dataclass(frozen=True, slots=True)
class Guide:
    slug: str
    title: str
    body: SafeString


def in_line(text: str) -> SafeString:
    """Escaped, with what stands for code, emphasis and links to other guides."""
    parts, at = [], 0
    for found in IN_LINE.finditer(text):
        parts.append(escape(text[at : found.start()]))
        code, stress, words, slug = found.groups()
        if code:
            parts.append(format_html("<code>{}</code>", code))
        elif stress:
            parts.append(format_html("<em>{}</em>", stress))
        elif slug in GUIDES:
            parts.append(format_html('<a href="{}">{}</a>', reverse("guide", args=[slug]), words))
        else:
            parts.append(escape(words))
        at = found.end()
    return mark_safe("".join([*parts, escape(text[at:])]))  # noqa: S308 # every part is escaped


def heading(lines: list[str]) -> SafeString:
    return format_html("<h2>{}</h2>", in_line(lines[0].lstrip("# ")))


def picture(lines: list[str]) -> SafeString:
    found = IMAGE.match(lines[0])
    if found is None:
        return paragraph(lines)
    place = static(f"guides/{found[2]}.png")
    return format_html('<p><img class="guide-picture" src="{}" alt="{}"></p>', place, found[1])


def bullets(lines: list[str]) -> SafeString:
    """An item goes on in lines that are moved in."""
    items: list[str] = []
    for line in lines:
        if line.startswith("- "):
            items.append(line[2:])
        else:
            items[-1] += f" {line.strip()}"
    return format_html(
        "<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((in_line(item),) for item in items))
    )


def cells_of(line: str) -> Iterator[SafeString]:
    return (in_line(cell.strip()) for cell in line.strip("|").split("|"))


def table(lines: list[str]) -> SafeString:
    """A head, a line of dashes, and rows whose first cell names them."""
    head = format_html_join("", '<th scope="col">{}</th>', ((cell,) for cell in cells_of(lines[0])))
    rows = []
    for line in lines[2:]:
        first, *others = cells_of(line)
        cells = format_html_join("", "<td>{}</td>", ((cell,) for cell in others))
        rows.append((format_html('<th scope="row">{}</th>{}', first, cells),))
    body = format_html_join("", "<tr>{}</tr>", rows)
    return format_html(
        '<div class="guide-table"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>',
        head,
        body,
    )


def paragraph(lines: list[str]) -> SafeString:
    return format_html("<p>{}</p>", in_line(" ".join(lines)))


KINDS: tuple[tuple[str, Callable[[list[str]], SafeString]], ...] = (
    ("## ", heading),
    ("![", picture),
    ("- ", bullets),
    ("|", table),
)


def block_of(lines: list[str]) -> SafeString:
    kind = next((make for start, make in KINDS if lines[0].startswith(start)), paragraph)
    return kind(lines)


def blocks_of(lines: Iterable[str]) -> Iterator[list[str]]:
    """Lines that stand together, with an empty one between each two."""
    for is_text, together in groupby(lines, key=lambda line: bool(line.strip())):
        if is_text:
            yield list(together)


@cache
def guide_of(slug: str) -> Guide:
    """Read once: a document changes with the version of the site."""
    page = settings.BASE_DIR / "docs/annotator" / f"{slug}.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    body = format_html_join("\n", "{}", ((block_of(block),) for block in blocks_of(lines[1:])))
    return Guide(slug, lines[0].lstrip("# "), body)


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
