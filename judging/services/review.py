"""What people do about judgements without a verdict that no worker will ask about: ask again, or
leave one out.

A verdict itself is never given, changed or taken away here: rows that have one are not touched.
"""

from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.registry import protocol
from judging.coordination.clock import database_now
from judging.models import Judgement, JudgeRun, ReviewNote
from judging.querysets import FOR_REVIEW, IN_REVIEW, JudgementQuerySet
from judging.selectors import cases_and_texts_of
from judging.services.runs import ASKED_AGAIN, begin_again, reuse_verdicts, take_plain_verdict
from judging.services.verdicts import content_key, stored_texts

State = Judgement.State
Action = ReviewNote.Action
BATCH = 600  # keys of one statement; SQLite takes 999 for certain
LONGEST_REASON = 300  # what the column holds


class ReviewError(Exception):
    """Nothing was changed; the message says why."""


def retry_judgements(*, keys: Sequence[int], by: User | None) -> int:
    """Those of the judgements that ended without a verdict, or were paused for a person, wait for
    one again, with all their attempts before them; how many. What each one was is kept in a note.
    An exclusion is taken back like that too.

    Today's case is asked; one that was judged meanwhile, in another submission, takes that verdict
    and costs nothing.
    """
    done = 0
    for start in range(0, len(keys), BATCH):
        with transaction.atomic():
            found = Judgement.objects.filter(
                pk__in=keys[start : start + BATCH], state__in=IN_REVIEW
            )
            JudgeRun.objects.filter(pk__in=found.order_by().values("run")).raise_revision()
            rows = list(with_cases(found.filter(run__submission__withdrawn__isnull=True)))
            note(rows, by, Action.RETRY)
            for group in by_run(rows):
                ask_again(group)
            Judgement.objects.bulk_update(rows, ASKED_AGAIN)
        done += len(rows)
    return done


def retry_failed(*, run: JudgeRun, by: User | None) -> int:
    """Every judgement of the run that ended without a verdict waits again; how many. Excluded ones
    stay excluded."""
    found = run.judgements.all().without_verdict().order_by("pk")
    return retry_judgements(keys=list(found.values_list("pk", flat=True)), by=by)


@transaction.atomic
def exclude_judgement(*, judgement: Judgement, by: User | None, reason: str) -> None:
    """The judgement is asked about no more. It never scores and never counts as judged; coverage
    still counts it as asked. Raises ReviewError without a reason, and where the row has a verdict
    or still waits for one."""
    reason = " ".join(reason.replace("\0", "").split())[:LONGEST_REASON]
    if not reason:
        raise ReviewError("Say why this judgement is excluded.")
    JudgeRun.objects.filter(pk=judgement.run_id).raise_revision()
    row = (
        Judgement.objects.filter(pk=judgement.pk, state__in=FOR_REVIEW).select_for_update().first()
    )
    if row is None:
        raise ReviewError(
            "Only a judgement that ended without a verdict or waits for a person can be excluded."
        )
    note([row], by, Action.EXCLUDE, reason)
    Judgement.objects.filter(pk=row.pk).update(
        state=State.EXCLUDED, reason=reason, settled=database_now()
    )


def note(rows: Sequence[Judgement], by: User | None, action: str, reason: str = "") -> None:
    """What the rows were until now, and who changes that, stands written down."""
    ReviewNote.objects.bulk_create(
        ReviewNote(judgement_id=row.pk, by=by, action=action, found=found_text(row), reason=reason)
        for row in rows
    )


def found_text(row: Judgement) -> str:
    return f"{row.state}: {row.reason}" if row.reason else row.state


def with_cases(work: JudgementQuerySet) -> JudgementQuerySet:
    return (
        work.order_by("run_id", "pk")
        .select_for_update(of=("self",))
        .select_related(
            "answer__question__subtask__ability",
            "answer__question__figure",
            "answer__submission__release__benchmark",
            "judge_spec__prompt_set",
        )
    )


def by_run(rows: Sequence[Judgement]) -> Iterator[list[Judgement]]:
    groups: dict[int, list[Judgement]] = {}
    for row in rows:
        groups.setdefault(row.run_id, []).append(row)
    yield from groups.values()


def ask_again(rows: Sequence[Judgement]) -> None:
    """The rows, all of one run, wait with today's content key, or hold the verdict of what needs no
    call. Not saved."""
    spec = rows[0].judge_spec
    judging = protocol(spec.protocol).judging
    now = database_now()
    cases = cases_and_texts_of(rows, spec)
    stored = stored_texts({texts for _, texts in cases})
    for row, (case, texts) in zip(rows, cases, strict=True):
        begin_again(row, content_key(case, spec, judging), stored[texts])
        take_plain_verdict(row, case, judging, now)
    reuse_verdicts(rows, {row.content_key for row in rows if row.state == State.WAITING})
