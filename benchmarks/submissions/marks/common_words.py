"""Words that stand at the same end of nearly all answers of a submission, "Well" before each for
instance: dress, left out where answers are compared with those of other submissions. Plain
Python."""

from collections import Counter
from collections.abc import Iterator, Sequence

SHARE = 0.9
"""Of the answers. Were it all of them, one answer without the word would keep it in the others."""
HALF = 0.5
ENOUGH = 10
"""Shares of fewer answers say nothing."""
VERDICTS = frozenset(("yes", "no"))
"""Where an answer begins so, this is what it says: with the other one it is another answer."""
LONGEST_WORD = 40
"""Characters; a longer run of letters is not looked at. So a round costs the same however long the
answers are."""


def without_common_words(forms: Sequence[str]) -> list[str]:
    """The equal form of each answer of one submission without the words nearly all of them begin or
    end with.

    Word by word, the most frequent one first, while half of the answers have another word: of
    constant answers one is left. Every round but the last takes a word from nearly all answers, so
    it is linear in their length. Words are what blanks part: scripts without blanks have none.
    """
    given = [form for form in forms if form]
    if len(given) < ENOUGH:
        return list(forms)
    ends = [(0, len(form)) for form in given]
    while found := most_common_end(given, ends):
        is_first, word = found
        size = len(word)
        for n, (start, stop) in enumerate(ends):
            if word_at(given[n], start, stop, is_first=is_first) == word:
                ends[n] = (start + size + 1, stop) if is_first else (start, stop - size - 1)
    left = (form[start:stop] for form, (start, stop) in zip(given, ends, strict=True))
    return [next(left) if form else "" for form in forms]


def most_common_end(
    forms: Sequence[str], ends: Sequence[tuple[int, int]]
) -> tuple[bool, str] | None:
    """Whether it is a first word, and the word, of those that nearly all answers of several words
    have."""
    several = sum(" " in form[slice(*near_start(*e))] for form, e in zip(forms, ends, strict=True))
    if several <= HALF * len(forms):
        return None
    counts = Counter(words_at_ends(forms, ends))
    for (is_first, word), count in counts.most_common():
        if count < SHARE * several:
            return None
        if not (is_first and word in VERDICTS):
            return is_first, word
    return None


def words_at_ends(
    forms: Sequence[str], ends: Sequence[tuple[int, int]]
) -> Iterator[tuple[bool, str]]:
    for form, (start, stop) in zip(forms, ends, strict=True):
        for is_first in (False, True):
            if word := word_at(form, start, stop, is_first=is_first):
                yield is_first, word


def word_at(form: str, start: int, stop: int, *, is_first: bool) -> str:
    """The first or last word between two places; empty where it is the only one, or too long."""
    if is_first:
        blank = form.find(" ", *near_start(start, stop))
        return form[start:blank] if blank >= 0 else ""
    blank = form.rfind(" ", max(start, stop - LONGEST_WORD - 1), stop)
    return form[blank + 1 : stop] if blank >= 0 else ""


def near_start(start: int, stop: int) -> tuple[int, int]:
    return start, min(stop, start + LONGEST_WORD + 1)
