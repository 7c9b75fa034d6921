"""How an entry with votes, unreadable labels, ratings and labels by people is ranked, and what its
pages tell."""

import io
import json

import pytest
from django.urls import reverse

from benchmarks.protocols.base import Upload
from benchmarks.protocols.tiny_lvlm_ehub import PROTOCOL
from benchmarks.protocols.tiny_lvlm_ehub.judging import SCORE_KEYS
from benchmarks.protocols.tiny_lvlm_ehub.panel import RATED
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.services import accept_submission
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRefusedError, JudgeRequest, Reply
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import print_value
from leaderboard.results.selectors import read_board
from leaderboard.results.services import score_finished_runs, score_run
from leaderboard.web.pages.judges.judge import Cells, judge_page
from tests.judging.panel.files import imported, labels, ratings
from tests.judging.scripted import ScriptedJudge
from tests.overwriting import overwrite

SIZES = {"IC15": 3, "SVT": 2, "VirtualHome": 2}


class AgreeingJudge(ScriptedJudge):
    """Finds every answer right, in the words of the prompt that is asked."""

    async def ask(self, request: JudgeRequest) -> Reply:
        return Reply(f"{SCORE_KEYS[request.case.slot.name]}: 1")


def records(**more: str) -> dict[str, list[dict[str, str]]]:
    """ "{}" stands for the item's name, so that no two questions are the same case."""
    return {
        slug: [
            {
                "question_id": f"{number:06}",
                **{name: text.format(f"{slug} {number}") for name, text in more.items()},
            }
            for number in range(1, size + 1)
        ]
        for slug, size in SIZES.items()
    }


@pytest.fixture
def run(db) -> JudgeRun:
    """Five answers voted right by all five prompts, and two plans."""
    asked = records(question="What is {}?", gt_answers="exit")
    release = import_release(
        protocol=PROTOCOL, stream=io.BytesIO(json.dumps(asked).encode()), slug="small"
    ).release
    submission = accept_submission(
        release=release,
        upload=Upload("answers.json", json.dumps(records(answer="an exit")).encode()),
        model=EvaluatedModel(name="Reader"),
        owner=None,
        visibility="public",
    )
    spec = ensure_spec(of=PROTOCOL, kind="openai", endpoint="none", model="m")
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=AgreeingJudge([""]))
    score_run(run=run)
    return run


def without_label(run: JudgeRun, item: str, *slots: str, **reply: object) -> None:
    rows = run.judgements.filter(answer__question__public_id=item, slot__in=slots)
    unreadable = Judgement.State.UNREADABLE
    assert overwrite(
        rows, state=unreadable, verdict="", raw_reply="", reason="found nothing.", **reply
    )
    score_run(run=run)


def entry(client, run: JudgeRun) -> str:
    return str(client.get(reverse("entry", args=[run.submission_id])).content, "utf-8")


def choice(shown: str, title: str) -> str:
    """The number beside a choice of outcomes; empty where there is no such choice."""
    _, found, rest = shown.partition(f">{title} <small>")
    return rest.partition("<")[0] if found else ""


def row(shown: str, title: str) -> str:
    return shown.partition(f'<th scope="row" class="first nowrap">{title}</th>')[2].partition(
        "</tr>"
    )[0]


# --- the coverage that ranks ----------------------------------------------------------------------


def test_an_entry_has_a_rank_while_every_answer_has_a_vote(run):
    (found,) = read_board(run.submission.release.benchmark).entries
    assert found.rank == 1
    without_label(run, "IC15/000001", "prompt1.1", "prompt5.1")
    sheet = Scoresheet.objects.get()
    assert (sheet.coverage, sheet.judged, sheet.unreadable) == (1.0, 23, 2)
    (found,) = read_board(run.submission.release.benchmark).entries
    assert found.rank == 1
    without_label(run, "IC15/000001", "prompt2.1")
    assert Scoresheet.objects.get().coverage == 0.8
    (found,) = read_board(run.submission.release.benchmark).entries
    assert found.rank is None


