"""The text-only judge of TouchStone: it rates two answers, the reference and the model's, from 1 to
10.

It sees the description of the picture, never the picture, and each answer is judged in two rounds:
slot "reference_first" shows the reference as Assistant 1, "answer_first" the model's answer
(docs/touchstone.md). A verdict is the text "REFERENCE MODEL", "8 6.5", in this order in both
rounds; "-" in place of a score means not scored.

The parser "strict" is ours: two finite scores from 1 to 10, separated by blanks, tabs or a comma,
alone on the first line but for emphasis and a full stop, which change nothing, and for one
`<think>` block before them. Version 2, which older judge specs keep, takes neither. "official"
reads as the published code does: exactly one blank, no range. One thing it accepts is refused here,
"nan" and "inf": stored, they would make every mean they enter meaningless.
"""

import math
import re
from collections.abc import Mapping

from benchmarks.protocols.answer_texts.delimiters import marked_messages
from benchmarks.protocols.answer_texts.emptiness import floor_reason
from benchmarks.protocols.base import (
    JudgeCase,
    Message,
    PlainVerdict,
    QuestionView,
    Slot,
    TextKind,
    UnreadableError,
)
from benchmarks.protocols.remembering import remembering
from benchmarks.protocols.replies import parser_of, without_thinking
from benchmarks.protocols.touchstone.words import content_words

PARSERS: tuple[str, ...] = ("strict", "official")
PARSER_VERSIONS: tuple[str, ...] = ("3", "2")
RULES_VERSION: str = "3"
DEFAULT_REPEATS: int = 1

REFERENCE_FIRST, ANSWER_FIRST = "reference_first", "answer_first"
ROUNDS = (REFERENCE_FIRST, ANSWER_FIRST)
SLOT_TITLES: Mapping[str, str] = {
    REFERENCE_FIRST: "Scores of reference and answer, the reference shown first",
    ANSWER_FIRST: "Scores of reference and answer, the answer shown first",
}
NOT_SCORED = "-"
LOWEST, HIGHEST = 1.0, 10.0


# --- which calls ----------------------------------------------------------------------------------


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    return frozenset({"reference", "description"})


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    return tuple(Slot(name, repeat) for name in ROUNDS for repeat in range(1, repeats + 1))


def peer(question: QuestionView, slot: Slot) -> str | None:
    """No call shows the answer to another question."""
    return None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    """The lowest score for an answer that says nothing; the reference gets none, for it was
    compared with nothing.

    The official code sends empty answers to the judge as "nan".
    """
    reason = floor_reason(case.answer, [case.reference])
    return PlainVerdict(f"{NOT_SCORED} 1", reason) if reason else None


# --- what is sent ---------------------------------------------------------------------------------


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    """A system and a user message. `prompts` holds templates "system" and "user", the latter with
    the placeholders $description, $question, $first, $second and $delimiter (marked_messages)."""
    first, second = _in_order(case.slot, case.reference, case.answer)
    texts = {
        "description": case.description,
        "question": case.question.text,
        "first": first,
        "second": second,
    }
    return marked_messages({"system": prompts["system"], "user": prompts["user"]}, texts, delimiter)


def _in_order(slot: Slot, reference: str, answer: str) -> tuple[str, str]:
    """What belongs to the reference and to the answer, as Assistant 1 and 2; and back again."""
    return (reference, answer) if slot.name == REFERENCE_FIRST else (answer, reference)


# --- what is read ---------------------------------------------------------------------------------

