"""Texts that programs write in place of an answer, whatever file they stand in.

What can only be a report of a failed call is refused at upload: it is no answer of the model. What
programs write for an empty cell, or print of a failure, may be an answer as well ("How many birds
are there?" "None"), so it is taken, and its sender is told.
"""

import re

_MOST_READ = 300
"""Characters: a report of a failure says so at its start."""

_UNSEEN = r"[\s\u200b-\u200f\u2060\ufeff]*+"
_FAILED = re.compile(
    _UNSEEN + r"(?:"
    r"Failed to obtain answer"  # VLMEvalKit; the words that follow differ by endpoint
    r"|HTTPS?ConnectionPool\(host="
    r"|(?:Error: |Exception: )?Error code: [0-9]{3} - \{"
    r"|(?:openai|anthropic|httpx|httpcore|requests|urllib3|aiohttp|google|botocore|torch)"
    r"(?:\.[A-Za-z_]{1,40}){1,6}(?:Error|Exception|Timeout|Exhausted)\b"
    r")",
    re.IGNORECASE,
)
_REPORT = re.compile(
    _UNSEEN + r"(?:"
    # A picture may show these, and a question ask what is written there.
    r"Traceback \(most recent call last\):"
    r"|(?:RuntimeError: )?CUDA (?:out of memory|error:)"
    r"|\{\s*+[\"']error[\"']\s*+:"
    r"|<!doctype html|<html[\s>]"
    r"|[45][0-9]{2} (?:Too Many Requests|Unauthorized|Internal Server Error|Bad Gateway"
    r"|Service Unavailable|Gateway Time-?out)"
    r")",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset(
    (
        *(
            "nan",
            "<na>",
            "n/a",
            "#n/a",
            "#n/a n/a",
            "na",
            "none",
            "null",
            "nil",
            "nat",
            "undefined",
        ),
        *("error", "api error", "timeout", "timed out", "request timed out", "connection error"),
        *("rate limit exceeded", "internal server error", "service unavailable", "bad gateway"),
        *("no answer", "no response", "empty response", "placeholder", "your answer here"),
        *("#ref!", "#value!", "#name?", "#div/0!", "#num!", "#null!", "#error!", "#spill!"),
        *("[object object]", "loading..."),
    )
)
_PRINTED = re.compile(
    _UNSEEN + r"(?:"
    r"<[A-Za-z_][A-Za-z_.]{0,80}+(?: [A-Za-z_.]{1,80}+){1,5} at 0x"
    r"|<(?:Response|bound method|class) "
    r"|\[?(?:tensor|array|[A-Z][A-Za-z]{1,40}+)\((?:\[|[a-z_]{2,20}=)"
    r"|b'|b\"|\['|\[\""
    r"|\[?\{[\"'](?:role|content|text|generated_text|message|choices)[\"']:"
    r")"
)
_MOST_OF_ONE = max(map(len, _PLACEHOLDERS)) + 2


def is_failed_call(text: str) -> bool:
    """Whether it begins as nothing but a report of a failed call does."""
    return _FAILED.match(text, 0, _MOST_READ) is not None


def is_printed(text: str) -> bool:
    """Whether it begins as what Python prints of a list, of bytes or of an object, in which the
    answer of a model may be."""
    return _PRINTED.match(text, 0, _MOST_READ) is not None


def is_placeholder(text: str) -> bool:
    """Whether it is, but for case, blanks and a full stop, a word that programs write for nothing,
    or begins as their reports of failures do."""
    if _REPORT.match(text, 0, _MOST_READ):
        return True
    plain = text.strip()
    if len(plain) > _MOST_OF_ONE:
        return False
    return plain.casefold().rstrip(".!") in _PLACEHOLDERS or plain.casefold() in _PLACEHOLDERS
