"""Readers of the environment and of `.env`. A wrong value stops start-up with a sentence that names
the variable."""

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from pwd import getpwuid
from socket import inet_aton, inet_ntoa
from typing import Any, NoReturn
from urllib.parse import urlsplit

from dotenv import dotenv_values
from environs import Env, EnvValidationError, ValidationError
from environs import validate as validators

from judging.judge_names import PROVIDERS, USUAL_PROVIDER, in_variables, read_model_name
from judging.judge_parameters import ParametersError, read_parameters

VERSION = "1.0.0"
"""Of what is released next, as pyproject.toml has it (CONTRIBUTING.md, Releases)."""
PROJECT = Path(__file__).resolve().parents[2]
DOTENV = PROJECT / ".env"
REFERENCE = "(see docs/operator/settings.md)"
ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
AUTHORITY = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")
VISIBLE = re.compile(r"[!-~]*")
MAIL_ADDRESS = re.compile(r"[^\s@<>\"']+@[^\s@<>\"']+")
SITE_ADDRESS = re.compile(r"https?://[A-Za-z0-9\[\]:._-]+/?")
LONGEST_NAME = 60  # a search engine cuts titles about there
NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*|[0-9]+")
PRIVATE_ENDINGS = (".internal", ".local", ".lan", ".home.arpa")  # no public resolver knows these
METADATA_HOSTS = frozenset(
    ("metadata", "metadata.google.internal", "100.100.100.200", "168.63.129.16", "fd00:ec2::254")
)
LIMITS = ("requests", "tokens", "concurrent")
LARGEST_LIMIT = 1_000_000_000  # more than any endpoint grants, and within 32 bits
LARGEST_PRICE = 1_000_000.0  # of a million tokens
LONGEST_RETRY_SECONDS = 86_400.0  # five tries are a working week; more is a mistyped number
OUR_PREFIXES = ("JUDGE_", "BUDGET_", "QUOTA_", "SWEEP_")
"""Nobody else's variables begin so: one that is unknown is misspelt, or of a newer version."""
ENDPOINT_VARIABLES = (
    "JUDGE_KEY_",
    "JUDGE_PROVIDER_",
    "JUDGE_LIMITS_",
    "JUDGE_PRICES_",
    "JUDGE_PARAMETERS_",
)


def stop(sentence: str) -> NoReturn:
    sys.stderr.write(f"Assay cannot start: {sentence}\n")
    raise SystemExit(2)


class Environment(Env):
    """What is empty, or blanks alone, counts as not set: example files and containers name
    variables without giving them a value."""

    def _get_value(self, env_key: str, default: Any) -> Any:
        value = super()._get_value(env_key, default)
        return default if isinstance(value, str) and not value.strip() else value

    def pairs(self, name: str, default: Mapping[str, str], *, example: str) -> dict[str, str]:
        """The value of each name, none of them empty or named twice."""
        parts = [
            [side.strip() for side in part.partition("=")]
            for part in self.str(name, "").split(",")
            if part.strip()
        ]
        if not parts:
            return dict(default)
        if not all(key and value for key, _, value in parts):
            stop(f"{name} must be name=value, with commas between. Example: {example}")
        if twice := [
            key for key, count in Counter(key for key, _, _ in parts).items() if count > 1
        ]:
            stop(f"{name} names {', '.join(twice)} twice. Example: {example}")
        return {key: value for key, _, value in parts}


def check_dotenv(path: Path = DOTENV) -> bool:
    """Whether there is a file of variables to read. One that belongs to somebody else is left alone
    where the environment has a key, as under systemd; elsewhere it is what is missing."""
    try:
        path.open().close()
    except FileNotFoundError:
        return False
    except OSError as error:
        if not os.environ.get("SECRET_KEY"):
            stop(
                f"{path} cannot be read ({error.strerror}) and SECRET_KEY is not set. Let this user"
                " read the file, or take it away and set the variables"
                f" {REFERENCE}."
            )
        return False
    return True


env = Environment()
if check_dotenv():
    env.read_env(DOTENV, recurse=False)


def given(dotenv: Path = DOTENV) -> dict[str, str]:
    """Every variable there is, ours or not; as `env` has it, the environment comes before the
    file."""
    in_file = dotenv_values(dotenv) if check_dotenv(dotenv) else {}
    return {name: value or "" for name, value in {**in_file, **os.environ}.items()}


def between(least: float, most: float) -> validators.Range:
    return validators.Range(least, most, error="must be from {min} to {max}, and is {input}")


def one_of(*choices: str) -> Callable[[str], None]:
    """In capitals or not."""

    def check(value: str) -> None:
        if value.upper() not in choices:
            raise ValidationError(f"must be one of {', '.join(choices)}")

    return check


