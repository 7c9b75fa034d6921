"""Runs: ask for one, reuse what was decided before, pause and resume."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Count, Exists, OuterRef, Sum
from django.db.models.functions import Length, Now

from benchmarks.protocols.base import JudgeCase, JudgingPort
from benchmarks.registry import protocol
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.querysets import SubmissionQuerySet
from benchmarks.submissions.services import finish_submission
from judging.coordination import limits, money
from judging.coordination.clock import database_now
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import ENDED_BY_SWEEPS, MOVING
from judging.selectors import cases_of
from judging.services.specs import find_spec
from judging.services.verdicts import KEPT, PLACEHOLDER, REUSED, verdicts_known

log = logging.getLogger(__name__)
SMALL_CHARACTERS = 400_000
"""Of all answers of a submission, those of HallusionBench in sentences: whatever they hold,
planning, judging and scoring as many takes a second or two of a processor, so that several, one
after the other, keep a small file waiting for seconds. The largest has fifty times as many."""
SMALL_ANSWERS = 3_000
"""The longest release of a paper has 2,100; planning ten thousand takes half a minute."""
State = Judgement.State


def request_run(*, submission: Submission, spec: JudgeSpec) -> JudgeRun:
    """What a dry run of the spec decided is kept: it becomes part of the whole run, which has its
    place in the queue from now on."""
    run, _ = JudgeRun.objects.get_or_create(
        submission=submission,
        judge_spec=spec,
        defaults={"is_large": lambda: has_much_to_read(submission)},  # type: ignore[misc]
    )
    if run.dry_run is not None:
        existing = JudgeRun.objects.filter(pk=run.pk, dry_run__isnull=False)
        is_large = has_much_to_read(submission)
        existing.update(dry_run=None, unscored=1, created=Now(), is_large=is_large)
        run.refresh_from_db()
    return run


def has_much_to_read(submission: Submission) -> bool:
    read = submission.answers.aggregate(answers=Count("pk"), characters=Sum(Length("text")))
    return (read["characters"] or 0) > SMALL_CHARACTERS or read["answers"] > SMALL_ANSWERS


def submissions_without_run() -> SubmissionQuerySet:
    """Confirmed, and no judge was asked yet for more than a dry run. Whatever has been finished was
    asked about."""
    asked = JudgeRun.objects.whole().filter(submission=OuterRef("pk"))
    return Submission.objects.confirmed().unfinished().exclude(Exists(asked))


def request_missing_runs() -> None:
    """Every confirmed submission that nobody has asked a judge about gets the default judge;
    baselines get the offline rules, which cost nothing, and another judge only when an operator
    asks for it (`manage.py judge`)."""
    waiting = submissions_without_run().select_related("release__benchmark")
    for submission in waiting:
        is_baseline = submission.origin == Submission.Origin.BASELINE
        name = JudgeSpec.RULES if is_baseline else ""
        try:
            spec = find_spec(of=protocol_of(submission.release), name=name)
            request_run(submission=submission, spec=spec)
        except (OperationalError, InterfaceError):
            raise
        except Exception:  # a protocol that is named no more, or whose prompts cannot be read
            log.exception("No judge can be asked about submission %s", submission.pk)


ASKED_AGAIN = (*KEPT, "state", "attempts", "not_before", "lease_until")
"""What `begin_again` sets, to be saved by: all that a kept verdict takes with it, and how far the
case had come."""


def begin_again(judgement: Judgement, key: str, texts: int, reason: str = "") -> None:
    """It waits for a verdict on the case of this key, made of these texts, as if it had never been
    asked. Nothing is saved; a verdict that it has must be kept before (`keep_verdicts`)."""
    fresh = Judgement(content_key=key, texts_id=texts, reason=reason)
    for name in ASKED_AGAIN:
        setattr(judgement, name, getattr(fresh, name))


def take_plain_verdict(
    judgement: Judgement, case: JudgeCase, judging: JudgingPort, now: datetime
) -> None:
    """A case that needs no call has its verdict; others stay as they are. Nothing is saved."""
    if (plain := judging.plain_verdict(case)) is not None:
        judgement.state, judgement.verdict = State.JUDGED, plain.verdict
        judgement.reason, judgement.settled = plain.reason, now


def reuse_verdicts(judgements: Sequence[Judgement], keys: set[str]) -> None:
    """Waiting judgements whose case was judged before take that verdict; nothing is asked or
    paid."""
    known = verdicts_known(keys)
    now = database_now()
    for judgement in judgements:
        earlier = known.get(judgement.content_key)
        if judgement.state == State.WAITING and earlier is not None:
            judgement.state, judgement.verdict = State.JUDGED, earlier.verdict
            judgement.raw_reply, judgement.reported_model = (
                earlier.raw_reply,
                earlier.reported_model,
            )
            judgement.finish_reason = earlier.finish_reason
            judgement.reused_from_id = earlier.judgement
            judgement.reason, judgement.settled = REUSED, now


def pause_run(*, run: JudgeRun, kind: JudgeRun.Pause, reason: str) -> None:
    """Nothing of the run is claimed until it is resumed. A run that is paused already keeps its
    first reason."""
    JudgeRun.objects.filter(pk=run.pk, paused__isnull=True).update(
        paused=Now(), pause_kind=kind, pause_reason=reason[:300]
    )
    if kind == JudgeRun.Pause.FAULT:
        # Its owner need not wait for ours to mend it. The place of the day stays taken: a file made
        # to break the site would otherwise be welcome again at once.
        finish_submission(submission_id=run.submission_id, has_failed=False)


def pause_run_by_person(*, run: JudgeRun, reason: str) -> None:
    """Nothing of the run is claimed until a person resumes it: whatever paused it before ends the
    pause no more."""
    JudgeRun.objects.filter(pk=run.pk).update(
        paused=Now(), pause_kind=JudgeRun.Pause.PERSON, pause_reason=reason[:300]
    )


def end_pauses() -> None:
    """Runs paused by a budget that has room again, or by an endpoint that is open again, go on."""
    paused = JudgeRun.objects.not_withdrawn().filter(
        paused__isnull=False, pause_kind__in=ENDED_BY_SWEEPS
    )
    # Their judges by a query of its own: from the judges SQLite would find all that they judged.
    # In no order: to have that of their lists for nothing SQLite would walk through all runs.
    if not (keys := list(paused.order_by().values_list("pk", flat=True))):
        return
    for run in JudgeRun.objects.filter(pk__in=keys).select_related(
        "judge_spec__prompt_set", "submission"
    ):
        try:
            if is_pause_over(run):
                end_pause(run=run)
        except (OperationalError, InterfaceError):
            raise
        except Exception:  # the pause of another run may be over
            log.exception("Whether the pause of run %s is over cannot be told", run.pk)


def is_pause_over(run: JudgeRun) -> bool:
    if run.pause_kind == JudgeRun.Pause.BUDGET:
        return not money.lacks_price(run.judge_spec) and money.has_room(run, next_cost(run))
    return not limits.endpoint_status(run.judge_spec.endpoint).halt_reason


def next_cost(run: JudgeRun) -> int:
    """What the next call of the run may cost; 0 where none waits."""
    row = (
        run.judgements.filter(state=State.WAITING)
        .select_related(
            "answer__question__subtask__ability",
            "answer__question__figure",
            "answer__submission__release",
        )
        .order_by("pk")
        .first()
    )
    if row is None or run.judge_spec.prompt_set is None:
        return 0
    (case,) = cases_of([row], run.judge_spec)
    messages = protocol(run.judge_spec.protocol).judging.messages(
        case, run.judge_spec.prompt_set.texts, PLACEHOLDER
    )
    return money.worst_case(run.judge_spec, money.token_estimate(messages))


def revision_to_score(run: JudgeRun) -> int | None:
    """The revision that a scoresheet is of which is made of what is read from now on; None while a
    judgement waits or is leased, for its verdict will come without another revision."""
    revision = JudgeRun.objects.filter(pk=run.pk).values_list("revision", flat=True).get()
    # Looked for after the revision was read: whatever waits anew from here on has raised it.
    return None if run.judgements.filter(state__in=MOVING).exists() else revision


def mark_scored(run: JudgeRun, revision: int) -> bool:
    """Nothing is left to do for the run. False where what is said of its answers has changed since
    the revision was read; then it stays as it is."""
    unchanged = JudgeRun.objects.filter(pk=run.pk, revision=revision)
    return bool(unchanged.update(unscored=None))


def end_pause(*, run: JudgeRun) -> None:
    JudgeRun.objects.filter(pk=run.pk).resume()


@transaction.atomic
def resume_run(*, run: JudgeRun) -> int:
    """The run goes on, and judgements of it that were paused wait again with all their attempts;
    how many these are."""
    JudgeRun.objects.filter(pk=run.pk).raise_revision()
    end_pause(run=run)
    return run.judgements.filter(state=State.PAUSED).update(
        state=State.WAITING, reason="", not_before=None, attempts=0
    )
