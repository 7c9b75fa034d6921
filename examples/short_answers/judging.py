"""Whether an answer is right: a model that sees question, reference and answer is asked, or rules.

A verdict is "right" or "wrong". The offline rules call right what is the reference, but for case,
blanks and marks.
"""

from collections.abc import Mapping

from benchmarks.protocols.answer_texts.delimiters import marked_messages
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
from benchmarks.protocols.replies import parser_of, without_thinking

PARSERS: tuple[str, ...] = ("strict",)
PARSER_VERSIONS: tuple[str, ...] = ("1",)
RULES_VERSION: str = "1"  # another one for every change that gives another verdict
DEFAULT_REPEATS: int = 1

SLOT = "answer"
SLOT_TITLES: Mapping[str, str] = {SLOT: "Is the answer right?"}
RIGHT, WRONG = "right", "wrong"


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    return frozenset({"reference"})


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return tuple(Slot(SLOT, repeat) for repeat in range(1, repeats + 1))


def peer(question: QuestionView, slot: Slot) -> str | None:
    """No call shows the answer to another question."""
    return None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    """An answer that says nothing is wrong."""
    reason = floor_reason(case.answer, [case.reference])
    return PlainVerdict(WRONG, reason) if reason else None


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    """A system and a user message. `prompts` holds templates "system" and "user", the latter with
    $question, $reference, $answer and $delimiter (marked_messages)."""
    texts = {"question": case.question.text, "reference": case.reference, "answer": case.answer}
    return marked_messages({"system": prompts["system"], "user": prompts["user"]}, texts, delimiter)


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    """One word, in whatever case; emphasis, a full stop and one leading `<think>` block change
    nothing."""
    word = without_thinking(reply).strip(" \n\t*_`.").casefold()
    if word not in (RIGHT, WRONG):
        raise UnreadableError("“right” or “wrong” was expected, and nothing else.")
    return word


def rule(case: JudgeCase) -> str:
    is_right = letters_and_digits(case.answer) == letters_and_digits(case.reference)
    return RIGHT if is_right else WRONG
