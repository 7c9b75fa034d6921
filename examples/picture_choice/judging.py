"""Which option an answer chooses. It is read by rules, and no model is asked.

A verdict is the letter chosen, or "none". Which letter is right the scorer knows.
"""

import re
from collections.abc import Mapping

from benchmarks.protocols.answer_texts.emptiness import floor_reason
from benchmarks.protocols.answer_texts.equal_answers import letters_and_digits
from benchmarks.protocols.base import (
    JudgeCase,
    Message,
    PlainVerdict,
    QuestionView,
    Slot,
    TextKind,
    UnreadableError,
)
from benchmarks.protocols.replies import parser_of

from .dataset import LETTERS

PARSERS: tuple[str, ...] = ("strict",)
PARSER_VERSIONS: tuple[str, ...] = ("1",)
RULES_VERSION: str = "1"
DEFAULT_REPEATS: int = 1

SLOT = Slot("choice")
SLOT_TITLES: Mapping[str, str] = {SLOT.name: "Which option does the answer choose?"}
NONE = "none"

# "B", "(b)", "B.", "B) red" and "**B**": a letter by itself at the beginning.
_AT_THE_BEGINNING = re.compile(r"[\s(\[*_`]*+([A-Ha-h])(?:[)\].:*_`]|\s*+\Z)")
# "The answer is B", "Answer: (B)"; in lower case it would be the a of "a circle".
_NAMED = re.compile(r"(?i:\b(?:answer|option|choice)(?:\s++is)?+)\s*+:?+\s*+[(\[*_`]*+([A-H])\b")


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    """Neither reference nor description: the options are facts of the question."""
    return frozenset()


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return (SLOT,)


def peer(question: QuestionView, slot: Slot) -> str | None:
    """No call shows the answer to another question."""
    return None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    """An answer that says nothing chooses nothing."""
    reason = floor_reason(case.answer, options_of(case.question))
    return PlainVerdict(NONE, reason) if reason else None


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    raise NotImplementedError("no model judges this benchmark: it has no prompts")


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    if reply != NONE and reply not in tuple(LETTERS):
        raise UnreadableError("A letter or “none” was expected, and nothing else.")
    return reply


def rule(case: JudgeCase) -> str:
    return chosen(case.question, case.answer)


def chosen(question: QuestionView, answer: str) -> str:
    """The letter that the answer names, by itself or as the text of its option; "none" where it
    names no option of the question, or several."""
    named = {found[1].upper() for found in _NAMED.finditer(answer)}
    if found := _AT_THE_BEGINNING.match(answer):
        named.add(found[1].upper())
    said = letters_and_digits(answer)
    texts = zip(LETTERS, options_of(question), strict=False)
    named |= {letter for letter, text in texts if letters_and_digits(text) == said}
    return named.pop() if len(named) == 1 and named <= {*letters_of(question)} else NONE


def options_of(question: QuestionView) -> tuple[str, ...]:
    options = question.facts.get("options")
    return tuple(map(str, options)) if isinstance(options, list) else ()


def letters_of(question: QuestionView) -> str:
    return LETTERS[: len(options_of(question))] or LETTERS