@pytest.mark.slow
def test_a_sheet_of_older_formulas_is_computed_anew_once(run):
    Scoresheet.objects.update(scoring=1, coverage=0.5)
    assert (score_finished_runs(), score_finished_runs()) == (1, 0)
    assert Scoresheet.objects.get().coverage == 1.0


# --- the entry page -------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_overall_score_counts_every_answer_and_an_empty_reply_is_told_as_one(run, client):
    shown = entry(client, run)
    line = shown.partition('<span class="key">Overall</span>')[2].partition("</tr>")[0]
    assert '<td class="number" data-label="n">5</td>' in line
    assert '<td class="number" data-label="Coverage">100 %</td>' in line
    without_label(run, "IC15/000001", "prompt1.1")
    shown = entry(client, run)
    assert "The judge’s reply was empty." in shown
    assert "has not replied" not in shown
    without_label(run, "IC15/000001", "prompt1.1", latency_ms=None)
    shown = entry(client, run)
    assert "The judge was not asked or has not replied." in shown
    assert "reply was empty" not in shown


@pytest.mark.slow
def test_rated_plans_are_an_outcome_of_their_own_beside_their_ability_and_dataset(run, client):
    rated = [f"VirtualHome/000001,ann,{dimension.slug},4" for dimension in RATED]
    imported(ratings(run.submission, *rated))
    score_finished_runs()
    shown = entry(client, run)
    titles = {"right": "5", "rated by people": "1", "not rated yet": "1", "no verdict": ""}
    assert {title: choice(shown, title) for title in titles} == titles
    place = reverse("entry", args=[run.submission_id])
    chosen = client.get(place, {"outcome": "rated by people"}).content.decode()
    assert "VirtualHome/000001" in chosen
    assert "VirtualHome/000002" not in chosen
    for title in ("Embodied intelligence", "VirtualHome"):
        assert ">80.0</td>" in row(shown, title)
        assert "no answer has a vote" not in row(shown, title)
    assert "not measured here" in row(shown, "IC15")


# --- the judge's card -----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_card_tells_agreement_and_kappa_per_entry_and_dataset(run, client):
    said = {"IC15/000001": 1, "IC15/000002": 1, "IC15/000003": 0, "SVT/000001": 1}
    lines = (f"{item},ann,{('incorrect', 'correct')[right]}" for item, right in said.items())
    imported(labels(run.submission, *lines))
    score_finished_runs()
    without_label(run, "SVT/000001", "prompt1.1", "prompt2.1", "prompt3.1")
    (found,) = judge_page(run.judge_spec)["agreement"]["rows"]

    def printed(cells: Cells) -> list[tuple[str, int]]:
        return [
            (print_value(metric, figure.value), figure.n) if figure else ("–", 0)
            for metric, figure in cells
        ]

    assert printed(found["cells"]) == [("66.7", 3), ("75.0", 4), ("0.00", 3), ("0.00", 4)]
    parts = {title: printed(cells) for title, cells in found["parts"]}
    assert parts["IC15"] == [("66.7", 3), ("66.7", 3), ("0.00", 3), ("0.00", 3)]
    assert [value for value, _ in parts["SVT"]] == ["–", "100.0", "–", "–"]
    assert list(parts) == ["IC15", "SVT"]
    shown = client.get(reverse("judge", args=[run.judge_spec.slug])).content.decode()
    assert "Reader, part by part" in shown
    assert shown.count("<b>66.7</b>") == 3


@pytest.mark.slow
def test_a_failed_call_is_no_empty_reply(run, client):
    release = run.submission.release
    other = accept_submission(
        release=release,
        upload=Upload("answers.json", json.dumps(records(answer="another")).encode()),
        model=EvaluatedModel(name="Other"),
        owner=None,
        visibility="public",
    )
    failing = request_run(submission=other, spec=run.judge_spec)
    plan_run(run_id=failing.pk)
    judge_run(run_id=failing.pk, judge=ScriptedJudge([JudgeRefusedError("HTTP 400")]))
    score_run(run=failing)
    shown = entry(client, failing)
    assert "has not replied" in shown
    assert "reply was empty" not in shown
