"""Ensemble judging through an OpenAI-compatible server on loopback that writes its scores in every
malformed way."""

import io
import json
from collections import Counter

import pytest

from benchmarks.protocols.base import Upload
from benchmarks.protocols.tiny_lvlm_ehub import PROTOCOL, judging, scoring
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import accept_submission
from judging.engine.engine import judge_run
from judging.models import JudgeCall, Judgement
from judging.selectors import verdicts_of
from judging.services import ensure_spec, plan_run, request_run
from judging.services.prompts import default_texts
from leaderboard.results.services import score_run
from tests.judging.endpoint import Served, completion, serve

KEYS = (
    "Most Likely Score",
    "Final Score",
    "Final Assessment Score",
    "Final Score",
    "Most Likely Score",
)
WAYS = {
    # what the judge writes after the key of each prompt -> strict vote, official vote
    "wellformed-right": (("{key}: 1",) * 5, "1", "1"),
    "wellformed-wrong": (("{key}: 0",) * 5, "0", "0"),
    "decimal": (("{key}: 1.0", "{key}: 1.0", "{key}: 1", "{key}: 1", "{key}: 1"), "1", "1"),
    "out-of-ten": (("{key}: 1 out of 10",) * 3 + ("{key}: 1",) * 2, "", "0"),
    "echoed-form": (("{key}: 1(or 0)",) * 2 + ("{key}: 1",) * 3, "1", "1"),
    "upper-case": (("{KEY}: 1",) * 3 + ("{key}: 0",) * 2, "1", "-1"),
    "lower-case": (("{lower}: 1",) * 3 + ("{key}: 0",) * 2, "1", "1"),
    "key-in-a-line": (("My {key} weighs all. {key}: 1",) * 3 + ("{key}: 0",) * 2, "", "-1"),
    "key-in-reasoning": (("My {key} weighs all.\n{key}: 1",) * 3 + ("{key}: 0",) * 2, "1", "-1"),
    "other-key": (("Grade: 1",) * 3 + ("{key}: 1",) * 2, "", "-1"),
    "no-verdict": (("I cannot grade this.",) * 5, "", "-1"),
    "split": (("{key}: 1", "{key}: 0", "{key}: 1", "{key}: 0", "{key}: 1"), "1", "1"),
    "tie-of-four": (("{key}: 1", "{key}: 1", "{key}: 0", "{key}: 0", "?"), "0", "1"),
}
TEXTS = default_texts(PROTOCOL)
OPENINGS = [TEXTS[f"user{number}"].split("$", 1)[0] for number in range(1, 6)]


def reply_to(body) -> Served:
    """As the way named in the question says, in the voice of the prompt that is asked."""
    asked = body["messages"][1]["content"]
    number = next(i for i, opening in enumerate(OPENINGS) if asked.startswith(opening))
    way = asked.split("Question: ", 1)[1].split("\n", 1)[0]
    key = KEYS[number]
    return completion(WAYS[way][0][number].format(key=key, KEY=key.upper(), lower=key.lower()))


@pytest.fixture
def submission(db) -> Submission:
    records = [
        {"question_id": f"{i:06}", "question": way, "gt_answers": ["exit", "way out"]}
        for i, way in enumerate(WAYS)
    ]
    content = json.dumps({"IC15": records}).encode()
    release = import_release(protocol=PROTOCOL, stream=io.BytesIO(content), slug="ways").release
    answers = json.dumps(
        {"IC15": [{"question_id": r["question_id"], "answer": "EXIT"} for r in records]}
    ).encode()
    upload = Upload("answers.json", answers)
    return accept_submission(
        release=release,
        upload=upload,
        model=EvaluatedModel(name="m"),
        owner=None,
        visibility="public",
    )


@pytest.mark.slow
@pytest.mark.parametrize(("parser", "place"), [("strict", 1), ("official", 2)])
def test_every_malformed_reply_ends_as_it_should(submission, settings, parser, place):
    with serve(reply_to) as endpoint:
        settings.JUDGE_ENDPOINTS = {"local": {"url": endpoint.url, "key": "k"}}
        spec = ensure_spec(
            of=PROTOCOL, kind="openai", endpoint="local", model="scribe-1", parser=parser
        )
        run = request_run(submission=submission, spec=spec)
        plan_run(run_id=run.pk)
        judge_run(run_id=run.pk)
        sheet = score_run(run=run)
    views = question_views(submission.release)
    verdicts = verdicts_of(run, [view.public_id for view in views])
    votes = [judging.vote(labels) or "" for labels in scoring.read_labels(len(views), verdicts)[0]]
    assert dict(zip(WAYS, votes, strict=True)) == {
        way: expected[place] for way, expected in WAYS.items()
    }
    counts = Counter(run.judgements.values_list("state", flat=True))
    unreadable = counts.pop(Judgement.State.UNREADABLE, 0)
    assert counts == {Judgement.State.JUDGED: 5 * len(WAYS) - unreadable}
    assert (
        JudgeCall.objects.count() == len(endpoint.asked) == 5 * len(WAYS) + 2 * unreadable
    )  # asked three times
    right, voted = votes.count("1"), len([vote for vote in votes if vote])
    assert sheet.figures["cee@IC15"][0] == pytest.approx(right / voted)
    assert sheet.coverage == pytest.approx(voted / len(votes))
    assert sheet.unreadable == unreadable
    assert sheet.figures["words@IC15"][0] == 1.0
