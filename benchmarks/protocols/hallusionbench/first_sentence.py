"""The reading of yes and no that many evaluation scripts make do with, beside the usual rules.

The first sentence says no if "no" or "not" is among its words, and yes otherwise; the script of
POPE (arXiv 2305.10355) reads so, but for capitals. It never finds an answer unclear: "I cannot
tell" is a yes.
"""

import re

from benchmarks.protocols.base import JudgeCase, Rules
from benchmarks.protocols.hallusionbench.judging import truth_of

_WORD = re.compile(r"[^\W_]+")
_DENYING = frozenset({"no", "not"})


def reads_no(answer: str) -> bool:
    """>>> reads_no("It is not clear. Yes."), reads_no("I cannot tell.")
    (True, False)
    """
    first = answer.strip().partition(".")[0]
    return any(word.casefold() in _DENYING for word in _WORD.findall(first))


def rule(case: JudgeCase) -> str:
    """Correctness: as `judging.rule`, "unclear" only where the truth is. Same: both say no, or
    neither does.

    Raises ValueError for a "same" case without a peer's answer.
    """
    says_no = reads_no(case.answer)
    if case.slot.name == "same":
        if case.peer_answer is None:
            raise ValueError(f"{case.question.public_id} lacks the answer to the original row")
        return "same" if says_no == reads_no(case.peer_answer) else "different"
    truth = truth_of(case)
    if truth == "uncertain":
        return "unclear"
    return "correct" if says_no == (truth == "no") else "incorrect"


FIRST_SENTENCE = Rules(
    name="first-sentence",
    version="1",
    about="Reads the first sentence alone: it says no if “no” or “not” is among its words, and yes "
    "otherwise. Answers that commit to nothing are taken for one of the two.",
    rule=rule,
)
