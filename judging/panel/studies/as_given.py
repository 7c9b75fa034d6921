"""The votes of a study as they were given, for those who run it: a row per vote and dimension, with
codes of raters and never a name."""

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.common.spreadsheets import csv_text
from judging.panel.models import Study, Vote
from judging.panel.studies.votes import file_name_of

COLUMNS = (
    "study",
    "rater",
    "item",
    "is_check",
    "question",
    "entry",
    "dimension",
    "value",
    "is_passed",
    "given",
    "milliseconds",
    "taken_back",
    "is_late",
    "is_removed",
    "consent_version",
)


def votes_as_given(study: Study) -> Iterator[dict[str, Any]]:
    """In the order in which they came, what was taken back among them; nothing of raters who
    withdrew their votes. `is_passed`: of a check, whether this passes it; None of other items."""
    rows = Vote.objects.filter(rater__study=study, rater__withdrew__isnull=True).select_related(
        "item__answer__question", "rater"
    )
    for vote in rows.order_by("at", "pk").iterator():
        item, rater = vote.item, vote.rater
        tells = item.is_check and vote.dimension == item.check_dimension
        values = (
            study.code,
            file_name_of(study, rater.number),
            item.position,
            item.is_check,
            item.answer.question.public_id,
            str(item.answer.submission_id),
            vote.dimension,
            vote.value,
            vote.value in item.passing if tells else None,
            vote.at.isoformat(),
            vote.milliseconds,
            vote.taken_back.isoformat() if vote.taken_back else None,
            bool(study.closed and vote.at > study.closed),
            rater.removed is not None,
            rater.consent_version or None,
        )
        yield dict(zip(COLUMNS, values, strict=True))


def votes_csv(study: Study) -> Iterator[str]:
    yield csv_text([COLUMNS])
    for vote in votes_as_given(study):
        yield csv_text([["" if value is None else value for value in vote.values()]])


def votes_jsonl(study: Study) -> Iterator[str]:
    for vote in votes_as_given(study):
        yield json.dumps(vote) + "\n"
