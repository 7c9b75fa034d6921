"""A reply that cannot be read is shown to its judge with what was wrong, and both stand in the
ledger."""

import pytest

from judging.engine.engine import judge_run
from judging.engine.outcomes import FORM, MAX_UNREADABLE, REPEATED_CHARACTERS
from judging.judges.base import JudgeUnavailableError, Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.services import retry_judgements
from tests.judging.engine.test_engine import again, planned

State = Judgement.State
ASKED = ("user", "Spell two.")


@pytest.fixture
def run(submission, settings) -> JudgeRun:
    settings.JUDGE_CONCURRENCY = 1
    run = planned(submission)
    run.judgements.exclude(pk=run.judgements.order_by("pk").first().pk).delete()
    return run


def sent(judge: ScriptedJudge) -> list[list[tuple[str, str]]]:
    return [[(m.role, m.content) for m in request.messages] for request in judge.asked]


def test_the_next_request_holds_the_reply_and_what_was_wrong_with_it(run):
    judge = ScriptedJudge(["I would say right.", "right"])
    key = run.judgements.get().content_key
    judge_run(run_id=run.pk, judge=judge)
    first, second = sent(judge)
    assert len(first) == 1
    assert [role for role, _ in second] == ["user", "assistant", "user"]
    assert second[1] == ("assistant", "I would say right.")
    assert second[2][1] == f"No verdict can be read in that. expected right or wrong {FORM}"
    row = run.judgements.get()
    assert (row.verdict, row.content_key, row.attempts) == ("right", key, 2)


def test_every_call_has_its_line_and_keeps_the_reply_that_gave_no_verdict(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge(["perhaps", "or not", "right"]))
    calls = JudgeCall.objects.order_by("pk").values_list("outcome", "reading", "reply")
    assert list(calls) == [
        ("answered", "unreadable", "perhaps"),
        ("answered", "unreadable", "or not"),
        ("answered", "read", ""),
    ]


def test_a_reply_is_repeated_in_part_only_and_the_last_one_only(run):
    judge = ScriptedJudge(["x" * 50_000, "y" * 50_000])
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.asked) == MAX_UNREADABLE
    assert [m.content for m in judge.asked[-1].messages if m.role == "assistant"] == [
        "y" * REPEATED_CHARACTERS
    ]


def test_an_empty_reply_is_asked_about_in_other_words_too(run):
    judge = ScriptedJudge(["", "right"])
    judge_run(run_id=run.pk, judge=judge)
    (before,), (after,) = sent(judge)
    assert after[1].endswith(f"Your last reply to this was empty. expected right or wrong {FORM}")
    assert len(before[1]) < len(after[1])


def test_a_reply_that_did_not_end_by_itself_is_told_so(run):
    judge = ScriptedJudge([Reply("right", finish_reason="tool_calls"), "right"])
    judge_run(run_id=run.pk, judge=judge)
    assert "It did not end by itself" in judge.asked[1].messages[-1].content


@pytest.mark.parametrize("between", [JudgeUnavailableError("HTTP 500")])
def test_what_failed_otherwise_is_asked_as_before(run, between):
    judge = ScriptedJudge([between, "right"])
    again(run, judge, 2)
    assert [len(request.messages) for request in judge.asked] == [1, 1]


def test_a_person_who_has_it_asked_again_has_it_asked_afresh(run):
    judge = ScriptedJudge([*["maybe"] * MAX_UNREADABLE, "right"])
    judge_run(run_id=run.pk, judge=judge)
    retry_judgements(keys=[run.judgements.get().pk], by=None)
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.asked[-1].messages) == 1
    assert run.judgements.get().state == State.JUDGED
