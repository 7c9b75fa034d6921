"""The judges of a benchmark beside each other: what the sweep stores of them, and what the page
says."""

import re
from typing import cast

import numpy as np
import pytest
from django.urls import reverse

from benchmarks.models import Benchmark
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRequest, Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeSpec
from judging.services import ensure_spec, plan_run, request_run
from leaderboard import judge_comparisons
from leaderboard.editions import refresh_boards
from leaderboard.judge_comparisons import (
    FEWEST_COMMON,
    PairOfJudges,
    RankedEra,
    mean_over,
    pair_of,
    read_comparisons,
)
from leaderboard.models import JudgeComparison
from leaderboard.pages.judges import judges_page, tau_cell
from leaderboard.scoring import MetricValue
from leaderboard.services import score_run
from tests.conftest import fetched, import_words, judged, make_owner, submit

QUESTIONS = range(1, 41)
ENTRIES = 6


def model_spec() -> JudgeSpec:
    return ensure_spec(of=protocol("spelling"), kind="openai", endpoint="none", model="m")


def answers(right: int) -> bytes:
    return "".join(
        f"{n}={f'word{n}' if n <= right else f'other {n % 7}'}\n" for n in QUESTIONS
    ).encode()


class Reader(ScriptedJudge):
    """A model that says `right` of answers that the rules call right, and `wrong` of others."""

    def __init__(self, right: str, wrong: str) -> None:
        super().__init__([right])
        self.right, self.wrong = right, wrong

    async def ask(self, request: JudgeRequest) -> Reply:
        self.asked.append(request)
        is_right = request.case.answer.startswith("word")
        return Reply(self.right if is_right else self.wrong)


def judge_by_model(submission, right: str = "right", wrong: str = "wrong") -> None:
    run = request_run(submission=submission, spec=model_spec())
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=Reader(right, wrong))
    score_run(run=run)


@pytest.fixture(scope="module")
def handed_in(module_rows) -> list[Submission]:
    """Six entries with 2, 4, … 12 right answers of 40, judged by the rules and by a model that says
    the same."""
    release, owner = import_words(QUESTIONS), make_owner()
    entries = [
        submit(release, owner, answers(2 * place), f"Speller {place}")
        for place in range(1, ENTRIES + 1)
    ]
    for submission in entries:
        judged(submission)
        judge_by_model(submission)
    return entries


@pytest.fixture
def site(handed_in, db) -> list[Submission]:
    return cast(list[Submission], fetched(handed_in))


def section(slug: str = "spelling"):
    return next(one for one in judges_page().sections if one.slug == slug)


def stored():
    refresh_boards()
    return read_comparisons()["spelling"]


def test_two_judges_that_rank_alike_have_a_tau_of_one_with_an_interval(site):
    (pair,) = stored().pairs
    assert (pair.common, pair.tau, pair.high, pair.turned) == (ENTRIES, 1.0, 1.0, 0)
    assert 0.2 < pair.low < 0.6
    assert pair.pairs == 15
    assert all(0 < share < 1 for share in pair.told)


def test_few_entries_in_common_tell_nothing(site):
    for submission in site[FEWEST_COMMON - 1 :]:
        set_visibility(submission=submission, visibility="private")
    (pair,) = stored().pairs
    assert (pair.common, pair.tau, pair.low) == (FEWEST_COMMON - 1, None, None)
    assert tau_cell(pair).note == f"4 entries, {FEWEST_COMMON} are needed"


def test_private_entries_are_in_no_comparison(site):
    set_visibility(submission=site[0], visibility="private")
    (pair,) = stored().pairs
    assert pair.common == ENTRIES - 1
    assert {judge.entries for judge in stored().judges} == {ENTRIES - 1}


def test_the_page_tells_of_each_judge_and_of_each_two(site, client):
    refresh_boards()
    lines = {line.label: line for line in section().lines}
    assert set(lines) == {"offline rules", "m"}
    heads = [title for title, _ in section().heads]
    by_model = dict(zip(heads, lines["m"].cells, strict=True))
    assert by_model["Price per entry"].value == "–"
    assert by_model["Price per entry"].note == "no price is set"
    assert by_model["Told apart"].note.startswith("of 15 pairs")
    assert by_model["Without a verdict"].value == "0.0 %"
    page = client.get(reverse("judges"))
    text = re.sub(r"\s+", " ", page.content.decode())
    assert page.status_code == 200
    assert "+1.00" in text
    assert reverse("judge", args=[model_spec().slug]) in text
    cells = re.findall(r"<td[^>]*>", page.content.decode())
    labels = [re.findall(r'data-label="([^"]+)"', cell) for cell in cells]
    assert [["Entries"], *([head] for head in heads)] == labels[: len(heads) + 1]
    assert all(labels)


def test_the_page_costs_the_same_however_many_entries_there_are(
    site, client, django_assert_max_num_queries
):
    refresh_boards()
    with django_assert_max_num_queries(6):
        judges_page()


def test_a_comparison_that_fails_keeps_no_board_from_being_stored(site, monkeypatch):
    monkeypatch.setattr(judge_comparisons, "told_signs", None)  # is called of two entries or more
    assert refresh_boards() > 0
    assert not JudgeComparison.objects.exists()
    assert Benchmark.objects.get(slug="spelling").board_version.made is not None


# --- bounds ---------------------------------------------------------------------------------------


def test_only_so_many_entries_of_a_release_are_compared(site, monkeypatch):
    monkeypatch.setattr(judge_comparisons, "MOST_COMPARED", 5)
    assert {(one.entries, one.told.entries) for one in stored().judges} == {(ENTRIES, 5)}


def test_of_many_judges_the_first_are_shown_and_the_others_counted(site, monkeypatch):
    monkeypatch.setattr(judge_comparisons, "MOST_JUDGES", 1)
    found = stored()
    assert (len(found.judges), found.left_out) == (1, 1)
    assert section().left_out == 1


# --- means ----------------------------------------------------------------------------------------


def figure(value: float, low: float | None, high: float | None, n: int) -> MetricValue:
    return MetricValue(value, low, high, None, n, n, n)


def test_agreement_over_entries_counts_each_by_its_answers():
    mean = mean_over([figure(0.8, 0.6, 0.9, 30), figure(0.4, 0.2, 0.5, 10)], by_n=True)
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.7, 0.5, 0.8))
    assert (mean.n, mean.entries) == (40, 2)


def test_an_entry_without_an_interval_leaves_the_mean_without_one():
    mean = mean_over([figure(0.8, 0.6, 0.9, 30), figure(0.4, None, None, 2)], by_n=False)
    assert mean.value == pytest.approx(0.6)
    assert (mean.low, mean.high) == (None, None)


def test_a_pair_looks_at_the_entries_of_both_in_one_order():
    signs = np.zeros((3, 3), dtype=np.int8)
    one = RankedEra(1, ("a", "b", "c"), np.array([3.0, 2.0, 1.0]), signs)
    other = RankedEra(2, ("c", "x", "a"), np.array([1.0, 9.0, 2.0]), signs)
    pair = pair_of("Release", one, other)
    assert isinstance(pair, PairOfJudges)
    assert (pair.common, pair.pairs, pair.told) == (2, 1, (0.0, 0.0))
