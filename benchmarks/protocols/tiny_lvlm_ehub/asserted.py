"""Does an answer say that something is there, or that it is not?

"It is not a teapot" holds the word teapot and denies it; "2 sheep, not 3" denies the 3; "either a
cat, a dog or a teapot" commits to none. Clauses are read one by one, each normalised as word
matching does. Time grows with length alone.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from benchmarks.protocols.tiny_lvlm_ehub.word_matching import normalise

_TURN = r"(?<!\w)(?:but|whereas|while|although|though|perhaps|maybe|rather|instead|actually)(?!\w)"
_CLAUSE = re.compile(rf"[,;:!?()\n–—]|\.(?!\d)|--|(?={_TURN})(?!rather than|instead of)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_DENIAL = (
    r"(?<!\w)(?:not|0|no|never|neither|nor|without|cannot|hardly|except|unlike|far from|instead of"
    r"|rather than|other than|[a-z]+n't) (?!(?:only|just|merely|sure)(?!\w))"
)
"""Word matching writes "none" as 0, and 0 before a word is none of it."""
_BETWEEN = (
    r"(?:(?:be|is|are|was|were|have|has|show|see|seen|contain|look|like|any|some|really|actually"
    r"|exactly|to|kind|sort|type|of|called|single|visible|there|this|that|in|fact|seem|appear|say"
    r"|quite|necessarily) ){0,5}"
)
_SHORT = 3  # words of an item of a list
_MOST_GUESSES = 2  # "a cup or mug" is one thing in two words
_BARE_LIST = 6
"""Items that are nothing but a list of guesses: six things in answer to what is seen are tried
out."""
_EITHER = re.compile(r"(?<!\w)either (?!way|side|end|hand)")
_OR = re.compile(r"(?<!\w)or(?!\w)")
_STATES = re.compile(r"(?<!\w)(?:is|are|was|were|it's|that's|there's|has|have|shows?)(?!\w)")


def says(answer: str, reference: str) -> bool:
    """Whether the answer, in which the normalised reference was found as whole words, commits to
    it somewhere. True where it stands across clauses, which nothing here reads."""
    clauses = clauses_of(answer)
    if not any(_word(reference).search(clause) for clause in clauses):
        return True
    return not is_guessed(clauses) and is_asserted(clauses, reference)


def clauses_of(answer: str) -> list[str]:
    """Normalised, without those of which nothing is left."""
    parts = _CLAUSE.split(_THOUSANDS.sub("", answer.lower()))
    return [clause for clause in map(normalise, parts) if clause]


def is_asserted(clauses: Sequence[str], reference: str) -> bool:
    """Whether it stands anywhere undenied. A list goes on being denied: "not a cat, a dog or a
    teapot"."""
    is_list_denied = False
    for clause in clauses:
        is_list_denied = is_list_denied and goes_on(clause)
        left = _denied(reference).sub(" ", clause)
        if _word(reference).search(left) and not is_list_denied:
            return True
        is_list_denied = is_list_denied or re.search(_DENIAL, clause) is not None
    return False


def is_guessed(clauses: Sequence[str]) -> bool:
    """Whether it is a choice left open, or of three or more, or things and nothing else."""
    text = " ".join(clauses)
    pieces = [piece for clause in clauses for piece in _OR.split(clause) if piece.strip()]
    items = sum(map(is_item, pieces))
    if _EITHER.search(text):
        return True
    is_choice = _OR.search(text) is not None and len(pieces) > _MOST_GUESSES
    return (is_choice and items >= len(pieces) - 1) or items == len(pieces) >= _BARE_LIST


def is_item(words: str) -> bool:
    return len(words.split()) <= _SHORT and not _STATES.search(words)


def goes_on(words: str) -> bool:
    """Whether a clause is one more item of the list before it."""
    return is_item(words) and re.match(_TURN, words) is None


@lru_cache(1 << 12)
def _word(reference: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(reference)}(?!\w)")


@lru_cache(1 << 12)
def _denied(reference: str) -> re.Pattern[str]:
    return re.compile(rf"{_DENIAL}{_BETWEEN}{re.escape(reference)}(?!\w)")
