"""Which answers say nothing, the same for the notes at upload and for the floor at judging.

Empty ones, and ones that are nothing but an opening phrase: "Solution", "Thought process:", "Let's
solve this problem step by step." Some judges call these right although no answer follows. They are
told by a list, so the floor needs no judge. An answer that goes on after its opening is put to the
judge, and so is one that is the correct answer.
"""

import re
from collections.abc import Iterable
from functools import cache

from benchmarks.protocols.answer_texts.invisible import FILLERS
from benchmarks.protocols.answer_texts.normal_forms import normalised_pieces
from benchmarks.protocols.answer_texts.openings import OPENINGS, Row

EMPTY = "The answer is empty."
BARE_OPENING = "The answer is nothing but an opening phrase."
_MOST_LETTERS = 1000
"""Of a text that is compared: a hundred phrases one after the other, and all that is looked at of
any answer."""

_BETWEEN = re.compile(f"[\\W_{''.join(sorted(FILLERS))}]+")


def is_empty_answer(text: str) -> bool:
    """No letter and no digit of any script: empty, blank, invisible, or only symbols."""
    return not any(character.isalnum() and character not in FILLERS for character in text)


def is_bare_opening(text: str, correct: Iterable[str] = ()) -> bool:
    """Opening phrases alone, one or several, up to a thousand letters, and none of the `correct`
    answers.

    Only letters and digits are compared, without differences of case and width.
    """
    bare = _bare(text)
    if bare is None or not _openings().fullmatch(bare):
        return False
    return bare not in map(_bare, correct)


def floor_reason(answer: str, correct: Iterable[str] = ()) -> str:
    """Why an answer gets the floor without a call; "" where a judge is to be asked."""
    if is_empty_answer(answer):
        return EMPTY
    return BARE_OPENING if is_bare_opening(answer, correct) else ""


def _bare(text: str) -> str | None:
    """Letters and digits alone, None where there are too many: the rest of such a text is not even
    read."""
    found: list[str] = []
    room = _MOST_LETTERS
    for piece in normalised_pieces(text):
        found.append(_BETWEEN.sub("", piece.casefold()))
        room -= len(found[-1])
        if room < 0:
            return None
    return "".join(found)


def _pattern(row: Row) -> str:
    parts = (
        sorted({_bare(choice) or "" for choice in part.split("|")}, key=len, reverse=True)
        for part in row
    )
    return "".join(f"(?:{'|'.join(part)})" for part in parts)


@cache  # compiled when first asked: 30 ms that no start needs
def _openings() -> re.Pattern[str]:
    # Atomic and possessive, so that no text takes longer than its length.
    return re.compile(f"(?>{'|'.join(map(_pattern, OPENINGS))})++")
