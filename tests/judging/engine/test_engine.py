"""From a planned run to settled judgements: what each reply becomes, what is paid, and what a late
worker can do."""

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging.coordination import limits, queue
from judging.coordination.queue import MAX_ATTEMPTS, MAX_UNKNOWN
from judging.engine.engine import Engine, judge_run
from judging.engine.outcomes import FORM, FREE_REFUSALS, MAX_UNREADABLE, REPEATED_CHARACTERS
from judging.judges.base import (
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeUnavailableError,
    Reply,
)
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.selectors import run_counts, verdicts_of
from judging.services import plan_run, resume_run, retry_judgements
from judging.tasks import judge_run as judge_run_task
from leaderboard.results.services import score_run
from tests.conftest import submit
from tests.judging.endpoint import Served, completion, serve
from tests.judging.runs import again, found, new_run, pause_of, planned, states, undone
from tests.judging.scripted import ScriptedJudge
from tests.judging.test_judges import FAULTS, patience
from tests.overwriting import overwrite

State = Judgement.State
LEASE = timedelta(seconds=60)
LIMITED = JudgeUnavailableError("HTTP 429", 20, is_limit=True)
LOST = JudgeUnavailableError("no answer", is_unknown=True)
HALTED = JudgeHaltedError("HTTP 401", is_endpoint_wide=True)


@pytest.fixture(scope="module")
def world(module_rows) -> int:
    return new_run().pk


@pytest.fixture
def run(world, db) -> JudgeRun:
    return JudgeRun.objects.get(pk=world)


@pytest.fixture
def submission(run) -> Submission:
    made: Submission = run.submission
    return made


def scores_nothing(run: JudgeRun) -> None:
    """Neither verdict nor number: the scorer gets None for every row, and the metric that ranks has
    no value."""
    ids = [answer.question.public_id for answer in run.submission.answers.all()]
    columns = verdicts_of(run, ids).values()
    assert {verdict for column in columns for verdict in column} == {None}
    assert run_counts(run).judged == 0
    sheet = score_run(run=run)
    assert (sheet.ranking, sheet.coverage) == (None, 0.0)


# --- what a reply becomes -------------------------------------------------------------------------


@dataclass(frozen=True)
class Story:
    """Where a judge replies with this, asked so many times: state, verdict, attempts and reason of
    the judgements, the calls by outcome, and why the run pauses. `begun`: what stood in the rows
    before."""

    said: Reply | Exception | str
    ends: tuple[str, str, int, str]
    ledger: dict[str, int]
    pause: tuple[str, str] = ("", "")
    times: int = 1
    begun: dict[str, int] = field(default_factory=dict)


