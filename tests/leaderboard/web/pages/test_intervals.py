"""One notation of intervals on all pages, "52.50 to 75.00", with one minus sign."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.submissions.models import Submission
from leaderboard.results.boards.editions import refresh_boards
from tests.conftest import confirmed, import_words, judged, submit
from tests.leaderboard.web.pages.shown_text import page_at
from tests.person import words

QUESTIONS = range(1, 41)
OTHER = {
    "half a width": r"±",
    "brackets": r"\[\s*[-−+]?\d[\d.]* ?%?, ?[-−+]?\d",
    "a dash": r"\d\.\d+ ?%? ?[-–—] ?\d",
    "a hyphen for a minus": r"(?:^| )-\d",
    "no word of what it is": r"95 % CI",
}
INTERVAL = re.compile(r"[−+]?\d[\d.]* to [−+]?\d[\d.]*")
TEMPLATES = Path(__file__).parents[4] / "templates"


@pytest.fixture(scope="module")
def entries(module_rows) -> list[Submission]:
    owner = confirmed(User.objects.create_user("rosa", "rosa@example.org"))
    release = import_words(QUESTIONS)
    made = []
    for name, every in (("Best", 11), ("Fair", 3), ("Poor", 2)):
        said = {n: f"word{n}" if n % every else "other" for n in QUESTIONS}
        rows = "".join(f"{n}={text}\n" for n, text in said.items()).encode()
        made.append(judged(submit(release, owner, rows, name=name)).submission)
    refresh_boards()
    return made


@pytest.fixture
def pages(entries, db, client: Client) -> dict[str, str]:
    """Of pages with intervals the words, by their addresses."""
    one, two, three = (submission.pk for submission in entries)
    slug = Submission.objects.select_related("model").get(pk=two).model.slug
    addresses = (
        "/",
        "/boards/spelling/",
        "/boards/spelling/questions/",
        f"/entries/{two}/",
        f"/compare/?m={one}&m={two}",
        f"/compare/?m={one}&m={two}&m={three}",
        "/models/",
        f"/models/{slug}/",
        "/method/spelling/",
        "/judges/",
    )
    found = {address: page_at(client, address) for address in addresses}
    for script in (one for page in found.values() for one in page.xpath("//script")):
        script.drop_tree()
    return {address: words(page) for address, page in found.items()}


def test_no_page_has_another_notation_of_an_interval(pages):
    found = {
        (address, name)
        for address, text in pages.items()
        for name, pattern in OTHER.items()
        if re.search(pattern, text)
    }
    assert found == set()
    kinds = {address.split("/")[1] for address, text in pages.items() if INTERVAL.search(text)}
    assert kinds >= {"boards", "entries", "compare", "models"}


def test_templates_write_intervals_with_one_component():
    """What a template writes between two values of its own would be a notation of its own."""
    between = re.compile(r"\}\}\s*(?:to|–|±)\s*\{\{[^}]*(?:low|high|ends)")
    found = {path.name for path in TEMPLATES.rglob("*.html") if between.search(path.read_text())}
    assert found == set()


ALL_AT_ONCE = "95 % for all comparisons at once"


def test_intervals_that_hold_for_several_comparisons_say_so(pages):
    """On a board, an entry and a comparison of three; of two alone it is an interval of its own."""
    compared = [address for address in pages if address.startswith("/compare/")]
    (two,) = (address for address in compared if address.count("m=") == 2)
    for address in set(pages) - {two, "/", "/judges/", "/boards/spelling/questions/"}:
        if not address.startswith("/models/"):
            assert ALL_AT_ONCE in pages[address], address
    lead = pages[two].partition("No single ability")[0]
    assert ", 95 % interval): " in lead
    assert ALL_AT_ONCE not in lead.partition("Differences in")[0]


def test_the_method_says_that_intervals_leave_out_the_judges_errors(pages):
    assert "Intervals leave out the judge’s own errors" in pages["/method/spelling/"]
    assert "Intervals leave out the judge’s own errors" in pages["/boards/spelling/"]


JUDGED_BY = "offline rules , a program that compares words"
RANGE = re.compile(r"[Cc]ould rank|possible ranks|1-4 is 1st to 4th|Rank 2-4: could be")


def test_where_an_offline_judge_is_named_stands_what_it_is(entries, pages, client):
    one, two, _ = (submission.pk for submission in entries)
    for address in ("/boards/spelling/", f"/entries/{two}/", f"/compare/?m={one}&m={two}"):
        assert JUDGED_BY in pages[address], address
    assert JUDGED_BY in pages["/boards/spelling/questions/"]
    cell = page_at(client, f"/models/{models_of(entries)[0]}/").xpath("//td//span[@title]")
    assert "a program that compares words" in {one.get("title") for one in cell}


def test_where_a_rank_range_is_first_seen_words_say_what_it_means(pages):
    kinds = {a.split("/")[1] for a, text in pages.items() if RANGE.search(text)}
    assert kinds >= {"", "boards", "entries", "compare", "models"}


def test_counts_of_a_board_are_of_entries_and_bold_is_explained_where_there_is_some(pages):
    board = pages["/boards/spelling/"]
    assert "40 questions, 2 ranked entries, judged by" in board
    assert "2 ranked entries, 1 not ranked; each covers all questions" in board
    assert "bold: could be first in its column" not in board
    assert "Ranked entries" in pages["/"]


def models_of(entries) -> list[str]:
    found = Submission.objects.select_related("model").filter(pk__in=[e.pk for e in entries])
    return [str(submission.model.slug) for submission in found]
