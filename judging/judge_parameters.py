"""What is sent to a model besides its messages: temperature, the longest reply, and what else a
judge is set to. Plain Python, so that the settings read it as the services do.

Every request says how long its reply may be, for budgets reserve as much.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

LONGEST_REPLY = (
    1024  # tokens, where nothing else is said; a verdict with a short reason has under 200
)
REPLY_LIMITS = ("max_tokens", "max_completion_tokens")
MOST_TOKENS = 1_000_000  # no model replies so much: more is a mistyped number, and reserved
MOST_STOPS = 4  # as the interface of OpenAI has it
OURS = ("messages", "model", "n", "stream", "stream_options", "tools", "tool_choice", "functions")


def is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= MOST_TOKENS


def is_number(least: float, most: float) -> Callable[[object], bool]:
    numbers = (int, float)  # by type(): True is no number
    return lambda value: type(value) in numbers and least <= value <= most  # type: ignore[operator]


def are_stops(value: object) -> bool:
    texts = [value] if isinstance(value, str) else value
    return (
        isinstance(texts, list)
        and 1 <= len(texts) <= MOST_STOPS
        and all(isinstance(text, str) and text for text in texts)
    )


KNOWN: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "max_tokens": (is_count, f"a whole number from 1 to {MOST_TOKENS:,}"),
    "max_completion_tokens": (is_count, f"a whole number from 1 to {MOST_TOKENS:,}"),
    "temperature": (is_number(0, 2), "a number from 0 to 2, or null to send none"),
    "top_p": (is_number(0, 1), "a number from 0 to 1, or null to send none"),
    "seed": (lambda value: type(value) is int, "a whole number, or null to send none"),
    "stop": (are_stops, f"a text, or a list of 1 to {MOST_STOPS}, or null to send none"),
}


class ParametersError(ValueError):
    """The message says what is wrong, as the end of a sentence."""


def read_parameters(text: str) -> dict[str, dict[str, Any]]:
    """Parameters by model. Raises ParametersError."""
    try:
        found = json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise ParametersError("is no JSON") from None
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise ParametersError("must name models, and parameters of each")
    for model, parameters in found.items():
        check(model, parameters)
    return found


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def check(model: str, parameters: Mapping[str, Any]) -> None:
    if ours := sorted(parameters.keys() & set(OURS)):
        raise ParametersError(f"must leave {', '.join(ours)} of {model} to Assay")
    if len(parameters.keys() & set(REPLY_LIMITS)) > 1:
        raise ParametersError(f"names both {' and '.join(REPLY_LIMITS)} of {model}; one is sent")
    for name, value in parameters.items():
        is_right, wanted = KNOWN.get(name, (lambda _: True, ""))
        may_be_none = name not in REPLY_LIMITS
        if not (is_right(value) or (value is None and may_be_none)):
            raise ParametersError(f"says {name} of {model} wrongly: it must be {wanted}")


def merged(defaults: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What a new spec sends: what is chosen before what is usual, nothing that is None, and always
    one limit of the reply."""
    found = {**defaults, **chosen}
    if "max_completion_tokens" in chosen:
        found.pop("max_tokens", None)
    return limited({name: value for name, value in found.items() if value is not None})


def limited(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with a limit of the reply. Specs of before there was one are sent it beside
    what they say."""
    has_limit = any(name in parameters for name in REPLY_LIMITS)
    return {**parameters} if has_limit else {**parameters, "max_tokens": LONGEST_REPLY}


def reply_limit(parameters: Mapping[str, Any]) -> int:
    """Tokens; what is sent, and what is reserved."""
    sent = limited(parameters)
    return int(next(sent[name] for name in REPLY_LIMITS if name in sent))
