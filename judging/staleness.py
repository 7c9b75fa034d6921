"""What a changed description makes out of date, and judging exactly that again.

A judgement is stale where its content key is not the one its case has today. Closed releases keep their verdicts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import QuerySet

from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.protocols.base import JudgeCase
from benchmarks.registry import protocol
from judging.clock import database_now
from judging.models import Judgement, JudgeSpec
from judging.querysets import JudgementQuerySet
from judging.selectors import cases_of
from judging.services.runs import (
    ASKED_AGAIN,
    begin_again,
    content_key,
    reuse_verdicts,
    settle_at_floor,
)

State = Judgement.State
BATCH = 600
REASON = "the description changed"


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """What is out of date once a description is approved. `calls` of the judgements would ask a judge with a price."""

    references: int
    judgements: int
    submissions: int
    calls: int

    @property
    def is_empty(self) -> bool:
        return not (self.references or self.judgements)


@dataclass(frozen=True, slots=True)
class Rejudged:
    """How many stale judgements wait again, and how many have a verdict already because nothing had to be asked."""

    waiting: int
    decided: int


@dataclass(frozen=True, slots=True)
class Stale:
    judgement: Judgement
    case: JudgeCase
    key: str


def blast_radius(*, description: Description) -> BlastRadius:
    """Counts against the world in which `description` is the approved one of its figure and language."""
    judgements = calls = 0
    submissions = set()
    work = judgements_on(figure=description.figure).filter(
        answer__submission__release__language=description.language, state=State.JUDGED
    )
    for batch in batches(work):
        for stale in stale_of(batch, description=description):
            judgements += 1
            calls += not stale.judgement.judge_spec.is_offline
            submissions.add(stale.judgement.run.submission_id)
    return BlastRadius(references_outdated_by(description), judgements, len(submissions), calls)


def reference_radius(*, question: Question, text: str) -> BlastRadius:
    """Counts against the world in which `text` is the question's reference."""
    judgements = calls = 0
    submissions = set()
    work = judgements_on().filter(answer__question=question, state=State.JUDGED)
    for batch in batches(work):
        for stale in stale_of(batch, reference=text):
            judgements += 1
            calls += not stale.judgement.judge_spec.is_offline
            submissions.add(stale.judgement.run.submission_id)
    return BlastRadius(0, judgements, len(submissions), calls)


def judgements_of_questions(questions: "QuerySet[Question]") -> int:
    """How many verdicts stand on these questions: the most that new references of theirs make out of date."""
    return judgements_on().filter(answer__question__in=questions, state=State.JUDGED).count()


def references_outdated_by(description: Description) -> int:
    """Newest reference answers of the figure that were generated from another version of its description."""
    generated = Reference.objects.filter(
        question__figure=description.figure,
        origin=Reference.Origin.GENERATED,
        description__language=description.language,
    )
    return generated.newest().exclude(description=description).count()


def stale_count(*, figure: Figure) -> int:
    """How many judgements `rejudge_stale` would touch."""
    return sum(len(stale_of(batch)) for batch in batches(judgements_on(figure=figure)))


def rejudge_stale(*, figure: Figure | None = None, release: Release | None = None) -> Rejudged:
    """Judgements whose case changed wait for a verdict on what it is today; no other row is touched.

    Where the new case needs no call, or was judged before, its verdict is there at once. What a worker asks meanwhile
    about the old case is not stored: its row is not leased any more.
    """
    waiting = decided = 0
    for keys in key_batches(judgements_on(figure=figure, release=release)):
        with transaction.atomic():
            rows = list(
                with_cases(Judgement.objects.filter(pk__in=keys)).select_for_update(of=("self",))
            )
            found = [stale for batch in by_spec(rows) for stale in stale_of(batch)]
            ask_again(found)
        settled = sum(stale.judgement.state == State.JUDGED for stale in found)
        waiting, decided = waiting + len(found) - settled, decided + settled
    return Rejudged(waiting, decided)


def ask_again(found: Sequence[Stale]) -> None:
    """The rows hold today's content key and wait, or have the verdict of a case that needs no call. A paused row, which
    an operator has to resume, stays paused."""
    now = database_now()
    for stale in found:
        judgement = stale.judgement
        if judgement.state == State.PAUSED:
            judgement.content_key = stale.key
        else:
            begin_again(judgement, stale.key, REASON)
            settle_at_floor(
                judgement, stale.case, protocol(judgement.judge_spec.protocol).judging, now
            )
    judgements = [stale.judgement for stale in found]
    reuse_verdicts(judgements, {j.content_key for j in judgements if j.state == State.WAITING})
    Judgement.objects.bulk_update(judgements, ASKED_AGAIN)


def judgements_on(
    *, figure: Figure | None = None, release: Release | None = None
) -> JudgementQuerySet:
    """Judgements of standing submissions to open releases, on a figure or in a release."""
    found = Judgement.objects.filter(
        answer__submission__release__state=Release.State.OPEN,
        answer__submission__withdrawn__isnull=True,
    )
    if figure is not None:
        found = found.filter(answer__question__figure=figure)
    if release is not None:
        found = found.filter(answer__submission__release=release)
    return found


def key_batches(work: "QuerySet[Judgement]") -> Iterator[list[int]]:
    keys = list(work.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]


def batches(work: "QuerySet[Judgement]") -> Iterator[list[Judgement]]:
    for keys in key_batches(work):
        yield from by_spec(with_cases(Judgement.objects.filter(pk__in=keys)))


def with_cases(work: "QuerySet[Judgement]") -> "QuerySet[Judgement]":
    return work.order_by("pk").select_related(
        "answer__question__subtask__ability",
        "answer__question__figure",
        "answer__submission__release__benchmark",
        "judge_spec__prompt_set",
        "run",
    )


def by_spec(rows: "Sequence[Judgement] | QuerySet[Judgement]") -> Iterator[list[Judgement]]:
    """Rows whose cases can be built together: of one judge spec and one language."""
    groups: dict[tuple[int, str], list[Judgement]] = {}
    for row in rows:
        groups.setdefault((row.judge_spec_id, row.answer.submission.release.language), []).append(
            row
        )
    yield from groups.values()


def stale_of(
    rows: Sequence[Judgement],
    description: Description | None = None,
    reference: str | None = None,
) -> list[Stale]:
    """Those of `rows`, all of one spec and language, whose key would be another; with `description` as if it were the
    approved one of the figure that all of them show, with `reference` as if it were that of all of their questions."""
    spec: JudgeSpec = rows[0].judge_spec
    judging = protocol(spec.protocol).judging
    cases = cases_of(rows, spec)
    if description is not None:
        cases = [replace(case, description=description.text) for case in cases]
    if reference is not None:
        cases = [replace(case, reference=reference) for case in cases]
    keys = [content_key(case, spec, judging) for case in cases]
    return [
        Stale(*found)
        for found in zip(rows, cases, keys, strict=True)
        if found[0].content_key != found[2]
    ]