LAST = {"attempts": MAX_ATTEMPTS - 1, "fence": MAX_ATTEMPTS - 1}  # but for one attempt
UNREADABLE = "no verdict could be read in the reply"
REFUSED = "the judge refused to answer"
LOST_OFTEN = "3 calls may have been carried out and gave no reply that could be used"
CUT = "the reply was cut at the length limit"
STORIES = {
    "a verdict": Story("right", (State.JUDGED, "right", 1, ""), {"answered": 4}, times=2),
    "prose": Story(
        "maybe",
        (State.UNREADABLE, "", MAX_UNREADABLE, UNREADABLE),
        {"answered": 4 * MAX_UNREADABLE},
        times=2,
    ),
    "cut": Story(
        Reply("right", finish_reason="length"), (State.TOO_LONG, "", 1, CUT), {"answered": 4}
    ),
    "filtered": Story(
        Reply("right", finish_reason="content_filter"),
        (State.REFUSED, "", 1, REFUSED),
        {"answered": 4},
    ),
    "refused": Story(
        Reply("right", finish_reason="refusal"), (State.REFUSED, "", 1, REFUSED), {"answered": 4}
    ),
    "HTTP 500 for ever": Story(
        JudgeUnavailableError("HTTP 500"),
        (State.PAUSED, "", MAX_ATTEMPTS, "HTTP 500, 5 times"),
        {"failed": 4 * MAX_ATTEMPTS},
        times=MAX_ATTEMPTS + 1,
    ),
    "HTTP 429 without a word": Story(
        JudgeUnavailableError("HTTP 429", is_limit=True),
        (State.PAUSED, "", MAX_ATTEMPTS, "HTTP 429, 5 times"),
        {"failed": 4},
        times=2,
        begun=LAST,
    ),
    "overloaded for ever": Story(
        JudgeUnavailableError("HTTP 503", is_overload=True),
        (State.PAUSED, "", MAX_ATTEMPTS, "HTTP 503, 5 times"),
        {"failed": 4},
        times=2,
        begun=LAST,
    ),
    "says for ever how long to wait": Story(
        LIMITED,
        (State.PAUSED, "", MAX_ATTEMPTS, "HTTP 429, 5 times"),
        {"failed": 4 * 3},
        times=4,
        begun={"attempts": MAX_ATTEMPTS - 2, "fence": MAX_ATTEMPTS - 2 + FREE_REFUSALS - 1},
    ),
    "perhaps carried out": Story(
        LOST,
        (State.PAUSED, "", MAX_UNKNOWN + 1, f"{LOST_OFTEN}; the last: no answer"),
        {"unknown": 4 * MAX_UNKNOWN},
        times=MAX_UNKNOWN + 1,
    ),
    "HTTP 400": Story(
        JudgeRefusedError("HTTP 400"), (State.FAILED, "", 1, "HTTP 400"), {"failed": 4}, times=2
    ),
    "HTTP 404": Story(
        JudgeHaltedError("HTTP 404"),
        (State.WAITING, "", 0, "HTTP 404"),
        {"failed": 4},
        ("judge", "HTTP 404"),
        times=2,
    ),
    "wrong key": Story(
        HALTED, (State.WAITING, "", 0, "HTTP 401"), {"failed": 4}, ("endpoint", "HTTP 401"), times=1
    ),
}


def test_what_a_judge_says_ends_in_a_state_that_says_so_and_in_the_ledger(run, subtests):
    scored: set[str] = {State.JUDGED, State.WAITING}
    for said, story in STORIES.items():
        with subtests.test(said), undone():
            run.judgements.update(**{"attempts": 0, **story.begun})
            again(run, ScriptedJudge([story.said]), story.times)
            assert found(run, "state", "verdict", "attempts", "reason") == {story.ends}
            assert Counter(JudgeCall.objects.values_list("outcome", flat=True)) == story.ledger
            assert not JudgeCall.objects.filter(closed=None).exists()
            assert pause_of(run) == story.pause
            if story.ends[0] not in scored:  # of each state once
                scored.add(story.ends[0])
                scores_nothing(run)


def test_a_reply_is_stored_with_all_that_came_with_it(run):
    reply = Reply("right", model="scribe", prompt_tokens=9, reply_tokens=2, request_id="r1")
    judge_run(run_id=run.pk, judge=ScriptedJudge([reply]))
    fields = ("raw_reply", "finish_reason", "reported_model", "prompt_tokens", "reply_tokens")
    assert found(run, *fields) == {("right", "stop", "scribe", 9, 2)}
    calls = JudgeCall.objects.values_list("request_id", "prompt_tokens", "reply_tokens", "reading")
    assert list(calls) == [("r1", 9, 2, "read")] * 4


STATES = {
    JudgeUnavailableError: State.WAITING,
    JudgeHaltedError: State.WAITING,
    JudgeRefusedError: State.FAILED,
}
PAUSES = {"judge", "endpoint"}  # nobody will be answered until an operator acts
QUICK = {"quota gone", "redirect", "HTML", "cut short", "too long for the model"}
SERVED = {  # what comes of a reply that is none, from the endpoint to the board
    "no text": (completion(None), State.UNREADABLE),
    "refusal": (completion(None, refusal="I will not say."), State.REFUSED),
    "length": (completion("right", finish_reason="length"), State.TOO_LONG),
    "another finish": (completion("right", finish_reason="tool_calls"), State.UNREADABLE),
    "score of another": (completion('{"id": "other-7", "score": 1}'), State.UNREADABLE),
}


