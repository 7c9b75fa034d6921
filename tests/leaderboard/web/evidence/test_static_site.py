"""The copy of the site: every link leads to a file of it, and its numbers are those of the site."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import URLPattern

from leaderboard import urls
from leaderboard.web.evidence.static_markup import NO_FORM, ONLY_ON_SITE, static_markup
from leaderboard.web.evidence.static_site import FILES, KEPT, StaticSite, file_name, kept_query
from tests.conftest import judged, submit


class Found(HTMLParser):
    """Links of a page, its elements, and the text of its tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.cells: list[str] = []
        self.depth = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.depth += tag == "table"
        self.links += [value for name, value in attrs if name in ("href", "src") and value]

    def handle_endtag(self, tag):
        self.depth -= tag == "table"

    def handle_data(self, data):
        if self.depth and data.strip():
            self.cells.append(" ".join(data.split()))


@pytest.mark.slow
def test_a_copy_has_the_numbers_of_the_site_links_to_its_own_files_and_asks_no_server(
    spelling, owner, tmp_path, settings, capsys
):
    judged(submit(spelling, owner, name="Speller"))
    judged(submit(spelling, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    private = submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Private", visibility="private")
    judged(private)
    copy = tmp_path / "out"
    settings.VISITOR_SHARE = 0.00001  # a visitor would have no page more
    call_command("export_site", out=copy)
    settings.VISITOR_SHARE = 0.0
    pages = {path: Found(path.read_text(encoding="utf-8")) for path in copy.rglob("*.html")}
    assert len(pages) > 5
    unanswered = capsys.readouterr().err
    assert re.search(r"evidence\.zip\S* \(503\)", unanswered), "no worker made it yet"
    assert "(429)" not in unanswered
    broken, outside = [], set()
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme:
                outside.add(parts.scheme)
            elif parts.path.startswith("/") or (
                parts.path and not (page.parent / unquote(parts.path)).resolve().is_file()
            ):
                broken.append((page.name, link))
        assert not {"form", "script", "input", "select", "textarea"} & found.elements
        assert "Private" not in found.cells
    assert broken == []
    assert outside <= {"https", "mailto", "data"}
    entries = list(copy.glob("entries/*/index.html"))
    assert len(entries) == 2
    for path in (copy / "boards/spelling/index.html", copy / "index.html", *entries):
        name = path.relative_to(copy).as_posix().removesuffix("index.html")
        live = Client().get(f"/{name}").content.decode()
        assert pages[path].cells == Found(live).cells
    assert "Speller" in pages[copy / "boards/spelling/index.html"].cells
    with pytest.raises(CommandError, match="not an empty folder"):
        call_command("export_site", out=copy)


def test_links_to_what_needs_a_server_lead_to_the_site_if_it_is_named(db, tmp_path):
    nowhere = StaticSite(tmp_path)
    assert nowhere.link("/", "index.html", "/accounts/login/?next=/x") is None
    named = StaticSite(tmp_path, base_url="https://assay.example/")
    address = "https://assay.example/accounts/login/?next=/x"
    assert named.link("/", "index.html", "/accounts/login/?next=/x") == address
    assert named.link("/", "index.html", "https://papers.example/1") == "https://papers.example/1"
    assert named.link("/", "index.html", "#content") == "#content"


def test_markup_keeps_everything_but_forms_controls_and_scripts():
    def rewrite(link: str) -> str | None:
        return None if link == "/submit/" else f"copy{link}"

    text = (
        '<!doctype html><p class="a">1 &lt; 2 &#8211; 3<a href="/b/?x=1&amp;y=2">b</a>'
        '<a href="/submit/">Submit</a><link rel="next" href="/submit/">'
        "<script>if (1 < 2) { gone(); }</script><svg><path d='M0 0' /></svg></p>"
        '<form><input name="q"><button>Find</button></form>'
        '<form id="f"><table><tr><td><input type="checkbox">7</td></tr></table></form>'
        '<button popovertarget="p">What is it?</button>'
    )
    assert static_markup(text, rewrite) == (
        '<!doctype html><p class="a">1 &lt; 2 &#8211; 3<a href="copy/b/?x=1&amp;y=2">b</a>'
        f'<a title="{ONLY_ON_SITE}">Submit</a>'
        "<svg><path d='M0 0' /></svg></p>"
        f'<p class="note">{NO_FORM}</p>'
        "<table><tr><td>7</td></tr></table>"
        '<button popovertarget="p">What is it?</button>'
    )


def test_addresses_have_files_of_their_own():
    assert file_name("/", "", "text/html") == "index.html"
    assert file_name("/boards/x/", "", "text/html") == "boards/x/index.html"
    other = file_name("/boards/x/", "page=2", "text/html")
    assert other.startswith("boards/x/index-")
    assert other != file_name("/boards/x/", "page=3", "text/html")
    assert file_name("/boards/x/export.csv", "", "text/csv") == "boards/x/export.csv"
    assert file_name("/figures/7/", "", "image/png") == "figures/7.png"


def test_searches_and_orders_are_not_in_the_copy_and_tabs_are():
    assert kept_query("/boards/spelling/", "page=2&judge=j&table=&measure=") == "judge=j&page=2"
    assert kept_query("/boards/spelling/", "sort=accuracy") is None
    assert kept_query("/boards/spelling/", "q=x") is None
    assert kept_query("/accounts/login/", "") is None
    assert kept_query("/questions/7/", "judge=j&release=r") == "judge=j&release=r"
    assert kept_query("/boards/spelling/matrix/", "subtask=s&judge=j") == "judge=j&subtask=s"
    assert kept_query("/boards/spelling/history/", "release=r") == "release=r"
    assert kept_query("/boards/spelling/", "snapshot=0123456789abcdef") is None


ONLY_ON_THE_SITE = {
    *("board-card", "board-feed", "embedded-board", "entry-card", "favicon", "plotly-bundle"),
    *("compare", "search", "search-suggest", "robots", "sitemap", "status-json"),
    *("django.contrib.sitemaps.views.sitemap", "health-live", "health-ready"),
    *("account", "account-delete", "data-export", "data-export-file"),
    *("board-suspects", "model-edit", "my-entries", "question-report"),
    *("notices", "notices-choose", "notices-read", "notices-unsubscribe"),
    *("webhook-change", "webhooks"),
    *("submission", "submission-dry-run", "submission-events", "submission-progress"),
    *("submission-retry", "submission-verdicts", "device-end"),
    *("submission-replace", "submission-visibility", "submission-withdraw"),
    *("team", "team-close", "team-invitation-end", "team-invite", "team-join", "team-leave"),
    *("team-member", "team-name", "teams"),
    *(
        "rate",
        "rate-instructions",
        "rate-items",
        "rate-join",
        "rate-study",
        "rate-undo",
        "rate-votes",
        "rate-withdraw",
    ),
    *("design", "guide", "person-invitation", "person-invitation-link"),
}
"""Comparing and searching have no end; the rest is for programs, for owners and for staff."""


def test_every_page_of_the_site_is_in_the_copy_or_left_out_on_purpose():
    found = [one for one in urls.urlpatterns if isinstance(one, URLPattern) and one.name]
    names = {str(one.name) for one in found}
    assert names - KEPT.keys() - FILES == ONLY_ON_THE_SITE
    assert kept_query("/nowhere/at/all/", "") is None
