"""ChatGPT Ensemble Evaluation (CEE): five prompts ask of each answer whether it is right, and their
labels vote.

The judge sees question, correct answer and the model's answer, as text. Slots "prompt1" to
"prompt5" are the five prompts; 1 to 3 state one rule, 4 and 5 another that differs in its fourth
point (docs/tiny_lvlm_ehub.md). A verdict is a label: "1" right, "0" wrong, and by the official
parser also "-1", a reply it cannot read.

The parser "strict" is ours: a line begins with the prompt's score key, and 0 or 1 follows, alone on
its line but for emphasis and a full stop. Lines that begin with another prompt's key, or two that
say different things, leave the reply unread: one of them is likely to be quoted. One leading
`<think>` block is passed over. Version 3, which older judge specs keep, takes the last key wherever
it stands. "official" reads as the published code does: "0" is looked for before "1" anywhere
between the first key and the next.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.protocols.answer_texts.delimiters import marked_messages
from benchmarks.protocols.answer_texts.emptiness import BARE_OPENING, floor_reason
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
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.guarded_matching import is_answered, is_polar
from benchmarks.protocols.tiny_lvlm_ehub.suite import EMBODIED
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches

PARSERS: tuple[str, ...] = ("strict", "official")
PARSER_VERSIONS: tuple[str, ...] = ("4", "3")
RULES_VERSION: str = "3"
DEFAULT_REPEATS: int = 1

RIGHT, WRONG, BUG = "1", "0", "-1"

SCORE_KEYS: Mapping[str, str] = {
    "prompt1": "Most Likely Score",
    "prompt2": "Final Score",
    "prompt3": "Final Assessment Score",
    "prompt4": "Final Score",
    "prompt5": "Most Likely Score",
}
SLOT_TITLES: Mapping[str, str] = {
    name: f"Is the answer right? Vote {number} of {len(SCORE_KEYS)}"
    for number, name in enumerate(SCORE_KEYS, start=1)
}
"""What stands before the score in a reply, by slot name, in the order in which the labels vote."""


# --- which calls ----------------------------------------------------------------------------------


def texts_read(prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
    """The rules, and the floor, read the correct answers from the truth of the question, which has
    no versions."""
    return frozenset() if prompts is None else frozenset({"reference"})


def slots(question: QuestionView, repeats: int) -> tuple[Slot, ...]:
    """None for embodied plans: they have no correct answer, people rate them."""
    if question.ability == EMBODIED:
        return ()
    return tuple(Slot(name, repeat) for repeat in range(1, repeats + 1) for name in SCORE_KEYS)


def peer(question: QuestionView, slot: Slot) -> str | None:
    """No call shows the answer to another question."""
    return None


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    """An answer that says nothing is wrong; what word matching finds right is no mere opening
    phrase.

    The official code sends every answer to the judge.
    """
    correct = references_of(case.question)
    reason = floor_reason(case.answer, correct)
    if not reason or (reason == BARE_OPENING and matches(case.answer, correct)):
        return None
    return PlainVerdict(WRONG, reason)


# --- what is sent ---------------------------------------------------------------------------------


def messages(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    """A system and a user message. `prompts` holds templates "system1" to "user5" with the
    placeholders $question, $reference, $answer and $delimiter (marked_messages)."""
    number = case.slot.name.removeprefix("prompt")
    texts = {"question": case.question.text, "reference": case.reference, "answer": case.answer}
    system, user = prompts[f"system{number}"], prompts[f"user{number}"]
    return marked_messages({"system": system, "user": user}, texts, delimiter)


# --- what is read ---------------------------------------------------------------------------------

# Colon, blanks and emphasis may stand between the key and the digit; after it only emphasis, a full
# stop and blanks.
_ALONE = re.compile(r"[\s:*_`=]*+([01])(?:[*_`]|[^\S\n])*+\.?(?:[*_`]|[^\S\n])*+(?:\n|\Z)")
# Not a ">" before it: what a judge quotes is not what it says.
_KEY_LINE = re.compile(
    rf"^[ \t*_`#]*+({'|'.join(sorted(set(SCORE_KEYS.values())))})(?![^\W\d])",
    re.IGNORECASE | re.MULTILINE,
)


@parser_of(PARSERS, PARSER_VERSIONS)
def parse(slot: Slot, reply: str, parser: str, version: str) -> str:
    key = SCORE_KEYS[slot.name]
    if parser == "official":
        return official_label(reply, key)
    return last_label(reply, key) if version == "3" else strict_label(without_thinking(reply), key)


def strict_label(reply: str, key: str) -> str:
    """The digit behind `key` at the start of a line, in whatever case. Raises UnreadableError for
    anything else there ("1.0", "1 out of 10", "1 ?" and the echoed "1(or 0)" are no choice between
    0 and 1), where another key begins a line, and where two lines differ."""
    keys = list(_KEY_LINE.finditer(reply))
    if {found[1].casefold() for found in keys} != {key.casefold()}:
        raise UnreadableError(f"One line was expected to begin with “{key}:” and no other score.")
    labels = {_label_at(reply, found.end(), key) for found in keys}
    if len(labels) > 1:
        raise UnreadableError(f"One “{key}” was expected; two lines say different things.")
    return labels.pop()


def last_label(reply: str, key: str) -> str:
    """Version 3: the digit straight behind the last `key`, wherever it stands."""
    keys = list(re.finditer(rf"\b{re.escape(key)}(?![^\W\d])", reply, re.IGNORECASE))
    if not keys:
        raise UnreadableError(f"“{key}: 0” or “{key}: 1” was expected.")
    return _label_at(reply, keys[-1].end(), key)


def _label_at(reply: str, place: int, key: str) -> str:
    match = _ALONE.match(reply, place)
    if match is None:
        raise UnreadableError(f"0 or 1 was expected after “{key}:”, and nothing else on its line.")
    return match[1]


def official_label(reply: str, key: str) -> str:
    """The published rule, `BUG` included: of other spellings of the key only the one in lower case
    is found."""
    if key not in reply:
        reply = reply.replace(key.lower(), key)
    _, found, rest = reply.partition(key)
    if not found:
        return BUG
    text = rest.split(key, 1)[0]
    return WRONG if "0" in text else RIGHT if "1" in text else BUG


# --- the vote -------------------------------------------------------------------------------------

MIN_LABELS = 3


def vote(labels: Sequence[str | None]) -> str | None:
    """What the labels of an answer, in the order of the prompts, decide; None without three of
    them.

    The majority, ties to wrong. Where the official parser left a "-1", as the official code votes:
    it counts like any label, and of several that are equally frequent the one met first wins. [1,
    1, 0, 0, -1] -> 1.
    """
    given = [label for label in labels if label is not None]
    if len(given) < MIN_LABELS:
        return None
    if BUG in given:
        return plurality(given)
    return RIGHT if 2 * given.count(RIGHT) > len(given) else WRONG


def plurality(labels: Sequence[str]) -> str:
    """The most frequent label, of equally frequent ones the first met (official code)."""
    return Counter(labels).most_common(1)[0][0]


def expect(question: QuestionView, reference: str, description: str) -> ExpectedAnswer:
    """The longest correct answer; nothing where people rate a plan."""
    correct = references_of(question)
    if question.ability == EMBODIED or not correct:
        return ExpectedAnswer()
    return ExpectedAnswer(max(correct, key=len), is_yes_no=is_polar(correct))


# --- the offline judge ----------------------------------------------------------------------------


def rule(case: JudgeCase) -> str:
    """What guarded word matching says, in the words of the prompt: five times the same."""
    is_right = is_answered(case.question.text, case.answer, references_of(case.question))
    label = RIGHT if is_right else WRONG
    return f"Word matching with guards, not a judgement.\n{SCORE_KEYS[case.slot.name]}: {label}"
