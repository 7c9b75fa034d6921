"""Which id was meant by one that does not exist: what spreadsheets, editors and keyboards do to
ids.

Only ever the words of a refusal. An id is a string and is compared character by character.
"""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from benchmarks.protocols.answer_texts.normal_forms import MOST_GROWTH, normalised
from benchmarks.protocols.files.text import quoted

MISSPELT = "misspelt"
_MAX_CHARACTERS = 200
_MOST_COMPARED = MOST_GROWTH * _MAX_CHARACTERS
_MAX_SPELLING_HINTS = 5
_SPELLING_CUTOFF = 0.8
_BETWEEN = re.compile(r"[\W_]+")
_FOLDERS = re.compile(r"[/\\]")
_MOST_PARTS = 12
"""Of the end of an id that is looked at: ids of benchmarks have up to five, between slashes."""
_ENDING = re.compile(r"\.(?:png|jpe?g|webp|gif|bmp|json|txt)\Z", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?[0-9][0-9_]{0,18}(\.[0-9]{0,18})?([eE][+-]?[0-9]{1,3})?")


class Lookalike(NamedTuple):
    id: str
    reason: str

    @property
    def question(self) -> str:
        """What a refusal asks whoever wrote another id; how theirs differs, where one can say."""
        asked = f"Did you mean {quoted(self.id)}?"
        return asked if self.reason == MISSPELT else f"{asked} Yours is {self.reason}."


def _without_blanks(text: str) -> str:
    return "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Cf")


def _composed(text: str) -> str:
    return normalised(text, "NFC", most=_MOST_COMPARED)


def _half_width(text: str) -> str:
    return normalised(text, most=_MOST_COMPARED)


def _numbers(text: str) -> str:
    """Every part between slashes that is a number in one writing: 007, 7.0 and 7 become the same
    text."""
    return "/".join(
        str(Decimal(part.replace("_", "")).normalize()) if _NUMBER.fullmatch(part) else part
        for part in text.split("/")
    )


def plain_reading(text: str) -> str:
    """What is left of a text without what keyboards and spreadsheets change: texts with the same
    look alike."""
    return _numbers(_without_blanks(_half_width(text)).casefold())


def _without_ending(text: str) -> str:
    return _ENDING.sub("", text)


def _slashed(text: str) -> str:
    """With a slash for whatever stands between the parts of an id, and nothing around them: scripts
    write ids into names of files, where no slash may stand, and Python prints them in quotes."""
    return _BETWEEN.sub("/", text).strip("/")


def loose_reading(text: str) -> str:
    """The `plain_reading`, also without what scripts change."""
    return _slashed(plain_reading(_without_ending(text)))


def loose_endings(text: str) -> Sequence[str]:
    """Its loose reading, and those of it without its first folder, first two and so on, as paths
    stand before ids. Only a slash ends a folder: the 1 of "MME_1" is no id by itself."""
    parts = _FOLDERS.split(text)[-_MOST_PARTS:]
    return [loose_reading("/".join(parts[first:])) for first in range(len(parts))]


_READINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("written with a blank or an invisible character", _without_blanks),
    ("in another Unicode composition (NFC instead of NFD or the reverse)", _composed),
    ("in full-width or other compatibility characters", _half_width),
    ("in different upper and lower case", str.casefold),
    ("rewritten as a number, as spreadsheets do (007, 1.0, 1E5, 1_000): ids are text", _numbers),
    ("written with the ending of a file name", _without_ending),
    ("written with other signs between or around its parts", _slashed),
    ("written differently", loose_reading),
)


class Lookalikes:
    """Finds known ids by unknown ones; the tables behind it are made when first needed."""

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known
        self._tables: dict[str, dict[str, str]] = {}
        self._spelling_hints_left = _MAX_SPELLING_HINTS

    def find(self, text: str) -> Lookalike | None:
        """The one that reads alike; none where several do."""
        if len(text) > _MAX_CHARACTERS:
            return None
        for reason, reading in _READINGS:
            found = self._table(reason, reading).get(reading(text))
            if found is not None:
                return Lookalike(found, reason)
        table = self._table(*_READINGS[-1])
        behind = (table[ending] for ending in loose_endings(text) if ending in table)
        return next((Lookalike(found, "written with a path before it") for found in behind), None)

    def find_spelling(self, text: str, candidates: Iterable[str]) -> Lookalike | None:
        """The candidate written most like it. Slow, so only for the first few that ask."""
        if len(text) > _MAX_CHARACTERS or not self._spelling_hints_left:
            return None
        self._spelling_hints_left -= 1
        close = difflib.get_close_matches(text, list(candidates), n=1, cutoff=_SPELLING_CUTOFF)
        return Lookalike(close[0], MISSPELT) if close else None

    def _table(self, reason: str, reading: Callable[[str], str]) -> dict[str, str]:
        if reason not in self._tables:
            readings = [(reading(known), known) for known in self._known]
            times = Counter(read for read, _ in readings)
            self._tables[reason] = {read: known for read, known in readings if times[read] == 1}
        return self._tables[reason]
