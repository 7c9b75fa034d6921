"""Characters that nobody sees who writes or reads a text, and that a judge reads: shown by name and
place, refused, and put right at a word of the writer's.

A text about a figure is pasted from elsewhere. What comes along invisibly changes what the judge
reads, makes equal texts unequal and can say what no reviewer saw.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.protocols.answer_texts.invisible import INVISIBLE

MOST_REPORTED = 20
"""Places of one text; a text with more of them is one that is put right as a whole."""
AROUND = 20  # characters beside it that say where it is: some three words on either side
_SPACES = r"\u00a0\u1680\u2000-\u200a\u202f\u205f"
_BREAKS = r"\u2028\u2029\u0085"
_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
PATTERN = rf"[{_SPACES}{_BREAKS}{_CONTROLS}]|(?:{INVISIBLE})"
_HIDDEN = re.compile(PATTERN)
_SPACE = re.compile(rf"[{_SPACES}\t]")
_BREAK = re.compile(rf"[{_BREAKS}\x0b\x0c\r]")
_NAMES = {"\u00ad": "soft hyphen", "\ufeff": "byte order mark", "\x00": "null"}
_NAMED = (
    "\u00a0\u00ad\u200b\u200c\u200d\u200e\u200f\u2009\u202a\u202c\u202d\u202e\u202f\u2060\u2066"
)
_NAMED += "\u2069\ufe0f\ufeff"


@dataclass(frozen=True, slots=True)
class HiddenCharacter:
    """One of them, where it stands: line and column from 1, in characters. `mark` is how it is
    shown between what stands before and after it in its line."""

    name: str
    mark: str
    line: int
    column: int
    before: str
    after: str


def hidden_characters(text: str) -> Iterator[HiddenCharacter]:
    """In the order of the text, of which nothing is changed. Line ends are "\\n"."""
    line, start, head = 1, 0, 0
    for found in _HIDDEN.finditer(text):
        place = found.start()
        line += text.count("\n", start, place)
        head = text.rfind("\n", start, place) + 1 or head
        start = place
        yield HiddenCharacter(
            name=name_of(found[0]),
            mark=mark_of(found[0]),
            line=line,
            column=place - head + 1,
            before=text[max(head, place - AROUND) : place],
            after=text[place + 1 : place + 1 + AROUND].partition("\n")[0],
        )


def count_hidden(text: str) -> int:
    return sum(1 for _ in _HIDDEN.finditer(text))


def hidden_sentence(text: str) -> str:
    """What a text with hidden characters is refused with; empty for one without."""
    if not (count := count_hidden(text)):
        return ""
    first = next(hidden_characters(text))
    many = "a character" if count == 1 else f"{count:,} characters"
    return (
        f"The text has {many} that nobody sees and a judge reads: {first.name} in line"
        f" {first.line}, at character {first.column}{' first' if count > 1 else ''}."
    )


def name_of(character: str) -> str:
    known = _NAMES.get(character, unicodedata.name(character, "control character"))
    return f"{known.lower()} ({mark_of(character)})"


def mark_of(character: str) -> str:
    """The code that people write for a character without a shape: "U+200B"."""
    return f"U+{ord(character):04X}"


def without_hidden(text: str) -> str:
    """Blanks of every kind are the ordinary one, breaks are line ends, what has no shape is gone,
    and after it what was harmless beside it alone."""
    plain = _BREAK.sub("\n", _SPACE.sub(" ", text.replace("\r\n", "\n")))
    left = ["", *plain, ""]  # an end is like a gap: nothing stands there
    # of a place beside gaps, the next one that is left
    before, after = dict[int, int](), dict[int, int]()
    gone = [found.start() + 1 for found in _HIDDEN.finditer(plain)]
    while gone:
        beside = set[int]()
        for place in gone:
            left[place] = ""
            last, following = before.get(place, place - 1), after.get(place, place + 1)
            after[last], before[following] = following, last
            beside |= {last, following}
        # Only of these: looking through the whole text again for each that went made a row of
        # joiners, which goes two by two, take the square of its length.
        gone = [
            place
            for place in beside
            if left[place]
            and is_hidden(
                left[before.get(place, place - 1)], left[place], left[after.get(place, place + 1)]
            )
        ]
    return "".join(left)


def is_hidden(before: str, character: str, after: str) -> bool:
    """Of a character between its neighbours, "" at an end of the text: PATTERN looks no
    further."""
    return bool(_HIDDEN.match(before + character + after, len(before)))


def parts(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces: (what is seen, "") and ("", the name of a hidden character)."""
    end = 0
    for found in _HIDDEN.finditer(text):
        if found.start() > end:
            yield text[end : found.start()], ""
        yield "", name_of(found[0])
        end = found.end()
    if end < len(text):
        yield text[end:], ""


def pattern_for_browsers() -> str:
    """PATTERN in signs of ASCII, as a regular expression of JavaScript with the flag "u"."""
    escaped = re.sub(r"\\U000([0-9a-f]{5})", r"\\u{\1}", PATTERN)
    return re.sub(r"[^\x20-\x7e]", lambda found: f"\\u{{{ord(found[0]):x}}}", escaped)


def names_for_browsers() -> dict[str, str]:
    """Those that are pasted most often; of another a browser says the number alone."""
    return {character: name_of(character) for character in _NAMED}
