"""The official word matching of Tiny LVLM-eHub, its faults included, so that its numbers can be
compared.

The paper says an answer is correct if it occurs in the reference; the code asks whether a reference
occurs in the answer. We do as the code does (tiny_lvlm_evaluation/utils/tools.py at dd3839d). It
prepares both sides as the VQA evaluation script does. Faults of it that change verdicts are marked
"Quirk" where they happen; more follow from them: "yes ... no" is right for the reference "yes" and
for "no", and a paraphrase is wrong.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from benchmarks.protocols.answer_texts.thinking import without_thoughts
from benchmarks.protocols.remembering import remembering

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_DIGIT_COMMA_DIGIT = re.compile(r"\d,\d")

# Quirk: a period after a digit was meant to stay too ("3. "), but the look-behind is written
# (?!<=\d), which looks ahead for the text "<=" and never objects. Only a digit after the period
# saves it.
_PERIOD = re.compile(r"\.(?!\d)")
# Quirk: re.UNICODE, which is 32, stands where `sub` takes the number of replacements. Later periods
# stay.
_MOST_PERIODS = 32

_ARTICLES = frozenset(("a", "an", "the"))
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {"none": "0"} | {word: str(number) for number, word in enumerate(_COUNTED)}

# The official table has every way to lose one apostrophe of these. It also has keys that are never
# met in lower case (Im, Ive, Id've, I'dve) and two that change nothing. Quirk: these two are let's
# and she's, written for lets and shes, which therefore stay as they are.
_RESTORED = """
    ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't
    haven't he'd he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am might've mightn't
    mightn't've must've mustn't needn't not've o'clock oughtn't 'ow's'at shan't she'd've should've
    shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd someone'd've someone'll
    someone's something'd something'd've something'll that's there'd there'd've there're there's
    they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're
    what's what've when's where'd where's where've who'd who'd've who'll who's who've why'll
    why're why's won't would've wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've
    you'll you're you've
""".split()  # noqa: SIM905 - a list of words reads better than a list of strings
_CONTRACTIONS = {
    word[: found.start()] + word[found.end() :]: word
    for word in _RESTORED
    for found in re.finditer("'", word)
} | {"somebody'd": "somebodyd"}  # Quirk: key and value of this row are exchanged.

# The official steps are numbers, then articles, then contractions. One look-up does for all,
# because what a step writes is never read by a later one.
_REPLACED = _NUMBERS | _CONTRACTIONS

_REMEMBERED = 1 << 15
"""References and patterns kept; a release of the suite has about 2,000 rows of one to ten
references."""


@remembering
def matches(answer: str, references: Sequence[str]) -> bool:
    r"""Whether any reference occurs in the answer as whole words, both normalised. False without
    references.

    The official search is for \b + the escaped reference + \b, so a reference is never read as a
    pattern and always compiles. What follows from the two \b:

    - Quirk: a reference that begins or ends with a symbol needs a letter or digit beside the
      symbol: "100%" is not found in "100%", only in "100%x".
    - Quirk: a reference that normalises to nothing ("The", "?") is found in every answer with a
      letter or digit left.
    """
    normalised = normalise(answer)
    # Quirk not kept: the official code normalises the references inside the caller's list, so a
    # list that is used again is normalised twice. Ours leaves it alone; the first use gives the
    # same result.
    return any(_occurs(_normalised_reference(reference), normalised) for reference in references)


def _occurs(reference: str, answer: str) -> bool:
    """`in` is the cheap half: where the text is not there at all no pattern is compiled."""
    return reference in answer and _whole_words(reference).search(answer) is not None


@lru_cache(_REMEMBERED)
def _whole_words(reference: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(reference)}\b")


def normalise(text: str) -> str:
    """Lower-case words joined by single blanks: no articles, no marks, numbers up to ten as digits,
    apostrophes back.

    Doing it twice is doing it once where at most 32 periods are to go. Empty texts and texts of
    marks give "".
    """
    plain = _without_marks(text.replace("\n", " ").replace("\t", " ").strip())
    if "." in plain:
        plain = _PERIOD.sub("", plain, count=_MOST_PERIODS)
    return " ".join(
        [_REPLACED.get(word, word) for word in plain.lower().split() if word not in _ARTICLES]
    )


def equal_form(answer: str) -> str:
    """Answers with the same one match the same references: what tells submissions of equal
    answers."""
    return normalise(without_thoughts(answer))


_normalised_reference = lru_cache(_REMEMBERED)(normalise)


def _without_marks(text: str) -> str:
    """Every mark is deleted or replaced by a blank, all occurrences alike.

    Quirk: one occurrence beside a blank decides for all of its kind, "x-ray - b" -> "xray  b" but
    "x-ray" -> "x ray". Quirk: one digit-comma-digit anywhere deletes all marks of every kind,
    "1,000 x-rays" -> "1000 xrays". Both look at the text as it came, so the order of the marks does
    not matter.
    """
    present = [mark for mark in _MARKS if mark in text]
    if not present:
        return text
    has_thousands = "," in present and _DIGIT_COMMA_DIGIT.search(text) is not None
    plain = text
    for mark in present:
        is_deleted = has_thousands or f"{mark} " in text or f" {mark}" in text
        plain = plain.replace(mark, "" if is_deleted else " ")
    return plain


@remembering
def shared_tokens(answer: str, references: Sequence[str]) -> tuple[int, int, int]:
    """Numbers of tokens (matched, in the answer, in the reference) for a micro F1 over many
    answers.

    Tokens stand between blanks and are compared as they are, case included; each of the reference
    is matched at most once. Of several references the one with the best F1 counts, the first of
    equals. Without references or with an empty answer nothing is matched: what the F1 of nothing
    is, is for the caller to say, for the official code divides by zero there
    (LVLM_evaluation/utils/kie.py, which knows one reference only).
    """
    said = Counter(answer.split())
    predicted = said.total()
    if not references:
        return 0, predicted, 0
    best_matched, best_length = _overlap(said, references[0])
    for reference in references[1:]:
        matched, length = _overlap(said, reference)
        # F1 = 2 matched / (predicted + length), compared crosswise: exact, and nothing is divided
        if matched * (predicted + best_length) > best_matched * (predicted + length):
            best_matched, best_length = matched, length
    return best_matched, predicted, best_length


def _overlap(said: Counter[str], reference: str) -> tuple[int, int]:
    expected = Counter(reference.split())
    return (said & expected).total(), expected.total()
