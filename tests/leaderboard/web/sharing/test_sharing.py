"""Badges, cards, feeds, site maps and files of answers: what they say is what the pages say, and
nothing private is in them."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from uuid import UUID

import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from PIL import Image, ImageDraw

from benchmarks.models import Benchmark, Release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import withdraw_submission
from leaderboard.results.services import replace_entries
from leaderboard.web.pages.site.sharing import board_words
from leaderboard.web.sharing import answer_rows
from leaderboard.web.sharing.badge import badge, width
from leaderboard.web.sharing.social_card import MARGIN, SIZE, fitted, largest, social_card
from tests.conftest import confirmed, import_spelling, judged, submit

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def made(module_rows) -> UUID:
    owner = confirmed(User.objects.create_user("rosa", "rosa@example.org"))
    release = import_spelling()
    first = judged(submit(release, owner, name="Lucid <9B> & co")).submission
    judged(submit(release, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    return first.pk


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("release", "owner").get(pk=made)


def get(client, address: str, status: int = 200):
    response = client.get(address)
    assert response.status_code == status, address
    return response


def rows_of(client, entry) -> list[dict[str, str]]:
    text = get(client, f"/entries/{entry.pk}/answers.csv").getvalue().decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_files_of_answers_have_each_judgement_once_and_no_hidden_reference(
    client, entry, monkeypatch
):
    rows = rows_of(client, entry)
    run = entry.runs.get()
    assert [(row["question"], row["answer"]) for row in rows] == [
        ("1", "two"),
        ("2", "color"),
        ("3", "night"),
        ("4", "sea"),
    ]
    assert {(row["release"], row["judge"]) for row in rows} == {("spelling-1", run.judge_spec.slug)}
    right = sum(row["is_right"] == "true" for row in rows)
    assert f"{100 * right / len(rows):.2f}" in get(client, f"/entries/{entry.pk}/").text
    assert any(row["reference"] for row in rows) is entry.release.references_are_public
    monkeypatch.setattr(answer_rows, "AT_ONCE", 3)  # two row groups
    content = get(client, f"/entries/{entry.pk}/answers.parquet").getvalue()
    table = pq.read_table(io.BytesIO(content)).to_pylist()
    assert rows == [
        {name: answer_rows.csv_cell(value) for name, value in row.items()} for row in table
    ]
    for other in ("answers.exe", "answers.csv?judge=nobody"):
        get(client, f"/entries/{entry.pk}/{other}", 404)


def test_a_badge_says_what_the_page_says(client, entry):
    drawn = ET.fromstring(get(client, f"/entries/{entry.pk}/badge.svg").content)
    title = drawn.findtext("{http://www.w3.org/2000/svg}title") or ""
    assert ": 75.00 " in title
    assert "1-2 of 2" in title
    assert "75.00" in get(client, f"/entries/{entry.pk}/").text


def test_nothing_private_has_a_badge_or_a_card_even_for_its_owner(client, entry):
    Submission.objects.filter(pk=entry.pk).update(visibility="private")
    client.force_login(entry.owner)
    for kind in ("badge.svg", "card.png"):
        get(client, f"/entries/{entry.pk}/{kind}", 404)
    get(client, f"/entries/{entry.pk}/")


def test_a_name_cannot_leave_its_badge_which_is_as_wide_as_its_text():
    drawn = badge('"><script>', "1 & 2")
    assert "<script" not in drawn
    ET.fromstring(drawn)
    assert width("m" * 10) > width("i" * 10)
    assert int(ET.fromstring(badge("x" * 500, "1")).get("width", "")) < 500


def test_a_card_is_a_picture_of_the_size_that_networks_show(client, entry):
    for address in ("/boards/spelling/card.png", f"/entries/{entry.pk}/card.png"):
        content = get(client, address).content
        image = Image.open(io.BytesIO(content))
        assert (image.format, image.size, len(content) < 60_000) == ("PNG", SIZE, True)
    # names in other letters leave the rest
    shown = social_card(above="a", title="星火", figure="1", below="b")
    assert shown == social_card(above="a", title="", figure="1", below="b")
    assert shown != social_card(above="a", title="Spark", figure="1", below="b")


@pytest.mark.parametrize("figure", ["667.3 (629.1 to 705.6)", "1000.0 (1000.0 to 1000.0)", "7"])
def test_a_figure_on_a_card_is_whole(figure):
    draw = ImageDraw.Draw(Image.new("RGB", SIZE))
    room = SIZE[0] - 2 * MARGIN
    assert fitted(draw, figure, largest(draw, figure, room), room) == figure


def test_the_card_of_a_hidden_test_names_no_leader(client, entry):
    name = entry.model.name
    (benchmark,) = Benchmark.objects.filter(slug="spelling")
    assert board_words(benchmark)["title"] == name
    Release.objects.update(disclosure=Release.Disclosure.HIDDEN_TEST)
    told = board_words(benchmark)
    assert name not in told.values()
    assert "leading" not in told["above"]


def items(client) -> list[ET.Element]:
    markup = get(client, "/boards/spelling/feed.atom").content
    return ET.fromstring(markup).findall(f"{ATOM}entry")


def test_the_feed_has_the_newest_entry_first_and_none_that_was_withdrawn(client, entry):
    EvaluatedModel.objects.filter(name="Guesser").update(name="Guess\x0ber")
    found = items(client)
    titles = [item.findtext(f"{ATOM}title").partition(": ")[0] for item in found]
    assert titles == ["Guess er", "Lucid <9B> & co"]
    for item in found:
        link = item.find(f"{ATOM}link").get("href", "")
        assert link.startswith("http://testserver/entries/")
        assert link.endswith(f"/?judge={entry.runs.get().judge_spec.slug}")
        get(client, link)
    withdraw_submission(submission=entry)
    assert len(items(client)) == 1
    assert str(entry.pk) not in get(client, "/sitemap-entries.xml").text


@pytest.mark.parametrize("was_public", [True, False])
def test_the_feed_says_that_a_new_version_took_the_place_of_a_public_entry(
    was_public, client, entry
):
    visibility = "public" if was_public else "private"
    old = submit(
        entry.release, entry.owner, b"1=a\n2=b\n3=c\n4=sea\n", "Old", visibility=visibility
    )
    judged(old)
    judged(submit(entry.release, entry.owner, b"1=a\n2=b\n3=c\n4=d\n", "Old", replaces=old))
    replace_entries()
    feed = client.get("/boards/spelling/feed.atom").text
    assert feed.count("<entry>") == 3
    assert ("in the place of an earlier entry" in feed) == was_public


def test_every_address_of_the_site_map_answers(client, entry):
    index = get(client, "/sitemap.xml").content
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    files = [found.text or "" for found in ET.fromstring(index).iter(f"{space}loc")]
    pages = [
        found.text or ""
        for file in files
        for found in ET.fromstring(get(client, file).content).iter(f"{space}loc")
    ]
    assert f"http://testserver/entries/{entry.pk}/" in pages
    assert "http://testserver/boards/spelling/" in pages
    for page in pages:
        get(client, page)


def test_robots_are_led_to_the_site_map(client, db):
    text = get(client, "/robots.txt").text
    assert "Sitemap: http://testserver/sitemap.xml" in text
    assert "Disallow: /accounts/" in text
    assert "Disallow: /boards/" not in text


def test_the_figure_of_a_board_is_a_picture_of_what_the_address_chooses(client, entry):
    response = get(client, "/boards/spelling/charts/lead.svg")
    drawing = ET.fromstring(response.content)
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    text = " ".join(drawing.itertext())
    for said in ("Lucid <9B> & co", "Guesser", "--accent: light-dark(#0b5e57,"):
        assert said in text
    assert "unsafe-inline" in response["Content-Security-Policy"]
    assert "script" not in response.text
    radar = get(client, "/boards/spelling/charts/spider.svg").text
    assert ('class="radar"' in radar, "--accent: light-dark(#0b5e57" in radar) == (True, True)
    narrowed = get(client, "/boards/spelling/charts/lead.svg?q=guesser").text
    assert ("Guesser" in narrowed, "Lucid" in narrowed) == (True, False)


def test_what_there_is_not_of_a_board_is_neither_drawn_nor_embedded(client, entry):
    for chart in ("nothing.svg", "radar-x.svg", "lead.svg?q=nobody"):
        get(client, f"/boards/spelling/charts/{chart}", 404)
    for query, status in (
        ("snapshot=nothing", 404),
        ("as_of=2001-01-01", 404),
        ("as_of=nonsense", 400),
        ("as_of=9999-01-01", 400),
    ):
        get(client, f"/boards/spelling/charts/lead.svg?{query}", status)
        get(client, f"/embed/boards/spelling/?{query}", status)


def test_an_embedded_board_leads_to_the_board_of_the_same_choices(client, entry):
    board = get(client, "/boards/spelling/?published=off").text
    (query,) = re.findall(r'href="/embed/boards/spelling/([^"]*)"', board)
    assert "published=off" in query
    embedded = get(client, "/embed/boards/spelling/?published=off").text
    assert re.findall(r'href="/boards/spelling/([^"]*)"', embedded) == [query, query]
    embedded = get(client, "/embed/boards/spelling/?q=nobody").text
    assert "No entry of this board fits what the address asks for." in embedded
    assert "Nobody is on this board yet." not in embedded


def test_an_embedded_board_may_stand_in_any_frame_and_other_pages_in_none(client, entry):
    response = get(client, "/embed/boards/spelling/")
    assert "X-Frame-Options" not in response
    assert "frame-ancestors *" in response["Content-Security-Policy"]
    assert ("<script" in response.text, "<form" in response.text) == (False, False)
    assert f"/entries/{entry.pk}/" in response.text
    board = get(client, "/boards/spelling/")
    assert board["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in board["Content-Security-Policy"]


def test_a_badge_of_a_hidden_test_says_so_in_the_place_of_a_rank(client, entry):
    Release.objects.update(disclosure="hidden_test")
    badge = get(client, f"/entries/{entry.pk}/badge.svg").text
    assert "rounded score of a hidden test" in badge
    assert "rank" not in badge
