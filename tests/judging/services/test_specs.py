from typing import Any

import pytest
from django.urls import reverse

from benchmarks.registry import protocol
from judging.models import JudgeSpec
from judging.services import UnknownJudgeError, ensure_spec, find_spec

pytestmark = pytest.mark.django_db
BASE = {
    "kind": "openai",
    "endpoint": "lab",
    "model": "scribe-1",
    "parameters": {"temperature": 0},
    "repeats": 2,
}


def spec(**changes) -> JudgeSpec:
    return ensure_spec(of=protocol("spelling"), **{**BASE, **changes})


CHANGES: list[dict[str, Any]] = [
    {"endpoint": "another"},
    {"model": "scribe-2"},
    {"parameters": {"temperature": 1}},
    {"parameters": {"temperature": 0, "seed": 1}},
    {"repeats": 3},
    {"kind": "scripted"},
    {"kind": "rules"},
    {"parser": "another"},
]


def test_the_same_content_is_the_same_spec_and_anything_changed_is_another():
    assert spec() == spec()
    assert JudgeSpec.objects.count() == 1
    hashes = {spec(**change).content_hash for change in CHANGES}
    assert len(hashes | {spec().content_hash}) == len(CHANGES) + 1


def test_the_rules_ask_once_and_ignore_what_models_need():
    rules = spec(kind="rules")
    assert rules == spec(
        kind="rules", parameters={"temperature": 1}, model="scribe-2", repeats=9, endpoint="lab"
    )
    assert (rules.repeats, rules.prompt_set, rules.is_offline) == (1, None, True)


def test_every_spec_has_an_address(client):
    for model in ("gpt-4.1", "org/model:free", "模型-é", "x" * 99, ""):
        address = reverse("judge", args=[spec(model=model).slug])
        assert client.get(address).status_code == 200, model


def test_a_judge_is_found_by_kind_by_model_and_by_name(settings):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "http://127.0.0.1:9", "key": ""}}
    found = find_spec(of=protocol("spelling"), name="openai:org/scribe@2@lab")
    assert (found.model, found.endpoint) == ("org/scribe@2", "lab")
    assert find_spec(of=protocol("spelling"), name=found.slug) == found
    assert find_spec(of=protocol("spelling"), name="rules").is_offline
    settings.DEFAULT_JUDGE = "rules"
    assert find_spec(of=protocol("spelling")).is_offline


def test_a_model_has_the_name_of_before_there_were_providers_too(settings):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "", "key": ""}}
    found = find_spec(of=protocol("spelling"), name="model:m@lab")
    assert (found.kind, found) == (
        "openai",
        find_spec(of=protocol("spelling"), name="openai:m@lab"),
    )
    assert found.is_called("model:m@lab")
    assert found.is_called("openai:m@lab")


def test_a_judge_may_be_pinned_in_its_name(client, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "", "key": ""}}
    loose = find_spec(of=protocol("spelling"), name="openai:m@lab")
    pinned = find_spec(of=protocol("spelling"), name="openai:m@lab=m-2026-11-01")
    assert (pinned.model, pinned.endpoint, pinned.answers_as) == ("m", "lab", "m-2026-11-01")
    assert pinned.content_hash != loose.content_hash
    assert "m-2026-11-01" in client.get(f"/judges/{pinned.slug}/").content.decode()


def test_other_rules_are_another_judge_that_says_so(client):
    usual = find_spec(of=protocol("touchstone"), name="rules")
    hasty = find_spec(of=protocol("touchstone"), name="rules:hasty")
    assert (hasty.model, hasty.rules_name, hasty.rules_version) == ("hasty 1", "hasty", "1")
    assert (usual.rules_name, usual.rules_version) == ("", usual.model)
    assert hasty.content_hash != usual.content_hash
    assert hasty.slug.startswith("touchstone-rules-hasty-")
    pages = [client.get(f"/judges/{spec.slug}/").content.decode() for spec in (usual, hasty)]
    assert [page.count("<h1>Hasty rules, version 1</h1>") for page in pages] == [0, 1]
    assert ["stops after 500 characters" in page for page in pages] == [False, True]


UNKNOWN = ["nobody", "rules:", "rules:hasty", "openai:scribe", "model:scribe@nowhere", "RULES"]
MISNAMED = [
    "openai:@lab",
    "openai:m@lab=",
    "openai: scribe @lab",
    "openai:scribe@ lab",
    "openai:a\tb@lab",
    f"openai:{'x' * 101}@lab",
]


def test_an_unknown_judge_is_refused_in_a_sentence(settings):
    settings.JUDGE_ENDPOINTS = {
        alias: {"url": "http://127.0.0.1:9", "key": ""} for alias in ("lab", " lab")
    }
    foreign = ensure_spec(of=protocol("hallusionbench"), kind="rules")
    for name in (*UNKNOWN, *MISNAMED, foreign.slug):
        with pytest.raises(UnknownJudgeError, match=r"There is no judge .*\."):
            find_spec(of=protocol("spelling"), name=name)
    assert JudgeSpec.objects.get() == foreign


def test_a_judge_is_called_what_people_call_it(settings):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "http://127.0.0.1:9"}}
    others = ["", "rules:", "rules:x", "openai", "model:m@la", "model:m@lab=m-2"]
    for name in ("rules", "model:m@lab", "openai:m@lab", "openai:org/m:1@lab=m-2"):
        spec = find_spec(of=protocol("spelling"), name=name)
        assert spec.is_called(name)
        assert spec.is_called(spec.slug)
        assert not any(map(spec.is_called, others))
