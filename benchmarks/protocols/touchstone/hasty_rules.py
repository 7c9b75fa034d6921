"""A judge in a hurry, beside the usual rules: it shows what a table of judges tells of one.

Of the two texts it reads the first characters only, in the order in which they stand, as a model
does whose context is too short. So what stands second is cut, and its verdicts depend on the order.
"""

from benchmarks.protocols.base import JudgeCase, Rules
from benchmarks.protocols.touchstone.judging import REFERENCE_FIRST, lexical_score, score_text

CHARACTERS_READ = 500
"""Of both texts together. Of the references of the bundled questions half are longer than 270
characters and a fifth are longer than 600: some answers are read whole in both orders, some not."""
_REMARK = (
    f"A heuristic, not a judgement: shared words in the first {CHARACTERS_READ} characters of both "
    "answers together."
)


def rule(case: JudgeCase) -> str:
    """The verdict of `judging.rule` on what is read of each text."""
    is_reference_first = case.slot.name == REFERENCE_FIRST
    first, second = (
        (case.reference, case.answer) if is_reference_first else (case.answer, case.reference)
    )
    first = first[:CHARACTERS_READ]
    second = second[: CHARACTERS_READ - len(first)]
    scores = (score_text(lexical_score(case, text)) for text in (first, second))
    return f"{' '.join(scores)}\n{_REMARK}"


HASTY = Rules(
    name="hasty",
    version="1",
    about=f"Counts shared words as the offline rules do, but stops after {CHARACTERS_READ} "
    "characters of both answers together, so that the one that stands second is often cut short.",
    rule=rule,
)
