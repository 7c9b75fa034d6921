"""The two text-only judges of HallusionBench: is an answer correct, and does it say the same as the
original's?

Slot "correctness" compares an answer with the reference sentence: correct, incorrect, or unclear.
Slot "same" compares it with the answer to the original row of its pair: same or different
(docs/hallusionbench.md 2 and 7). A row whose pair has no original in the file is not asked for
"same".

The parser "strict" is ours: one word, negations read properly, anything else unreadable: also code
blocks, JSON, and the word in quotation marks, which may be the answer's and not the judge's. One
leading `<think>` block is passed over, by all versions but 3. "official" reads as the published
code does, by substring: "not correct" is correct, and a reply with neither word is unclear.
"""

import re
from collections.abc import Mapping

from benchmarks.protocols.answer_texts.delimiters import marked_messages
from benchmarks.protocols.answer_texts.emptiness import floor_reason, is_empty_answer
from benchmarks.protocols.answer_texts.normal_forms import MOST_GROWTH, normalised
from benchmarks.protocols.answer_texts.repeated_question import without_question
from benchmarks.protocols.answer_texts.thinking import without_thoughts
from benchmarks.protocols.answer_texts.yes_no import Reading, read_yes_no
from benchmarks.protocols.base import (
    ExpectedAnswer,
    JudgeCase,
    Message,
    PlainVerdict,
    QuestionView,
    Slot,
    TextKind,
    UnreadableError,
)
from benchmarks.protocols.replies import parser_of, without_thinking

PARSERS: tuple[str, ...] = ("strict", "official")
PARSER_VERSIONS: tuple[str, ...] = ("4", "3")
RULES_VERSION: str = "4"
DEFAULT_REPEATS: int = 3
SLOT_TITLES: Mapping[str, str] = {
    "correctness": "Does the answer agree with the reference?",
    "same": "Compared with the answer for the original image",
}


# --- which calls ----------------------------------------------------------------------------------


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    return frozenset({"reference"})


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    names = ("correctness",) if _original(question) is None else ("correctness", "same")
    return tuple(Slot(name, repeat) for name in names for repeat in range(1, repeats + 1))


def peer(question: QuestionView, slot: Slot) -> str | None:
    """The original row of the pair; an original is its own peer."""
    return _original(question) if slot.name == "same" else None


def _original(question: QuestionView) -> str | None:
    original = question.facts.get("original")
    return original if isinstance(original, str) else None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    """The verdict of answers that say nothing, and of two answers that are one text.

    The protocol leaves both open: the official code sends empty answers to the judge, whose
    "unclear" counts as right on rows without an image. With us an answer that is empty or a mere
    opening phrase is incorrect on every row.
    """
    reason = floor_reason(case.answer, [case.reference])
    if case.slot.name == "correctness":
        return PlainVerdict("incorrect", reason) if reason else None
    if case.peer_answer is None:
        return None
    peer_reason = floor_reason(case.peer_answer)
    if reason and peer_reason:
        return PlainVerdict("same", "Neither answer says anything.")
    if reason or peer_reason:
        return PlainVerdict("different", "One of the two answers says nothing.")
    if _plain(case.answer) == _plain(case.peer_answer):
        return PlainVerdict("same", "Both answers are the same text.")
    return None


def _plain(answer: str) -> str:
    """Without differences in case and spacing. Symbols stay: "x < 5" and "x > 5" are two
    answers."""
    return " ".join(answer.casefold().split())


# --- what is sent ---------------------------------------------------------------------------------


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    """One user message. `prompts` holds a template per slot name, with the placeholders $question,
    $reference, $answer, $peer_answer and $delimiter (marked_messages).

    Raises ValueError for a "same" case without a peer's answer.
    """
    texts = {
        "question": case.question.text,
        "reference": case.reference,
        "answer": case.answer,
        "peer_answer": _peer_answer(case) if case.slot.name == "same" else "",
    }
    return marked_messages({"user": prompts[case.slot.name]}, texts, delimiter)


def _peer_answer(case: JudgeCase) -> str:
    if case.peer_answer is None:
        raise ValueError(
            f"{case.slot.key} of {case.question.public_id} lacks the answer to the original row"
        )
    return case.peer_answer


# --- what is read ---------------------------------------------------------------------------------

