"""When two answers say the same in the same words, whatever their case, blanks and marks.

A protocol whose scoring reads answers more loosely names a form of its own
(BenchmarkProtocol.equal_form).
"""

import re
import unicodedata

from benchmarks.protocols.answer_texts.normal_forms import normalised
from benchmarks.protocols.answer_texts.thinking import without_thoughts

# Whatever str.isalnum says no to. But 1.5 is not 15, 3/4 is not 34 and -2 is not 2: these marks are
# part of a number, all others are dress.
_DRESS = re.compile(r"(?!(?<=\d)[.,:/](?=\d)|(?<!\w)[-\u2212](?=\d))[\W_]")

_MOST_GROWTH = 3  # "½" becomes "1⁄2"; no writing of people makes a whole text grow more
_ROOM = 200  # for short texts, which may be one ligature


def letters_and_digits(text: str) -> str:
    """Words of letters with their accents and vowel signs, digits and the marks of numbers, without
    case and without the thoughts before it, a blank between them; the text itself, stripped, where
    that leaves nothing or where its normal form is much longer than itself.

    >>> letters_and_digits("Yes, 1.5!") == letters_and_digits("yes 1.5")
    True
    """
    said = without_thoughts(text)
    most = _MOST_GROWTH * len(said) + _ROOM
    plain = normalised(said, most=most + 1)
    if len(plain) > most:
        return said.strip()
    plain = plain.casefold()
    words = _DRESS.sub(" " if plain.isascii() else _blank_unless_sign, plain)
    return " ".join(words.split()) or said.strip()


def _blank_unless_sign(found: re.Match[str]) -> str:
    return found[0] if is_sign(found[0]) else " "


def is_sign(character: str) -> bool:
    """An accent, or a vowel sign of the scripts that write vowels so: another one makes another
    word."""
    return not character.isascii() and unicodedata.category(character)[0] == "M"