def is_name(value: str) -> None:
    """It stands in titles of pages and subjects of mails."""
    if not value.isprintable() or len(value) > LONGEST_NAME:
        raise ValidationError(f"must be a line of text, at most {LONGEST_NAME} characters")


def is_address(value: str) -> None:
    if not MAIL_ADDRESS.fullmatch(value.strip()):
        raise ValidationError("must be one mail address, as contact@example.org, or empty")


BROKERS = ("redis", "rediss", "redis+socket", "sentinel", "amqp", "amqps", "pyamqp", "memory")


def is_broker(value: str) -> None:
    try:
        found = urlsplit(value.strip())
        is_one = (
            found.scheme in BROKERS and found.port != 0 and bool(found.netloc or found.path[1:])
        )
    except ValueError:  # a port that is no number, half an IPv6 address
        is_one = False
    if value.strip() and not is_one:
        raise ValidationError(
            "must be the address of a Redis or RabbitMQ, as redis://:password@host:6379/0 or "
            "amqp://user:password@host:5672//, or empty"
        )


def is_site_address(value: str) -> None:
    if not SITE_ADDRESS.fullmatch(value.strip()):
        raise ValidationError("must be an address as https://assay.example.org, or empty")


def site_address(given: str, *, origins: Sequence[str], hosts: Sequence[str], https: bool) -> str:
    """Where people reach the site, without a last slash: what is given, or what other settings
    tell."""
    if given.strip():
        return given.strip().rstrip("/")
    plain = [origin for origin in origins if "*" not in origin]
    names = [host for host in hosts if not host.startswith((".", "*"))]
    scheme = "https" if https else "http"
    return (plain or [f"{scheme}://{names[0] if names else 'localhost'}"])[0].rstrip("/")


def are_waits(seconds: Sequence[float]) -> None:
    if not seconds or not all(0 <= wait <= LONGEST_RETRY_SECONDS for wait in seconds):
        raise ValidationError(
            f"must be one or more waits in seconds, from 0 to {LONGEST_RETRY_SECONDS:.0f}"
        )


def sentence_of(error: Exception) -> str:
    """What a reader of the environment found, without the marks of how it found it."""
    if not isinstance(error, EnvValidationError):
        return (
            f"{error} (see docs/operator/settings.md; `make setup` writes a .env with a random "
            "SECRET_KEY)"
        )
    name = str(error).split('"')[1]
    return f"{name}: {' '.join(messages_of(error.error_messages))} {REFERENCE}"


def messages_of(found: Any) -> Iterable[str]:
    if isinstance(found, Mapping):
        return [message for part in found.values() for message in messages_of(part)]
    return (
        [message for part in found for message in messages_of(part)]
        if isinstance(found, list)
        else [str(found)]
    )


BUILD_KEY = "only-for-collecting-static-files-at-build-time"
"""Older images were built with it. It stands in the repository, so whoever reads it can sign in as
anybody."""
KEY_LENGTH = 32  # of letters and digits: 190 bits; Django itself warns below 50 characters
KEY_VARIETY = 5  # different characters; what Django's own check asks for


def check_secret_keys(key: str, fallbacks: Sequence[str]) -> None:
    for name, secret in [
        ("SECRET_KEY", key),
        *(("SECRET_KEY_FALLBACKS", old) for old in fallbacks),
    ]:
        if secret == BUILD_KEY:
            stop(
                f"{name} is the key that images were built with, which everybody knows; write a "
                "random one, as `make setup` does to .env."
            )
        if len(secret) < KEY_LENGTH or len(set(secret)) < KEY_VARIETY:
            stop(
                f"{name} must have at least {KEY_LENGTH} characters, and {KEY_VARIETY} different "
                "ones; `make setup` writes a random one to .env."
            )


KEPT = ("assay.sqlite3", "figures", "uploads", "exports", "pages")
"""Of a VAR_DIR, what every process writes to. A first start by `sudo` leaves them to root."""


