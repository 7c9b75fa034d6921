"""A site with a history: copies of a submission that was judged and scored, with all of their rows,
stored in bulk."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import Model

from benchmarks.registry import protocols
from benchmarks.submissions.models import EvaluatedModel, Submission
from judging.models import JudgeCall
from leaderboard.models import BoardChange, BoardVersion
from leaderboard.results.chain.links import link_waiting
from leaderboard.results.versions.numbers import number_shown, numbers_of

BATCH = 2_000


def copy_finished(submission: Submission, times: int, *, calls: bool = True) -> list[Submission]:
    """So many entries more, each of a model of its own and with nothing left to do; a call in the
    ledger for each of their judgements."""
    submission = Submission.objects.get(pk=submission.pk)  # as the sweep left it
    answers = list(submission.answers.order_by("pk"))
    runs = list(submission.runs.order_by("pk"))
    start = EvaluatedModel.objects.count()
    names = (f"Model {start + number}" for number in range(times))
    models = stored(EvaluatedModel(name=name, owner=submission.owner) for name in names)
    copies = stored(
        copied(submission, pk=uuid.uuid4(), model=model, client_token=uuid.uuid4())
        for model in models
    )
    new_answers = stored(copied(answer, submission=copy) for copy in copies for answer in answers)
    answer_of = {(answer.submission_id, answer.question_id): answer for answer in new_answers}
    for run in runs:
        new_runs = stored(copied(run, submission=copy) for copy in copies)
        judgements = list(run.judgements.select_related("answer"))
        rows = stored(
            copied(
                row,
                run=new_run,
                answer=answer_of[new_run.submission_id, row.answer.question_id],
                reused_from=None,
            )
            for new_run in new_runs
            for row in judgements
        )
        stored(
            copied(run.scoresheet, run=new_run, submission=new_run.submission)
            for new_run in new_runs
        )
        if calls:
            stored(
                JudgeCall(judgement=row, started=row.settled, outcome="answered") for row in rows
            )
    boards_are_stored()
    return copies


def boards_are_stored() -> None:
    """What changed so far is no reason to store any board again, also where the last sweep added it
    up and left the boards to a later one: after storing some they rest for a while. Nor to number
    links of the chain."""
    while link_waiting():
        pass
    BoardChange.objects.all().delete()
    numbers = numbers_of(protocols())
    for slug in numbers:
        BoardVersion.objects.filter(benchmark__slug=slug).update(made=number_shown(slug, numbers))


def copied(row: Any, **fields: Any) -> Any:
    """A new row with the values of another, but for these."""
    values: Mapping[str, Any] = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not field.primary_key
    }
    made = type(row)(**values)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def stored(rows: Any) -> list[Any]:
    found = list(rows)
    model: type[Model] = type(found[0])
    return list(model._default_manager.bulk_create(found, batch_size=BATCH))


def analyze() -> None:
    """The planner knows how many rows there are, as autovacuum tells it on a site."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
