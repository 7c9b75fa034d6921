"""Guarded word matching decides, and no model is asked: "1" where a correct answer is found, else
"0".

What word matching as published says needs no verdict: the scorer reads it from the answer.
"""

from collections.abc import Mapping

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
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.guarded_matching import is_answered

PARSERS: tuple[str, ...] = ("strict",)
PARSER_VERSIONS: tuple[str, ...] = ("1",)
RULES_VERSION: str = "3"
DEFAULT_REPEATS: int = 1

SLOT = Slot("word_matching")
SLOT_TITLES: Mapping[str, str] = {SLOT.name: "Does the answer hold the words of the truth?"}
RIGHT, WRONG = "1", "0"


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    """The correct answers are the truth of the question."""
    return frozenset()


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return (SLOT,)


def peer(question: QuestionView, slot: Slot) -> str | None:
    return None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    """Nothing here costs a call; the empty answer is matched like any other."""
    return None


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    raise NotImplementedError("no model judges the ability-level benchmark: it has no prompts")


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    if reply not in (RIGHT, WRONG):
        raise UnreadableError("0 or 1 was expected, and nothing else.")
    return reply


def rule(case: JudgeCase) -> str:
    is_right = is_answered(case.question.text, case.answer, references_of(case.question))
    return RIGHT if is_right else WRONG
