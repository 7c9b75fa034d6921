"""What models that reason aloud put before their answer: whole `<think>` blocks, which are no part
of it.

One place for every benchmark: answers are read without them (`files.collect_answers`), so no judge,
rule or count ever looks into one. Replies of judges have their own, stricter reading (`replies`).
"""

import re

OPENING, CLOSING = "<think>", "</think>"
_BLANKS = re.compile(r"\s*")
_TAG = re.compile(r"<(/?)(think|thinking)>", re.IGNORECASE)
# What editors and converters leave at the beginning of a text: marks of byte order, joiners and
# marks of direction.
_UNSEEN = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]*")


def answer_alone(text: str) -> str:
    """What a model answered in a text as it wrote it; the text as it is where that cannot be told.

    Taken out: whole blocks at the beginning, of `<think>` or `<thinking>` in upper or lower case,
    also behind invisible characters; and all up to the one tag of a text if that is a closing one
    with an answer behind it, for chat templates write the opening one. Otherwise as
    `without_thoughts`. Time and room grow with the length alone.
    """
    tags = list(_TAG.finditer(text))
    if len(tags) == 1 and tags[0][1]:
        return text[_after(_BLANKS, text, tags[0].end()) :] or text
    start = 0
    for opening, closing in zip(tags[::2], tags[1::2], strict=False):
        is_next = opening.start() == _after(_UNSEEN, text, start)
        if not is_next or not _is_block(opening, closing):
            return text
        start = closing.end()
    return text if len(tags) % 2 or not tags else text[_after(_BLANKS, text, start) :]


def has_thinking_tag(text: str) -> bool:
    return _TAG.search(text) is not None


def _is_block(opening: re.Match[str], closing: re.Match[str]) -> bool:
    return not opening[1] and bool(closing[1]) and opening[2].lower() == closing[2].lower()


def without_thoughts(answer: str) -> str:
    """The answer after the `<think>` blocks it begins with, in exactly this writing: how rules of
    stored versions read answers that were stored before `answer_alone` was. Another reading here is
    another version of those rules.

    Left alone: a block that does not end, one inside another, and any answer in which a tag would
    remain. Where the answer begins is then a guess, and a wrong guess would judge what nobody
    answered. "" where nothing follows. Time and room grow with the length alone.
    """
    start = _after(_BLANKS, answer, 0)
    while answer.startswith(OPENING, start):
        end = answer.find(CLOSING, start)
        if end < 0 or answer.find(OPENING, start + len(OPENING), end) >= 0:
            return answer
        start = _after(_BLANKS, answer, end + len(CLOSING))
    rest = answer[start:]
    is_whole = OPENING not in rest and CLOSING not in rest and CLOSING in answer
    return rest if is_whole else answer


def _after(what: re.Pattern[str], text: str, start: int) -> int:
    found = what.match(text, start)
    return found.end() if found else start
