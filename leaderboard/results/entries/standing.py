"""Why an entry is marked on a board, whether it is ranked there, and which entries share a place:
flags, equal answers, and what staff decided.

The rule: where only offline rules judge, an entry that carries a flag is not ranked until staff
decide. A model that reads answers is not fooled as easily: there the mark stands, and the entry is
ranked. Entries of equal answers share one place everywhere. Rule, mark and decision are public.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from benchmarks.submissions.marks.flagging import RULES
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.naming.lookalike_names import same_writing
from benchmarks.submissions.naming.public_names import public_name
from benchmarks.submissions.team_models import Team

TWIN = "the same answers as an earlier entry"
SAME_NAME = "another account's entry has this name"
LIKE_NAME = "its name is easily taken for that of another account's entry"


@dataclass(frozen=True, slots=True)
class Standing:
    """`marks` say what is remarkable, in words; `sentence` is all of it in one line, empty where
    nothing is."""

    is_kept_out: bool
    codes: tuple[str, ...]
    marks: tuple[str, ...]
    sentence: str


UNREMARKABLE = Standing(is_kept_out=False, codes=(), marks=(), sentence="")


def standing_of(
    submission: Submission,
    *,
    is_by_rules: bool,
    first: Submission | None = None,
    kept_out: RankingDecision | None = None,
    name_mark: str = "",
) -> Standing:
    """`first`: the earliest submission of equal answers, where that is another. What staff decided
    about it holds for all that has its answers, unless they decided about this one; so does
    `kept_out`, decided about one that is gone. A name is marked, and keeps nobody out."""
    codes = tuple(flag["code"] for flag in submission.flags)
    flagged = tuple(RULES[code].title for code in codes if code in RULES)
    decision = submission.decision or (first.decision if first else None) or kept_out
    is_kept_out = is_by_rules and (not decision.is_ranked if decision else bool(flagged))
    coded = [("twin", TWIN)] if first else []
    coded += [("name", name_mark)] if name_mark else []
    marks = (*flagged, *(words for _, words in coded))
    parts = [
        *([", ".join(marks)] if marks else []),
        *([decision_words(decision)] if decision else []),
    ]
    prefix = "not ranked" if is_kept_out else "marked"
    sentence = f"{prefix}: {'; '.join(parts)}" if parts else ""
    return Standing(is_kept_out, (*codes, *(code for code, _ in coded)), marks, sentence)


def decision_words(decision: RankingDecision) -> str:
    what = "ranked" if decision.is_ranked else "kept out"
    return f"{what} by decision of staff {decision.decided:%Y-%m-%d}: {decision.reason}"


def first_of_equals(submissions: Iterable[Submission]) -> Mapping[UUID, Submission]:
    """By id, the first submission in the order given that has the same answers, itself for most.
    Baselines, and what nobody looked at yet, equal nothing."""
    firsts: dict[str, Submission] = {}
    return {
        submission.pk: firsts.setdefault(
            submission.answers_digest or str(submission.pk), submission
        )
        for submission in submissions
    }


def kept_out_before(firsts: Collection[Submission]) -> Mapping[str, RankingDecision]:
    """By digest of answers why they are kept out, decided about a submission handed in before the
    first of them here and since withdrawn or made private: who withdraws what was kept out and
    hands it in again gains nothing. One query.

    firsts: of one release, each the first with its answers.
    """
    created = {first.answers_digest: first.created for first in firsts if first.answers_digest}
    releases = {first.release_id for first in firsts}
    decided = (
        Submission.objects.filter(release__in=releases, decision__is_ranked=False)
        .exclude(answers_digest="")
        .select_related("decision")
        .order_by("-created", "pk")
    )
    return {
        gone.answers_digest: gone.decision
        for gone in decided
        if gone.decision
        and gone.answers_digest in created
        and gone.created < created[gone.answers_digest]
    }


def is_verified(submission: Submission) -> bool:
    return submission.verification is not None and submission.verification.is_verified


def verification_words(submission: Submission) -> str:
    """When, by whom and why it was verified; empty where it is not."""
    decision = submission.verification
    if decision is None or not decision.is_verified:
        return ""
    who = public_name(decision.decided_by)
    return f"verified {decision.decided:%Y-%m-%d} by {who} (staff): {decision.reason}"


def verified_team(team: Team | None) -> int | None:
    """The team's number where staff verified who it is, under which its page stands."""
    if team is None or team.closed or team.verification is None:
        return None
    return team.pk if team.verification.is_verified else None


def first_of_names(submissions: Sequence[Submission]) -> Mapping[str, Submission]:
    """By the skeleton of a name whose it is: that of the first verified submission with it, else of
    the first."""
    firsts: dict[str, Submission] = {}
    for submission in sorted(submissions, key=is_verified, reverse=True):
        firsts.setdefault(submission.model.skeleton, submission)
    return firsts


def name_mark(submission: Submission, first: Submission) -> str:
    """What is remarkable about its name, which is that of `first`, of another account; empty where
    nothing is. Which of the two may bear it nobody knows before staff verified one, so the words
    accuse nobody."""
    if (
        not submission.model.skeleton
        or submission.origin != Submission.Origin.UPLOAD
        or is_of_one_account_or_team(submission, first)
        or is_verified(submission)
    ):
        return ""
    same = same_writing(submission.model.name) == same_writing(first.model.name)
    return SAME_NAME if same else LIKE_NAME


def is_of_one_account_or_team(submission: Submission, other: Submission) -> bool:
    is_of_one_team = submission.team_id is not None and submission.team_id == other.team_id
    return is_of_one_team or submission.owner_id == other.owner_id


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
