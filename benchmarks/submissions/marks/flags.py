"""Writing what flags say of a submission, and what staff decide about it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.protocols.base import BenchmarkProtocol, ExpectedAnswer, QuestionView
from benchmarks.selectors import (
    kept_truths,
    newest_references,
    protocol_of,
    question_descriptions,
    question_view,
)
from benchmarks.submissions.marks.common_words import without_common_words
from benchmarks.submissions.marks.flagging import (
    FLAGS_VERSION,
    answers_digest,
    flags_of,
    texts_in_order,
)
from benchmarks.submissions.marks.near_equals import find_near_equals
from benchmarks.submissions.models import (
    BASELINE_SEED,
    RankingDecision,
    Submission,
    VerificationDecision,
)


def ensure_flags(*, submission: Submission) -> None:
    """The submission has the flags of today's rules afterwards. Baselines, which have no rank,
    carry none."""
    if submission.flags_version == FLAGS_VERSION:
        return
    submission.flags_version = FLAGS_VERSION
    if submission.origin != Submission.Origin.BASELINE:
        find_near_equals(submission=submission, answers=find_flags(submission))
    submission.save(update_fields=["flags", "flags_version", "answers_digest"])


def find_flags(submission: Submission) -> Sequence[str]:
    """Set the submission's flags, without saving, and return what is compared of each answer, in
    order. Flags of a hidden test use questions and answers alone: their counts are public, and a
    count that rests on labels or descriptions would reveal one of them."""
    is_public = submission.release.verdicts_are_public
    family = protocol_of(submission.release)
    answers = list(
        submission.answers.select_related(
            "question__subtask__ability", "question__figure"
        ).order_by("pk")
    )
    kept = kept_truths(submission.release)
    views = [question_view(answer.question, kept) for answer in answers]
    references: Mapping[int, str] = {}
    descriptions: Mapping[str, str] = {}
    if is_public:
        references = newest_references(answer.question_id for answer in answers)
        descriptions = question_descriptions(submission.release)
    else:
        views = [replace(view, truth={}) for view in views]
    expected = [
        expected_of(
            family,
            view,
            references.get(answer.question_id, ""),
            descriptions.get(view.public_id, ""),
        )
        for answer, view in zip(answers, views, strict=True)
    ]
    rng = np.random.default_rng(BASELINE_SEED)
    made = family.predictions.baselines(views, descriptions, rng) if is_public else ()
    texts = [answer.text for answer in answers]
    public_ids = [view.public_id for view in views]
    found = flags_of(
        [view.text for view in views],
        texts,
        expected,
        (texts_in_order(baseline, public_ids) for baseline in made),
    )
    submission.flags = [asdict(flag) for flag in found]
    compared = without_common_words([family.equal_form(text) for text in texts])
    submission.answers_digest = answers_digest(compared)
    return compared


def expected_of(
    family: BenchmarkProtocol, view: QuestionView, reference: str, description: str
) -> ExpectedAnswer:
    if family.expecting is None:
        return ExpectedAnswer(reference)
    return family.expecting(view, reference, description)


@transaction.atomic
def decide_ranking(
    *, submission: Submission, is_ranked: bool, reason: str, by: User
) -> RankingDecision:
    """The decision is public and counts from now on, on boards that only rules judge; earlier ones
    are kept."""
    decision = RankingDecision.objects.create(
        submission=submission, is_ranked=is_ranked, reason=reason, decided_by=by
    )
    Submission.objects.filter(pk=submission.pk).update(decision=decision)
    return decision


@transaction.atomic
def decide_verification(
    *, submission: Submission, is_verified: bool, reason: str, by: User
) -> VerificationDecision:
    """The badge stands, or is gone, from now on. Who decided, when and why is public; earlier
    decisions are kept."""
    decision = VerificationDecision.objects.create(
        submission=submission, is_verified=is_verified, reason=reason, decided_by=by
    )
    Submission.objects.filter(pk=submission.pk).update(verification=decision)
    return decision
