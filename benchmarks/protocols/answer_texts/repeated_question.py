"""Answers that hold their own question: it is taken out before offline rules read them.

A question has the words of many a correct answer ("Is it red or blue?"), so giving it back would
earn something. Only its letters and digits are compared, without case and whatever stands between
them: quoted, marked or on several lines, it is found. Time grows with length alone.
"""

import re
from functools import lru_cache

LEAST_LETTERS = 6  # shorter questions ("Colour") may stand in an honest answer
_QUESTIONS = 4096  # of a release or two, 1 MB: every submission to it is read with the same ones
_AFTER = re.compile(r"[\s?？¿]*+")


def without_question(answer: str, question: str) -> str:
    """The answer without every occurrence of the question, each replaced by a blank; as it is where
    there is none.

    >>> without_question("Is it red or blue? Blue.", "Is it red, or blue?")
    ' Blue.'
    """
    asked = _asked(question)
    if (
        len(asked) < LEAST_LETTERS or len(answer) < len(asked) // 3
    ):  # no letter folds into more than three
        return answer
    said = _folded(answer)
    if asked not in said:
        return answer
    places = _places(answer)
    pieces = []
    kept_from = searched_from = 0
    while (found := said.find(asked, searched_from)) >= 0:
        pieces.append(answer[kept_from : places[found]])
        searched_from = found + len(asked)
        kept_from = _end_of_question(answer, places[searched_from - 1] + 1)
    return " ".join([*pieces, answer[kept_from:]])


def _end_of_question(answer: str, after: int) -> int:
    marks = _AFTER.match(answer, after)
    return marks.end() if marks else after


@lru_cache(maxsize=_QUESTIONS)
def _asked(question: str) -> str:
    return _folded(question)


def _folded(text: str) -> str:
    """Letters and digits without case. Nearly no answer holds its question, and this is ten times
    as quick as to say where each of them stood."""
    return "".join(filter(str.isalnum, text)).casefold()


def _places(text: str) -> list[int]:
    """The place in the text of each letter and digit of `_folded`."""
    return [
        place
        for place, character in enumerate(text)
        if character.isalnum()
        for _ in character.casefold()
    ]
