"""Where an answer of the API leads, for its description: a program that reads it finds the way from
a file handed in to its publication."""

from collections.abc import Mapping
from typing import Any

ID = "$response.body#/id"
FIRST_ID = "$response.body#/results/0/id"
FIRST_SLUG = "$response.body#/results/0/slug"
OWN = ("submission", "submission_publish", "submission_make_private", "submission_withdraw")
Target = Mapping[str, Mapping[str, str]]
"""By operation, what each of its parameters is taken from."""


def of_submission(place: str, *operations: str) -> Target:
    return {name: {"submission_id": place} for name in operations}


def of_slug(place: str, *operations: str) -> Target:
    return {name: {"slug": place} for name in operations}


LINKS: Mapping[tuple[str, str], Target] = {
    ("submissions_create", "201"): of_submission(ID, *OWN, "entry", "entry_verdicts"),
    ("submissions_list", "200"): of_submission(FIRST_ID, *OWN),
    ("submission_publish", "200"): of_submission(
        ID, "entry", "submission_make_private", "submission_withdraw"
    ),
    ("submission_make_private", "200"): of_submission(ID, "submission_publish"),
    ("submission_withdraw", "200"): of_submission(ID, "submission", "submission_publish"),
    ("entries_list", "200"): of_submission(FIRST_ID, "entry", "entry_verdicts"),
    ("releases_list", "200"): of_slug(FIRST_SLUG, "release", "release_questions"),
    ("models_list", "200"): of_slug(FIRST_SLUG, "model"),
    ("judges_list", "200"): of_slug(FIRST_SLUG, "judge"),
    ("benchmarks_list", "200"): of_slug("$response.body#/0/slug", "benchmark", "board"),
}


def add_links(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook of drf-spectacular: answers say which operations follow."""
    for methods in result["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                targets = LINKS.get((operation["operationId"], status), {})
                if targets:
                    answer["links"] = {
                        name: {"operationId": name, "parameters": dict(parameters)}
                        for name, parameters in targets.items()
                    }
    return result
