"""A page of the site as a file that opens from a disk: links are relative, no server is asked."""

from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

Rewrite = Callable[[str], str | None]
"""The address of a link -> that of the copy; None where there is none."""

LINKS = {
    "a": "href",
    "link": "href",
    "area": "href",
    "img": "src",
    "image": "href",
    "source": "src",
}
"""By element, the attribute that names another file. Scripts are left out: pages work without them,
and browsers load none from a disk."""
DROPPED = {"script", "select", "textarea", "template"}
"""With all that is in them."""
VOID = {"input", "link", "img", "source", "br", "meta", "hr", "image", "area", "col", "base"}
ONLY_ON_SITE = "Only on the site itself"
NO_FORM = "Choosing and searching need the site itself."


class StaticMarkup(HTMLParser):
    """Writes what it reads, but for links, forms, controls and scripts. A form becomes a sentence,
    unless there is a table in it, which stays."""

    def __init__(self, rewrite: Rewrite) -> None:
        super().__init__(convert_charrefs=False)
        self.rewrite = rewrite
        self.pieces: list[str] = []
        self.dropping: list[str] = []
        self.form_starts_at: int | None = None

    def write(self, text: str) -> None:
        if not self.dropping:
            self.pieces.append(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_control = tag == "button" and "popovertarget" not in given
        if self.dropping or tag in DROPPED or is_control:
            self.dropping.append(tag)  # closed by handle_endtag
            if tag in VOID:
                self.dropping.pop()
        elif tag == "form":
            self.form_starts_at = len(self.pieces)
        elif tag in LINKS and LINKS[tag] in given:
            self.write_link(tag, attrs)
        elif tag != "input":
            self.write(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.dropping and tag in LINKS and LINKS[tag] in dict(attrs):
            self.write_link(tag, attrs)
        elif tag != "input":
            self.write(self.get_starttag_text() or "")

    def write_link(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = LINKS[tag]
        target = self.rewrite(dict(attrs)[name] or "")
        if target is None and tag == "link":
            return
        others = [(key, value) for key, value in attrs if key != name]
        own = [(name, target)] if target is not None else [("title", ONLY_ON_SITE)]
        kept = [*own, *((key, value) for key, value in others if (key, value) != own[0])]
        written = (key if value is None else f'{key}="{escape(value)}"' for key, value in kept)
        self.write(f"<{' '.join([tag, *written])}>")

    def handle_endtag(self, tag: str) -> None:
        if self.dropping:
            if tag in self.dropping:
                del self.dropping[self.dropping.index(tag) :]
        elif tag == "form":
            self.end_form()
        elif tag != "input":
            self.write(f"</{tag}>")

    def end_form(self) -> None:
        start, self.form_starts_at = self.form_starts_at, None
        if start is None:
            return
        inside = "".join(self.pieces[start:])
        if "<table" not in inside:
            self.pieces[start:] = [f'<p class="note">{NO_FORM}</p>']

    def handle_data(self, data: str) -> None:
        self.write(data)

    def handle_entityref(self, name: str) -> None:
        self.write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.write(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        self.write(f"<!{decl}>")


def static_markup(text: str, rewrite: Rewrite) -> str:
    parser = StaticMarkup(rewrite)
    parser.feed(text)
    parser.close()
    return "".join(parser.pieces)
