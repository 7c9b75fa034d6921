"""Somebody before a browser without scripts, who goes by the names of links, buttons and fields."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.test import Client
from lxml import html  # type: ignore[import-untyped]  # ships no types

PAGES = (200, 410, 422)  # withdrawn, and a form that is refused, are pages to go on from


def words(element: Any) -> str:
    """As one reads them: without what is hidden, any blanks as one space."""
    hidden = {id(part) for part in element.iter("script", "style", "template")}
    texts = (text for text in element.xpath(".//text()") if id(text.getparent()) not in hidden)
    return " ".join(" ".join(texts).split())


def named(element: Any) -> str:
    label = element.get("aria-label") or words(element)
    return label or element.get("value", "")  # that of an <input>


@dataclass
class Person:
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))
    address: str = "/"
    reply: Any = None
    page: Any = None

    def go(self, address: str, data: dict[str, Any] | None = None) -> str:
        """The words of the page there, or of that to which it leads; with data it is a form's."""
        address = urljoin(self.address, address)
        send = self.client.get if data is None else self.client.post
        self.reply = send(address, data, follow=True)
        assert self.reply.status_code in PAGES, (address, self.reply.status_code)
        last = [address, *(to for to, _ in self.reply.redirect_chain)]
        self.address = urljoin(address, last[-1])
        self.page = html.fromstring(self.reply.content.decode())
        told = words(self.page)
        for part in self.page.xpath("//*[@form]"):  # stands outside of the form it belongs to
            self.page.get_element_by_id(part.get("form")).append(part)
        return told

    def follow(self, name: str) -> str:
        """The first link of that name."""
        links = {named(a): a.get("href") for a in reversed(self.page.xpath("//a[@href]"))}
        assert name in links, (name, sorted(links))
        return self.go(links[name])

    def press(self, name: str, /, **values: Any) -> str:
        """The first button of that name, after these fields of its form are filled in."""
        found = self.page.xpath("//button[@type='submit' or not(@type)]|//input[@type='submit']")
        buttons = {named(one): one for one in reversed(found)}
        assert name in buttons, (name, sorted(buttons))
        button = buttons[name]
        form = next(button.iterancestors("form"))
        files = {key: value for key, value in values.items() if not isinstance(value, str)}
        for key in values.keys() - files.keys():
            form.fields[key] = values[key]
        data = dict(form.form_values()) | files
        if button.get("name"):
            data[button.get("name")] = button.get("value", "")
        address = button.get("formaction") or form.get("action") or self.address
        return self.go(address, data)

    def rows(self, caption: str = "") -> list[list[str]]:
        """The cells below the head of the first table, or the first with these words in its
        caption, row by row."""
        tables = self.page.xpath("//table[not($words) or contains(caption, $words)]", words=caption)
        rows = tables[0].xpath("./tbody/tr")
        return [[words(cell) for cell in row.iter("th", "td")] for row in rows]

    @property
    def path(self) -> str:
        return urlsplit(self.address).path
