"""What a board's entries say of the questions: made and stored with the board, and read by pages.

Counted are ranked entries, of equal answers one: no baseline, which answers without looking, and
none that is kept out.
"""

from collections.abc import Set
from dataclasses import dataclass, fields
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from benchmarks.models import Benchmark, Release, ReleaseQuestion
from benchmarks.services.label_doubts import Suspect, doubt_by_statistics
from benchmarks.statistics.items import item_statistics
from benchmarks.statistics.resampling import Floats
from judging.models import JudgeSpec
from leaderboard.models import QuestionStatistics, Scoresheet
from leaderboard.results.scoresheets.question_scores import unpacked_scores
from leaderboard.results.selectors import Era
from leaderboard.results.selectors.ranking import Order

MOST_ENTRIES = 500
"""The first of a board, whose answers are compared: of a release of 10,290 questions these are
5 MB, and what a thousand more would say of a question differs by a hundredth."""

ROW = np.dtype(
    [
        ("question", "<i8"),
        ("subtask", "<i8"),
        ("answered", "<i4"),
        ("share", "<f4"),
        ("discrimination", "<f4"),
        ("missed", "<f4"),
        ("suspicion", "<f4"),
    ]
)
"""Of one question: its key and that of its subtask, and what benchmarks.statistics.items says."""


@dataclass(frozen=True, slots=True)
class QuestionTable:
    """Columns in the order of the release, (questions,) each, as `Items` has them. entries:
    counted, of `countable` that could have been."""

    entries: int
    countable: int
    computed: datetime
    question: NDArray[np.int64]
    subtask: NDArray[np.int64]
    answered: NDArray[np.int64]
    share: Floats
    discrimination: Floats
    missed: Floats
    suspicion: Floats

    def place(self, question: int) -> int | None:
        """Of a question by its key; None where the release has it not."""
        found = np.flatnonzero(self.question == question)
        return int(found[0]) if len(found) else None


def make_question_statistics(
    era: Era, order: Order, *, version: int, computed: datetime
) -> QuestionStatistics:
    """Of the board in this order, not saved. Sheets from before item scores were kept are left out:
    they are scored anew, and the board with them."""
    counted = order.compared
    top = sorted(counted, key=lambda sheet: order.ranks[sheet.pk])[:MOST_ENTRIES]
    found = Scoresheet.objects.filter(pk__in=[sheet.pk for sheet in top])
    keys = list(
        ReleaseQuestion.objects.filter(release=era.release)
        .order_by("position")
        .values_list("question", "question__subtask")
    )
    stored = (bytes(scores or b"") for scores in found.values_list("item_scores", flat=True))
    packed = [scores for scores in stored if len(scores) == len(keys)]
    items = item_statistics(unpacked_scores(packed, len(keys)))
    table = np.zeros(len(keys), dtype=ROW)
    if keys:
        table["question"], table["subtask"] = np.array(keys, dtype=np.int64).T
    for column in fields(items):
        table[column.name] = getattr(items, column.name)
    return QuestionStatistics(
        release=era.release,
        judge_spec=era.judge_spec,
        version=version,
        entries=len(packed),
        countable=len(counted),
        table=table.tobytes(),
        computed=computed,
    )


DOUBTED_FROM, MOST_DOUBTED = 1.0, 50
"""Suspicion from which staff are asked to look at a label: that of a question which all who do well
elsewhere miss and which goes with nothing else. Of one board, no more than people look through in a
day."""


def store_question_statistics(made: QuestionStatistics) -> None:
    """In the place of those of an older board; the questions that it suspects are in the queue of
    doubted labels afterwards."""
    doubt_by_statistics(suspects_in(table_of(made)))
    QuestionStatistics.of_any_schema.update_or_create(
        release=made.release,
        judge_spec=made.judge_spec,
        defaults={
            name: getattr(made, name)
            for name in ("version", "entries", "countable", "table", "computed")
        },
    )


def forget_other_statistics(benchmark: Benchmark, kept: Set[tuple[int, int]]) -> None:
    """Delete the statistics of eras, given by release and judge spec, that have no public entry
    any more."""
    stored = QuestionStatistics.of_any_schema.filter(release__benchmark=benchmark)
    found = stored.values_list("pk", "release", "judge_spec")
    gone = [pk for pk, *era in found if tuple(era) not in kept]
    if gone:
        QuestionStatistics.of_any_schema.filter(pk__in=gone).delete()


def question_table(release: Release, judge_spec: JudgeSpec) -> QuestionTable | None:
    """The stored statistics of the era's questions; None where its board was never stored, and for
    a hidden test."""
    if not release.verdicts_are_public:
        return None
    stored = QuestionStatistics.objects.filter(release=release, judge_spec=judge_spec).first()
    if stored is None:
        return None
    return table_of(stored)


def table_of(stored: QuestionStatistics) -> QuestionTable:
    table = np.frombuffer(bytes(stored.table), dtype=ROW)
    columns = {name: table[name] for name in ROW.names or ()}
    return QuestionTable(stored.entries, stored.countable, stored.computed, **columns)


def suspects_in(table: QuestionTable) -> tuple[Suspect, ...]:
    """The most suspected questions, none with too few entries."""
    known = np.flatnonzero(table.suspicion >= DOUBTED_FROM)  # nan is not
    first = known[np.argsort(-table.suspicion[known], kind="stable")][:MOST_DOUBTED]
    return tuple(
        Suspect(
            question=int(table.question[place]),
            suspicion=float(table.suspicion[place]),
            share=float(table.share[place]),
            entries=int(table.answered[place]),
        )
        for place in first
    )
