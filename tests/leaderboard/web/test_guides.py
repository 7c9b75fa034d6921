"""Guides, public ones and those of the admin: whole, and with pictures that a test takes."""

import html
import re

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.urls import reverse

from leaderboard.web.guides import CONTENTS, PUBLIC, STAFF, as_markup, guide_of, slug_of

ROOT = settings.BASE_DIR
PICTURES = ROOT / "docs/annotator/pictures"
MOST_BYTES = 150_000
TAKEN = re.compile(r'take_picture\(\s*\w+,\s*"([a-z-]+)"')


def text_of(document: str) -> str:
    return (ROOT / "docs" / f"{document}.md").read_text()


def is_whole(page: str, document: str) -> None:
    """The page has every heading, list and picture of the document, and none of its marks."""
    text = text_of(document)
    for heading in re.findall(r"^## ([^`\n]+)$", text, re.M):
        assert f"<h2>{heading}</h2>" in html.unescape(page)
    assert page.count("<li>") >= len(re.findall(r"^- ", text, re.M))
    for name in re.findall(r"pictures/([a-z-]+)\.png", text):
        assert f'src="/static/guides/{name}.png"' in page
        assert finders.find(f"guides/{name}.png")
    markup = re.sub(r"<(pre|code)>.*?</\1>", "", guide_of(document)[1], flags=re.S)
    words = re.sub(r"<[^>]+>", "", markup)
    assert not re.search(r"`\w|\]\(|\*\w|^- |^\||!\[", words, re.M)


@pytest.mark.parametrize("document", STAFF)
def test_staff_read_a_guide_in_the_admin_without_marks_of_the_document(admin_client, document):
    is_whole(admin_client.get(reverse("guide", args=[slug_of(document)])).text, document)


@pytest.mark.parametrize("document", PUBLIC[1:])
@pytest.mark.django_db
def test_everybody_reads_the_public_guides_which_the_contents_name(client, document):
    address = reverse("public-guide", args=[slug_of(document)])
    page = client.get(address).text
    is_whole(page, document)
    title, _ = guide_of(document)
    assert f"<h1>{title}</h1>" in html.unescape(page)
    assert f"<title>{title} · Assay</title>" in html.unescape(page)
    assert "/admin/" not in page
    assert f'href="{address}"' in client.get(reverse("guides")).text
    assert reverse("guides") in client.get(reverse("home")).text


@pytest.mark.parametrize("document", [CONTENTS, *STAFF])
@pytest.mark.django_db
def test_no_other_document_is_a_public_guide(client, document):
    address = reverse("public-guide", args=[slug_of(document)])
    assert client.get(address).status_code == 404


def test_what_stands_in_a_document_is_no_markup():
    assert as_markup("<b> & `<i>`") == "<p>&lt;b&gt; &amp; <code>&lt;i&gt;</code></p>\n"
    assert as_markup("<b>\n") == "<p>&lt;b&gt;</p>\n"


def test_links_lead_to_other_guides_alone_and_a_cell_names_its_row():
    guide = reverse("guide", args=["reviewing"])
    public = reverse("public-guide", args=["touchstone"])
    text = "[One](reviewing.md), [two](statistics.md), [three](https://example.org/)."
    assert as_markup(text, STAFF[0]) == f'<p><a href="{guide}">One</a>, two, three.</p>\n'
    text = "[Four](../touchstone.md), [five](index.md), [six](../operator/mail.md)."
    assert as_markup(text) == (
        f'<p><a href="{public}">Four</a>, <a href="/guides/">five</a>, six.</p>\n'
    )
    assert '<pre tabindex="0"><code>' in as_markup("```\nx\n```")
    table = re.sub(r"\n", "", as_markup("| | B |\n|---|---|\n| c | d |"))
    assert '<td></td><th scope="col">B</th>' in table
    table = re.sub(r"\n", "", as_markup("| A | B |\n|---|---|\n| c | d |"))
    assert '<th scope="col">A</th><th scope="col">B</th>' in table
    assert '<tr><th scope="row">c</th><td>d</td></tr>' in table


def test_the_first_page_of_the_admin_leads_to_them_and_no_other_is_there(admin_client):
    page = admin_client.get("/admin/").text
    assert all(reverse("guide", args=[slug_of(document)]) in page for document in STAFF)
    assert admin_client.get(reverse("guide", args=["operating"])).status_code == 404


def test_every_picture_is_taken_by_a_browser_test_shown_by_a_document_and_small():
    tests = "".join(path.read_text() for path in (ROOT / "tests" / "browser").glob("*.py"))
    stored = {path.stem: path.stat().st_size for path in PICTURES.iterdir()}
    shown = {name for one in STAFF for name in re.findall(r"pictures/([a-z-]+)\.png", text_of(one))}
    assert {*stored} == shown == set(TAKEN.findall(tests))
    assert [name for name, size in stored.items() if size > MOST_BYTES] == []
