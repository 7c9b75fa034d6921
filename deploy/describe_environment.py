#!/usr/bin/env python3
"""Writes docs/operator/settings.md: every variable that the settings read, its type, default and
meaning.

    python deploy/describe_environment.py            or `make environment-reference`
    python deploy/describe_environment.py --check    1 if the file is out of date; writes nothing

Names, types and defaults come from the source of the settings, so they cannot be wrong; the
sentences stand here. A variable without a sentence, or a sentence without a variable, is an error.
Standard library only.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SOURCES = [
    FOLDER.parent / "leaderboard" / name for name in ("settings.py", "project/environment.py")
]
REFERENCE = FOLDER.parent / "docs" / "operator" / "settings.md"
ALIAS = "<ALIAS>"
TYPES = {
    "str": "text",
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
    "list": "list, with commas",
    "pairs": "name=value, with commas",
    "path": "folder",
}
MEANINGS = {
    "SECRET_KEY": "At least 32 random characters. Whoever knows them can sign in as anybody.",
    "SECRET_KEY_FALLBACKS": (
        "Earlier keys, while sessions and links that they signed are still out there."
    ),
    "DEBUG": "Error pages with source code. Never on a site that others can reach.",
    "ALLOWED_HOSTS": "Names under which the site answers; the first is the one health checks use.",
    "CSRF_TRUSTED_ORIGINS": (
        "Origins whose forms are accepted behind a proxy, as `https://assay.example.org`."
    ),
    "HTTPS": (
        "Redirects, HSTS, cookies by TLS only. A proxy ends TLS, and must set `X-Forwarded-Proto` "
        "itself."
    ),
    "TRUSTED_PROXIES": (
        "Proxies in front of the site, each of which writes `X-Forwarded-For`; 0: nobody is "
        "believed."
    ),
    "STAFF_SECOND_FACTOR": (
        "Whether the admin opens only to staff who signed in with a second factor."
    ),
    "VAR_DIR": (
        "Everything that is kept in files: SQLite database, uploads, figures, beat's schedule."
    ),
    "STATIC_DIR": "Where `collectstatic` puts styles and scripts, and the web server finds them.",
    "DATABASE_URL": "SQLite or PostgreSQL, as `postgres://user:password@host:5432/assay`.",
    "BROKER_URL": (
        "`redis://…` or `amqp://…`; empty: no messages, workers look for work themselves."
    ),
    "JUDGE_ENDPOINTS": (
        "Address of each judge endpoint by its alias, as `main=https://api.example.org/v1`."
    ),
    "JUDGE_PRIVATE_ENDPOINTS": (
        "Aliases of endpoints in your own network that may do without TLS, as "
        "`http://vllm:8000/v1`."
    ),
    f"JUDGE_KEY_{ALIAS}": (
        "The endpoint's API key; only workers need it. The alias in capitals, `-` as `_`."
    ),
    f"JUDGE_PROVIDER_{ALIAS}": (
        "The interface by which its models are asked: a file in `judging/judges/providers/`. "
        "`openai` is spoken by most servers of models. Part of the judge."
    ),
    f"JUDGE_LIMITS_{ALIAS}": (
        "What it grants all workers a minute: any of `requests=500,tokens=200000,concurrent=64`."
    ),
    f"JUDGE_PRICES_{ALIAS}": (
        "What a million tokens cost, in and out, by model, as `gpt-4o=2.5/10`; with a budget, a "
        "model without a price is not asked. Prices above 0 need a budget."
    ),
    f"JUDGE_PARAMETERS_{ALIAS}": "What its models are sent besides the messages, as JSON by model:"
    ' `{"qwen3": {"max_tokens": 2048, "temperature": null, "stop": "\\n\\n", "seed": 7}}`; '
    "`null` sends none,"
    " `max_completion_tokens` replaces `max_tokens` (1024 unless said), any other field goes "
    "as it is. Part of the judge: other parameters are another judge and era.",
    "JUDGE_TIMEOUT_SECONDS": "How long a request to a judge may take from first to last byte.",
    "JUDGE_CONCURRENCY": "Requests that one worker process has under way at most.",
    "JUDGE_LEASE_SECONDS": (
        "How long claimed work stays with a worker that does not renew its claim."
    ),
    "JUDGE_RETRY_SECONDS": (
        "Waits before the next tries after an endpoint failed, one after the other."
    ),
    "JUDGE_PROCESSES_PER_RUN": "Worker processes that judge one submission at the same time.",
    "JUDGE_DEADLINE_DAYS": "How long judging may stay paused before what is left of it has failed.",
    "CANARY_HOURS": (
        "How often judges in use are asked the same 20 cases again, to see whether they drift; 0: "
        "never."
    ),
    "BUDGET_SUBMISSION": (
        "What judging one submission may cost, in the currency of the prices; 0: no cap."
    ),
    "BUDGET_ACCOUNT_DAY": (
        "What judging the submissions of one account may cost in a day (UTC); 0: no cap."
    ),
    "BUDGET_SITE_DAY": "What judging may cost in a day (UTC) altogether; 0: no cap.",
    "QUOTA_SUBMISSIONS_DAY": (
        "Files that one person may submit to one release within 24 hours; 0: no limit. The "
        "terminal is not limited by this and the next two."
    ),
    "QUOTA_DRY_RUNS_DAY": (
        "Files that one person may have tried on a few questions within 24 hours without "
        "confirming them; 0: no limit."
    ),
    "QUOTA_UNFINISHED": (
        "Files of one person and release that may wait or be judged at a time; 0: no limit."
    ),
    "QUOTA_FILES": (
        "Files of one person and release that are kept, withdrawn ones not counted; 0: no limit."
    ),
    "PROGRESS_STREAMS": (
        "How many pages of submissions each web process tells of their progress by a stream, which "
        "holds one of its threads; other pages ask again by themselves. Keep it well below the "
        "threads of a process; 0: no stream."
    ),
    "VISITOR_SHARE": (
        "Part of a processor that the pages of one visitor, told by the address, or of one account "
        "may take in each web process, beside five seconds at once; pages that are kept for all "
        "cost nothing. Who has used it up is answered 429; 0: no limit."
    ),
    "DEFAULT_JUDGE": (
        "Judge of submissions for which nobody named one: `rules`, or `model:MODEL@ALIAS`."
    ),
    "SWEEP_SECONDS": "Pause between two looks of a worker for work that no message announced.",
    "EMAIL_URL": (
        "Where mail goes: `smtp+tls://user:password@host:587` (STARTTLS), `smtp+ssl://…:465`, "
        "`smtp://host:25` without a password, `file:///folder`, or `console:`, the log of a "
        "worker."
    ),
    "DEFAULT_FROM_EMAIL": "Sender of the site's mail.",
    "OPERATOR_EMAILS": (
        "Who is told when judging stops: endpoints halted, runs paused, work stuck; empty: nobody."
    ),
    "SITE_NAME": "What pages and mails call the site.",
    "CONTACT_EMAIL": (
        "Whom visitors write to; on pages, error pages and in mails. Empty: nobody is named."
    ),
    "SITE_URL": (
        "Where people reach the site, as `https://assay.example.org`: links in mails and webhooks "
        "begin with it. Empty: the first of `CSRF_TRUSTED_ORIGINS`, else of `ALLOWED_HOSTS`."
    ),
    "GITHUB_CLIENT_ID": (
        "Of an OAuth app of GitHub by which people may sign in; empty: nobody does "
        "(docs/operator/people.md)."
    ),
    "GITHUB_CLIENT_SECRET": "Its secret.",
    "HUGGINGFACE_CLIENT_ID": (
        "Of a connected app of Hugging Face by which people may sign in; empty: nobody does."
    ),
    "HUGGINGFACE_CLIENT_SECRET": "Its secret.",
    "ORCID_CLIENT_ID": (
        "Of a client of ORCID's public API by which people may sign in; empty: nobody does."
    ),
    "ORCID_CLIENT_SECRET": "Its secret.",
    "LOG_LEVEL": "`DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`.",
}
HEAD = """# Settings

