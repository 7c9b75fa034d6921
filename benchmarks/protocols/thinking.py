"""What models that reason aloud put before their answer: whole `<think>` blocks, which are no part of it.

One place for every benchmark: answers are read without them (`files.collect_answers`), so no judge, rule or count ever
looks into one. Replies of judges have their own, stricter reading (`replies`).
"""

import re

OPENING, CLOSING = "<think>", "</think>"
_BLANKS = re.compile(r"\s*")


def without_thoughts(answer: str) -> str:
    """The answer after the `<think>` blocks it begins with; as it is where they do not come out whole.

    Left alone: a block that does not end, one inside another, and any answer in which a tag would remain. Where the
    answer begins is then a guess, and a wrong guess would judge what nobody answered. "" where nothing follows.
    Time and room grow with the length alone.
    """
    start = _skip_blanks(answer, 0)
    while answer.startswith(OPENING, start):
        end = answer.find(CLOSING, start)
        if end < 0 or answer.find(OPENING, start + len(OPENING), end) >= 0:
            return answer
        start = _skip_blanks(answer, end + len(CLOSING))
    rest = answer[start:]
    return answer if has_thinking_tag(rest) or CLOSING not in answer else rest


def has_thinking_tag(text: str) -> bool:
    return OPENING in text or CLOSING in text


def _skip_blanks(text: str, start: int) -> int:
    found = _BLANKS.match(text, start)
    return found.end() if found else start
