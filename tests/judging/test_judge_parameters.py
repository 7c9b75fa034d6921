"""What a model is sent besides its messages: chosen by a setting, part of the spec, and never more
than is reserved."""

import json

import pytest

from benchmarks.registry import protocol
from judging.coordination import money
from judging.engine.engine import judge_run
from judging.judge_parameters import ParametersError, limited, merged, read_parameters
from judging.models import JudgeCall, JudgeSpec
from judging.services import ensure_spec, find_spec, plan_run, request_run
from tests.judging.endpoint import completion, serve

SPELLING = protocol("spelling")
NAME = "openai:m@lab"


def lab(url: str = "http://127.0.0.1:9/v1", **parameters) -> dict[str, dict[str, object]]:
    prices = {"m": (0.0, 1.0)}
    return {"lab": {"url": url, "key": "", "prices": prices, "parameters": {"m": parameters}}}


def judged(submission, spec: JudgeSpec) -> None:
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)


@pytest.mark.parametrize(
    ("chosen", "sent"),
    [
        ({}, {"temperature": 0, "max_tokens": 1024}),
        ({"max_tokens": 77}, {"temperature": 0, "max_tokens": 77}),
        (
            {"max_completion_tokens": 99, "temperature": None},
            {"max_completion_tokens": 99},
        ),
        (
            {
                "stop": ["\n\n"],
                "seed": 7,
                "top_p": 0.5,
                "chat_template_kwargs": {"thinking": False},
            },
            {
                "temperature": 0,
                "max_tokens": 1024,
                "stop": ["\n\n"],
                "seed": 7,
                "top_p": 0.5,
                "chat_template_kwargs": {"thinking": False},
            },
        ),
    ],
)
def test_what_is_chosen_is_sent_and_its_longest_reply_is_what_is_reserved(
    submission, settings, chosen, sent
):
    with serve([completion("right", finish_reason="length")]) as endpoint:
        settings.JUDGE_ENDPOINTS = lab(endpoint.url, **chosen)
        spec = find_spec(of=SPELLING, name=NAME)
        judged(submission, spec)
    assert spec.parameters == sent
    for body in endpoint.asked:
        assert {k: v for k, v in body.items() if k not in ("model", "messages")} == sent
    limit = sent.get("max_tokens") or sent["max_completion_tokens"]
    assert money.reply_allowance(spec) == limit
    assert money.worst_case(spec, 1_000_000) == limit  # prompts are free here
    assert JudgeCall.objects.count() == len(endpoint.asked)


def test_other_parameters_are_another_judge_and_the_same_ones_the_same(db, settings):
    settings.JUDGE_ENDPOINTS = lab()
    usual = find_spec(of=SPELLING, name=NAME)
    settings.JUDGE_ENDPOINTS = lab(seed=7)
    seeded = find_spec(of=SPELLING, name=NAME)
    assert seeded.content_hash != usual.content_hash
    assert find_spec(of=SPELLING, name=NAME) == seeded
    assert find_spec(of=SPELLING, name=usual.slug) == usual
    assert "seed" not in find_spec(of=SPELLING, name="openai:m-2@lab").parameters


def test_a_spec_of_before_keeps_content_and_hash_and_is_sent_what_is_reserved(submission, settings):
    with serve([completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS = lab(endpoint.url)
        old = ensure_spec(
            of=SPELLING, kind="openai", endpoint="lab", model="m", parameters={"temperature": 0}
        )
        judged(submission, old)
    assert old.parameters == {"temperature": 0}
    assert find_spec(of=SPELLING, name=old.slug).content_hash == old.content_hash
    assert {body["max_tokens"] for body in endpoint.asked} == {money.reply_allowance(old)}


def test_what_is_usual_gives_way_and_one_limit_always_stays():
    assert merged({"temperature": 0.5}, {"temperature": None}) == {"max_tokens": 1024}
    assert limited({"max_completion_tokens": 5}) == {"max_completion_tokens": 5}


WRONG = [
    ("{", "is no JSON"),
    ('{"m": {"temperature": NaN}}', "is no JSON"),
    ("[" * 100_000, "is no JSON"),
    ('["m"]', "must name models"),
    ('{"m": 1}', "must name models"),
    ('{"m": {"model": "other"}}', "must leave model of m to Assay"),
    ('{"m": {"stream": true, "n": 2}}', "must leave n, stream of m to Assay"),
    ('{"m": {"max_tokens": 1, "max_completion_tokens": 1}}', "names both"),
    ('{"m": {"max_tokens": null}}', "says max_tokens of m wrongly"),
    ('{"m": {"max_tokens": 0}}', "says max_tokens of m wrongly"),
    ('{"m": {"max_tokens": true}}', "says max_tokens of m wrongly"),
    ('{"m": {"temperature": "0"}}', "says temperature of m wrongly"),
    ('{"m": {"temperature": 3}}', "says temperature of m wrongly"),
    ('{"m": {"seed": 1.5}}', "says seed of m wrongly"),
    ('{"m": {"stop": []}}', "says stop of m wrongly"),
    ('{"m": {"stop": ["a", "b", "c", "d", "e"]}}', "says stop of m wrongly"),
]


def test_a_setting_is_taken_as_it_is_or_refused_with_what_is_wrong():
    for text, said in WRONG:
        with pytest.raises(ParametersError, match=said):
            read_parameters(text)
    text = json.dumps({"m": {"temperature": None, "reasoning_effort": "low", "stop": "\n"}})
    assert read_parameters(text) == json.loads(text)
