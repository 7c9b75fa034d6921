"""Submissions of equal answers share one place, however many there are, and one row, which
unfolds."""

import csv
import io
from functools import partial

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocol
from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import (
    set_visibility,
    withdraw_submission,
)
from judging.engine.engine import judge_run
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.selectors import MOST_FOLDED, BoardEntry, read_board
from leaderboard.results.services import score_run
from leaderboard.web.board.cells import fold_markup
from tests.conftest import import_words, judged, submit
from tests.judging.scripted import ScriptedJudge

QUESTIONS = range(1, 61)
make_private = partial(set_visibility, visibility="private")
CLONES = 7


@pytest.fixture(scope="module")
def filled(module_rows) -> None:
    """What the fixtures of its rows return, written once."""
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    words = import_words(QUESTIONS)  # sixty, so that rank ranges tell something
    for name, right in MODELS.items():
        judged(submit(words, owner, answers(right), name=name))


@pytest.fixture
def owner(filled, db) -> User:
    return User.objects.get(username="rosa")


@pytest.fixture
def honest(filled, db) -> Release:
    return Release.objects.get(slug="words")


def answers(right, dress=str) -> bytes:
    """Those of a model that is right where `right` says so, each as `dress` writes it."""
    said = {n: f"word{n}" if right(n) else f"other {n % 7}" for n in QUESTIONS}
    return "".join(f"{n}={dress(text)}\n" for n, text in said.items()).encode()


MODELS = {
    "Best": lambda n: n % 20,
    "Good": lambda n: n % 3,
    "Fair": lambda n: n % 8 < 5,
    "Copied": lambda n: n % 2,
    "Poor": lambda n: n % 4 == 0,
}


def entries(**era) -> list[BoardEntry]:
    return list(read_board(Benchmark.objects.get(slug="spelling"), **era).entries)


def places() -> dict[str, tuple[int | None, int | None, int | None]]:
    return {e.model: (e.rank, e.rank_best, e.rank_worst) for e in entries()}


def hand_in_again(release, owner, times=CLONES - 1) -> None:
    dresses = (
        str,
        lambda text: f" {text} ",
        str.upper,
        lambda text: f"{text}!",
        lambda text: f"{text} (Well)",
        lambda text: f"So. {text}",
    )
    for n in range(times):
        content = answers(MODELS["Copied"], dresses[n % len(dresses)])
        judged(submit(release, owner, content, name=f"Copy {n}"))


def named(name: str) -> Submission:
    return Submission.objects.get(model__name=name)


def test_seven_clones_move_nobody_and_share_one_place_and_one_row_that_unfolds(
    honest, stranger, client, django_assert_max_num_queries
):
    before = places()
    assert before["Good"][2] < len(MODELS)  # or there would be nothing to push down
    with django_assert_max_num_queries(14) as few:  # one says that nothing is stored
        entries()
    hand_in_again(honest, stranger)
    with django_assert_max_num_queries(len(few)):
        after = places()
    assert {name: after[name] for name in MODELS} == before
    assert {after[f"Copy {n}"] for n in range(CLONES - 1)} == {before["Copied"]}
    page = client.get("/boards/spelling/").text
    table = page.split("data-sortable")[1].split("</table>")[0]
    assert table.count("<tr data-entry") == len(MODELS)
    (row,) = [part for part in table.split("</tr>") if ">Copied</a>" in part]
    assert f"<summary>{CLONES - 1} more with the same answers</summary>" in row
    assert all(f">Copy {n}</a>" in row for n in range(CLONES - 1))
    assert table.count("<details") == 1
    assert f"{CLONES - 1} with the answers of another" in page


def test_page_api_csv_and_entry_agree(honest, stranger, client):
    hand_in_again(honest, stranger, times=1)
    first, copy = (str(named(name).pk) for name in ("Copied", "Copy 0"))
    rows = {e["model"]: e for e in client.get("/api/v1/boards/spelling/").json()["entries"]}
    assert (rows["Copied"]["same_answers_as"], rows["Copy 0"]["same_answers_as"]) == (None, first)
    for field in ("rank", "rank_best", "rank_worst"):
        assert rows["Copied"][field] == rows["Copy 0"][field]
    text = client.get("/boards/spelling/export.csv").getvalue().decode()
    lines = {line["model"]: line for line in csv.DictReader(io.StringIO(text))}
    assert lines["Copy 0"]["same answers as"] == first
    assert lines["Copied"]["same answers as"] == ""
    assert lines["Copy 0"]["rank"] == lines["Copied"]["rank"]
    for own, other in ((first, "Copy 0"), (copy, "Copied")):
        page = client.get(f"/entries/{own}/").text
        assert "Same answers as 1 other entry" in page
        assert "apart from details that are left out of this comparison: capitals" in page
        assert f">{other}</a>" in page


