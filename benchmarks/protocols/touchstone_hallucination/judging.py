"""The text-only judge behind TouchStone's H-score: how much of a description is not in the one
people wrote?

One call per answer, without question, reference answer or second assistant. The verdict is the
score as text, from "0" (nothing is invented) to "10" (docs/touchstone.md). The parser, the only
one, is strict: one finite number in that range alone on the first line; the paper prints no code.
"""

import re
from collections.abc import Mapping

from benchmarks.protocols.answer_texts.delimiters import marked_messages
from benchmarks.protocols.answer_texts.emptiness import floor_reason, is_empty_answer
from benchmarks.protocols.answer_texts.repeated_question import without_question
from benchmarks.protocols.base import (
    JudgeCase,
    Message,
    PlainVerdict,
    QuestionView,
    Slot,
    TextKind,
    UnreadableError,
)
from benchmarks.protocols.replies import parser_of, without_thinking
from benchmarks.protocols.touchstone.judging import MARKS, first_line, score_text
from benchmarks.protocols.touchstone.words import content_words

PARSERS: tuple[str, ...] = ("strict",)
PARSER_VERSIONS: tuple[str, ...] = ("3", "2")
RULES_VERSION: str = "3"
DEFAULT_REPEATS: int = 1

SLOT = "hallucination"
SLOT_TITLES: Mapping[str, str] = {SLOT: "How much of it is made up, from 0 to 10"}
WORST = 10.0
_SCORE = r"([0-9]{1,2}(?:\.[0-9]{1,9})?)"
_PLAIN_LINE = re.compile(_SCORE)
_MARKED_LINE = re.compile(rf"{MARKS}{_SCORE}{MARKS}\.?{MARKS}")
_REMARK = (
    "A heuristic, not a judgement: ten times the share of content words that the description lacks."
)


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    """The reference answer is what TouchStone compares with; here nothing is compared but the
    description."""
    return frozenset({"description"})


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return tuple(Slot(SLOT, repeat) for repeat in range(1, repeats + 1))


def peer(question: QuestionView, slot: Slot) -> str | None:
    """No call shows the answer to another question."""
    return None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    """The worst score for an answer that says nothing: otherwise silence, which invents nothing,
    would rank first."""
    reason = floor_reason(case.answer, [case.description])
    return PlainVerdict(score_text(WORST), reason) if reason else None


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    """A system and a user message. `prompts` holds templates "system" and "user", the latter with
    the placeholders $description, $answer and $delimiter (marked_messages)."""
    texts = {"description": case.description, "answer": case.answer}
    return marked_messages({"system": prompts["system"], "user": prompts["user"]}, texts, delimiter)


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    """Emphasis, a full stop and one leading `<think>` block change nothing; version 2 takes none of
    them."""
    if version == "2":
        found = _PLAIN_LINE.fullmatch(first_line(reply))
    else:
        found = _MARKED_LINE.fullmatch(first_line(without_thinking(reply)))
    if found is None or float(found[1]) > WORST:
        raise UnreadableError(
            "One score from 0 to 10 was expected on the first line, and nothing else on it."
        )
    return score_text(float(found[1]))


def rule(case: JudgeCase) -> str:
    """Ten times the share of the answer's content words that the description lacks, rounded to
    tenths; and a sentence that says so. By the paper's formula an answer without content words
    invents nothing; it describes nothing either, like the instruction given back, and both have the
    worst score: otherwise fillers alone would rank first."""
    said = without_question(case.answer, case.question.text)
    words = content_words(said)
    if is_empty_answer(said) or not words:
        return f"{score_text(WORST)}\n{_REMARK}"
    foreign = words - content_words(case.description)
    score = WORST * len(foreign) / len(words)
    return f"{score_text(round(score, 1))}\n{_REMARK}"
