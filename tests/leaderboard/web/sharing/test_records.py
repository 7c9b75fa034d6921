"""Scores as others collect them: by their formats, and no other than the entry's page shows."""

import json
import math
import re
from typing import Any
from uuid import UUID

import jsonschema  # type: ignore[import-untyped]  # its stubs are not installed
import pytest
import yaml
from django.contrib.auth.models import User
from django.test import RequestFactory

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_run
from leaderboard.web.pages.site.sharing import addresses_of
from leaderboard.web.sharing.records import every_eval_ever, shown_metrics, yaml_text
from tests.conftest import confirmed, import_spelling, judged, submit
from tests.judging.scripted import ScriptedJudge

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
DETAILS = {"type": "object", "additionalProperties": TEXT}
MODEL = {
    "type": "object",
    "required": ["name", "id"],
    "properties": {"name": TEXT, "id": TEXT, "developer": TEXT, "additional_details": DETAILS},
}
RESULT = {
    "type": "object",
    "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
    "properties": {
        "evaluation_name": TEXT,
        "source_data": {
            "type": "object",
            "required": ["dataset_name", "source_type", "url"],
            "properties": {
                "source_type": {"const": "url"},
                "url": {"type": "array", "items": TEXT, "minItems": 1},
                "additional_details": DETAILS,
            },
        },
        "metric_config": {
            "type": "object",
            "required": ["lower_is_better"],
            "properties": {
                "lower_is_better": {"type": "boolean"},
                "score_type": {"enum": ["binary", "continuous", "levels"]},
                "min_score": NUMBER,
                "max_score": NUMBER,
                "llm_scoring": {
                    "type": "object",
                    "required": ["judges", "input_prompt"],
                    "properties": {
                        "input_prompt": TEXT,
                        "judges": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": ["model_info"],
                                "properties": {"model_info": MODEL, "temperature": NUMBER},
                            },
                        },
                        "additional_details": DETAILS,
                    },
                },
                "additional_details": DETAILS,
            },
            "dependentRequired": {"score_type": ["min_score", "max_score"]},
        },
        "score_details": {
            "type": "object",
            "required": ["score"],
            "properties": {
                "score": NUMBER,
                "details": DETAILS,
                "uncertainty": {
                    "type": "object",
                    "properties": {
                        "confidence_interval": {
                            "type": "object",
                            "required": ["lower", "upper"],
                            "properties": {"lower": NUMBER, "upper": NUMBER},
                        },
                        "num_samples": {"type": "integer"},
                    },
                },
            },
        },
    },
}
RECORD = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": [
        "schema_version",
        "evaluation_id",
        "retrieved_timestamp",
        "source_metadata",
        "model_info",
        "eval_library",
        "evaluation_results",
    ],
    "properties": {
        "schema_version": {"const": "0.2.2"},
        "evaluation_id": TEXT,
        "evaluation_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "retrieved_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "source_metadata": {
            "type": "object",
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {
                "source_type": {"enum": ["documentation", "evaluation_run"]},
                "evaluator_relationship": {
                    "enum": ["first_party", "third_party", "collaborative", "other"]
                },
                "additional_details": DETAILS,
            },
        },
        "eval_library": {
            "type": "object",
            "required": ["name", "version"],
            "properties": {"name": TEXT, "version": TEXT},
        },
        "model_info": MODEL,
        "evaluation_results": {"type": "array", "minItems": 1, "items": RESULT},
    },
    "additionalProperties": False,
}
"""What version 0.2.2 of Every Eval Ever requires of what we say, in our words."""


@pytest.fixture(scope="module")
def made(module_rows) -> UUID:
    owner = confirmed(User.objects.create_user("rosa", "rosa@example.org"))
    return judged(submit(import_spelling(), owner, name="Lucid <9B>: 'x' & co")).submission_id


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("release", "owner").get(pk=made)


def record_of(client, entry) -> dict[str, Any]:
    reply = client.get(f"/entries/{entry.pk}/every-eval-ever.json")
    assert reply.status_code == 200
    return dict(json.loads(reply.content))


def result_of(client, entry) -> dict[str, Any]:
    (result,) = yaml.safe_load(client.get(f"/entries/{entry.pk}/eval-results.yaml").content)
    return dict(result)


# --- Every Eval Ever ------------------------------------------------------------------------------


def test_a_record_is_what_every_eval_ever_requires(client, entry):
    record = record_of(client, entry)
    assert record == record_of(client, entry)  # until the entry is scored anew
    jsonschema.validate(record, RECORD)
    assert record["model_info"]["name"] == "Lucid <9B>: 'x' & co"
    assert record["model_info"]["id"] == "unknown/Lucid <9B>: 'x' & co"