def make_folder(path: Path, *, is_ours: bool) -> None:
    """Of what is kept in files nobody else on the machine reads anything. A folder that was there
    and that an operator named may hold other things, and stays as it is: `check --deploy` tells of
    it. One that this process could not use stops it."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        stop(f"VAR_DIR {path} is not a folder. Name one in VAR_DIR; it is made if it is not there.")
    except OSError as error:
        stop(
            f"VAR_DIR {path} cannot be made ({error.strerror}). Make the folder and give it to the "
            f"user {name_of(os.geteuid())}, or name another one in VAR_DIR."
        )
    for kept in (path, *(path / name for name in KEPT)):
        check_usable(kept)
    if is_ours:
        with suppress(PermissionError):  # somebody else's, who let us in
            path.chmod(0o700)


def check_usable(path: Path) -> None:
    """`path`, which need not be there, can be read and written by this process."""
    if not path.exists() or os.access(path, os.R_OK | os.W_OK | (os.X_OK * path.is_dir())):
        return
    user, owner = name_of(os.geteuid()), name_of(path.stat().st_uid)
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        found, remedy = "is on a read-only file system", "Mount it for writing"
    elif user == owner:
        found = f"cannot be written by its owner {user}"
        remedy = f"Say chmod u+rw{'x' if path.is_dir() else ''} {path}"
    else:
        found = f"belongs to the user {owner}, and {user} cannot write there"
        remedy = f"Run this as {owner}, or give the folder to {user} (chown -R)"
    stop(f"VAR_DIR: {path} {found}. {remedy}, or name another folder in VAR_DIR.")


def name_of(user: int) -> str:
    try:
        return getpwuid(user).pw_name
    except KeyError:
        return str(user)


# --- endpoints ------------------------------------------------------------------------------------


def read_endpoints(
    urls: Mapping[str, str], private: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """Judge endpoints by alias: address, key, limits over all workers, and prices of models.

    They live in the settings only: no database row can point a judge elsewhere. Those named in
    `private` are in the site's own network and may do without TLS.
    """
    if unknown := sorted(set(private) - urls.keys()):
        stop(f"JUDGE_PRIVATE_ENDPOINTS names {', '.join(unknown)}, which JUDGE_ENDPOINTS does not.")
    for alias in urls:
        if not ALIAS.fullmatch(alias):
            stop(
                f"JUDGE_ENDPOINTS: the alias {alias!r} must be letters, digits, - and _, at most "
                "50 of them."
            )
    names = Counter(map(in_variables, urls))
    if shared := [alias for alias in urls if names[in_variables(alias)] > 1]:
        stop(f"JUDGE_ENDPOINTS: {' and '.join(shared)} would share a key; name them differently.")
    for alias, url in urls.items():
        check_address(alias, url, is_private=alias in private)
    return {alias: read_endpoint(url, in_variables(alias)) for alias, url in urls.items()}


def check_address(alias: str, url: str, *, is_private: bool = False) -> None:
    """The key goes to exactly this host, and in plain text only to this machine, or within a
    network that is said to be private. No part of the address is repeated: a password may stand in
    it."""
    try:
        parts = urlsplit(url)
        is_plain = VISIBLE.fullmatch(url) and AUTHORITY.fullmatch(parts.netloc) and parts.port != 0
    except ValueError:
        is_plain = False
    if (
        not is_plain
        or parts.scheme not in {"http", "https"}
        or "?" in url
        or "#" in url
        or "\\" in url
    ):
        stop(
            f"JUDGE_ENDPOINTS: the address of {alias!r} must be a host and a path, without user, "
            "password, ? and #. Example: main=https://api.example.org/v1"
        )
    host = parts.hostname or ""
    if is_metadata(host):
        stop(
            f"JUDGE_ENDPOINTS: the address of {alias!r} is link-local, where a host keeps secrets "
            "of its own; no judge is asked there."
        )
    if parts.scheme == "https" or is_this_machine(host):
        return
    if not is_private:
        stop(
            f"JUDGE_ENDPOINTS: the address of {alias!r} must begin with https:// (or be on this "
            f"machine). If it is in your own network, say JUDGE_PRIVATE_ENDPOINTS={alias}."
        )
    if not is_in_private_network(host):
        stop(
            f"JUDGE_PRIVATE_ENDPOINTS: the address of {alias!r} is not private: http:// may name "
            "an address such as 10.0.0.5, a host without dots, or one that ends in .internal, "
            ".local, .lan or .home.arpa."
        )


def is_this_machine(host: str) -> bool:
    """By the whole name: whoever owns 127.0.0.1.example.org is elsewhere."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_in_private_network(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return not is_short_number(host) and ("." not in host or host.endswith(PRIVATE_ENDINGS))


def is_metadata(host: str) -> bool:
    """Link-local, in every way to write it, or where a cloud tells a machine its credentials."""
    host = host.rstrip(".")
    try:
        address = ip_address(inet_ntoa(inet_aton(host)) if is_short_number(host) else host)
    except (OSError, ValueError):
        return host in METADATA_HOSTS
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_link_local or str(address) in METADATA_HOSTS


def is_short_number(host: str) -> bool:
    """`127.1`, `2130706433` and `0x7f.1` are addresses to the resolver, though no standard's."""
    return all(NUMBER.fullmatch(part) for part in host.split("."))


