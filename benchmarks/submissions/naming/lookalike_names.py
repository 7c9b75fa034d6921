"""Names that a reader takes for one another: letters of other scripts, digits for letters, other
blanks and dashes.

After Unicode's UTS 39, whose table of six thousand pairs we do not need: names here are short and
mostly Latin, and what is found is told to people, who look. Other scripts are compared as they are.
Plain Python.
"""

import unicodedata

_LIKE_LATIN = {
    "a": "аαАΑɑ",
    "b": "ВвьЬΒβ",
    "c": "сСϲ",
    "d": "ԁԀ",
    "e": "еЕΕε",
    "g": "ɡցԌԍ",
    "h": "НнһҺΗհ",
    "j": "јЈϳ",
    "k": "кКκΚ",
    "l": "іІӏӀıιΙiIl1|Ꮖ",  # one shape in many fonts
    "m": "мМΜ",
    "n": "пПΝηոռ",
    "o": "оОοΟσօՕ0",
    "p": "рРρΡ",
    "q": "ԛԚգ",
    "s": "ѕЅς",
    "t": "тТτΤ",
    "u": "υսս",
    "v": "νѵѴ",
    "w": "ԝԜω",
    "x": "хХχΧ",
    "y": "уУүҮΥ",
    "z": "Ζᴢ",
    "3": "зЗ",
}
_TABLE = str.maketrans({c: latin for latin, alike in _LIKE_LATIN.items() for c in alike})
_PAIRS = (("rn", "m"), ("vv", "w"))
"""What reads as one letter where letters stand close."""

SKELETON_LENGTH = 200
"""Twice the longest name; compatibility forms that grow more are cut, and nobody reads so far."""


def skeleton(name: str) -> str:
    """Equal for names that are easily taken for one another. Blanks, dashes, accents and quotes
    drop out; dots stay, because 2.5 is not 25. It is compared and never shown.

    >>> skeleton("GPT-4V") == skeleton("GРТ 4v")
    True
    """
    plain = unicodedata.normalize("NFKC", name).translate(_TABLE).casefold()
    parts = unicodedata.normalize("NFD", plain.translate(_TABLE))
    found = "".join(c for c in parts if c.isalnum() or c in ".+")
    for pair, letter in _PAIRS:
        found = found.replace(pair, letter)
    return found[:SKELETON_LENGTH]


def same_writing(name: str) -> str:
    """Equal for names that differ in nothing but case, width, blanks and dashes: nobody means to
    deceive by these."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(
        c for c in plain if not c.isspace() and unicodedata.category(c) not in ("Pd", "Pc")
    )
