"""Submissions made after real ones, in bulk.

Each has answers and verdicts of its own model. Its scoresheet is that of the real one next in
strength, moved by the rest of the strength, and its resamples have a part of their own: to score
ten thousand by the real scorer would take hours.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.utils import timezone
from numpy.typing import NDArray

from bench.growth import bulk
from bench.growth.people import ONE_OWNER, details, public_name, user_name
from bench.growth.release import SEED, Answered, Made, answered, verdicts
from benchmarks.models import Question, Release
from benchmarks.selectors import protocol_of
from benchmarks.submissions.marks.flagging import FLAGS_VERSION
from benchmarks.submissions.marks.near_equals import secret_of
from benchmarks.submissions.marks.sketches import band_keys, sketch_of
from benchmarks.submissions.models import (
    Answer,
    AnswerBand,
    AnswerSketch,
    EvaluatedModel,
    PublicName,
    Submission,
)
from benchmarks.submissions.naming.lookalike_names import skeleton
from benchmarks.submissions.naming.slugs import slug_of
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from leaderboard.models import Scoresheet

BLOCK = 100
"""Submissions whose rows are made at once: 20 MB of them."""
DAYS = 300
OWN_PART = 0.6
"""Of the spread of a copy's resamples, what it shares with nobody: two entries that share all of it
would differ without error, as no two models do."""
ADDED = 0.2
"""What a unit of strength adds to a share of right answers, where about half of them are."""
LARGE = (Answer, Judgement, JudgeCall)
FILLED = (
    *LARGE,
    User,
    PublicName,
    EvaluatedModel,
    Submission,
    AnswerSketch,
    AnswerBand,
    JudgeRun,
    Scoresheet,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Slots:
    """What a run consists of, one of each per judgement: place of the answer, slot, and the texts
    it is judged by."""

    places: tuple[int, ...]
    names: tuple[str, ...]
    texts: tuple[int | None, ...]

    @property
    def pairs(self) -> list[tuple[int, str]]:
        return list(zip(self.places, self.names, strict=True))


def slots_of(run: JudgeRun) -> Slots:
    answers = run.submission.answers.order_by("pk").values_list("pk", flat=True)
    places = {answer: place for place, answer in enumerate(answers)}
    rows = list(run.judgements.order_by("pk").values_list("answer", "slot", "texts"))
    return Slots(
        tuple(places[answer] for answer, _, _ in rows),
        tuple(slot for _, slot, _ in rows),
        tuple(texts for _, _, texts in rows),
    )


@dataclass(frozen=True, slots=True)
class Pattern:
    """What copies are made after.

    strengths: of all submissions, real ones first; sheets: of the real ones, in their order.
    hashes: of each row's texts, (rows, texts). A copy of number n begins n steps after `begin`.
    """

    made: Made
    release: Release
    spec: JudgeSpec
    questions: tuple[int, ...]
    slots: Slots
    strengths: Floats
    sheets: tuple[Scoresheet, ...]
    hashes: NDArray[np.uint32]
    secret: bytes
    begin: datetime
    step: timedelta

    @classmethod
    def after(cls, made: Made, release: Release, spec: JudgeSpec, strengths: Floats) -> "Pattern":
        sheets = Scoresheet.objects.filter(judge_spec=spec).order_by("submission__created")
        members = Question.objects.filter(memberships__release=release)
        equal = protocol_of(release).equal_form
        return cls(
            made,
            release,
            spec,
            tuple(members.order_by("memberships__position").values_list("pk", flat=True)),
            slots_of(sheets[0].run),
            strengths,
            tuple(sheets),
            np.stack([sketch_of([equal(text) for text in texts]) for texts in made.texts]),
            secret_of(release),
            timezone.now() - timedelta(days=DAYS),
            timedelta(days=DAYS) / (len(strengths) + 1),
        )


@dataclass(frozen=True, slots=True)
class Planned:
    """A copy to be made, and the first numbers of its rows."""

    number: int
    id: uuid.UUID
    created: datetime
    owner: int
    model: int
    answer: int
    judgement: int
    run: int
    said: Answered
    verdicts: Sequence[str]


def fill_in_bulk(pattern: Pattern, *, first: int) -> Iterator[int]:
    """There is a submission for each of the strengths from `first` on; how many there are, after
    every thousand and at the end."""
    size = len(pattern.strengths)
    fill_accounts(range(-(-first // ONE_OWNER), -(-size // ONE_OWNER)))
    for start in range(first, size, BLOCK):
        numbers = range(start, min(start + BLOCK, size))
        rng = np.random.default_rng([SEED, start])
        planned = plan(pattern, numbers, rng)
        fill_submissions(pattern, planned, rng)
        fill_runs(pattern, planned, rng)
        if numbers.stop % 1000 < BLOCK or numbers.stop == size:
            yield numbers.stop


def plan(pattern: Pattern, numbers: range, rng: np.random.Generator) -> list[Planned]:
    model, run = bulk.next_key(EvaluatedModel), bulk.next_key(JudgeRun)
    answer, judgement = bulk.next_key(Answer), bulk.next_key(Judgement)
    named = {user_name(number // ONE_OWNER) for number in numbers}
    owners = dict(User.objects.filter(username__in=named).values_list("username", "pk"))
    planned = []
    for n, number in enumerate(numbers):
        said = answered(pattern.made, float(pattern.strengths[number]), rng)
        planned.append(
            Planned(
                number,
                uuid.UUID(bytes=rng.bytes(16), version=4),
                pattern.begin + number * pattern.step,
                owners[user_name(number // ONE_OWNER)],
                model + n,
                answer + n * len(pattern.questions),
                judgement + n * len(pattern.slots.places),
                run + n,
                said,
                verdicts(pattern.made, said, pattern.slots.pairs, rng),
            )
        )
    return planned


def fill_accounts(numbers: range) -> None:
    first, joined = bulk.next_key(User), timezone.now()
    bulk.insert(
        User,
        "id username password first_name last_name email is_staff is_superuser is_active"
        " date_joined",
        (
            (first + n, user_name(number), "!", "", "", "", False, False, True, joined)
            for n, number in enumerate(numbers)
        ),
    )
    bulk.insert(
        PublicName,
        "owner name skeleton",
        (
            (first + n, public_name(number), skeleton(public_name(number)))
            for n, number in enumerate(numbers)
        ),
    )


# --- what was handed in -------------------------------------------------------------------------


def fill_submissions(
    pattern: Pattern, planned: Sequence[Planned], rng: np.random.Generator
) -> None:
    bulk.insert(
        EvaluatedModel,
        "id owner name skeleton slug organisation link is_open_weights notes created",
        (model_row(one) for one in planned),
    )
    bulk.insert(
        Submission,
        "id owner model release origin visibility file file_name sha256 reading_notes flags"
        " flags_version answers_digest client_token created confirmed finished is_spent",
        (submission_row(pattern, one, rng) for one in planned),
    )
    bulk.insert(Answer, "id submission question text", answer_rows(pattern, planned))
    sketches = {one.id: sketch(pattern, one.said) for one in planned}
    bulk.insert(
        AnswerSketch,
        "submission hashes",
        ((key, hashes.astype("<u4").tobytes()) for key, hashes in sketches.items()),
    )
    bulk.insert(
        AnswerBand,
        "submission key",
        ((key, band) for key, s in sketches.items() for band in band_keys(s, pattern.secret)),
    )


def model_row(one: Planned) -> bulk.Row:
    told = details(one.number)
    return (
        one.model,
        one.owner,
        told.name,
        skeleton(told.name),
        f"{slug_of(told.name)}-of-{one.number}",
        told.organisation,
        "",
        told.is_open_weights,
        "",
        one.created,
    )


def submission_row(pattern: Pattern, one: Planned, rng: np.random.Generator) -> bulk.Row:
    digest, token = rng.bytes(32).hex(), uuid.UUID(bytes=rng.bytes(16), version=4)
    return (
        one.id,
        one.owner,
        one.model,
        pattern.release.pk,
        "upload",
        "public",
        f"{one.id}.jsonl",
        "answers.jsonl",
        digest,
        [],
        [],
        FLAGS_VERSION,
        digest,
        token,
        one.created,
        one.created,
        one.created + timedelta(minutes=10),
        True,
    )


def answer_rows(pattern: Pattern, planned: Sequence[Planned]) -> Iterator[bulk.Row]:
    for one in planned:
        rows = zip(pattern.questions, pattern.made.texts, one.said.choice.tolist(), strict=True)
        for n, (question, texts, choice) in enumerate(rows):
            yield one.answer + n, one.id, question, texts[choice]


def sketch(pattern: Pattern, said: Answered) -> NDArray[np.uint32]:
    return pattern.hashes[np.arange(len(pattern.questions)), said.choice]


# --- what was decided ---------------------------------------------------------------------------


def fill_runs(pattern: Pattern, planned: Sequence[Planned], rng: np.random.Generator) -> None:
    spec = pattern.spec.pk
    bulk.insert(
        JudgeRun,
        # With nothing left to do, where they would else be to be scored.
        "id submission judge_spec created planned pause_kind pause_reason fruitless failures"
        " revision unscored",
        (
            (one.run, one.id, spec, one.created, one.created, "", "", 0, 0, 1, None)
            for one in planned
        ),
    )
    bulk.insert(
        Judgement,
        "id run answer judge_spec slot content_key texts state fence attempts reason verdict"
        " raw_reply finish_reason reported_model prompt_tokens reply_tokens latency_ms settled",
        judgement_rows(pattern, planned, rng),
    )
    bulk.insert(
        JudgeCall,
        "judgement fence started closed outcome error reading reply request_id prompt_tokens"
        " reply_tokens cost",
        call_rows(planned),
    )
    bulk.insert(
        Scoresheet,
        "run submission judge_spec ranking coverage judged unreadable failed excluded figures"
        " board_figures draws lengths scoring computed",
        (sheet_row(pattern, one, rng) for one in planned),
    )


def judgement_rows(
    pattern: Pattern, planned: Sequence[Planned], rng: np.random.Generator
) -> Iterator[bulk.Row]:
    slots, spec, model = pattern.slots, pattern.spec.pk, pattern.spec.model
    for one in planned:
        keys = rng.bytes(32 * len(one.verdicts)).hex()
        settled = bulk.as_moment(one.created + timedelta(minutes=5))
        rows = zip(slots.places, slots.names, slots.texts, one.verdicts, strict=True)
        for n, (place, slot, texts, verdict) in enumerate(rows):
            yield (
                one.judgement + n,
                one.run,
                one.answer + place,
                spec,
                slot,
                keys[64 * n : 64 * n + 64],
                texts,
                "judged" if verdict else "unreadable",
                1,
                1,
                "",
                verdict,
                verdict or "I cannot say.",
                "stop",
                model,
                200,
                2,
                400,
                settled,
            )


def call_rows(planned: Sequence[Planned]) -> Iterator[bulk.Row]:
    for one in planned:
        started = bulk.as_moment(one.created + timedelta(minutes=4))
        closed = bulk.as_moment(one.created + timedelta(minutes=5))
        for judgement in range(one.judgement, one.judgement + len(one.verdicts)):
            yield judgement, 1, started, closed, "answered", "", "read", "", "", 200, 2, 50


def sheet_row(pattern: Pattern, one: Planned, rng: np.random.Generator) -> bulk.Row:
    real, strength = pattern.strengths[: len(pattern.sheets)], pattern.strengths[one.number]
    near = int(np.argmin(np.abs(real - strength)))
    like = pattern.sheets[near]
    step = ADDED * float(strength - real[near]) + float(rng.normal(scale=0.01))
    figures = {name: moved(step, packed) for name, packed in like.figures.items()}
    draws = moved_draws(step, np.frombuffer(like.draws, dtype="<f8"), rng)
    unreadable = sum(not verdict for verdict in one.verdicts)
    return (
        one.run,
        one.id,
        pattern.spec.pk,
        float(draws.mean()),
        like.coverage,
        len(one.verdicts) - unreadable,
        unreadable,
        0,
        0,
        figures,
        {name: figures[name] for name in like.board_figures},
        draws.astype("<f8").tobytes(),
        bytes(like.lengths or b""),
        like.scoring,
        one.created + timedelta(minutes=10),
    )


def moved_draws(step: float, draws: Floats, rng: np.random.Generator) -> Floats:
    centre, spread = float(draws.mean()), float(draws.std())
    shared = np.sqrt(1 - OWN_PART**2) * (draws - centre)
    own = rng.normal(scale=OWN_PART * spread, size=len(draws))
    found: Floats = np.clip(centre + step + shared + own, 0, 1)
    return found


def moved(step: float, packed: Sequence[Any]) -> list[Any]:
    """Value and ends of the interval of a packed figure (leaderboard.models), as far as a share
    goes; what else it has stays."""
    ends = [end if end is None else min(max(end + step, 0.0), 1.0) for end in packed[:3]]
    return [*ends, *packed[3:]]
