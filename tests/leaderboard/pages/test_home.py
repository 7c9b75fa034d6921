"""The home page: who leads each board, and what came last."""

import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import (
    ModelDetails,
    accept_submission,
    ensure_baselines,
    withdraw_submission,
)
from leaderboard.models import Scoresheet
from leaderboard.pages import home
from leaderboard.pages.home import home_page
from tests.conftest import judged

WORDS = [f"word{number}" for number in range(12)]
LINES = "".join(f"{number}|{word}|{word}\n" for number, word in enumerate(WORDS))


@pytest.fixture
def release(db):
    found = import_release(protocol=protocol("spelling"), stream=io.BytesIO(LINES.encode()))
    return found.release


def enter(release, owner, name: str, right: int, **more) -> Submission:
    """A judged entry of which so many answers are right."""
    answers = "".join(
        f"{number}={word if number < right else f'no{word}'}\n" for number, word in enumerate(WORDS)
    )
    submission = accept_submission(
        release=release,
        upload=Upload("answers.txt", answers.encode()),
        model=ModelDetails(name),
        owner=owner,
        **{"visibility": "public", **more},
    )
    judged(submission)
    return submission


def part(client, start: str, end: str) -> str:
    page: str = client.get("/").content.decode()
    return page[page.index(start) : page.index(end)]


def names(markup: str) -> list[str]:
    return re.findall(r'<a href="/entries/[^"]+">([^<]+)</a>', markup)


@pytest.mark.slow
def test_card_has_the_five_best_from_the_best_down(client, release, owner):
    for right in (3, 9, 5, 11, 7, 1):
        enter(release, owner, f"Model {right}", right)
    card = part(client, 'id="boards"', 'class="section latest"')
    assert names(card) == [f"Model {right}" for right in (11, 9, 7, 5, 3)]


@pytest.mark.slow
def test_equal_answers_take_one_line_of_a_card(client, release, owner):
    for name in ("First", *(f"Clone {n}" for n in range(5))):
        enter(release, owner, name, 9)
    enter(release, owner, "Other", 5)
    card = part(client, 'id="boards"', 'class="section latest"')
    assert names(card) == ["First", "Other"]


def test_latest_are_the_newest_first_and_no_baselines(client, release, owner):
    for right in (3, 9, 5):
        enter(release, owner, f"Model {right}", right)
    for baseline in ensure_baselines(release=release):
        judged(baseline)
    latest = part(client, 'class="section latest"', 'id="example"')
    assert names(latest) == ["Model 5", "Model 9", "Model 3"]


@pytest.mark.slow
def test_latest_are_five_at_most(client, release, owner):
    for right in range(10):
        enter(release, owner, f"Model {right}", right)
    latest = part(client, 'class="section latest"', 'id="example"')
    assert names(latest) == [f"Model {right}" for right in range(9, 4, -1)]


def test_a_model_is_among_the_latest_once_with_how_many_more_it_has(client, release, owner):
    enter(release, owner, "Often", 3)
    enter(release, owner, "Often", 4)
    enter(release, owner, "Once", 5)
    newest = enter(release, owner, "Often", 6)
    enter(release, owner, "Often", 7, visibility="private")
    latest = part(client, 'class="section latest"', 'id="example"')
    assert names(latest) == ["Often", "Once"]
    assert f"/entries/{newest.pk}/" in latest
    assert re.findall(r"and (\d+) more of this model", latest) == ["2"]


def test_the_latest_name_their_release(client, release, owner):
    enter(release, owner, "One", 3)
    release.title = "Spelling in another tongue"
    release.save()
    assert "Spelling in another tongue" in part(client, 'class="section latest"', 'id="example"')


def test_benchmarks_with_a_paper_come_before_their_parts(db):
    slugs = [
        "tiny_lvlm_ehub_ability",
        "touchstone_hallucination",
        "touchstone",
        "hallusionbench",
        "tiny_lvlm_ehub",
    ]
    found = home.papers_first([Benchmark(slug=s, title=protocol(s).title) for s in slugs])
    assert [one.slug for one in found] == [
        "hallusionbench",
        "tiny_lvlm_ehub",
        "touchstone",
        "tiny_lvlm_ehub_ability",
        "touchstone_hallucination",
    ]
    assert home.title_of_whole("touchstone_hallucination") == "TouchStone"


def test_private_and_withdrawn_entries_are_not_shown(client, release, owner):
    enter(release, owner, "Kept private", 5, visibility="private")
    withdraw_submission(submission=enter(release, owner, "Taken back", 6))
    enter(release, owner, "Shown", 4)
    page = client.get("/").content.decode()
    assert "Shown" in page
    assert "Kept private" not in page
    assert "Taken back" not in page


def test_what_the_site_has_is_counted_over_all_releases(release, owner):
    for name in ("One", "Two"):
        enter(release, owner, name, 5)
    other = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"1|sea|sea\n"), slug="small"
    ).release
    accept_submission(
        release=other,
        upload=Upload("answers.txt", b"1=sea\n"),
        model=ModelDetails("Three"),
        owner=owner,
        visibility="private",
    )
    page = home_page()
    assert (page.models, page.answers) == (2, 2 * len(WORDS) + 1)
    assert page.judgements == sum(s.judged for s in Scoresheet.objects.all())


def test_what_the_site_has_is_said_in_the_plural(client, release, owner, monkeypatch):
    monkeypatch.setattr(home, "answers_confirmed", lambda: 4720)
    enter(release, owner, "One", 5)
    assert "<b>1</b> model, <b>4,720</b> answers, <b>" in client.get("/").content.decode()


def test_latest_shows_an_entry_that_was_not_scored_by_the_formula_of_now(client, release, owner):
    enter(release, owner, "Older", 6)
    Scoresheet.objects.update(board_figures={})
    assert "Older" in part(client, 'class="section latest"', 'class="counts"')


# --- one number, followed down --------------------------------------------------------------------


def test_the_example_is_the_leader_with_an_answer_of_its_own(client, release, owner):
    enter(release, owner, "Model 3", 3)
    best = enter(release, owner, "Model 11", 11)
    shown = part(client, 'id="example"', 'id="method"')
    answer = best.answers.select_related("question").order_by("question")[0]
    reply = best.runs.get().judgements.get(answer=answer)
    entry, board = f'href="/entries/{best.pk}/"', 'href="/boards/spelling/"'
    for text in ("Model 11", entry, board, answer.text, answer.question.text, reply.verdict):
        assert text in shown
    assert "Model 3" not in shown
    assert "of 2 on" in shown


def test_no_example_where_nobody_leads(client, release):
    assert 'id="example"' not in client.get("/").content.decode()


def test_what_the_example_shows_is_bounded(client, release, owner):
    best = enter(release, owner, "Model 11", 11)
    best.answers.update(text="long " * 4_000)
    assert part(client, 'id="example"', 'id="method"').count("long ") < 130


def test_an_example_costs_the_same_whatever_the_entries(client, release, owner):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            client.get("/")
        return len(found)

    enter(release, owner, "Model 1", 1)
    enter(release, owner, "Model 2", 2)
    before = queries()
    for right in (3, 9, 5):
        enter(release, owner, f"Model {right}", right)
    assert queries() <= before
