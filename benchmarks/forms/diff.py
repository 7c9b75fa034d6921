"""Two texts compared word by word, and words counted. Each character of Chinese or Japanese is a
word of its own."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

CHARACTERS = (
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # static/js/word-count.js has the same
)
WORD = re.compile(rf"[{CHARACTERS}]|[^\s{CHARACTERS}]+")
TOKEN = re.compile(rf"\s+|{WORD.pattern}")
MOST_PAIRS = 10_000_000
"""Of words and blanks, each of one text with each of the other: SequenceMatcher looks at all of
them where a word is repeated throughout. So many take 0.3 s; two of the longest descriptions took
11 s. It is reached by texts of 1,500 words."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text that stayed, came ("ins") or went ("del")."""

    kind: Literal["kept", "ins", "del"]
    text: str


def word_count(text: str) -> int:
    return len(WORD.findall(text))


def same_words(one: str, other: str) -> bool:
    """Whether texts differ in nothing but blanks, signs and capitals."""
    return one == other or letters(one) == letters(other) != ""


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def word_diff(old: str, new: str) -> tuple[Segment, ...]:
    """What became of `old`: kept and "del" make the old text exactly, kept and "ins" the new one.
    Between the first and the last change of texts with more than MOST_PAIRS nothing is kept."""
    before, after = TOKEN.findall(old), TOKEN.findall(new)
    segments = []
    for kind, i, i_end, j, j_end in changes(before, after):
        if kind == "equal":
            segments.append(Segment("kept", "".join(after[j:j_end])))
            continue
        if i < i_end:
            segments.append(Segment("del", "".join(before[i:i_end])))
        if j < j_end:
            segments.append(Segment("ins", "".join(after[j:j_end])))
    return tuple(segment for segment in segments if segment.text)


def changes(before: list[str], after: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """The changes, as opcodes of SequenceMatcher."""
    if len(before) * len(after) <= MOST_PAIRS:
        return SequenceMatcher(str.isspace, before, after).get_opcodes()
    head = same_at_start(before, after)
    tail = same_at_start(before[head:][::-1], after[head:][::-1])
    end, new_end = len(before) - tail, len(after) - tail
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, end, head, new_end),
        ("equal", end, len(before), new_end, len(after)),
    ]


def same_at_start(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of them are the same before the first that is not."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
