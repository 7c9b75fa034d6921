"""Word matching decides, and no model is asked: "1" where a correct answer occurs in the answer, else "0"."""

from collections.abc import Mapping

from benchmarks.protocols.base import JudgeCase, Message, QuestionView, Settled, Slot, UnreadableError
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches

PARSERS: tuple[str, ...] = ("strict",)
PARSER_VERSION: str = "1"
RULES_VERSION: str = "1"
DEFAULT_REPEATS: int = 1

SLOT = Slot("word_matching")
RIGHT, WRONG = "1", "0"


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return (SLOT,)


def peer(question: QuestionView, slot: Slot) -> str | None:
    return None


def settle(case: JudgeCase) -> Settled | None:
    """Nothing here costs a call; the empty answer is matched like any other."""
    return None


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    raise NotImplementedError("no model judges the ability-level benchmark: it has no prompts")


def parse(slot: Slot, reply: str, parser: str) -> str:
    if parser not in PARSERS:
        raise LookupError(f"no parser is named {parser!r}; there are {', '.join(PARSERS)}")
    if reply not in (RIGHT, WRONG):
        raise UnreadableError(f"0 or 1 was expected, found “{reply[:80]}”.")
    return reply


def rule(case: JudgeCase) -> str:
    return RIGHT if matches(case.answer, references_of(case.question)) else WRONG
