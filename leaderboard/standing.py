"""Why an entry is marked on a board, and whether it is ranked there: its flags, its twins, and what staff decided.

The rule: where only offline rules judge, an entry that carries a flag, or whose answers are those of an earlier
entry, is not ranked until staff decide. A model that reads answers is not fooled as easily: there the mark stands,
and the entry is ranked. Rule, mark and decision are public.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from benchmarks.submissions.flagging import RULES
from benchmarks.submissions.models import RankingDecision, Submission

TWIN = "the same answers as an earlier entry"


@dataclass(frozen=True, slots=True)
class Standing:
    """`marks` say what is remarkable, in words; `sentence` is all of it in one line, empty where nothing is."""

    is_kept_out: bool
    codes: tuple[str, ...]
    marks: tuple[str, ...]
    sentence: str


UNREMARKABLE = Standing(is_kept_out=False, codes=(), marks=(), sentence="")


def standing_of(submission: Submission, *, is_twin: bool, is_by_rules: bool) -> Standing:
    codes = tuple(flag["code"] for flag in submission.flags)
    marks = (*(RULES[code].title for code in codes if code in RULES), *([TWIN] if is_twin else []))
    decision = submission.decision
    is_kept_out = is_by_rules and (not decision.is_ranked if decision else bool(marks))
    parts = [
        *([", ".join(marks)] if marks else []),
        *([decision_words(decision)] if decision else []),
    ]
    prefix = "not ranked" if is_kept_out else "marked"
    sentence = f"{prefix}: {'; '.join(parts)}" if parts else ""
    return Standing(is_kept_out, (*codes, *(["twin"] if is_twin else [])), marks, sentence)


def decision_words(decision: RankingDecision) -> str:
    what = "ranked" if decision.is_ranked else "kept out"
    return f"{what} by decision of staff {decision.decided:%Y-%m-%d}: {decision.reason}"


def twins_among(submissions: Iterable[Submission]) -> Set[UUID]:
    """Those whose answers an earlier one has, in the order given. Baselines are nobody's twins."""
    seen: set[str] = set()
    twins: set[UUID] = set()
    for submission in submissions:
        digest = submission.answers_digest
        if digest and digest in seen:
            twins.add(submission.pk)
        seen.add(digest)
    return twins


def flag_lines(submission: Submission) -> Sequence[tuple[str, str, str]]:
    """Of each flag its title, how many answers, and the rule."""
    return tuple(
        (
            RULES[flag["code"]].title,
            f"{flag['count']:,} of {flag['of']:,} answers",
            RULES[flag["code"]].about,
        )
        for flag in submission.flags
        if flag["code"] in RULES
    )
