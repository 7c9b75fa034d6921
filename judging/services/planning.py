"""Planning: what a run has to decide becomes its judgements, all of them or none.

The cases are made and settled outside of any transaction, a batch of answers at a time; what they
came to is then written in one that lasts as long as the inserts. So no run is ever half planned,
and a worker that is killed, or a text that takes long to read, leaves nothing behind and holds
nothing up.
"""

import math
import time
from collections.abc import Sequence
from functools import partial

from django.db import transaction

from benchmarks.protocols.base import JudgingPort
from benchmarks.selectors import (
    approved_descriptions,
    newest_references,
    protocol_of,
)
from benchmarks.submissions.models import Answer, Submission
from judging.coordination.clock import database_now
from judging.models import Judgement, JudgeRun
from judging.querysets import MOVING, RunQuerySet
from judging.selectors import build_cases, slots_of
from judging.services.attempts import attempt
from judging.services.runs import ASKED_AGAIN, reuse_verdicts, take_plain_verdict
from judging.services.verdicts import content_key, keep_verdicts, stored_texts

State = Judgement.State
BATCH = 200  # answers: of the longest, 4 MB of text, and a few seconds
ROWS = 500  # per insert


def plan_waiting_runs(*, large: bool | None = None, seconds: float = math.inf) -> list[int]:
    """Runs of this size that had no judgements have them afterwards, the oldest first, as far as
    `seconds` reach; the primary keys of those planned here."""
    waiting = runs_to_plan().of_size(large=large).order_by("pk")
    end = time.monotonic() + seconds
    return [
        key
        for key in list(waiting.values_list("pk", flat=True))
        if time.monotonic() < end
        and attempt(run_id=key, doing="planning it", work=partial(plan_run, run_id=key))
    ]


def runs_to_plan() -> RunQuerySet:
    return JudgeRun.objects.unplanned().not_withdrawn().to_try()


def plan_run(*, run_id: int) -> bool:
    """A judgement for every slot of every answer exists afterwards. False where the run was planned
    before.

    What needs no call is settled here: answers at the floor, and cases judged before by the same
    spec.
    """
    unplanned = JudgeRun.objects.unplanned().filter(pk=run_id)
    run = unplanned.select_related(
        "judge_spec__prompt_set", "submission__release__benchmark"
    ).first()
    if run is None:
        return False
    texts = texts_judged_by(run.submission)
    planned = planned_rows(run, list(texts))
    with transaction.atomic():
        if not unplanned.update(planned=database_now()):
            return False  # by another worker, since this one looked
        today = texts_judged_by(run.submission)
        if changed := [answer for answer in texts if today[answer] != texts[answer]]:
            planned |= planned_rows(run, changed)
        judgements = [row for answer in texts for row in planned.get(answer, ())]
        store_rows(run, judgements)
    return True


def store_rows(run: JudgeRun, planned: Sequence[Judgement]) -> None:
    """What a dry run decided stands; where it was decided by texts that are not today's, the row is
    as it was planned now, and its verdict is kept as an earlier one."""
    held = Judgement.objects.filter(run=run).order_by("pk").select_for_update()
    existing = {(row.answer_id, row.slot): row for row in held}
    new = [row for row in planned if (row.answer_id, row.slot) not in existing]
    Judgement.objects.bulk_create(new, batch_size=ROWS)
    if not existing:
        return
    older = []
    for row in planned:
        earlier = existing.get((row.answer_id, row.slot))
        # Those that wait, or are being asked about, take today's texts when they are asked.
        if earlier and earlier.state not in MOVING and earlier.content_key != row.content_key:
            older.append((earlier, row))
    keep_verdicts(earlier for earlier, _ in older)
    for earlier, row in older:
        for name in ASKED_AGAIN:
            setattr(earlier, name, getattr(row, name))
    Judgement.objects.bulk_update([earlier for earlier, _ in older], ASKED_AGAIN)


def texts_judged_by(submission: Submission) -> dict[int, tuple[str, str]]:
    """Today's reference and description of each answer, in the order of the answers. An approval
    that comes while a run is planned sees none of its rows, and would leave those that the old text
    settled as they are."""
    rows = list(submission.answers.order_by("pk").values_list("pk", "question", "question__figure"))
    release = submission.release
    references = newest_references({question for _, question, _ in rows}, release.closed)
    figures = {figure for _, _, figure in rows if figure}
    descriptions = approved_descriptions(figures, release.language, release.closed)
    return {
        answer: (references.get(question, ""), descriptions.get(figure or 0, ""))
        for answer, question, figure in rows
    }


def planned_rows(run: JudgeRun, answers: Sequence[int]) -> dict[int, list[Judgement]]:
    """The judgements of these answers, by answer, made a batch at a time. Nothing is saved."""
    judging = protocol_of(run.submission.release).judging
    planned: dict[int, list[Judgement]] = {}
    for start in range(0, len(answers), BATCH):
        batch = Answer.objects.filter(pk__in=answers[start : start + BATCH]).select_related(
            "question__subtask__ability", "question__figure", "submission__release__benchmark"
        )
        for judgement in plan_judgements(run, list(batch.order_by("pk")), judging):
            planned.setdefault(judgement.answer_id, []).append(judgement)
    rows = [row for found in planned.values() for row in found]
    reuse_verdicts(rows, {row.content_key for row in rows if row.state == State.WAITING})
    return planned


def plan_judgements(
    run: JudgeRun, answers: Sequence[Answer], judging: JudgingPort
) -> list[Judgement]:
    spec = run.judge_spec
    planned = slots_of(answers, spec, judging)
    cases = build_cases(planned, spec)
    stored = stored_texts({texts for _, texts in cases})
    now = database_now()
    judgements = []
    for (answer, slot), (case, texts) in zip(planned, cases, strict=True):
        judgement = Judgement(run=run, answer_id=answer.pk, judge_spec=spec, slot=slot.key)
        judgement.content_key = content_key(case, spec, judging)
        judgement.texts_id = stored[texts]
        take_plain_verdict(judgement, case, judging, now)
        judgements.append(judgement)
    return judgements
