"""No failure becomes a score: what is wrong with a reply or with the verdict in it ends in a state
that says so."""

import io

import pytest

from benchmarks.protocols.base import Slot, UnreadableError
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.samples.floor import ensure_baselines
from judging.engine.engine import judge_run
from judging.engine.outcomes import MAX_UNREADABLE
from judging.models import Judgement
from judging.services import resume_run
from leaderboard.results.services import score_run
from tests.judging.runs import planned
from tests.judging.scripted import ScriptedJudge
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


def is_read(slug: str, slot: str, reply: str) -> bool:
    try:
        return bool(protocol(slug).judging.parse(Slot(slot), reply, "strict"))
    except UnreadableError:
        return False


def test_the_named_form_is_a_verdict_and_nothing_else():
    assert all(is_read(*place, reply) for place, reply in WELL_FORMED.items())
    read = [
        (place, name)
        for place, faults in FAULTS_OF.items()
        for name, reply in [*faults.items(), *JSON_FAULTS.items()]
        if is_read(*place, reply)
    ]
    assert read == []


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
    run = planned(submission)
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
