"""Readers of the environment and of `.env`. A wrong value stops start-up with a sentence that names the variable."""

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from dotenv import dotenv_values
from environs import Env, EnvValidationError, ValidationError
from environs import validate as validators

from judging.judge_names import in_variables, read_model_name

PROJECT = Path(__file__).resolve().parent.parent
DOTENV = PROJECT / ".env"
REFERENCE = "(see deploy/environment.md)"
ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
AUTHORITY = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")
VISIBLE = re.compile(r"[!-~]*")
LIMITS = ("requests", "tokens", "concurrent")
LARGEST_LIMIT = 1_000_000_000
LARGEST_PRICE = 1_000_000.0  # of a million tokens
LONGEST_RETRY_SECONDS = 86_400.0
ENDPOINT_VARIABLES = ("JUDGE_KEY_", "JUDGE_LIMITS_", "JUDGE_PRICES_")


def stop(sentence: str) -> NoReturn:
    sys.stderr.write(f"Assay cannot start: {sentence}\n")
    raise SystemExit(2)


class Environment(Env):
    def pairs(self, name: str, default: Mapping[str, str], *, example: str) -> dict[str, str]:
        """The value of each name, none of them empty or named twice."""
        text = self.str(name, "")
        if not text.strip():
            return dict(default)
        parts = [[side.strip() for side in part.partition("=")] for part in text.split(",") if part.strip()]
        if not all(key and value for key, _, value in parts):
            stop(f"{name} must be name=value, with commas between. Example: {example}")
        if twice := [key for key, count in Counter(key for key, _, _ in parts).items() if count > 1]:
            stop(f"{name} names {', '.join(twice)} twice. Example: {example}")
        return {key: value for key, _, value in parts}


env = Environment()
env.read_env(DOTENV, recurse=False)


def given(dotenv: Path = DOTENV) -> dict[str, str]:
    """Every variable there is, ours or not; as `env` has it, the environment comes before the file."""
    return {name: value or "" for name, value in {**dotenv_values(dotenv), **os.environ}.items()}


def between(least: float, most: float) -> validators.Range:
    return validators.Range(least, most, error="must be from {min} to {max}, and is {input}")


def one_of(*choices: str) -> Callable[[str], None]:
    """In capitals or not."""

    def check(value: str) -> None:
        if value.upper() not in choices:
            raise ValidationError(f"must be one of {', '.join(choices)}")

    return check


def are_waits(seconds: Sequence[float]) -> None:
    if not seconds or not all(0 <= wait <= LONGEST_RETRY_SECONDS for wait in seconds):
        raise ValidationError(f"must be one or more waits in seconds, from 0 to {LONGEST_RETRY_SECONDS:.0f}")


def sentence_of(error: Exception) -> str:
    """What a reader of the environment found, without the marks of how it found it."""
    if not isinstance(error, EnvValidationError):
        return f"{error} (see README, section Settings; `make setup` writes a .env with a random SECRET_KEY)"
    name = str(error).split('"')[1]
    return f"{name}: {' '.join(messages_of(error.error_messages))} {REFERENCE}"


def messages_of(found: Any) -> Iterable[str]:
    if isinstance(found, Mapping):
        return [message for part in found.values() for message in messages_of(part)]
    return [message for part in found for message in messages_of(part)] if isinstance(found, list) else [str(found)]


# --- endpoints --------------------------------------------------------------------------------------------------