def test_a_private_clone_is_told_to_nobody(honest, stranger, client):
    judged(submit(honest, stranger, answers(MODELS["Copied"]), name="Hid", visibility="private"))
    assert "same answers" not in client.get(f"/entries/{named('Copied').pk}/").text
    assert "Hid" not in places()


def test_what_staff_decide_about_the_first_holds_for_its_clones(honest, stranger, owner):
    hand_in_again(honest, stranger, times=2)
    decide_ranking(submission=named("Copied"), is_ranked=False, reason="Bought.", by=owner)
    assert [places()[n][0] for n in ("Copied", "Copy 0", "Copy 1")] == [None, None, None]
    decide_ranking(submission=named("Copy 1"), is_ranked=True, reason="Its own.", by=owner)
    assert [places()[n][0] for n in ("Copied", "Copy 0", "Copy 1")] == [None, None, 4]
    found = {e.model: e for e in entries()}
    assert found["Copied"].same_answers_as == found["Copy 1"].id
    assert found["Copy 1"].same_answers_as is None


@pytest.mark.parametrize("leave", [withdraw_submission, make_private])
def test_what_was_kept_out_stays_out_when_it_is_withdrawn(honest, stranger, owner, leave):
    decide_ranking(submission=named("Copied"), is_ranked=False, reason="Bought.", by=owner)
    leave(submission=named("Copied"))
    hand_in_again(honest, stranger, times=2)
    assert [places()[n][0] for n in ("Copy 0", "Copy 1")] == [None, None]
    decide_ranking(submission=named("Copy 0"), is_ranked=True, reason="Its own.", by=owner)
    assert [places()[n][0] for n in ("Copy 0", "Copy 1")] == [4, 4]


def test_a_clone_that_is_kept_out_leaves_the_first_ranked_also_once_it_is_withdrawn(
    honest, stranger, owner
):
    hand_in_again(honest, stranger, times=1)
    decide_ranking(submission=named("Copy 0"), is_ranked=False, reason="Stolen.", by=owner)
    assert (places()["Copied"][0], places()["Copy 0"][0]) == (4, None)
    withdraw_submission(submission=named("Copy 0"))
    assert places()["Copied"][0] == 4


def test_where_a_judge_says_otherwise_of_a_clone_the_first_ones_score_ranks_both(honest, owner):
    """Else whoever hands in most often has the luckiest verdicts."""
    for other in Submission.objects.all():
        withdraw_submission(submission=other)
    spec = ensure_spec(of=protocol("spelling"), kind="scripted", model="m")
    wrong = ["wrong"] * len(QUESTIONS)
    for name, verdicts, dress in (
        ("First", ["right", *wrong[1:]], str),
        ("Lucky", ["right"] * len(QUESTIONS), str.upper),
        ("Other", ["right", "right", *wrong[2:]], lambda text: f"{text}s"),
    ):
        run = request_run(
            submission=submit(honest, owner, answers(bool, dress), name=name), spec=spec
        )
        plan_run(run_id=run.pk)
        judge_run(run_id=run.pk, judge=ScriptedJudge(verdicts, makes_requests=False))
        score_run(run=run)
    assert [(e.model, e.rank) for e in entries()] == [("Other", 1), ("First", 2), ("Lucky", 2)]
    assert entries()[2].value("accuracy") == 1


def test_a_row_unfolds_no_more_names_than_a_reader_reads(honest):
    (entry, *_) = entries()
    markup = fold_markup(10_000, [(entry, "1.0")] * MOST_FOLDED)
    assert markup.count("<li>") == MOST_FOLDED + 1
    assert "9,950 more, in the CSV and JSON files" in markup
