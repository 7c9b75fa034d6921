"""A confirmed label and what it does to what was judged, at once or when a closed release is opened
again: rules, which cost nothing, read every answer to the question again; a judge that read another
reference is behind from now on, as after any new reference, until staff have it judged again
(judging/desk/stale/staleness.py)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.models import LabelCorrection, LabelDoubt, Question, Reference, Release
from benchmarks.registry import protocol, protocols
from benchmarks.selectors import corrections_in
from benchmarks.services.label_corrections import is_new_reference
from benchmarks.services.label_doubts import end_doubt
from benchmarks.services.proposals import ProposalError, Review
from benchmarks.services.references import add_reference, check_open, live_reference
from judging.coordination.clock import database_now
from judging.desk.stale.staleness import (
    BATCH,
    BlastRadius,
    Stale,
    ask_again,
    by_spec,
    judgements_on,
    reference_radius,
    retired_judges,
    with_cases,
)
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import JudgementQuerySet, RunQuerySet
from judging.selectors import cases_and_texts_of
from judging.services.verdicts import content_key
from judging.texts import in_parts


@dataclass(frozen=True, slots=True)
class LabelRadius:
    """What a label will change: `entries` are scored again, `read_again` verdicts of rules are
    read again at once and for nothing. `stale`: what a new reference makes out of date; None where
    there is none."""

    entries: int
    read_again: int
    stale: BlastRadius | None


def label_radius(correction: LabelCorrection) -> LabelRadius:
    question = correction.question
    stale = None
    if is_new_reference(correction):
        text = correction.reference
        stale = reference_radius(question=question, text=text, without=offline_specs())
    return LabelRadius(
        entries=runs_with(question).values("submission").distinct().count(),
        read_again=by_rules([question.pk]).count(),
        stale=stale,
    )


class LabelReview(Review[LabelCorrection]):
    """From an approval on the question is judged and scored by the label, and its reports are
    answered with the reason. Rules have read the answers to it again, or will once a worker comes
    to them, and every run is marked to be scored."""

    model = LabelCorrection
    permission = "benchmarks.confirm_labelcorrection"

    def lock(self, proposal: LabelCorrection) -> None:
        Question.objects.select_for_update().get(pk=proposal.question_id)

    def name(self, proposal: LabelCorrection) -> str:
        return f"The correction of {proposal.question}"

    def why_own(self, user: User, proposal: LabelCorrection) -> str:
        """It is also theirs where somebody else proposed their label once more."""
        mine = LabelCorrection.objects.filter(question=proposal.question_id, author=user)
        if proposal.author_id == user.pk or mine.filter(label=proposal.label).exists():
            return "Nobody confirms a correction of their own. Ask another reviewer."
        return ""

    def before_approval(self, proposal: LabelCorrection) -> None:
        """Runs before their judgements and the question, as everybody locks them."""
        runs_with(proposal.question).raise_revision(asked_anew=database_now())

    def make(self, proposal: LabelCorrection) -> dict[str, Any]:
        """Refused is what would put another reference in the place of one that went live since."""
        check_open(proposal.question)
        check_reference(proposal)
        if not is_new_reference(proposal):
            return {}
        made = add_reference(
            question=proposal.question,
            text=proposal.reference,
            origin=Reference.Origin.HUMAN,
            maker=str(proposal.author)[:200],
        )
        return {"made_reference": made}

    def follow(self, proposal: LabelCorrection) -> str:
        question, by = proposal.question, proposal.reviewed_by
        assert by
        question.corrected_truth = proposal.truth
        question.save(update_fields=["corrected_truth"])
        state = LabelDoubt.State.CORRECTED
        end_doubt(question=question, by=by, state=state, answer=proposal.reason)
        count = read_again([question.pk])
        return (
            f"The label of {question} is “{proposal.label}” from now on. Rules read {count:,}"
            " answers again; boards show a new edition once all is scored."
        )


LABEL_REVIEW = LabelReview()


def check_reference(correction: LabelCorrection) -> None:
    live = live_reference(correction.question)
    if live and live.created > correction.created and is_new_reference(correction):
        raise ProposalError(
            f"Version {live.version} of the reference went live since this was proposed, with other"
            " words. Send the correction back, and have it proposed with the right ones."
        )


def outdated_labels(release: Release) -> list[int]:
    """Primary keys of its questions whose label was corrected in other releases since it was
    closed: it keeps the truth it was closed with until it is opened again."""
    if release.closed is None:
        return []
    elsewhere = LabelCorrection.objects.filter(
        question__releases=release, state=LabelCorrection.State.APPROVED
    ).exclude(pk__in=corrections_in(release).values("pk"))
    return sorted(set(elsewhere.values_list("question", flat=True)))


def follow_labels(*, release: Release, questions: Sequence[int]) -> int:
    """Of a release that was just opened again, with these questions corrected meanwhile: as after
    an approval of each."""
    if not questions:
        return 0
    with transaction.atomic():
        runs = JudgeRun.objects.filter(
            submission__release=release, submission__withdrawn__isnull=True
        )
        asked_still = runs.exclude(judge_spec__in=retired_judges())
        asked_still.raise_revision(asked_anew=database_now())
        return read_again(questions)


def runs_with(question: Question) -> RunQuerySet:
    """Runs that are scored by the question's label, without those of rules that are asked no more:
    their verdicts are by the label they had."""
    found = JudgeRun.objects.filter(
        submission__release__in=Release.objects.accepting().filter(questions=question),
        submission__withdrawn__isnull=True,
    )
    return found.exclude(judge_spec__in=retired_judges())


def offline_specs() -> list[int]:
    specs = JudgeSpec.objects.filter(protocol__in=protocols())
    return [spec.pk for spec in specs if spec.is_offline]


def by_rules(questions: Sequence[int]) -> JudgementQuerySet:
    found = judgements_on().filter(answer__question__in=questions, judge_spec__in=offline_specs())
    return found.filter(state=Judgement.State.JUDGED)


def read_again(questions: Sequence[int]) -> int:
    count = 0
    found = [
        pk for some in in_parts(questions) for pk in by_rules(some).values_list("pk", flat=True)
    ]
    for part in in_parts(sorted(found), BATCH):
        rows = with_cases(Judgement.objects.filter(pk__in=part)).select_for_update(of=("self",))
        for batch in by_spec(list(rows)):
            changed = otherwise_asked(batch)
            ask_again(changed)
            count += len(changed)
    return count


def otherwise_asked(rows: Sequence[Judgement]) -> list[Stale]:
    """Those of the rows, all of one spec and language, whose case has another key by today's
    label."""
    spec = rows[0].judge_spec
    judging = protocol(spec.protocol).judging
    keyed = [
        Stale(row, case, content_key(case, spec, judging), texts)
        for row, (case, texts) in zip(rows, cases_and_texts_of(rows, spec), strict=True)
    ]
    return [stale for stale in keyed if stale.key != stale.judgement.content_key]
