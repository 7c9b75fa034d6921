"""When two answers say the same in the same words, whatever their case, blanks and marks.

A protocol whose scoring reads answers more loosely names a form of its own
(BenchmarkProtocol.equal_form).
"""

import re
import unicodedata

from benchmarks.protocols.normal_forms import MOST_GROWTH, normalised
from benchmarks.protocols.thinking import without_thoughts

# 1.5 is not 15, 3/4 is not 34 and -2 is not 2: these marks are part of a number, all others are
# dress.
_OF_A_NUMBER = re.compile(r"(?<=\d)[.,:/](?=\d)|(?<!\w)[-\u2212](?=\d)")


def letters_and_digits(text: str) -> str:
    """Words of letters with their accents and vowel signs, digits and the marks of numbers, without
    case and without the thoughts before it, a blank between them; the text itself, stripped, where
    that leaves nothing.

    >>> letters_and_digits("Yes, 1.5!") == letters_and_digits("yes 1.5")
    True
    """
    said = without_thoughts(text)
    plain = normalised(said, most=MOST_GROWTH * len(said)).casefold()
    kept = {found.start() for found in _OF_A_NUMBER.finditer(plain)}
    words = "".join(
        c if c.isalnum() or place in kept or is_sign(c) else " " for place, c in enumerate(plain)
    )
    return " ".join(words.split()) or said.strip()


def is_sign(character: str) -> bool:
    """An accent, or a vowel sign of the scripts that write vowels so: another one makes another
    word."""
    return not character.isascii() and unicodedata.category(character)[0] == "M"