Written by `make environment-reference` from the source of the settings; do not edit it here.
Variables come from the environment, or from `.env` beside `manage.py`, which `make setup` writes.
A wrong value stops start-up with a sentence; an empty one counts as not set.

| variable | type | default | meaning |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Variable:
    name: str
    type: str
    default: str


class DescriptionError(Exception):
    """Settings and sentences do not fit; the message says where."""


def variables(source: str) -> Iterator[Variable]:
    """Every `env.<type>(name, default)` of the source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and (type_name := read_type(node)):
            yield Variable(
                name_of(node.args[0]), TYPES[type_name] + bounds_of(node), default_of(node.args[1:])
            )


def read_type(call: ast.Call) -> str:
    """The name of the reading method of `env`; empty for any other call."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="env"), attr=name) if name != "read_env":
            return name
    return ""


def bounds_of(call: ast.Call) -> str:
    """What stands in `validate=between(least, most)`."""
    for keyword in call.keywords:
        match keyword.value:
            case ast.Call(func=ast.Name(id="between"), args=[least, most]):
                return f", {ast.literal_eval(least):,} to {ast.literal_eval(most):,}"
    return ""


def name_of(node: ast.expr) -> str:
    """A constant, or an f-string whose only value is the alias of an endpoint."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else ALIAS for part in node.values
        )
    assert isinstance(node, ast.Constant)
    return str(node.value)


def default_of(rest: Sequence[ast.expr]) -> str:
    """As a person would write it into a file of variables; an expression of other settings as its
    source."""
    if not rest:
        return "none: must be set"
    try:
        value = ast.literal_eval(rest[0])
    except ValueError:
        source = ast.unparse(rest[0])
        return f"`{source[2:-1]}`" if isinstance(rest[0], ast.JoinedStr) else f"`{source}`"
    return f"`{written(value)}`" if value not in ("", [], {}) else "empty"


def written(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(written, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def reference(source: str) -> str:
    """In the order of the sentences."""
    found = {variable.name: variable for variable in variables(source)}
    if odd := found.keys() ^ MEANINGS.keys():
        raise DescriptionError(
            f"deploy/describe_environment.py and the settings differ in {', '.join(sorted(odd))}."
        )
    rows = [(found[name], meaning) for name, meaning in MEANINGS.items()]
    return HEAD + "".join(
        f"| `{v.name}` | {v.type} | {v.default} | {meaning} |\n" for v, meaning in rows
    )


def main(arguments: Sequence[str]) -> int:
    try:
        text = reference("".join(source.read_text("utf-8") for source in SOURCES))
    except DescriptionError as error:
        print(error, file=sys.stderr)
        return 1
    if "--check" not in arguments:
        REFERENCE.write_text(text, "utf-8")
    elif REFERENCE.read_text("utf-8") != text:
        print(
            "docs/operator/settings.md is out of date; run `make environment-reference`.",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
