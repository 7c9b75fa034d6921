"""Clients of the API as each persona has them, and a check of answers against the API's own
schema."""

import json
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from benchmarks.submissions.tokens import create_token

API = "/api/v1"


def token_client(user: User, scope: str) -> Client:
    key = create_token(owner=user, name="test", scope=scope).key
    return Client(headers={"Authorization": f"Bearer {key}"})


def session_client(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@cache
def schema() -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(
        json.dumps(SchemaGenerator().get_schema(request=None, public=True))
    )
    return plain


def strict(part: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema: `nullable` said its way, and no member that is not listed."""
    if isinstance(part, list):
        return [strict(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {key: strict(value) for key, value in part.items() if key != "nullable"}
    if "properties" in found:
        found.setdefault("additionalProperties", False)
    return {"anyOf": [found, {"type": "null"}]} if part.get("nullable") is True else found


def check_documented(response: Any, path: str, method: str = "get") -> None:
    """The answer's status, media type and every member stand in the schema of the operation at
    `path`."""
    documented = schema()["paths"][f"{API}{path}"][method]["responses"]
    assert str(response.status_code) in documented, (
        f"{method} {path} answered {response.status_code}"
    )
    content = documented[str(response.status_code)].get("content")
    if content is None:
        assert not response.content
        return
    media_type = response["Content-Type"].partition(";")[0]
    assert media_type in content
    whole = {**content[media_type]["schema"], "components": schema()["components"]}
    documents = (
        [json.loads(line) for line in body_of(response).splitlines()]
        if media_type == "application/x-ndjson"
        else [response.json()]
    )
    for document in documents:
        Draft202012Validator(strict(whole)).validate(document)


def body_of(response: Any) -> bytes:
    """Whether it came at once or in parts."""
    return b"".join(response) if response.streaming else response.content