def read_endpoint(url: str, name: str) -> dict[str, Any]:
    key = env.str(f"JUDGE_KEY_{name}", "")
    if not VISIBLE.fullmatch(key):
        stop(f"JUDGE_KEY_{name} must be ASCII characters without blanks and line ends.")
    provider = env.str(f"JUDGE_PROVIDER_{name}", USUAL_PROVIDER)
    if provider not in PROVIDERS:
        stop(f"JUDGE_PROVIDER_{name} must be one of: {', '.join(PROVIDERS)}.")
    limits = env.pairs(f"JUDGE_LIMITS_{name}", {}, example="requests=500,tokens=200000")
    prices = env.pairs(f"JUDGE_PRICES_{name}", {}, example="gpt-4o=2.5/10")
    return {
        "url": url,
        "key": key,
        "provider": provider,
        "limits": read_limits(limits, f"JUDGE_LIMITS_{name}"),
        "prices": {
            model: read_price(price, f"JUDGE_PRICES_{name}") for model, price in prices.items()
        },
        "parameters": parameters_in(
            env.str(f"JUDGE_PARAMETERS_{name}", ""), f"JUDGE_PARAMETERS_{name}"
        ),
    }


def parameters_in(text: str, variable: str) -> dict[str, dict[str, Any]]:
    try:
        return read_parameters(text) if text else {}
    except ParametersError as error:
        stop(f'{variable} {error}. Example: {{"qwen3": {{"temperature": null, "seed": 7}}}}')


def read_limits(limits: Mapping[str, str], variable: str) -> dict[str, int]:
    if unknown := limits.keys() - set(LIMITS):
        stop(
            f"{variable}: unknown {', '.join(sorted(unknown))}. Example: requests=500,tokens=200000"
        )
    if not all(
        re.fullmatch("[0-9]{1,10}", limit) and 1 <= int(limit) <= LARGEST_LIMIT
        for limit in limits.values()
    ):
        stop(
            f"{variable}: a limit must be a whole number of at least 1; leave out what is not "
            "limited."
        )
    return {kind: int(limit) for kind, limit in limits.items()}


def read_price(price: str, variable: str) -> tuple[float, float]:
    try:
        prompt, reply = map(float, price.split("/"))
    except ValueError:
        prompt = reply = math.nan
    if not (0 <= prompt <= LARGEST_PRICE and 0 <= reply <= LARGEST_PRICE):
        stop(
            f"{variable} must say what a million tokens cost, in and out, from 0 up. Example: "
            "gpt-4o=2.5/10"
        )
    return prompt, reply


def check_default_judge(name: str, aliases: Collection[str]) -> None:
    found = read_model_name(name)
    if name != "rules" and (found is None or found[1] not in aliases):
        known = ", ".join(sorted(aliases)) or "none"
        stop(
            "DEFAULT_JUDGE must be rules or model:MODEL@ENDPOINT; endpoints in JUDGE_ENDPOINTS: "
            f"{known}."
        )


def check_budgets(endpoints: Mapping[str, Mapping[str, Any]], budgets: Iterable[float]) -> None:
    """Whoever tells prices pays them: without any budget, whoever hands in files decides how much.
    A model that is free, 0/0, needs none."""
    priced = [
        alias for alias, endpoint in endpoints.items() if any(map(any, endpoint["prices"].values()))
    ]
    if priced and not any(budgets):
        variables = " and ".join(f"JUDGE_PRICES_{in_variables(alias)}" for alias in priced)
        stop(
            f"{variables} has prices, and no budget is set: set BUDGET_SITE_DAY, BUDGET_ACCOUNT_DAY"
            " or BUDGET_SUBMISSION to what judging may cost, in the currency of the prices"
            f" {REFERENCE}."
        )


def check_names(
    variables: Mapping[str, str], *, aliases: Collection[str], known: Collection[str]
) -> None:
    """A limit, price or budget under a name that nobody reads would not hold, and nobody would
    know."""
    ours = {variable + in_variables(alias) for variable in ENDPOINT_VARIABLES for alias in aliases}
    meant = {
        name for name, value in variables.items() if value.strip() and name.startswith(OUR_PREFIXES)
    }
    unknown = sorted(meant - ours - set(known))
    for name in unknown:
        if name.startswith(ENDPOINT_VARIABLES):
            stop(
                f"{name} is of no endpoint; endpoints in JUDGE_ENDPOINTS: "
                f"{', '.join(sorted(aliases)) or 'none'}."
            )
    if unknown:
        are = "is no setting" if len(unknown) == 1 else "are no settings"
        stop(
            f"{', '.join(unknown)} {are} of Assay {VERSION} {REFERENCE}. Correct the spelling, or"
            " take it out; after going back from a newer version, use the settings that were kept"
            " with the backup."
        )
