"""No failure becomes a score: what is wrong with a reply or with the verdict in it ends in a state
that says so."""

import io

import pytest

from benchmarks.protocols.base import Slot, UnreadableError
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.services import ensure_baselines
from judging.engine.engine import judge_run
from judging.engine.outcomes import MAX_UNREADABLE
from judging.judges.base import Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, Judgement
from judging.selectors import run_counts, verdicts_of
from judging.services import ensure_spec, plan_run, request_run, resume_run
from leaderboard.services import score_run
from tests.judging.endpoint import Served, completion, document, failure, serve
from tests.judging.engine.test_engine import pause_of, planned
from tests.judging.test_judges import patience
from tests.slow import slow_except_every

State = Judgement.State

# --- malformed verdicts ---------------------------------------------------------------------------

WELL_FORMED = {
    ("touchstone", "reference_first"): "8 6.5",
    ("touchstone", "answer_first"): "8 6.5\nThe first is better.",
    ("touchstone_hallucination", "hallucination"): "3.5",
    ("hallusionbench", "correctness"): "incorrect",
    ("hallusionbench", "same"): "Different.",
    ("tiny_lvlm_ehub", "prompt1"): "Analysis: it agrees.\nMost Likely Score: 1",
    ("tiny_lvlm_ehub", "prompt3"): "Analysis: it does not.\n**Final Assessment Score:** 0",
}
JSON_FAULTS = {
    "prose around JSON": 'Here is my verdict: {"score": 1, "verdict": "correct"} I hope it helps.',
    "fenced": '```json\n{"score": 1}\n```',
    "quoted number": '{"score": "1"}',
    "7/10": '{"score": "7/10"}',
    "two scores": '[{"score": 1}, {"score": 0}]',
    "out of range": '{"score": 11}',
    "NaN": '{"score": NaN}',
    "bool": '{"score": true}',
    "missing": "{}",
    "extra key": '{"score": 1, "confidence": 0.9}',
    "another answer's id": '{"id": "other-7", "score": 1}',
}
PAIR_FAULTS = {
    "prose around it": "My scores are 8 6.5 as you see.",
    "fenced": "```\n8 6.5\n```",
    "quoted numbers": '"8" "6.5"',
    "7/10": "7/10 8/10",
    "three scores": "8 6.5 7",
    "one score": "8",
    "above the range": "11 6.5",
    "below the range": "8 0.5",
    "negative": "8 -6.5",
    "NaN": "nan nan",
    "infinite": "inf 8",
    "bool": "True False",
    "missing": "",
    "a key too many": "8 6.5 confidence=0.9",
    "another answer's id": "other-7: 8 6.5",
    "words": "eight six",
    "other digits": "８ ６",
    "an exponent": "1e1 8",
}
SCORE_FAULTS = {
    "prose around it": "The score is 3.5 I think.",
    "fenced": "```\n3.5\n```",
    "quoted number": '"3.5"',
    "7/10": "7/10",
    "two scores": "3.5 4",
    "out of range": "10.5",
    "negative": "-1",
    "NaN": "nan",
    "bool": "true",
    "missing": "",
    "a key too many": "3.5 confidence=0.9",
    "another answer's id": "other-7: 3.5",
    "a decimal comma": "3,5",
}
WORD_FAULTS = {
    "prose around it": "The answer is correct because it agrees.",
    "fenced": "```\ncorrect\n```",
    "fenced JSON": '```\n{"verdict": "correct"}\n```',
    "quoted number": '"1"',
    "7/10": "7/10 correct",
    "two verdicts": "correct incorrect",
    "out of range": "very correct",
    "NaN": "nan",
    "bool": "true",
    "missing": "",
    "a key too many": '{"verdict": "correct", "confidence": 0.9}',
    "another answer's id": '{"id": "other-7", "verdict": "correct"}',
    "id before it": "other-7: correct",
    "two lines": "same\ndifferent",
}
LABEL_FAULTS = {
    "prose around it": "Most Likely Score: it is 1, I think.",
    "prose behind it": "Most Likely Score: 1 as you see",
    "JSON": '{"Most Likely Score": 1}',
    "prose around JSON": 'Sure: {"Most Likely Score": 1}\nBye.',
    "fenced": '```json\n{"Most Likely Score": 1}\n```',
    "quoted number": 'Most Likely Score: "1"',
    "number in single quotes": "Most Likely Score: '1'",
    "7/10": "Most Likely Score: 7/10",
    "1/1": "Most Likely Score: 1/1",
    "two scores": "Most Likely Score: 1 0",
    "either": "Most Likely Score: 0 or 1",
    "out of range": "Most Likely Score: 2",
    "negative": "Most Likely Score: -1",
    "fraction": "Most Likely Score: 1.0",
    "NaN": "Most Likely Score: NaN",
    "bool": "Most Likely Score: True",
    "missing": "Most Likely Score:",
    "a key too many": "Most Likely Score: 1, confidence: 0.9",
    "another answer's id": "Most Likely Score of other-7: 1",
    "another prompt's key": "Final Score: 1",
}
FAULTS_OF = {
    ("touchstone", "reference_first"): PAIR_FAULTS,
    ("touchstone", "answer_first"): PAIR_FAULTS,
    ("touchstone_hallucination", "hallucination"): SCORE_FAULTS,
    ("hallusionbench", "correctness"): WORD_FAULTS,
    ("hallusionbench", "same"): WORD_FAULTS,
    ("tiny_lvlm_ehub", "prompt1"): LABEL_FAULTS,
}
MALFORMED = [
    pytest.param(slug, slot, reply, id=f"{slug} {slot}: {name}")
    for (slug, slot), faults in FAULTS_OF.items()
    for name, reply in [
        *faults.items(),
        *((f"JSON, {name}", reply) for name, reply in JSON_FAULTS.items()),
    ]
]


