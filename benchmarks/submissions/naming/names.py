"""Names that people give to what others read: models, organisations, tokens, raters.

One rule for form, API and terminal. A name is what it looks like: nothing in it is hidden, turns
the reading direction, or does something in the terminal or spreadsheet of whoever reads a board.
"""

import re
import unicodedata

from benchmarks.common.spreadsheets import begins_formula

NAME_LENGTH = 100
# what scripts with the tallest syllables stack once composed; more covers lines above and below
MARKS_IN_A_ROW = 4
BLANKS = re.compile(r" {2,}")
UNSEEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Controls, format characters (zero-width ones, tags, all that turn the direction), halves of
pairs, private and unassigned characters, line ends."""
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f"
    "\U000e0100-\U000e01ef]"
)
"""Letters, marks and symbols by category that print nothing: joiners, fillers, variation selectors,
empty Braille."""


class NameRefusedError(ValueError):
    """A name as nobody may have it; the text is a sentence for whoever gave it."""


def clean_name(name: str, *, limit: int = NAME_LENGTH) -> str:
    """The name composed (NFC), with plain single blanks and none around. An empty one stays empty:
    whether it may be is the caller's to say. Raises NameRefusedError."""
    if len(name) > limit:
        raise NameRefusedError(too_long(name, limit))
    blanks = "".join(" " if unicodedata.category(c) == "Zs" else c for c in name)
    composed = BLANKS.sub(" ", unicodedata.normalize("NFC", blanks)).strip(" ")
    if len(composed) > limit:
        raise NameRefusedError(too_long(composed, limit))
    if fault := name_fault(composed):
        raise NameRefusedError(fault)
    return composed


def too_long(name: str, limit: int) -> str:
    return f"A name may have at most {limit} characters; this one has {len(name)}."


def name_fault(name: str) -> str:
    """What is wrong with a composed name; empty where nothing is."""
    if not name:
        return ""
    if unseen := next((c for c in name if is_unseen(c)), ""):
        nameless = (
            "a control character" if unicodedata.category(unseen) == "Cc" else "without a name"
        )
        title = unicodedata.name(unseen, nameless)
        return f"A name may not hold characters that nobody sees: U+{ord(unseen):04X}, {title}."
    if begins_formula(name):
        return f"A name may not begin with {name[0]}, which spreadsheets read as a formula."
    if unicodedata.category(name[0])[0] == "M":
        return "A name may not begin with an accent or another mark that belongs to a letter."
    if not any(unicodedata.category(c)[0] in "LN" for c in name):
        return "A name needs a letter or a digit."
    if longest_marks(name) > MARKS_IN_A_ROW:
        return f"A letter in a name may carry at most {MARKS_IN_A_ROW} marks."
    return ""


def isolated(name: str) -> str:
    """The name for the middle of a line: one with letters that run from right to left would carry
    the figures beside it along, so that it is marked as a piece of its own."""
    turns = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in name)
    return f"\u2068{name}\u2069" if turns else name


def is_unseen(character: str) -> bool:
    return unicodedata.category(character) in UNSEEN_CATEGORIES or bool(UNSEEN.match(character))


def longest_marks(name: str) -> int:
    longest = run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        longest = max(longest, run)
    return longest
