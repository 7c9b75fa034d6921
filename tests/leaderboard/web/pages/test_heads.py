"""What the head of each public page says of it, to search engines and beside a link."""

import re
import tomllib
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from leaderboard.models import BoardSnapshot
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.web.guides import PUBLIC, slug_of
from tests.conftest import confirmed, import_spelling, judged, submit
from tests.routes import routes

TABLE = tomllib.loads((Path(__file__).parents[3] / "permissions.toml").read_text())["urls"]
PRIVATE_IN_THE_TABLE = {"entry", "model"}  # of which there is a public one here
LONG_NAME = "Lucid <9B> & longer than any card has room for, and for its description too"


@pytest.fixture(scope="module")
def made(module_rows):
    owner = confirmed(User.objects.create_user("rosa", "rosa@example.org"))
    return judged(submit(import_spelling(), owner, name=LONG_NAME)).submission.pk


@pytest.fixture
def pages(made, db, client) -> dict[str, str]:
    """Every page that everybody may read, by its address."""
    entry = Submission.objects.select_related("model").get(pk=made)
    known = {
        "submission_id": made,
        "question_id": entry.answers.first().question_id,
        "section": "boards",
        "key": "1",
        "uidb36": "1",
    }
    slugs = {"model": entry.model.slug, "judge": entry.runs.get().judge_spec.slug}
    slugs |= {"release": entry.release.slug, "public": slug_of(PUBLIC[1])}
    found = {}
    for route in routes():
        row = TABLE.get(route.name, {}).get("GET")
        is_public = row == "everybody" or route.name in PRIVATE_IN_THE_TABLE
        if not is_public or "." in route.pattern:
            continue  # what has an ending is a file
        slug = slugs.get(route.name.split("-")[0], "spelling")
        arguments = dict.fromkeys(route.parameters, 1) | known | {"slug": slug}
        address = route.address(arguments)
        response = client.get(address)
        if '<main id="content"' in text_of(response):
            found[address] = response.text
    return found


def text_of(response) -> str:
    return "" if response.streaming or response.status_code != 200 else response.text


def said(page: str, pattern: str) -> str:
    """What the one element that fits says."""
    (text,) = re.findall(pattern, page)
    return unescape(text)


def test_each_public_page_has_a_title_description_card_and_address_of_its_own(pages):
    assert {"/", "/models/", "/judges/", "/boards/spelling/", "/compare/"} < set(pages)
    assert len(pages) >= 25
    titles = Counter(said(page, r"<title>(.*?)</title>") for page in pages.values())
    assert {title for title, count in titles.items() if count > 1} == set()
    for address, page in pages.items():
        description = said(page, r'<meta name="description" content="([^"]*)">')
        assert 50 <= len(description) <= 160, (address, description)
        assert said(page, r'<meta property="og:description" content="([^"]*)">') == description
        title = said(page, r'<meta property="og:title" content="([^"]*)">')
        assert said(page, r"<title>(.*?)</title>").startswith(title), address
        assert said(page, r'<meta property="og:image" content="http://testserver(/[^"]+)">')
        canonical = said(page, r'<link rel="canonical" href="([^"]*)">')
        assert canonical == f"http://testserver{address}"


@pytest.mark.parametrize("query", ["sort=model", "table=paper&q=a", "release=spelling-1&page=1"])
def test_a_board_chosen_otherwise_names_the_board(made, client: Client, db, query):
    page = client.get(f"/boards/spelling/?{query}").text
    canonical = said(page, r'<link rel="canonical" href="([^"]*)">')
    assert canonical == "http://testserver/boards/spelling/"


def test_a_snapshot_of_a_board_names_its_moment_and_itself(made, client, db):
    refresh_boards()
    kept = BoardSnapshot.objects.get()
    moment = f"{kept.taken:%Y-%m-%d %H:%M} UTC"
    today = client.get("/boards/spelling/").text
    assert said(today, r"<title>(.*?)</title>").startswith("Spelling · ")
    page = client.get(f"/boards/spelling/?snapshot={kept.name}").text
    title = f"Spelling as of {moment}, snapshot {kept.name}"
    assert said(page, r"<title>(.*?)</title>").startswith(f"{title} · ")
    assert said(page, r'<meta property="og:title" content="([^"]*)">') == title


def test_a_page_that_is_not_there_names_no_address(made, client, db):
    form = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "a"})
    pages = {
        404: [
            client.get("/nothing/here/"),
            client.get("/models/nobody/"),
            client.get("/boards/spelling/?judge=nobody"),
        ],
        403: [form],
    }
    withdraw_submission(submission=Submission.objects.get(pk=made))
    pages[410] = [client.get(f"/entries/{made}/")]
    for status, answers in pages.items():
        for answer in answers:
            assert answer.status_code == status
            assert '<main id="content"' in answer.text
            assert "canonical" not in answer.text
            assert "og:title" not in answer.text


def test_what_a_page_says_of_a_name_is_cut_after_a_word_and_stays_text(made, client, db):
    page = client.get(f"/entries/{made}/").text
    assert said(page, r"<title>(.*?)</title>").startswith(LONG_NAME)
    assert "<9B>" not in page
    assert said(page, r'<meta name="description" content="([^"]*)">').endswith(" …")