@pytest.mark.parametrize(("slug", "slot", "reply"), MALFORMED)
def test_a_malformed_verdict_is_no_verdict(slug, slot, reply):
    with pytest.raises(UnreadableError):
        protocol(slug).judging.parse(Slot(slot), reply, "strict")


@pytest.mark.parametrize(("slug", "slot"), WELL_FORMED)
def test_the_named_form_is_a_verdict(slug, slot):
    assert protocol(slug).judging.parse(Slot(slot), WELL_FORMED[slug, slot], "strict")


@pytest.mark.parametrize("reply", JSON_FAULTS.values(), ids=JSON_FAULTS)
def test_a_malformed_verdict_ends_unreadable_after_bounded_tries(submission, reply):
    run = planned(submission)
    judge = ScriptedJudge([Reply(reply)])
    judge_run(run_id=run.pk, judge=judge, wait=True)
    assert set(run.judgements.values_list("state", "verdict", "raw_reply")) == {
        (State.UNREADABLE, "", reply)
    }
    assert len(judge.asked) == 4 * MAX_UNREADABLE
    scores_nothing(run)


def scores_nothing(run) -> None:
    """Neither verdict nor number: the scorer gets None for every row, and the metric that ranks has
    no value."""
    verdicts = verdicts_of(
        run, [answer.question.public_id for answer in run.submission.answers.all()]
    )
    assert all(verdict is None for column in verdicts.values() for verdict in column)
    assert run_counts(run).judged == 0
    sheet = score_run(run=run)
    assert (sheet.ranking, sheet.coverage) == (None, 0.0)


# --- faults of a reply ----------------------------------------------------------------------------

ENDED = {  # a reply came, or a refusal that asking again would not change
    "finish reason length": (completion("right", finish_reason="length"), State.TOO_LONG),
    "finish reason content_filter": (
        completion("right", finish_reason="content_filter"),
        State.REFUSED,
    ),
    "refusal": (completion(None, refusal="I will not say."), State.REFUSED),
    "no text": (completion(None), State.UNREADABLE),
    "too long for the model": (failure(400, "context_length_exceeded"), State.FAILED),
}
PAUSING = {  # nobody will be answered until an operator acts
    "quota used up": (failure(429, "insufficient_quota"), "endpoint"),
    "redirect to another host": (Served(307, headers={"Location": "http://127.0.0.1:9/"}), "judge"),
}
PASSING = {  # asked again later; who stays away ends up with a person
    "timeout": Served(hang=True),
    "HTTP 500": failure(500),
    "HTTP 529": failure(529),
    "HTTP 429, again in a second": failure(429, Retry_After="1"),
    "HTTP 429, again in five minutes": failure(429, Retry_After="300"),
    "HTML": Served(200, b"<html>right</html>"),
    "empty body": Served(200),
    "no choices": document({"choices": []}),
    "body cut short": Served(200, b'{"choices": [', cut=True),
}