def judged_by(served: Served, run: JudgeRun, settings) -> int:
    """How many requests the endpoint got that always responds like this."""
    settings.JUDGE_TIMEOUT_SECONDS, settings.JUDGE_RETRY_SECONDS = patience(served), [600.0]
    with serve([served]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": ""}}
        judge_run(run_id=run.pk)
    return len(endpoint.asked)


def test_a_good_endpoint_is_asked_once_per_answer(run, settings):
    assert judged_by(completion("right"), run, settings) == 4
    assert states(run) == {State.JUDGED}
    assert JudgeCall.objects.filter(outcome="answered").count() == JudgeCall.objects.count() == 4


def no_fault_is_a_verdict(name: str, run: JudgeRun, settings) -> None:
    served, error = next((served, error) for said, served, error in FAULTS if said == name)
    assert judged_by(served, run, settings) == JudgeCall.objects.count() == 4
    assert found(run, "state", "verdict") == {(STATES[error], "")}
    assert JudgeCall.objects.filter(outcome__in=["failed", "unknown"]).count() == 4
    assert not run.judgements.filter(reason="").exists()
    assert pause_of(run)[0] in (PAUSES if error is JudgeHaltedError else {""})


def test_no_fault_of_an_endpoint_becomes_a_verdict(run, settings, subtests):
    for name in QUICK:
        with subtests.test(name), undone():
            no_fault_is_a_verdict(name, run, settings)
    for name, (served, state) in SERVED.items():
        with subtests.test(name), undone():
            judged_by(served, run, settings)
            assert found(run, "state", "verdict") == {(state, "")}
            scores_nothing(run)


@pytest.mark.slow  # each is quick in test_judges.py
@pytest.mark.parametrize("name", [name for name, _, _ in FAULTS if name not in QUICK])
def test_no_other_fault_becomes_one_either(run, settings, name):
    no_fault_is_a_verdict(name, run, settings)


# --- asked again ----------------------------------------------------------------------------------


def sent(run: JudgeRun, *script: Reply | Exception | str) -> list[list[tuple[str, str]]]:
    """The messages of each request about one answer, whose judge replies like this."""
    run.judgements.exclude(pk=run.judgements.earliest("pk").pk).delete()
    judge = ScriptedJudge(script)
    again(run, judge, len(script))
    return [[(m.role, m.content) for m in request.messages] for request in judge.asked]


def test_the_next_request_holds_the_last_reply_and_what_was_wrong_with_it(run):
    key, long = run.judgements.earliest("pk").content_key, "x" * 50_000
    first, second, third = sent(run, long, "I would say right.", "right")
    wish = f"expected right or wrong {FORM}"
    assert len(first) == 1
    assert second[1:] == [
        ("assistant", long[:REPEATED_CHARACTERS]),
        ("user", f"No verdict can be read in that. {wish}"),
    ]
    assert third[1] == ("assistant", "I would say right.")
    assert found(run, "verdict", "content_key", "attempts") == {("right", key, 3)}
    assert list(JudgeCall.objects.order_by("pk").values_list("reading", "reply")) == [
        ("unreadable", long),
        ("unreadable", "I would say right."),
        ("read", ""),
    ]


def test_what_was_no_whole_reply_or_none_is_asked_about_in_other_words(run):
    with undone():
        (before,), (after,) = sent(run, "", "right")
        told = f"Your last reply to this was empty. expected right or wrong {FORM}"
        assert after[1].endswith(f"\n\n{told}")
        assert len(before[1]) < len(after[1])
    with undone():
        _, cut = sent(run, Reply("right", finish_reason="tool_calls"), "right")
        assert "It did not end by itself" in cut[-1][1]
    assert [len(messages) for messages in sent(run, JudgeUnavailableError("x"), "right")] == [1, 1]


def test_a_person_who_has_it_asked_again_has_it_asked_afresh(run):
    assert len(sent(run, *["maybe"] * MAX_UNREADABLE)) == MAX_UNREADABLE
    judge = ScriptedJudge(["right"])
    retry_judgements(keys=[run.judgements.get().pk], by=None)
    judge_run(run_id=run.pk, judge=judge)
    assert [len(request.messages) for request in judge.asked] == [1]
    assert states(run) == {State.JUDGED}


def test_a_person_may_have_asked_again_what_no_worker_asks_any_more(run):
    again(run, ScriptedJudge([LOST]), MAX_UNKNOWN + 1)
    resume_run(run=run)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert states(run) == {State.JUDGED}


# --- endpoints that are away or closed ------------------------------------------------------------


def test_an_unavailable_endpoint_is_waited_for(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeUnavailableError("HTTP 429", 30)]))
    soon = timezone.now() + timedelta(seconds=20)
    assert not run.judgements.exclude(state=State.WAITING, not_before__gt=soon).exists()
    assert judge_run(run_id=run.pk, judge=ScriptedJudge(["right"])) == 0


