"""Two texts compared word by word, and words counted. Each character of Chinese or Japanese is a
word of its own."""

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

CHARACTERS = (
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # static/js/word-count.js has the same
)
WORD = re.compile(rf"[{CHARACTERS}]|[^\s{CHARACTERS}]+")
TOKEN = re.compile(rf"\s+|{WORD.pattern}")


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
    """What became of `old`: kept and "del" make the old text exactly, kept and "ins" the new
    one."""
    before, after = TOKEN.findall(old), TOKEN.findall(new)
    segments = []
    for kind, i, i_end, j, j_end in SequenceMatcher(str.isspace, before, after).get_opcodes():
        if kind == "equal":
            segments.append(Segment("kept", "".join(after[j:j_end])))
            continue
        if i < i_end:
            segments.append(Segment("del", "".join(before[i:i_end])))
        if j < j_end:
            segments.append(Segment("ins", "".join(after[j:j_end])))
    return tuple(segments)
