"""The home page: who leads each board, and what came last."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging.models import Judgement
from leaderboard.models import Scoresheet
from leaderboard.web.pages.models.places import papers_first
from leaderboard.web.pages.site import home
from tests.conftest import import_words, judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part
from tests.overwriting import overwrite
from tests.person import words

QUESTIONS = 12


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    """Models named by how much of theirs is right, one that says the same as another, one that was
    handed in three times, and some that nobody may see."""
    release, owner = import_words(range(QUESTIONS)), make_owner()

    def enter(name: str, right: int, **more) -> Submission:
        answers = "".join(f"{n}={'' if n < right else 'no'}word{n}\n" for n in range(QUESTIONS))
        return judged(submit(release, owner, answers.encode(), name=name, **more)).submission

    for right in (3, 9, 5, 11, 7):
        enter(f"Model {right}", right)
    enter("Clone", 9)
    for right in (1, 2):
        enter("Model 3", right)
    floor = enter("Floor", 0)
    Submission.objects.filter(pk=floor.pk).update(origin="baseline")
    enter("Model 3", 4, visibility="private")
    enter("Kept private", 4, visibility="private")
    withdraw_submission(submission=enter("Taken back", 12))


@pytest.fixture
def page(made, client, db):
    return lambda: part(page_at(client, "/"))


def rows_of(page, caption: str) -> list[list[str]]:
    (table,) = page.xpath(f".//table[caption[starts-with(., '{caption}')]]")
    return cells(table)


def test_the_page_has_who_leads_what_came_last_and_how_one_number_came_about(page):
    shown, found = page(), links(page())
    best = Submission.objects.get(model__name="Model 11")
    (board,) = rows_of(shown, "One row per board")
    summary = protocol("spelling").board.BOARD.summary
    assert board == [
        f"Spelling {summary}",
        "Model 11 or Model 9 or Model 7",
        "91.67 %",
        "",
        "8",
    ]
    assert len(shown.xpath(".//svg[@class='strip-scores']/circle")) == 7  # of equal answers one
    places = rows_of(shown, "A row per model")
    assert [row[0] for row in places] == [f"Model {n}" for n in (11, 9, 7, 5, 3)]
    assert places[0] == ["Model 11", "1-3"]
    latest = rows_of(shown, "The newest public entries")
    title, day = "Spelling, 12 questions", f"{best.created:%-d %b}"
    assert latest == [
        [day, f"{name} {title}", score]
        for name, score in (
            ("Model 3", "16.67 %"),
            ("Clone", "75.00 %"),
            ("Model 7", "58.33 %"),
            ("Model 11", "91.67 %"),
        )
    ]
    newest = Submission.objects.filter(model__name="Model 3", visibility="public").latest("created")
    assert shown.xpath(f".//a[@href='/entries/{newest.pk}/']")
    said = words(shown)
    for hidden in ("Kept private", "Taken back"):
        assert hidden not in said
    (example,) = shown.xpath(".//section[@id='example']")
    answer = best.answers.select_related("question").order_by("question")[0]
    verdict = best.runs.get().judgements.get(answer=answer).verdict
    for text in (
        "rank 1-3 of 7 on Spelling",
        "Score over 12 such questions 91.67 Accuracy",
        f"Question {answer.question.text}",
        f"Answer of Model 11 {answer.text}",
        "Reference – not public in this release",
        f"Verdict of offline rules , a program that compares words {verdict}",
    ):
        assert text in words(example)
    assert found["Model 11"] == f"/entries/{best.pk}/"
    assert "/method/spelling/" in shown.xpath(".//section[@id='method']//a/@href")
    judgements = sum(sheet.judged for sheet in Scoresheet.objects.all())
    counts = f"6 models, 144 answers, {judgements} judgements."
    assert counts in said


def test_the_latest_name_their_release_also_before_they_are_scored_by_the_formula_of_now(page):
    Release.objects.update(title="Spelling in <another> tongue")
    Scoresheet.objects.update(board_figures={})
    assert "Model 7 Spelling in <another> tongue –" in words(page())


def test_benchmarks_with_a_paper_come_before_their_parts():
    slugs = [
        "tiny_lvlm_ehub_ability",
        "touchstone_hallucination",
        "touchstone",
        "hallusionbench",
        "tiny_lvlm_ehub",
    ]
    found = papers_first([Benchmark(slug=s, title=protocol(s).title) for s in slugs])
    assert [one.slug for one in found] == [
        "hallusionbench",
        "tiny_lvlm_ehub",
        "touchstone",
        "tiny_lvlm_ehub_ability",
        "touchstone_hallucination",
    ]
    assert home.title_of_whole("touchstone_hallucination") == "TouchStone"


def test_what_the_example_shows_is_bounded_and_where_nobody_leads_there_is_none(page):
    best = Submission.objects.get(model__name="Model 11")
    best.answers.update(text="long " * 4_000)
    assert words(part(page(), "example")).count("long ") < 130
    Submission.objects.update(visibility="private")
    assert not page().xpath(".//*[@id='example']")


def test_no_answer_of_a_hidden_test_is_the_example(page):
    assert page().xpath(".//section[@id='example']")
    Release.objects.update(disclosure=Release.Disclosure.HIDDEN_TEST)
    hidden = page()
    assert not hidden.xpath(".//section[@id='example']")
    (board,) = rows_of(hidden, "One row per board")
    assert "nobody is said to lead" in board[1]
    assert "Model 11" not in board[1]


def test_a_reused_verdict_is_said_to_be_one_also_where_an_older_version_stored_it(page):
    overwrite(Judgement.objects.all(), reason="the same case was judged before")
    said = words(part(page(), "example"))
    assert "a stored verdict for the same question and answer was used again" in said


def test_the_page_costs_the_same_whatever_the_entries(page):
    counts = []
    for hidden in ("nobody", "Model 5"):
        Submission.objects.filter(model__name=hidden).update(visibility="private")
        with CaptureQueriesContext(connection) as asked:
            page()
        counts.append(len(asked))
    assert counts[0] <= counts[1] + 1  # one for each of the models that stand beside the boards
