"""Requests and answers for the description of the API, as they stand in examples.json: recorded
from real answers, which a test holds them against (tests/leaderboard/web/api/test_examples.py).

What differs from site to site is written there as of an example: host, ids, instants, digests. Long
lists have their first member, and objects of figures their first two.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SITE = "https://assay.example.org"
RECORDED = Path(__file__).with_name("examples.json")


@dataclass(frozen=True, slots=True)
class Example:
    """name: what it shows, in a few words. path: with its query, from the root of the site. scope:
    of the token it is sent with; empty where none is needed. form: fields of a form; the one named
    file is the name of a file."""

    operation: str
    name: str
    method: str
    path: str
    scope: str
    headers: Mapping[str, str]
    form: Mapping[str, str]
    status: int
    media_type: str
    answer: Any

    @property
    def curl(self) -> str:
        """The request as a line for a shell."""
        words = ["curl"]
        words += ["-X POST"] if self.method == "POST" and not self.form else []
        words += ['-H "Authorization: Bearer $ASSAY_TOKEN"'] if self.scope else []
        words += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in self.headers.items()]
        for name, value in self.form.items():
            at = "@" if name == "file" else ""
            words.append(f"-F {shlex.quote(f'{name}={at}{value}')}")
        return " ".join([*words, shlex.quote(f"{SITE}{self.path}")])

    @property
    def answer_text(self) -> str:
        return json.dumps(self.answer, indent=2, ensure_ascii=False)


@cache
def recorded_examples() -> Mapping[str, Sequence[Example]]:
    """By operation."""
    found: dict[str, list[Example]] = {}
    for members in json.loads(RECORDED.read_text(encoding="utf-8")):
        found.setdefault(members["operation"], []).append(Example(**members))
    return found


def add_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook of drf-spectacular: every operation of the schema has its examples."""
    for methods in result["paths"].values():
        for operation in methods.values():
            for example in recorded_examples().get(operation["operationId"], ()):
                add_example(operation, example)
    return result


def add_example(operation: dict[str, Any], example: Example) -> None:
    source = {"lang": "Shell", "label": example.name, "source": example.curl}
    operation.setdefault("x-codeSamples", []).append(source)
    answers = operation["responses"][str(example.status)].get("content", {})
    if example.media_type in answers:
        named = answers[example.media_type].setdefault("examples", {})
        named[example.name] = {"value": example.answer}
    if example.status >= 400:
        return
    for content in operation.get("requestBody", {}).get("content", {}).values():
        content.setdefault("examples", {})[example.name] = {"value": dict(example.form)}