def read_endpoints(urls: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Judge endpoints by alias: address, key, limits over all workers, and prices of models.

    They live in the settings only: no database row can point a judge elsewhere.
    """
    for alias in urls:
        if not ALIAS.fullmatch(alias):
            stop(f"JUDGE_ENDPOINTS: the alias {alias!r} must be letters, digits, - and _, at most 50 of them.")
    names = Counter(map(in_variables, urls))
    if shared := [alias for alias in urls if names[in_variables(alias)] > 1]:
        stop(f"JUDGE_ENDPOINTS: {' and '.join(shared)} would share a key; name them differently.")
    for alias, url in urls.items():
        check_address(alias, url)
    return {alias: read_endpoint(url, in_variables(alias)) for alias, url in urls.items()}


def check_address(alias: str, url: str) -> None:
    """The key goes to exactly this host, and in plain text only to this machine. No part of the address is repeated: a
    password may stand in it."""
    try:
        parts = urlsplit(url)
        is_plain = VISIBLE.fullmatch(url) and AUTHORITY.fullmatch(parts.netloc) and parts.port != 0
    except ValueError:
        is_plain = False
    if not is_plain or parts.scheme not in {"http", "https"} or "?" in url or "#" in url or "\\" in url:
        stop(
            f"JUDGE_ENDPOINTS: the address of {alias!r} must be a host and a path, without user, password, ? and #."
            " Example: main=https://api.example.org/v1"
        )
    if parts.scheme == "http" and not is_this_machine(parts.hostname or ""):
        stop(f"JUDGE_ENDPOINTS: the address of {alias!r} must begin with https:// (or be on this machine).")


def is_this_machine(host: str) -> bool:
    """By the whole name: whoever owns 127.0.0.1.example.org is elsewhere."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def read_endpoint(url: str, name: str) -> dict[str, Any]:
    key = env.str(f"JUDGE_KEY_{name}", "")
    if not VISIBLE.fullmatch(key):
        stop(f"JUDGE_KEY_{name} must be ASCII characters without blanks and line ends.")
    limits = env.pairs(f"JUDGE_LIMITS_{name}", {}, example="requests=500,tokens=200000")
    prices = env.pairs(f"JUDGE_PRICES_{name}", {}, example="gpt-4o=2.5/10")
    return {
        "url": url,
        "key": key,
        "limits": read_limits(limits, f"JUDGE_LIMITS_{name}"),
        "prices": {model: read_price(price, f"JUDGE_PRICES_{name}") for model, price in prices.items()},
    }


def read_limits(limits: Mapping[str, str], variable: str) -> dict[str, int]:
    if unknown := limits.keys() - set(LIMITS):
        stop(f"{variable}: unknown {', '.join(sorted(unknown))}. Example: requests=500,tokens=200000")
    if not all(re.fullmatch("[0-9]{1,10}", limit) and 1 <= int(limit) <= LARGEST_LIMIT for limit in limits.values()):
        stop(f"{variable}: a limit must be a whole number of at least 1; leave out what is not limited.")
    return {kind: int(limit) for kind, limit in limits.items()}


def read_price(price: str, variable: str) -> tuple[float, float]:
    try:
        prompt, reply = map(float, price.split("/"))
    except ValueError:
        prompt = reply = math.nan
    if not (0 <= prompt <= LARGEST_PRICE and 0 <= reply <= LARGEST_PRICE):
        stop(f"{variable} must say what a million tokens cost, in and out, from 0 up. Example: gpt-4o=2.5/10")
    return prompt, reply


def check_default_judge(name: str, aliases: Collection[str]) -> None:
    found = read_model_name(name)
    if name != "rules" and (found is None or found[1] not in aliases):
        known = ", ".join(sorted(aliases)) or "none"
        stop(f"DEFAULT_JUDGE must be rules or openai:MODEL@ENDPOINT; endpoints in JUDGE_ENDPOINTS: {known}.")


def check_names(variables: Mapping[str, str], *, aliases: Collection[str], known: Collection[str]) -> None:
    """A limit, price or budget under a name that nobody reads would not hold, and nobody would know."""
    ours = {variable + in_variables(alias) for variable in ENDPOINT_VARIABLES for alias in aliases}
    meant = {name for name, value in variables.items() if value.strip() and name.startswith(("JUDGE_", "BUDGET_"))}
    for name in sorted(meant - ours - set(known)):
        if name.startswith(ENDPOINT_VARIABLES):
            stop(f"{name} is of no endpoint; endpoints in JUDGE_ENDPOINTS: {', '.join(sorted(aliases)) or 'none'}.")
        stop(f"{name} is no setting of Assay {REFERENCE}.")