_WORDINGS: Mapping[str, Mapping[str, str]] = {
    "correctness": {
        "correct": "correct",
        "not incorrect": "correct",
        "incorrect": "incorrect",
        "not correct": "incorrect",
        "unclear": "unclear",
        "not clear": "unclear",
    },
    "same": {
        "same": "same",
        "the same": "same",
        "not different": "same",
        "different": "different",
        "not same": "different",
        "not the same": "different",
    },
}
_FENCE = "```"
_WRAPPING = str.maketrans("", "", "*_`~#()[]")
_LABEL = re.compile(r"(?:final )?(?:verdict|judge?ment|answer|label|output|result)(?: is)? ?[:=] ?")


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    if parser == "official":
        return _parse_officially(slot, reply)
    said = reply if version == "3" else without_thinking(reply)
    return _parse_strictly(_WORDINGS[slot.name], said)


def _parse_strictly(wordings: Mapping[str, str], reply: str) -> str:
    plain = normalised(
        reply, most=MOST_GROWTH * len(reply)
    )  # whole: its end may take back its beginning
    bare = " ".join(plain.casefold().translate(_WRAPPING).split())
    word = _LABEL.sub("", bare, count=1) if _LABEL.match(bare) else bare
    verdict = None if _FENCE in reply else wordings.get(word.rstrip(".! "))
    if verdict is None:
        expected = ", ".join(dict.fromkeys(wordings.values()))
        raise UnreadableError(f"One word was expected ({expected}), and nothing else.")
    return verdict


def _parse_officially(slot: Slot, reply: str) -> str:
    lowered = reply.lower()
    if slot.name == "same":
        return "same" if "same" in lowered else "different"
    if "incorrect" in lowered:  # first, because it contains "correct"
        return "incorrect"
    return "correct" if "correct" in lowered else "unclear"


def expect(question: QuestionView, reference: str, description: str) -> ExpectedAnswer:
    """Every question asks for yes or no."""
    return ExpectedAnswer(reference, is_yes_no=True)


# --- the offline judge ----------------------------------------------------------------------------


def rule(case: JudgeCase) -> str:
    """The verdict of a reader of yes and no, which knows nothing else and reads answers without the
    question.

    Correctness: the answer's yes or no against the truth; "unclear" where either cannot be read,
    "incorrect" for the question given back. Same: two answers are the same if they read the same,
    two uncertain ones included, and different otherwise. `<think>` blocks before an answer are
    passed over: answers read by earlier versions hold some.
    """
    said = without_question(without_thoughts(case.answer), case.question.text)
    reading = read_yes_no(said)
    if case.slot.name == "same":
        peer_said = without_question(without_thoughts(_peer_answer(case)), case.question.text)
        return "same" if reading == read_yes_no(peer_said) else "different"
    if is_empty_answer(said):
        return "incorrect"
    truth = truth_of(case)
    if "uncertain" in (reading, truth):
        return "unclear"
    return "correct" if reading == truth else "incorrect"


_WORD = re.compile(r"[^\W_]+|[<>=≤≥]")
_LITTLE_WORD = re.compile(  # without a final s, as in _bare_words
    "i|are|wa|were|do|doe|did|ha|have|had|a|an|the|of|in|on|at|according|to|image|map|chart|table"
    "|provided"
)


def truth_of(case: JudgeCase) -> Reading:
    """The label; in a file without labels what the reference says, and if that is neither yes nor
    no: yes where it repeats the question as a statement, otherwise uncertain."""
    label = case.question.truth.get("gt_answer")
    if label is not None:
        return "yes" if label == 1 else "no"
    reading = read_yes_no(case.reference)
    if reading == "uncertain" and _restates(case.reference, case.question.text):
        return "yes"
    return reading


def _restates(reference: str, question: str) -> bool:
    """Whether the words of the question stand in the reference, in their order.

    Of the 488 rows of the full file whose reference is neither yes nor no, 66 do; 65 of them are
    labelled yes.
    """
    asked = [word for word in _bare_words(question) if not _LITTLE_WORD.fullmatch(word)]
    stated = iter(_bare_words(reference))
    return bool(asked) and all(word in stated for word in asked)


def _bare_words(text: str) -> list[str]:
    """Lower-case words without a final s ("show" and "shows" are one), and signs of comparison."""
    return [word.removesuffix("s") or word for word in _WORD.findall(text.casefold())]
