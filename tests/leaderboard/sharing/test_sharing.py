"""Badges, cards, feeds, site maps and files of answers: what they say is what the pages say, and
nothing private is in them."""

import csv
import io
import re
import xml.etree.ElementTree as ET

import pyarrow.parquet as pq
import pytest
from PIL import Image

from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import withdraw_submission
from leaderboard.services import replace_entries
from leaderboard.sharing import answer_rows
from leaderboard.sharing.badge import badge, width
from leaderboard.sharing.social_card import SIZE, social_card
from tests.conftest import judged, submit

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def entry(spelling, owner) -> Submission:
    run = judged(submit(spelling, owner, name="Lucid <9B> & co"))
    judged(submit(spelling, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    return run.submission


def get(client, address: str, status: int = 200):
    response = client.get(address)
    assert response.status_code == status, address
    return response


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def rows_of(client, entry) -> list[dict[str, str]]:
    text = body(get(client, f"/entries/{entry.pk}/answers.csv")).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_a_csv_of_answers_has_each_judgement_once(client, entry):
    rows = rows_of(client, entry)
    run = entry.runs.get()
    assert len(rows) == run.judgements.count() == 4
    assert [row["question"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["answer"] for row in rows] == ["two", "color", "night", "sea"]
    assert {row["release"] for row in rows} == {"spelling-1"}
    assert {row["judge"] for row in rows} == {run.judge_spec.slug}
    page = get(client, f"/entries/{entry.pk}/").content.decode()
    right = sum(row["is_right"] == "true" for row in rows)
    assert f"{100 * right / len(rows):.2f}" in page


def test_parquet_has_what_the_csv_has(client, entry, monkeypatch):
    monkeypatch.setattr(answer_rows, "AT_ONCE", 3)  # two row groups
    response = get(client, f"/entries/{entry.pk}/answers.parquet")
    table = pq.read_table(io.BytesIO(body(response)))
    printed = [
        {name: answer_rows.csv_cell(value) for name, value in row.items()}
        for row in table.to_pylist()
    ]
    assert printed == rows_of(client, entry)


def test_hidden_references_are_in_no_file(client, entry, spelling):
    assert any(row["reference"] for row in rows_of(client, entry)) is spelling.references_are_public


def test_answers_of_another_kind_are_not_found(client, entry):
    get(client, f"/entries/{entry.pk}/answers.exe", 404)
    get(client, f"/entries/{entry.pk}/answers.csv?judge=nobody", 404)


def test_a_badge_says_what_the_page_says(client, entry):
    drawn = get(client, f"/entries/{entry.pk}/badge.svg").content.decode()
    ET.fromstring(drawn)
    page = get(client, f"/entries/{entry.pk}/").content.decode()
    value = drawn.split("<title>")[1].split("</title>")[0]
    score = value.split(": ")[1].split(" ")[0]
    assert float(score) > 0
    assert score in page
    assert "of 2" in value


@pytest.mark.parametrize("kind", ["badge.svg", "card.png"])
def test_nothing_private_has_a_badge_even_for_its_owner(client, entry, owner, kind):
    Submission.objects.filter(pk=entry.pk).update(visibility="private")
    client.force_login(owner)
    get(client, f"/entries/{entry.pk}/{kind}", 404)
    get(client, f"/entries/{entry.pk}/")


def test_a_name_cannot_leave_its_badge():
    drawn = badge('"><script>', "1 & 2")
    assert "<script" not in drawn
    ET.fromstring(drawn)


def test_a_badge_is_as_wide_as_its_text():
    assert width("m" * 10) > width("i" * 10)
    long = badge("x" * 500, "1")
    assert int(ET.fromstring(long).get("width", "")) < 500


@pytest.mark.parametrize(
    "address", ["/boards/spelling/card.png", "/entries/{}/card.png"], ids=["board", "entry"]
)
def test_a_card_is_a_picture_of_the_size_that_networks_show(client, entry, address):
    response = get(client, address.format(entry.pk))
    image = Image.open(io.BytesIO(response.content))
    assert (image.format, image.size) == ("PNG", SIZE)
    assert len(response.content) < 60_000


def test_names_in_other_letters_leave_the_rest_of_a_card():
    shown = social_card(above="a", title="星火", figure="1", below="b")
    assert shown == social_card(above="a", title="", figure="1", below="b")
    assert shown != social_card(above="a", title="Spark", figure="1", below="b")


def items(client) -> list[ET.Element]:
    markup = get(client, "/boards/spelling/feed.atom").content
    return ET.fromstring(markup).findall(f"{ATOM}entry")


def test_the_feed_has_the_newest_entry_first(client, entry):
    titles = [item.findtext(f"{ATOM}title") for item in items(client)]
    assert len(titles) == 2
    assert titles[0].startswith("Guesser: ")
    assert titles[1].startswith("Lucid <9B> & co: ")
    links = [item.find(f"{ATOM}link").get("href", "") for item in items(client)]
    assert all(link.startswith("http://testserver/entries/") for link in links)
    for link in links:
        get(client, link)


def test_what_is_withdrawn_leaves_feed_and_site_map(client, entry):
    withdraw_submission(submission=entry)
    assert len(items(client)) == 1
    assert str(entry.pk) not in get(client, "/sitemap-entries.xml").content.decode()


@pytest.mark.parametrize("was_public", [True, False])
def test_the_feed_says_that_a_new_version_took_the_place_of_a_public_entry(
    was_public, client, spelling, owner
):
    old = submit(spelling, owner, visibility="public" if was_public else "private")
    judged(old)
    judged(submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", replaces=old))
    replace_entries()
    feed = client.get("/boards/spelling/feed.atom").text
    assert feed.count("<entry>") == 1
    assert ("in the place of an earlier entry" in feed) == was_public


def test_control_characters_do_not_break_the_feed(client, entry):
    EvaluatedModel.objects.filter(pk=entry.model_id).update(name="a\x0bb")
    assert len(items(client)) == 2


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
    text = get(client, "/robots.txt").content.decode()
    assert "Sitemap: http://testserver/sitemap.xml" in text
    assert "Disallow: /accounts/" in text
    assert "Disallow: /boards/" not in text


def test_the_figure_of_a_board_is_a_picture_of_its_own(client, entry):
    response = get(client, "/boards/spelling/charts/lead.svg")
    drawing = ET.fromstring(response.content)
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    text = " ".join(drawing.itertext())
    assert "Lucid <9B> & co" in text
    assert "Guesser" in text
    assert "--accent: #0b5e57" in text
    assert "unsafe-inline" in response["Content-Security-Policy"]
    assert "script" not in response.content.decode()


def test_a_picture_is_of_what_the_address_chooses(client, entry):
    narrowed = get(client, "/boards/spelling/charts/lead.svg?q=guesser").content.decode()
    assert "Guesser" in narrowed
    assert "Lucid" not in narrowed


@pytest.mark.parametrize("chart", ["nothing", "radar-x", "lead?q=nobody"])
def test_a_figure_that_a_board_has_not_is_not_found(client, entry, chart):
    name, _, query = chart.partition("?")
    get(client, f"/boards/spelling/charts/{name}.svg?{query}", 404)


@pytest.mark.parametrize("query", ["snapshot=nothing", "as_of=2001-01-01"])
def test_what_was_not_kept_of_a_board_is_neither_drawn_nor_embedded(client, entry, query):
    get(client, f"/boards/spelling/charts/lead.svg?{query}", 404)
    get(client, f"/embed/boards/spelling/?{query}", 404)


@pytest.mark.parametrize("day", ["nonsense", "9999-01-01"])
def test_a_picture_of_a_day_that_is_none_is_not_one_of_now(client, entry, day):
    get(client, f"/boards/spelling/charts/lead.svg?as_of={day}", 400)
    get(client, f"/embed/boards/spelling/?as_of={day}", 400)


def test_an_embedded_board_leads_to_the_board_of_the_same_choices(client, entry):
    board = get(client, "/boards/spelling/?published=off").content.decode()
    (query,) = re.findall(r'href="/embed/boards/spelling/([^"]*)"', board)
    assert "published=off" in query
    embedded = get(client, "/embed/boards/spelling/?published=off").content.decode()
    assert re.findall(r'href="/boards/spelling/([^"]*)"', embedded) == [query, query]


def test_an_embedded_board_without_what_was_searched_for_is_not_said_to_be_empty(client, entry):
    embedded = get(client, "/embed/boards/spelling/?q=nobody").content.decode()
    assert "No entry of this board fits what the address asks for." in embedded
    assert "Nobody is on this board yet." not in embedded


def test_an_embedded_board_may_stand_in_any_frame_and_other_pages_in_none(client, entry):
    response = get(client, "/embed/boards/spelling/")
    assert "X-Frame-Options" not in response
    assert "frame-ancestors *" in response["Content-Security-Policy"]
    page = response.content.decode()
    assert "<script" not in page
    assert "<form" not in page
    assert f"/entries/{entry.pk}/" in page
    board = get(client, "/boards/spelling/")
    assert board["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in board["Content-Security-Policy"]
