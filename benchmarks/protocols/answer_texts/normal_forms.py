"""Unicode normal forms of texts from outside, in time and room that grow with the length of the
text alone.

`unicodedata.normalize` does neither: U+FDFA becomes 18 characters, and marks on one letter are put
in order by insertion: 20,000 of them take 0.8 s. Here a text is normalised piece by piece, and a
caller stops when it has enough.
"""

import unicodedata
from collections.abc import Iterator
from typing import Literal

Form = Literal["NFC", "NFKC"]

MOST_READ = 40_000
"""Twice the longest answer that a file may hold: one that grows beyond it as its characters are
made plain is made of signs that stand for whole phrases, none of them English."""
MOST_GROWTH = 18  # U+FDFA, of which no other character becomes more
_PIECE = (
    256  # short enough to sort marks in, long enough that the cuts cost less than the normalising
)
_LOOK_AROUND = (
    8  # a syllable of Hangul has three parts, a letter its marks; neighbours further off never meet
)
_LONGEST_SYLLABLE = 64
"""Characters after which a piece ends wherever it is. Unicode's stream-safe format allows 30 marks
on a letter."""


def normalised(text: str, form: Form = "NFKC", *, most: int) -> str:
    """The normal form as `unicodedata` has it, up to its first `most` characters.

    It may differ where a letter has more marks than any language puts on one."""
    if text.isascii():
        return text[:most]
    found: list[str] = []
    room = most
    for piece in normalised_pieces(text, form):
        found.append(piece[:room])
        room -= len(found[-1])
        if room <= 0:
            break
    return "".join(found)


def normalised_pieces(text: str, form: Form = "NFKC") -> Iterator[str]:
    """What joined is the normal form, made as it is asked for."""
    start = 0
    while start < len(text):
        end = _cut(text, start + _PIECE, form)
        yield unicodedata.normalize(form, text[start:end])
        start = end


def _cut(text: str, end: int, form: Form) -> int:
    """The first place from `end` on where nothing before composes with anything after."""
    for place in range(end, min(end + _LONGEST_SYLLABLE, len(text))):
        if unicodedata.combining(text[place]):
            continue
        before, after = text[place - _LOOK_AROUND : place], text[place : place + _LOOK_AROUND]
        apart = unicodedata.normalize(form, before) + unicodedata.normalize(form, after)
        if unicodedata.normalize(form, before + after) == apart:
            return place
    return end if end + _LONGEST_SYLLABLE < len(text) else len(text)
