"""Words that stand at the same end of nearly all answers of a submission, "Well" before each for
instance: dress, left out where answers are compared with those of other submissions. Plain
Python."""

from collections import Counter
from collections.abc import Sequence

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
    starts, stops = [0] * len(given), [len(form) for form in given]
    firsts = [first_word(form, 0, len(form)) for form in given]
    lasts = [last_word(form, 0, len(form)) for form in given]
    while found := most_common_end(firsts, lasts):
        is_first, word = found
        step = len(word) + 1
        # Only words at the end that gave one are looked for anew, and where both ends are near each
        # other those at the other end.
        for n, form in enumerate(given):
            if (firsts if is_first else lasts)[n] != word:
                continue
            if is_first:
                starts[n] += step
            else:
                stops[n] -= step
            start, stop = starts[n], stops[n]
            is_short = stop - start <= LONGEST_WORD
            if is_first or is_short:
                firsts[n] = first_word(form, start, stop)
            if not is_first or is_short:
                lasts[n] = last_word(form, start, stop)
    left = (form[start:stop] for form, start, stop in zip(given, starts, stops, strict=True))
    return [next(left) if form else "" for form in forms]


def most_common_end(
    firsts: Sequence[str | None], lasts: Sequence[str | None]
) -> tuple[bool, str] | None:
    """Whether it is a first word, and the word, of those that nearly all answers of several words
    have; of equally frequent ones the one that is met first."""
    several = len(firsts) - firsts.count(None)
    if several <= HALF * len(firsts):
        return None
    found = [
        (-count, words.index(word), is_first, word)
        for is_first, words in ((False, lasts), (True, firsts))
        for word, count in Counter(words).items()
        if word and count >= SHARE * several and not (is_first and word in VERDICTS)
    ]
    return min(found)[2:] if found else None


def first_word(form: str, start: int, stop: int) -> str | None:
    """What stands between two places before the first blank; None where it is the only word, or too
    long."""
    blank = form.find(" ", start, min(stop, start + LONGEST_WORD + 1))
    return form[start:blank] if blank >= 0 else None


def last_word(form: str, start: int, stop: int) -> str | None:
    """The last word of a text."""
    blank = form.rfind(" ", max(start, stop - LONGEST_WORD - 1), stop)
    return form[blank + 1 : stop] if blank >= 0 else None
