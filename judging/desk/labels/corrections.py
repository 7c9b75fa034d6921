"""A confirmed label and what it does to what was judged, at once or when a closed release is opened
again: rules, which cost nothing, read every answer to the question again; a judge that read another
reference is behind from now on, as after any new reference, until staff have it judged again
(judging/desk/stale/staleness.py)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.models import LabelCorrection, Question, Release
from benchmarks.registry import protocol, protocols
from benchmarks.selectors import corrections_in
from benchmarks.services.label_corrections import confirm_label, is_new_reference
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


def confirm_and_read_again(*, correction: LabelCorrection, reviewer: User) -> int:
    """`confirm_label`; afterwards rules have read the answers to the question again, or will
    once a worker comes to them, and every run is marked to be scored. How many verdicts were read
    again."""
    with transaction.atomic():
        # Runs before their judgements and the question, as everybody locks them.
        runs_with(correction.question).raise_revision(asked_anew=database_now())
        confirm_label(correction=correction, reviewer=reviewer)
        return read_again([correction.question_id])


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
    `confirm_and_read_again` of each."""
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
