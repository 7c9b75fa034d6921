from collections.abc import Mapping

from benchmarks.protocols.answer_texts.delimiters import marked_messages
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

PARSERS = ("strict",)
PARSER_VERSIONS = ("1",)
RULES_VERSION = "1"
DEFAULT_REPEATS = 2
SLOT_TITLES: Mapping[str, str] = {"spelled": "Is the word spelled right?"}


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    """The prompts show the picture's description; the rules know the spelling, and count as readers
    of both."""
    return frozenset({"description"} if prompts is not None else {"reference", "description"})


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return tuple(Slot("spelled", repeat) for repeat in range(1, repeats + 1))


def peer(question: QuestionView, slot: Slot) -> str | None:
    return None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    return None if case.answer.strip() else PlainVerdict("wrong", "the answer is empty")


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    seen = "The picture: $description\n" if case.description else ""
    texts = {
        "description": case.description,
        "question": case.question.text,
        "answer": case.answer,
    }
    template = f"{seen}$question\n$delimiter\n$answer\n$delimiter\nright or wrong?"
    return marked_messages({"user": template}, texts, delimiter)


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    if reply not in ("right", "wrong"):
        raise UnreadableError("expected right or wrong")
    return reply


def rule(case: JudgeCase) -> str:
    return "right" if case.answer.strip() == case.reference else "wrong"