def test_an_endpoint_that_answers_but_not_so_often_costs_no_attempt_and_holds_everyone(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right", LIMITED]))
    assert found(run, "state", "attempts") == {(State.JUDGED, 1), (State.WAITING, 0)}
    assert 18 < limits.endpoint_status("none").held_seconds <= 20


def test_the_first_halt_pauses_all_that_waits_until_the_run_is_resumed(run, settings):
    settings.JUDGE_CONCURRENCY = 1
    judge = ScriptedJudge([JudgeHaltedError("HTTP 401"), "right"])
    judge_run(run_id=run.pk, judge=judge)
    judge_run(run_id=run.pk, judge=judge)
    assert (len(judge.asked), pause_of(run)) == (1, ("judge", "HTTP 401"))
    assert found(run, "state", "attempts") == {(State.WAITING, 0)}
    assert run_counts(run).open
    resume_run(run=run)
    judge_run(run_id=run.pk, judge=judge)
    assert states(run) == {State.JUDGED}


def test_a_halt_of_the_endpoint_stops_every_run_on_it(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge([HALTED]))
    other = planned(submit(run.submission.release, None, b"1=a\n2=b\n3=c\n4=d\n", name="Other"))
    judge = ScriptedJudge(["right"])
    judge_run(run_id=other.pk, judge=judge)
    assert (judge.asked, pause_of(other)) == ([], ("endpoint", "HTTP 401"))


def test_a_spec_without_its_endpoint_on_this_machine_pauses(run):
    judge_run(run_id=run.pk)
    assert pause_of(run)[0] == "judge"
    assert not JudgeCall.objects.exists()


# --- whose verdicts they are ----------------------------------------------------------------------


def test_verdicts_of_two_models_never_stand_under_one_judge(run, settings):
    settings.JUDGE_CONCURRENCY = 1
    judge = ScriptedJudge([Reply("right", model="m-1"), Reply("right", model="m-2")])
    for _ in range(2):
        judge_run(run_id=run.pk, judge=judge)
        assert found(run, "state", "reported_model") == {(State.JUDGED, "m-1"), (State.WAITING, "")}
        kind, reason = pause_of(run)
        assert (kind, reason.endswith("judge anew by model:m@none=m-2")) == ("judge", True)
        resume_run(run=run)
    left = JudgeCall.objects.exclude(outcome="unsent")
    assert set(left.values_list("outcome", flat=True)) == {"answered"}


def test_a_judge_may_be_pinned_to_what_the_endpoint_reports(submission):
    pinned = planned(submission, answers_as="m-2")
    judge_run(run_id=pinned.pk, judge=ScriptedJudge([Reply("right", model="m-1")]))
    assert (states(pinned), pause_of(pinned)[0]) == ({State.WAITING}, "judge")
    resume_run(run=pinned)
    judge_run(run_id=pinned.pk, judge=ScriptedJudge([Reply("right", model="m-2")]))
    assert states(pinned) == {State.JUDGED}


@pytest.mark.parametrize("kind", ["openai", "rules"])
def test_an_older_judge_gets_no_verdicts_by_today_s_reading(submission, kind):
    run = planned(submission, kind=kind)
    JudgeSpec.objects.filter(pk=run.judge_spec_id).update(parser_version="0")
    judge = ScriptedJudge(["right"])
    assert judge_run(run_id=run.pk, judge=judge if kind == "openai" else None) == 0
    assert (judge.asked, states(run)) == ([], {State.WAITING})
    assert pause_of(run)[1].startswith("this judge reads replies by version 0; today there are ")


# --- what is asked, once --------------------------------------------------------------------------


def test_every_message_has_a_delimiter_of_its_own_and_nothing_of_the_submitter(run, owner):
    Submission.objects.filter(pk=run.submission_id).update(owner=owner)
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert len({request.messages[0].content.splitlines()[1] for request in judge.asked}) == 4
    hidden = ("Speller", owner.username, owner.email, str(run.submission_id))
    assert [secret for secret in hidden if secret in repr(judge.asked)] == []


def test_a_withdrawn_submission_is_asked_about_no_more(run):
    withdraw_submission(submission=run.submission)
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge, wait=True)
    assert judge.asked == []
    assert not JudgeCall.objects.exists()


