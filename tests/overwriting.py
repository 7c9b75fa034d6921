"""Verdicts that a test puts in place by hand, as if they had been so from the beginning: the
database refuses it."""

from typing import Any

from django.db import connection, transaction
from django.db.models import Manager

from benchmarks.common.triggers import install
from judging.immutability import OVERWRITING
from judging.models import Judgement, JudgeRun
from judging.querysets import JudgementQuerySet


def overwrite(rows: JudgementQuerySet | Manager[Judgement], **fields: Any) -> int:
    """Their runs are to be scored again."""
    with transaction.atomic():
        JudgeRun.objects.filter(pk__in=rows.order_by().values("run")).raise_revision()
        where = f" ON {OVERWRITING.table}" if connection.vendor == "postgresql" else ""
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER {OVERWRITING.name}{where}")
        changed = rows.update(**fields)
        install([OVERWRITING])
    return changed
