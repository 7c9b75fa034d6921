"""Word matching with guards, ours: what the offline judge says, and the measure that boards show
before the published.

As published, an answer is right if a correct one occurs in it anywhere, so whoever says everything
is right: "yes and no" about every object, a list of common words about every picture. Here

- the question is taken out of the answer first;
- where the correct answer is yes or no, the answer must commit to it (`yes_no.read_yes_no`): both
  is neither;
- letters of full width, curly apostrophes, hyphens of other kinds and what nobody sees are as plain
  ones, and a sign at the end of a correct answer needs no letter behind it: "100%" is found in
  "100%" and in "100 %";
- what the answer denies ("not a teapot", "2 sheep, not 3"), takes back ("it looks like a teapot,
  but it is a cup") or only guesses at ("either a cat, a dog or a teapot") is not found
  (`asserted`);
- a number is found as a whole: 3 not in "3.5", "2 or 3" or "more than 3", 1 not in "twenty-one",
  where 21 is (`numbers_said`);
- of an answer of more than a hundred words only the first and the last fifty are searched;
- a number is not found among more than three different numbers.

What is left is searched as published, but for a correct answer that normalises to nothing: that one
is found nowhere.
"""

import re
from collections.abc import Sequence

from benchmarks.protocols.answer_texts.normal_forms import MOST_READ, normalised
from benchmarks.protocols.answer_texts.repeated_question import without_question
from benchmarks.protocols.answer_texts.yes_no import read_yes_no
from benchmarks.protocols.remembering import remembering
from benchmarks.protocols.tiny_lvlm_ehub.asserted import asserts
from benchmarks.protocols.tiny_lvlm_ehub.numbers_said import whole_numbers
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches, normalise

POLAR = frozenset(("yes", "no"))

# Models say what they found at the beginning or sum it up at the end. In between, common words are
# right by accident: of the bundled questions a list of 300 has the answer to three in ten.
_SEARCHED_WORDS = 50
# "Five sheep: three white and two black" is an answer to how many there are, one to ten is none.
_MOST_NUMBERS = 3
_VARIANTS: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\u2019\u2018\u02bc\u00b4`"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff")),
}
_BEFORE_SIGN = re.compile(r"(?<=\d)\s(?=[%°])")


def is_polar(references: Sequence[str]) -> bool:
    """Whether every correct answer is yes or no."""
    return bool(references) and all(_polar(reference) for reference in references)


@remembering  # five prompts ask about each answer
def is_answered(question: str, answer: str, references: Sequence[str]) -> bool:
    """Whether the answer gives one of the references. False without references."""
    said = plain(without_question(answer, question))
    polar = {_polar(reference) for reference in references}
    if polar - {""} and read_yes_no(said) in polar:
        return True
    searched = _ends(said)
    return any(
        _is_found(plain(reference), searched) for reference in references if not _polar(reference)
    )


def plain(text: str) -> str:
    """Without variants of width, apostrophes and hyphens, which are no other word."""
    return _BEFORE_SIGN.sub("", normalised(text, most=MOST_READ).translate(_VARIANTS))


def _polar(reference: str) -> str:
    """ "yes" or "no"; "" for everything else."""
    word = normalise(reference)
    return word if word in POLAR else ""


def _is_found(reference: str, searched: str) -> bool:
    expected = normalise(reference)
    if expected.isdecimal() and not reference.lstrip().startswith("-"):
        searched = whole_numbers(searched)
    if not expected or not (matches(searched, [reference]) or _ends_in_sign(expected, searched)):
        return False
    if not asserts(searched, expected):
        return False
    return not expected.isdecimal() or _numbers_in(searched) <= _MOST_NUMBERS


def _ends_in_sign(expected: str, searched: str) -> bool:
    """As published, "100%" is found in "100%x" alone."""
    if expected[0].isalnum() and expected[-1].isalnum():
        return False
    return f" {expected} " in f" {normalise(searched)} "


def _numbers_in(text: str) -> int:
    return len({word for word in normalise(text).split() if word.isdecimal()})


def _ends(text: str) -> str:
    """The first and the last words of a long text, with a line between that no reference spans."""
    words = text.split()
    if len(words) <= 2 * _SEARCHED_WORDS:
        return text
    return " ".join((*words[:_SEARCHED_WORDS], "|", *words[-_SEARCHED_WORDS:]))
