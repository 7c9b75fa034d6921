"""The examples of the API's description are what the API answers.

Where an answer has changed for a reason, `RECORD_API_EXAMPLES=1` before this file's name makes the
first test write them anew; what it then shows as changed is to be read.
"""

import json
import math
import os
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from leaderboard.web.api.docs import api_docs_page
from leaderboard.web.api.examples import RECORDED, SITE
from tests.api_clients import schema, strict
from tests.leaderboard.web.api.exchanges import HOST, record

pytestmark = pytest.mark.slow


def differences(found: Any, told: Any, place: str = "") -> list[str]:
    """Where two documents differ; numbers may in their last digits, which are the machine's."""
    if isinstance(found, dict) and isinstance(told, dict):
        names = [*found, *(name for name in told if name not in found)]
        return [
            line
            for name in names
            for line in differences(found.get(name), told.get(name), f"{place}.{name}")
        ]
    if isinstance(found, list) and isinstance(told, list) and len(found) == len(told):
        pairs = enumerate(zip(found, told, strict=True))
        return [line for n, pair in pairs for line in differences(*pair, f"{place}[{n}]")]
    if isinstance(found, float) and isinstance(told, float):
        return [] if math.isclose(found, told, rel_tol=1e-6) else [f"{place}: {told} is {found}"]
    return [] if found == told else [f"{place}: {told!r} is {found!r}"]


def test_every_example_is_what_the_api_answers(db):
    found = record()
    if os.environ.get("RECORD_API_EXAMPLES"):
        text = json.dumps(found, indent=1, ensure_ascii=False)
        RECORDED.write_text(f"{text}\n", encoding="utf-8")
    told = json.loads(RECORDED.read_text(encoding="utf-8"))
    named = [(one["operation"], one["name"]) for one in found]
    assert named == [(one["operation"], one["name"]) for one in told]
    wrong = [
        f"{new['operation']}, {new['name']}{line}"
        for new, old in zip(found, told, strict=True)
        for line in differences(new, old)
    ]
    assert not wrong, "\n".join(wrong)


def operations():
    for path, methods in schema()["paths"].items():
        for method, operation in methods.items():
            yield pytest.param(operation, id=f"{method} {path}")


@pytest.mark.parametrize("operation", list(operations()))
def test_every_operation_has_an_example_of_what_is_asked_and_answered(operation):
    assert operation["operationId"] == "schema_retrieve" or operation["x-codeSamples"]
    told = [
        (content["schema"], example["value"])
        for answer in operation["responses"].values()
        for content in answer.get("content", {}).values()
        for example in content.get("examples", {}).values()
    ]
    assert told
    for shape, value in told:
        whole = {**shape, "components": schema()["components"]}
        Draft202012Validator(strict(whole)).validate(value)


def test_every_form_has_an_example_of_its_fields():
    forms = [
        content
        for methods in schema()["paths"].values()
        for operation in methods.values()
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]
    assert forms
    for content in forms:
        fields = schema()["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
        for example in content["examples"].values():
            assert (
                set(fields.get("required", ()))
                <= set(example["value"])
                <= set(fields["properties"])
            )


def test_the_page_shows_every_example_of_the_description(client):
    operations = api_docs_page()["operations"]
    assert all(operation.examples for operation in operations)
    assert f"https://{HOST}" == SITE
    text = client.get("/api/v1/docs/").content.decode()
    assert text.count(">curl ") == sum(len(operation.examples) for operation in operations)
    assert "Authorization: Bearer $ASSAY_TOKEN" in text