def test_an_empty_answer_is_settled_without_a_call(run):
    empty = planned(submit(run.submission.release, None, b"1=\n2= \n3=x\n4=\n"))
    judge = ScriptedJudge(["right"])
    judge_run(run_id=empty.pk, judge=judge)
    assert len(judge.asked) == 1
    assert empty.judgements.filter(verdict="wrong", reason="the answer is empty").count() == 3


def test_what_was_judged_before_is_neither_asked_nor_paid_again(run, settings):
    settings.JUDGE_CONCURRENCY = 1
    release = run.submission.release
    early = planned(submit(release, None, b"1=two\n2=too\n3=sea\n4=eye", name="Planned before"))
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    twin = planned(submit(release, None, name="Twin"))
    assert found(twin, "state", "verdict") == {(State.JUDGED, "right")}
    sources = set(twin.judgements.values_list("reused_from", flat=True))
    assert sources == set(run.judgements.values_list("pk", flat=True))
    assert JudgeCall.objects.count() == 4
    judge = ScriptedJudge(["wrong"])
    judge_run(run_id=early.pk, judge=judge)
    assert len(judge.asked) == JudgeCall.objects.count() - 4 == 3
    assert early.judgements.exclude(reused_from=None).get().verdict == "right"


def test_of_equal_cases_in_one_claim_one_is_asked(run):
    overwrite(run.judgements, content_key="0" * 64)
    keys = queue.claim_once(
        run.judgements.all(), spec=run.judge_spec, limit=9, lease=LEASE, holder=uuid4()
    )
    assert keys == [run.judgements.earliest("pk").pk]
    waiting = run.judgements.filter(state=State.WAITING, attempts=0, not_before__isnull=False)
    assert waiting.count() == 3


def test_a_case_that_is_being_judged_elsewhere_is_waited_for_and_then_free(run):
    other = planned(submit(run.submission.release, None, name="The same once more"))
    elsewhere = uuid4()
    leased = queue.claim(run.judgements.all(), limit=9, lease=LEASE, holder=elsewhere)
    judge = ScriptedJudge(["right"])
    assert judge_run(run_id=other.pk, judge=judge) == 0
    assert found(other, "state", "attempts") == {(State.WAITING, 0)}
    queue.release(leased, holder=elsewhere)
    judge_run(run_id=run.pk, judge=judge)
    judge_run(run_id=other.pk, judge=judge, wait=True)
    assert len(judge.asked) == JudgeCall.objects.count() == 4
    assert found(other, "state", "reused_from") == {(State.JUDGED, pk) for pk in leased}