@pytest.fixture
def ask(submission, settings):
    """One judging of a run by an endpoint that always responds like this."""

    def ask(served: Served, times: int = 1):
        run = planned(submission)
        settings.JUDGE_TIMEOUT_SECONDS = patience(served)
        settings.JUDGE_RETRY_SECONDS = [600.0]
        with serve([served]) as endpoint:
            settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": ""}}
            for _ in range(times):
                run.judgements.update(not_before=None)
                judge_run(run_id=run.pk)
        assert JudgeCall.objects.filter(outcome="open").count() == 0
        assert not run.judgements.exclude(verdict="").exists()
        return run

    return ask


@pytest.mark.parametrize("name", ENDED)
def test_an_incomplete_reply_ends_in_its_named_state_and_scores_nothing(ask, name):
    served, state = ENDED[name]
    run = ask(served)
    assert set(run.judgements.values_list("state", flat=True)) == {state}
    assert not run.judgements.filter(reason="").exists()
    scores_nothing(run)


@pytest.mark.parametrize("name", PAUSING)
def test_what_only_an_operator_can_end_pauses_the_run(ask, name):
    served, kind = PAUSING[name]
    run = ask(served)
    assert set(run.judgements.values_list("state", flat=True)) == {State.WAITING}
    assert pause_of(run)[0] == kind
    assert run_counts(run).judged == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", PASSING)
def test_a_passing_fault_is_waited_for_with_its_reason(ask, name):
    run = ask(PASSING[name])
    assert set(run.judgements.values_list("state", flat=True)) == {State.WAITING}
    assert not run.judgements.filter(not_before__isnull=True).exists()
    assert not run.judgements.filter(reason="").exists()


def test_there_are_as_many_faults_as_were_measured():
    assert len(ENDED) + len(PAUSING) + len(PASSING) == 15 + 1  # and the reply without text
    assert len(JSON_FAULTS) == 11


# --- the protocols through the engine -------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "reply"),
    slow_except_every(
        4,
        [
            ("touchstone_hallucination", SCORE_FAULTS["quoted number"]),
            ("touchstone", PAIR_FAULTS["7/10"]),
            ("hallusionbench", WORD_FAULTS["fenced"]),
            ("tiny_lvlm_ehub", LABEL_FAULTS["quoted number"]),
        ],
    ),
)
def test_what_a_protocol_cannot_read_becomes_no_number_of_its_board(db, slug, reply):
    family = protocol(slug)
    stream = io.BytesIO(family.bundled[0].dataset.read_bytes())
    release = import_release(protocol=family, stream=stream, slug="without-pictures").release
    submission = ensure_baselines(release=release)[0]
    spec = ensure_spec(of=family, kind="openai", endpoint="none", model="m", repeats=1)
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    asked = set(run.judgements.filter(state=State.WAITING).values_list("pk", flat=True))
    assert asked
    judge = ScriptedJudge([reply])
    while run.judgements.filter(state=State.WAITING).exists():
        resume_run(run=run)  # as a person would again and again
        judge_run(run_id=run.pk, judge=judge, wait=True)
    assert len(judge.asked) == len(asked) * MAX_UNREADABLE
    found = (
        run.judgements.filter(pk__in=asked).values_list("state", "verdict", "attempts").distinct()
    )
    assert list(found) == [(State.UNREADABLE, "", MAX_UNREADABLE)]
    assert score_run(run=run).coverage < family.board.BOARD.min_coverage