_SCORE = r"([0-9]{1,2}(?:\.[0-9]{1,9})?)"
_BETWEEN = r"(?:[ \t]*,[ \t]*|[ \t]+)"
_PLAIN_LINE = re.compile(rf"{_SCORE}{_BETWEEN}{_SCORE}")
MARKS = "[*_`]{0,3}+"  # bold, italic, code: three of a kind at most, as Markdown has it
_MARKED_LINE = re.compile(rf"{MARKS}{_SCORE}{MARKS}{_BETWEEN}{MARKS}{_SCORE}{MARKS}\.?{MARKS}")


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    if parser == "official":
        pair = _official_pair(first_line(reply))
    elif version == "2":
        pair = _strict_pair(_PLAIN_LINE, first_line(reply))
    else:
        pair = _strict_pair(_MARKED_LINE, first_line(without_thinking(reply)))
    if pair is None:
        raise UnreadableError(
            "Two scores from 1 to 10 were expected on the first line, separated by a space, and "
            "nothing else on it."
        )
    reference, model = _in_order(slot, *map(score_text, pair))
    return f"{reference} {model}"


def first_line(reply: str) -> str:
    return reply.strip().split("\n", 1)[0].strip()


def score_text(score: float) -> str:
    """The score as it is stored: "8", "6.5". Twelve digits, so that any two scores fit where a
    verdict is kept."""
    return f"{score:.12g}"


def _strict_pair(form: re.Pattern[str], line: str) -> tuple[float, float] | None:
    match = form.fullmatch(line)
    pair = (float(match[1]), float(match[2])) if match else None
    return pair if pair and all(LOWEST <= score <= HIGHEST for score in pair) else None


def _official_pair(line: str) -> tuple[float, float] | None:
    try:
        first, second = map(float, line.split(" "))
    except ValueError:
        return None
    return (first, second) if math.isfinite(first) and math.isfinite(second) else None


# --- the offline judge ----------------------------------------------------------------------------

_REMARK = (
    "A heuristic, not a judgement: shared words with the description and the reference, "
    "less words found in neither."
)
_ENOUGH_OF_DESCRIPTION = 0.25
_ENOUGH_WORDS = 0.6
_COVERAGE, _DETAIL, _LENGTH, _FOREIGN = 0.55, 0.25, 0.2, 0.45
# Of the words of an honest answer a quarter is in neither text; of the most frequent words of all
# references, said to every question, four fifths. Below half nothing more is taken away.
_MOSTLY_FOREIGN = 0.5


def rule(case: JudgeCase) -> str:
    """Two scores by counting words, the same whatever the order, and a sentence that says so.

    A text gains by the share of the reference's content words it has, by those of the description
    (a quarter of them is enough for an answer) and by its length (six tenths of the reference's
    words are enough); it loses by the share of its words that neither description nor reference
    has, and where these are most of its words, by the square of what is left, so that a list of
    likely words earns little. Words of the question count nowhere, so that repeating it earns
    nothing. Scores are rounded to halves.
    """
    scores = (
        score_text(lexical_score(case, case.reference)),
        score_text(lexical_score(case, case.answer)),
    )
    first, second = _in_order(case.slot, *scores)
    return f"{first} {second}\n{_REMARK}"


def lexical_score(case: JudgeCase, text: str) -> float:
    """From 1 to 10, in halves, of either text of the case or a part of it (`rule`)."""
    return _score(text, case.question.text, case.reference, case.description)


@remembering  # both orders ask for both texts
def _score(text: str, question: str, right: str, description: str) -> float:
    words, asked = content_words(text), content_words(question)
    own, reference = words - asked, content_words(right) - asked
    described = content_words(description) - asked
    if not own:
        return LOWEST
    coverage = len(own & reference) / max(1, len(reference))
    detail = min(1.0, len(own & described) / max(1.0, _ENOUGH_OF_DESCRIPTION * len(described)))
    length = min(1.0, len(own) / max(1.0, _ENOUGH_WORDS * len(reference)))
    foreign = len(own - described - reference) / len(own)
    share = _COVERAGE * coverage + _DETAIL * detail + _LENGTH * length - _FOREIGN * foreign
    share *= min(1.0, (1.0 - foreign) / _MOSTLY_FOREIGN) ** 2
    score = LOWEST + (HIGHEST - LOWEST) * min(1.0, max(0.0, share))
    return round(2 * score) / 2
