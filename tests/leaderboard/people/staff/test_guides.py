"""Guides for people who work in the admin: there, whole, and with pictures that a test takes."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from leaderboard.people.staff.guides import GUIDES, as_markup, guide_of

ROOT = Path(__file__).parents[4]
PICTURES = ROOT / "docs/annotator/pictures"
MOST_BYTES = 150_000
TAKEN = re.compile(r'take_picture\(\s*\w+,\s*"([a-z-]+)"')


def text_of(slug: str) -> str:
    return (ROOT / "docs/annotator" / f"{slug}.md").read_text()


@pytest.mark.parametrize("slug", GUIDES)
def test_staff_read_a_guide_in_the_admin_without_marks_of_the_document(desk, slug):
    page = desk.get(reverse("guide", args=[slug])).text
    for heading in re.findall(r"^## (.+)$", text_of(slug), re.M):
        assert f"<h2>{heading}</h2>" in page
    assert page.count("<li>") >= len(re.findall(r"^- ", text_of(slug), re.M))
    for name in re.findall(r"pictures/([a-z-]+)\.png", text_of(slug)):
        assert f'src="/static/guides/{name}.png"' in page
        assert finders.find(f"guides/{name}.png")
    words = re.sub(r"<[^>]+>", "", guide_of(slug))
    assert not re.search(r"`|\]\(|\*\w|^- |^\||!\[", words, re.M)


def test_what_stands_in_a_document_is_no_markup():
    assert as_markup("<b> & `<i>`") == "<p>&lt;b&gt; &amp; <code>&lt;i&gt;</code></p>\n"
    assert as_markup("<b>\n") == "<p>&lt;b&gt;</p>\n"


def test_links_lead_to_other_guides_alone_and_a_cell_names_its_row():
    guide = reverse("guide", args=["reviewing"])
    text = "[One](reviewing.md), [two](statistics.md), [three](https://example.org/)."
    assert as_markup(text) == f'<p><a href="{guide}">One</a>, two, three.</p>\n'
    table = re.sub(r"\n", "", as_markup("| A | B |\n|---|---|\n| c | d |"))
    assert '<th scope="col">A</th><th scope="col">B</th>' in table
    assert '<tr><th scope="row">c</th><td>d</td></tr>' in table


def test_the_first_page_of_the_admin_leads_to_them_and_no_other_is_there(desk):
    page = desk.get("/admin/").text
    assert all(reverse("guide", args=[slug]) in page for slug in GUIDES)
    assert desk.get(reverse("guide", args=["operating"])).status_code == 404


def test_every_picture_is_taken_by_a_browser_test_shown_by_a_document_and_small():
    tests = "".join(path.read_text() for path in (ROOT / "tests" / "browser").glob("*.py"))
    stored = {path.stem: path.stat().st_size for path in PICTURES.iterdir()}
    shown = {
        name for slug in GUIDES for name in re.findall(r"pictures/([a-z-]+)\.png", text_of(slug))
    }
    assert {*stored} == shown == set(TAKEN.findall(tests))
    assert [name for name, size in stored.items() if size > MOST_BYTES] == []