def test_planning_and_delivering_twice_changes_nothing_and_rules_leave_no_ledger(submission):
    run = planned(submission, kind="rules")
    assert not plan_run(run_id=run.pk)
    assert run.judgements.count() == 4
    judge_run_task(run.pk)
    before = list(run.judgements.values())
    judge_run_task(run.pk)
    assert list(run.judgements.values()) == before
    assert states(run) == {State.JUDGED}
    assert not JudgeCall.objects.exists()


# --- workers that die, freeze or come back --------------------------------------------------------


def test_a_call_cut_off_by_a_crash_stays_open_in_the_ledger(run):
    class Crash(Exception):
        pass

    with pytest.raises(Crash):
        judge_run(run_id=run.pk, judge=ScriptedJudge([Crash()]))
    assert set(JudgeCall.objects.values_list("outcome", flat=True)) == {"open"}
    assert states(run) == {State.LEASED}


@pytest.mark.usefixtures("lost_at_once")
def test_a_worker_frozen_beyond_its_lease_lets_go_of_what_others_took_and_claims_no_row_twice(run):
    frozen = Engine(run, ScriptedJudge(["right"]), closes_judge=False)
    frozen.intake.claim(2, held=frozen.held())
    first, second = [item.row.pk for item in frozen.intake.waiting]
    run.judgements.filter(state=State.LEASED).update(lease_until=timezone.now() - LEASE)
    assert frozen.leases.may_have_expired(time.monotonic() + LEASE.total_seconds() + 60)
    queue.claim(run.judgements.exclude(pk__in=[first, second]), limit=9, lease=LEASE)
    queue.release_expired()
    assert queue.claim(run.judgements.all(), limit=1, lease=LEASE) == [first]
    frozen.intake.claim(9, held=frozen.held())
    assert [item.row.pk for item in frozen.intake.waiting] == [first, second]
    frozen.leases.renewed -= 2 * frozen.leases.length.total_seconds()
    frozen.heartbeat(time.monotonic())
    assert first not in [item.row.pk for item in frozen.intake.waiting]
    frozen.close()


def test_a_lease_is_renewed_well_before_it_ends_and_that_of_nobody_else(run):
    engine, begun = Engine(run, ScriptedJudge(["right"]), closes_judge=False), time.monotonic()
    engine.intake.claim(2, held=engine.held())
    engine.heartbeat(begun)
    queue.claim(run.judgements.all(), limit=9, lease=LEASE)
    run.judgements.update(lease_until=timezone.now() - LEASE)
    renewed = []
    for share in (0.3, 0.4):  # of the lease has passed
        engine.heartbeat(begun + share * engine.leases.length.total_seconds())
        kept = run.judgements.filter(lease_until__gt=timezone.now())
        renewed.append(list(kept.values_list("pk", flat=True)))
    assert renewed == [[], [item.row.pk for item in engine.intake.waiting]]
    engine.close()


@pytest.mark.usefixtures("lost_at_once")
def test_an_engine_takes_over_what_a_lost_worker_held_without_waiting_for_a_sweep(run):
    queue.claim(run.judgements.all(), limit=3, lease=-LEASE)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert states(run) == {State.JUDGED}


def test_what_was_claimed_and_never_asked_about_loses_no_attempt_with_its_worker(run):
    for _ in range(MAX_ATTEMPTS):
        queue.claim(run.judgements.all(), limit=4, lease=-LEASE)
        queue.release_expired()
    assert found(run, "state", "attempts") == {(State.WAITING, 0)}
