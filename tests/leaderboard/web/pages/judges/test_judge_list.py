"""The judges of a benchmark beside each other: what the sweep stores of them, and what the page
says."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.models import Benchmark
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRequest, Reply
from judging.models import CanaryRun, JudgeSpec
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import JudgeComparison
from leaderboard.results.boards.editions import refresh_boards, store_boards_as_of
from leaderboard.results.judges import comparisons as judge_comparisons
from leaderboard.results.judges.comparisons import mean_over
from leaderboard.results.services import score_run
from leaderboard.web.pages.judges.judge_list import judges_page
from leaderboard.web.pages.judges.verdict import UNKNOWN
from tests.conftest import import_words, judged, make_owner, submit
from tests.judging.scripted import ScriptedJudge
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part
from tests.person import words

QUESTIONS = range(1, 25)
ENTRIES = 6


def answers(right: int) -> bytes:
    return "".join(
        f"{n}={f'word{n}' if n <= right else f'other {n % 7}'}\n" for n in QUESTIONS
    ).encode()


class Reader(ScriptedJudge):
    """A model that says what the rules say, or, turned round, the contrary."""

    async def ask(self, request: JudgeRequest) -> Reply:
        is_right = request.case.answer.startswith("word")
        return Reply("right" if is_right != (self.script[0] == "turned") else "wrong")


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    """Six entries with 2, 4, … 12 right answers of 24; a model agrees with the rules, and another
    says of five of them the contrary."""
    release, owner = import_words(QUESTIONS), make_owner()
    spelling = protocol("spelling")
    for place in range(1, ENTRIES + 1):
        submission = submit(release, owner, answers(2 * place), f"Speller {place}")
        judged(submission)
        for name in ("agreeing", "turned")[: 1 + (place > 1)]:
            spec = ensure_spec(of=spelling, kind="openai", endpoint="none", model=name)
            run = request_run(submission=submission, spec=spec)
            plan_run(run_id=run.pk)
            judge_run(run_id=run.pk, judge=Reader([name]))
            score_run(run=run)
    refresh_boards()


@pytest.fixture
def site(made, db) -> list[Submission]:
    return list(Submission.objects.order_by("model__name"))


def store() -> int:
    """Also while the boards rest."""
    return store_boards_as_of("spelling", now=timezone.now())


def test_the_page_tells_of_each_judge_and_of_each_two(site, client):
    page = page_at(client, "/judges/")
    release, kappa = "Spelling, 24 questions", "– no human labels on its entries"
    asked = "prompts v1, asked 2 times"
    assert cells(part(page)) == [
        [
            f"agreeing {asked}",
            "6",
            kappa,
            "−0.99 rank correlation, 144 answers of 6 entries",
            "0.0 % 0 of 68 replies",
            "– no price is set",
            f"60.0 % of 15 pairs, {release}",
        ],
        [
            "offline rules version 1",
            "6",
            kappa,
            "−0.99 rank correlation, 144 answers of 6 entries",
            "0 % rules are always read",
            "free no request is made",
            f"60.0 % of 15 pairs, {release}",
        ],
        [
            f"turned {asked}",
            "5",
            kappa,
            "+0.99 rank correlation, 120 answers of 5 entries",
            "0.0 % 0 of 64 replies",
            "– no price is set",
            f"50.0 % of 10 pairs, {release}",
        ],
        [
            f"agreeing and offline rules {release}",
            "+1.00 +0.39 to +1.00 6 entries",
            "60.0 % and 60.0 %",
            "0 of 15",
        ],
        [
            f"agreeing and turned {release}",
            "−1.00 −1.00 to −0.23 5 entries",
            "50.0 % and 50.0 %",
            "5 of 10",
        ],
        [
            f"offline rules and turned {release}",
            "−1.00 −1.00 to −0.23 5 entries",
            "50.0 % and 50.0 %",
            "5 of 10",
        ],
    ]
    heads = page.xpath("//table[1]//th[@scope='col']")
    labels = page.xpath("//tbody/tr[1]/td/@data-label")
    assert [one.text_content().strip() for one in heads][1:7] == labels[:6]
    found = links(part(page))
    for spec in JudgeSpec.objects.all():
        assert (
            found[spec.model if spec.kind == "openai" else "offline rules"]
            == f"/judges/{spec.slug}/"
        )
    assert "TouchStone This is computed with the board after its first entries" in words(page)


def test_the_page_opens_with_what_is_known_of_each_judge(site, client):
    specs = {spec.model: spec for spec in JudgeSpec.objects.all()}
    for model, same, hours in (("turned", 3, 2), ("turned", 9, 1), ("agreeing", 10, 3)):
        moment = timezone.now() - timedelta(hours=hours)
        CanaryRun.objects.create(
            judge_spec=specs[model], started=moment, finished=moment, asked=10, same=same
        )
    CanaryRun.objects.create(judge_spec=specs["turned"], started=timezone.now())
    page = page_at(client, "/judges/")
    unknown = "No judge has been compared with people yet: how reliable they are is unknown."
    assert words(page.xpath("//h1/following::p[1]")[0]) == unknown
    prompts = "prompts v1, asked 2 times"
    again = "When last asked again, it gave the same verdict in"
    assert [words(p) for p in part(page, "verdicts").xpath(".//p")] == [
        f"Agreeing, {prompts} : {UNKNOWN} {again} 10 of 10 cases.",
        f"Offline rules, version 1 : {UNKNOWN}",
        f"Turned, {prompts} : {UNKNOWN} {again} 9 of 10 cases.",
    ]
    for spec in specs.values():
        own = page_at(client, f"/judges/{spec.slug}/").xpath("//h1/following::b[1]")[0]
        assert words(own) in words(part(page, "verdicts"))


def test_private_entries_are_compared_with_none_and_few_tell_nothing(site, client):
    for submission in site[:2]:
        set_visibility(submission=submission, visibility="private")
    store()
    rows = cells(part(page_at(client, "/judges/")))
    assert [row[1] for row in rows] == ["4", "4", "4"] + ["– 4 entries, 5 are needed"] * 3


def test_many_entries_and_many_judges_are_bounded(site, client, monkeypatch):
    monkeypatch.setattr(judge_comparisons, "MOST_COMPARED", 4)
    monkeypatch.setattr(judge_comparisons, "MOST_JUDGES", 2)
    set_visibility(submission=site[0], visibility="private")
    store()
    page = page_at(client, "/judges/")
    rows = cells(part(page))
    assert len(rows) == 3
    assert [row[1] for row in rows[:2]] == ["5", "5"]
    assert rows[0][-1].endswith("of 6 pairs, Spelling, 24 questions")
    assert "1 more judge with fewer entries is not shown." in words(page)


def test_a_comparison_that_fails_keeps_no_board_from_being_stored(site, monkeypatch):
    JudgeComparison.objects.all().delete()
    set_visibility(submission=site[0], visibility="private")
    before = Benchmark.objects.get(slug="spelling").board_version.made
    monkeypatch.setattr(judge_comparisons, "significant_signs", None)
    assert store() > 0
    assert not JudgeComparison.objects.exists()
    assert Benchmark.objects.get(slug="spelling").board_version.made > before


def test_the_page_costs_the_same_however_many_entries_there_are(
    site, django_assert_max_num_queries
):
    with django_assert_max_num_queries(6):
        judges_page()


def test_a_mean_counts_entries_by_their_answers_and_needs_every_interval():
    def figure(value: float, low: float | None, high: float | None, n: int) -> MetricValue:
        return MetricValue(value, low, high, None, n, n, n)

    mean = mean_over([figure(0.8, 0.6, 0.9, 30), figure(0.4, 0.2, 0.5, 10)], by_n=True)
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.7, 0.5, 0.8))
    assert (mean.n, mean.entries) == (40, 2)
    mean = mean_over([figure(0.8, 0.6, 0.9, 30), figure(0.4, None, None, 2)], by_n=False)
    assert mean.value == pytest.approx(0.6)
    assert (mean.low, mean.high) == (None, None)
