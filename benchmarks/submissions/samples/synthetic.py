"""The entries of the demo's models, who do not exist (benchmarks/bundled/synthetic_models.py)."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
from django.contrib.auth.models import User

from benchmarks.bundled.synthetic_models import (
    ABOUT,
    TRAINING_DATA,
    SyntheticEntry,
    SyntheticModel,
    generator,
    qualities,
)
from benchmarks.models import Release
from benchmarks.protocols.base import AnswerSource, Synthesising
from benchmarks.selectors import (
    newest_references,
    protocol_of,
    question_descriptions,
    question_view,
    release_questions,
)
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.services import accept_submission, withdraw_submission

BETWEEN = timedelta(minutes=1)


def ensure_synthetic_entries(
    *, release: Release, entries: Sequence[SyntheticEntry], owner: User, received: datetime
) -> list[Submission]:
    """The entries are public, with answers that are the same every time, and came a minute after
    each other; those that were not there before. A benchmark that knows no synthetic answers has
    none."""
    synthesise = protocol_of(release).synthesise
    known = Submission.objects.filter(
        owner=owner, client_token__in=[token_of(release, entry) for entry in entries]
    )
    tokens = set(known.values_list("client_token", flat=True))
    missing = [entry for entry in entries if token_of(release, entry) not in tokens]
    if synthesise is None or not missing:
        return []
    sources = answer_sources(release)
    return [
        accept_submission(
            release=release,
            upload=jsonl_upload(
                "synthetic.jsonl", synthetic_answers(release.slug, entry, sources, synthesise)
            ),
            model=details_of(entry.model),
            owner=owner,
            origin=Submission.Origin.SAMPLE,
            visibility=Submission.Visibility.PUBLIC,
            client_token=token_of(release, entry),
            received=received + number * BETWEEN,
        )
        for number, entry in enumerate(missing)
    ]


def withdraw_synthetic_entries(
    *, release: Release, entries: Sequence[SyntheticEntry], owner: User, now: datetime
) -> None:
    for entry in entries:
        given = Submission.objects.filter(owner=owner, client_token=token_of(release, entry))
        for submission in given:
            withdraw_submission(submission=submission, now=now)


def details_of(model: SyntheticModel) -> EvaluatedModel:
    return EvaluatedModel(
        name=model.name,
        organisation=model.organisation,
        parameters_billions=Decimal(model.billions) if model.billions else None,
        is_open_weights=model.is_open,
        licence=model.licence,
        training_data=TRAINING_DATA,
        notes=ABOUT.format(rate=model.rate),
    )


def token_of(release: Release, entry: SyntheticEntry) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_URL, f"synthetic/{release.slug}/{entry.name}")


def synthetic_answers(
    release: str,
    entry: SyntheticEntry,
    sources: Sequence[AnswerSource],
    synthesise: Synthesising,
) -> dict[str, str]:
    """By public id. What is wrong is taken from another question of the same subtask, or of the
    release where there is no other."""
    good = qualities(entry, release, [source.question.ability for source in sources])
    rng = generator(entry.name, release, "answers")
    answers = {}
    for source, quality in zip(sources, good, strict=True):
        other = another(source, sources, rng)
        answers[source.question.public_id] = synthesise(source, other, float(quality), rng)
    return answers


def answer_sources(release: Release) -> list[AnswerSource]:
    questions = release_questions(release)
    references = newest_references([question.pk for question in questions])
    descriptions = question_descriptions(release)
    return [
        AnswerSource(
            question_view(question),
            references.get(question.pk, ""),
            descriptions.get(question.public_id, ""),
        )
        for question in questions
    ]


def another(
    source: AnswerSource, sources: Sequence[AnswerSource], rng: np.random.Generator
) -> AnswerSource:
    kind = source.question.subtask
    others = [s for s in sources if s is not source]
    alike = [s for s in others if s.question.subtask == kind] or others or [source]
    return alike[int(rng.integers(len(alike)))]
