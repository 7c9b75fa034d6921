"""What people call a judge, "model:MODEL@ENDPOINT" or "model:MODEL@ENDPOINT=REPORTED", and what the
environment calls an endpoint. Plain Python, so that the settings read names as the services do."""

from pathlib import Path
from typing import NamedTuple

PREFIX = "model:"
PREFIXES = (PREFIX, "openai:")
"""The second is what every model was called when there was one interface; names in settings,
scripts and addresses keep it."""
LONGEST_MODEL = 100  # as the column of a spec
PROVIDER_FILES = (Path(__file__).parent / "judges" / "providers").glob("[a-z]*.py")
PROVIDERS = tuple(sorted(file.stem for file in PROVIDER_FILES))
USUAL_PROVIDER = "openai"


def names_a_model(name: str) -> bool:
    return name.startswith(PREFIXES)


class ModelName(NamedTuple):
    """answers_as: what the endpoint must report as its model; "" where anything will do."""

    model: str
    endpoint: str
    answers_as: str


def read_model_name(name: str) -> ModelName | None:
    """None where it names no model, where model or endpoint is missing, where there is a blank or
    an invisible character, and where a model is too long to store."""
    asked, pin, answers_as = name.partition(":")[2].partition("=")
    model, _, endpoint = asked.rpartition("@")
    is_whole = bool(model and endpoint) and bool(pin) == bool(answers_as)
    is_short = max(len(model), len(answers_as)) <= LONGEST_MODEL
    is_visible = name.isprintable() and " " not in name
    is_name = names_a_model(name) and is_whole and is_short and is_visible
    return ModelName(model, endpoint, answers_as) if is_name else None


def in_variables(alias: str) -> str:
    """The endpoint as its variables end: "my-lab" has its key in JUDGE_KEY_MY_LAB."""
    return alias.upper().replace("-", "_")