def test_a_record_has_the_scores_of_the_page_and_within_their_scale(client, entry):
    sheet = Scoresheet.objects.get(submission=entry)
    results = record_of(client, entry)["evaluation_results"]
    shown = {metric.name: figure for metric, figure in shown_metrics(sheet)}
    assert [result["evaluation_name"] for result in results] == [f"spelling.{n}" for n in shown]
    for result, figure in zip(results, shown.values(), strict=True):
        config, details = result["metric_config"], result["score_details"]
        assert details["score"] == figure.value
        low, high = config.get("min_score", -math.inf), config.get("max_score", math.inf)
        assert low <= details["score"] <= high
        if figure.low is not None:
            interval = details["uncertainty"]["confidence_interval"]
            assert (interval["lower"], interval["upper"]) == (figure.low, figure.high)
    assert (results[0]["metric_config"]["min_score"], config.get("score_type")) == (0.0, None)
    assert results[0]["metric_config"]["lower_is_better"] is False
    assert results[0]["score_details"]["score"] == sheet.ranking


def test_a_record_names_the_model_that_judged_and_its_prompts(entry, settings):
    settings.JUDGE_ENDPOINTS = {"local": {"url": "http://127.0.0.1:9/v1", "key": "none"}}
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="local", model="scribe-1")
    run = request_run(submission=submit(entry.release, entry.owner), spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge([Reply("right")] * 9))
    sheet = score_run(run=run)
    record = every_eval_ever(sheet, addresses_of(RequestFactory().get("/"), sheet))
    jsonschema.validate(json.loads(json.dumps(record)), RECORD)
    scoring = record["evaluation_results"][0]["metric_config"]["llm_scoring"]
    assert scoring["judges"][0]["model_info"]["id"] == "scribe-1"
    assert json.loads(scoring["input_prompt"]) == spec.prompt_set.texts


# --- the Hub --------------------------------------------------------------------------------------


def test_yaml_for_the_hub_has_what_it_requires_and_the_score_of_the_page(client, entry):
    result = result_of(client, entry)
    page = client.get(f"/entries/{entry.pk}/").content.decode()
    value = re.search(r'id="score"><b>([^<]+)</b>', page)
    assert value is not None
    assert f"{result['value']:.2f}" == value[1]
    assert {*result} == {"dataset", "value", "date", "source", "notes"}
    assert result["dataset"] == {"id": "OWNER/DATASET", "task_id": "spelling-1"}
    assert result["date"] == entry.created.date().isoformat()
    assert result["source"]["url"].startswith(f"http://testserver/entries/{entry.pk}/?judge=")
    assert "offline rules" in result["notes"]


def test_yaml_names_the_dataset_where_it_is_known_to_be_on_the_hub(client, entry):
    for source, named in (
        ("https://huggingface.co/datasets/someone/words", "someone/words"),
        ("https://huggingface.co/datasets/someone/words/", "someone/words"),
        ("https://example.org/datasets/someone/words", "OWNER/DATASET"),
        ("https://huggingface.co/datasets/a/b\nvalue: 100", "OWNER/DATASET"),
    ):
        Release.objects.update(source=source)
        text = client.get(f"/entries/{entry.pk}/eval-results.yaml").text
        assert result_of(client, entry)["dataset"]["id"] == named
        assert ("# Put the Hub's name" in text) == (named == "OWNER/DATASET")


def test_whatever_stands_in_a_text_yaml_reads_it_back():
    odd = [
        '"',
        "\\",
        "a: b\n- c",
        "\x85\u2028\x7f\ufeff",
        "é 山 😀",
        "\ud7ff\ue000",
        "",
        "# no",
        "{a}",
    ]
    assert [yaml.safe_load(f"- {yaml_text(text)}\n") for text in odd] == [[text] for text in odd]


# --- who may see them -----------------------------------------------------------------------------


def test_only_public_entries_are_for_others_to_collect(client, entry):
    client.force_login(entry.owner)
    page = f"/entries/{entry.pk}/"
    files = [f"{page}eval-results.yaml", f"{page}every-eval-ever.json"]

    def statuses(query: str = "") -> list[int]:
        return [client.get(file + query).status_code for file in files]

    assert (statuses(), statuses("?judge=nobody")) == ([200, 200], [404, 404])
    assert f"{page}every-eval-ever.json?judge=" in client.get(page).text
    set_visibility(submission=entry, visibility="private")
    assert statuses() == [404, 404]
    assert "every-eval-ever" not in client.get(page).text
    set_visibility(submission=entry, visibility="public")
    withdraw_submission(submission=entry)
    assert statuses() == [404, 404]
