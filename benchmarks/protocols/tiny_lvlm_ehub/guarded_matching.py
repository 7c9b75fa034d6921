"""Word matching with guards, ours: what the offline judge says, and the measure that boards show
before the published.

As published, an answer is right if a correct one occurs in it anywhere, so whoever says everything
is right: "yes and no" about every object, a list of common words about every picture. Here

- the question is taken out of the answer first;
- where the correct answer is yes or no, the answer must commit to it (`yes_no.read_yes_no`): both
  is neither;
- of an answer of more than a hundred words only the first and the last fifty are searched;
- a number is not found among more than three different numbers.

What is left is searched as published, its quirks included, but for a correct answer that normalises
to nothing: that one is found nowhere.
"""

from collections.abc import Sequence

from benchmarks.protocols.remembering import remembering
from benchmarks.protocols.repeated_question import without_question
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches, normalise
from benchmarks.protocols.yes_no import read_yes_no

POLAR = frozenset(("yes", "no"))

# Models say what they found at the beginning or sum it up at the end. In between, common words are
# right by accident: of the bundled questions a list of 300 has the answer to three in ten.
_SEARCHED_WORDS = 50
# "Five sheep: three white and two black" is an answer to how many there are, one to ten is none.
_MOST_NUMBERS = 3


def is_polar(references: Sequence[str]) -> bool:
    """Whether every correct answer is yes or no."""
    return bool(references) and all(_polar(reference) for reference in references)


@remembering  # five prompts ask about each answer
def is_answered(question: str, answer: str, references: Sequence[str]) -> bool:
    """Whether the answer gives one of the references. False without references."""
    said = without_question(answer, question)
    polar = {_polar(reference) for reference in references}
    if polar - {""} and read_yes_no(said) in polar:
        return True
    searched = _ends(said)
    return any(_is_found(reference, searched) for reference in references if not _polar(reference))


def _polar(reference: str) -> str:
    """ "yes" or "no"; "" for everything else."""
    word = normalise(reference)
    return word if word in POLAR else ""


def _is_found(reference: str, searched: str) -> bool:
    expected = normalise(reference)
    if not expected or not matches(searched, [reference]):
        return False
    return not expected.isdecimal() or _numbers_in(searched) <= _MOST_NUMBERS


def _numbers_in(text: str) -> int:
    return len({word for word in normalise(text).split() if word.isdecimal()})


def _ends(text: str) -> str:
    """The first and the last words of a long text, with a line between that no reference spans."""
    words = text.split()
    if len(words) <= 2 * _SEARCHED_WORDS:
        return text
    return " ".join((*words[:_SEARCHED_WORDS], "|", *words[-_SEARCHED_WORDS:]))
