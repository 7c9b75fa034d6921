"""The text-only judge behind TouchStone's H-score: how much of a description is not in the one people wrote?

One call per answer, without question, reference answer or second assistant. The verdict is the score as text, from "0"
(nothing is invented) to "10" (docs/touchstone.md). The parser, the only one, is strict: one finite number in that range
alone on the first line; the paper prints no code.
"""

import re
from collections.abc import Mapping
from string import Template

from benchmarks.protocols.base import JudgeCase, Message, QuestionView, Settled, Slot, UnreadableError
from benchmarks.protocols.delimiters import without_delimiter
from benchmarks.protocols.emptiness import floor_reason
from benchmarks.protocols.touchstone.judging import first_line, found_instead, score_text
from benchmarks.protocols.touchstone.words import content_words

PARSERS: tuple[str, ...] = ("strict",)
PARSER_VERSION: str = "2"
RULES_VERSION: str = "1"
DEFAULT_REPEATS: int = 1

SLOT = "hallucination"
WORST = 10.0
_SCORE = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,9})?")
_REMARK = "A heuristic, not a judgement: ten times the share of content words that the description lacks."


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return tuple(Slot(SLOT, repeat) for repeat in range(1, repeats + 1))


def peer(question: QuestionView, slot: Slot) -> str | None:
    """No call shows the answer to another question."""
    return None


def settle(case: JudgeCase) -> Settled | None:
    """The worst score for an answer that says nothing: otherwise silence, which invents nothing, would rank first."""
    reason = floor_reason(case.answer, [case.description])
    return Settled(score_text(WORST), reason) if reason else None


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    """A system and a user message. `prompts` holds string.Template texts "system" and "user", the latter with the
    placeholders $description, $answer and $delimiter, filled in one pass.

    Raises ValueError for a blank delimiter.
    """
    if not delimiter.strip():
        raise ValueError("the delimiter is blank")
    shown = {
        "description": without_delimiter(case.description, delimiter),
        "answer": without_delimiter(case.answer, delimiter),
    }
    return (
        Message("system", Template(prompts["system"]).substitute(shown, delimiter=delimiter)),
        Message("user", Template(prompts["user"]).substitute(shown, delimiter=delimiter)),
    )


def parse(slot: Slot, reply: str, parser: str) -> str:
    if parser not in PARSERS:
        raise LookupError(f"no parser is named {parser!r}; there are {', '.join(PARSERS)}")
    line = first_line(reply)
    if not _SCORE.fullmatch(line) or float(line) > WORST:
        raise UnreadableError(f"One score from 0 to 10 was expected on the first line, {found_instead(line)}.")
    return score_text(float(line))


def rule(case: JudgeCase) -> str:
    """Ten times the share of the answer's content words that the description lacks, rounded to tenths; and a sentence
    that says so. An answer without content words invents nothing."""
    words = content_words(case.answer)
    foreign = words - content_words(case.description)
    score = WORST * len(foreign) / len(words) if words else 0.0
    return f"{score_text(round(score, 1))}\n{_REMARK}"
