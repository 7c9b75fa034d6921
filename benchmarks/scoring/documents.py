"""An entry as the files of evidence have it (docs/evidence.md), scored."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.protocols.base import BenchmarkProtocol, Metric, QuestionView
from benchmarks.scoring.entries import Scored, score_entry

Document = Mapping[str, Any]


def question_of(document: Document) -> QuestionView:
    """A line of questions.jsonl; without truth where that is hidden."""
    return QuestionView(
        public_id=document["id"],
        ability=document["ability"],
        subtask=document["subtask"],
        figure="",
        group=document["group"],
        text=document["text"],
        facts=document["facts"],
        truth=document["truth"] or {},
    )


def score_lines(
    family: BenchmarkProtocol,
    questions: Sequence[QuestionView],
    answers: Sequence[Document],
    *,
    seed: int,
) -> Scored:
    """Of the lines of a file of answers, each with its question; a hidden answer is empty. Raises
    ValueError where what was compared has the name of a slot: it would be a verdict of no judge."""
    texts = [answer["answer"] or "" for answer in answers]
    slots_of = [
        {slot: one["verdict"] for slot, one in answer["slots"].items()} for answer in answers
    ]
    compared = columns([answer["compared"] for answer in answers], None)
    if slots := [name for name in compared if "." in name]:
        raise ValueError(f"{slots[0]} is compared, and is a slot of the judge")
    verdicts, ratings = (
        columns(slots_of, None),
        columns([answer["ratings"] for answer in answers], ()),
    )
    return score_entry(family, questions, texts, {**verdicts, **compared}, ratings, seed=seed)


def rules_of(family: BenchmarkProtocol) -> dict[str, Any]:
    """What era.json says of a board that follows from its family alone."""
    board = family.board.BOARD
    return {
        "ranking": board.ranking,
        "least_coverage": board.min_coverage,
        "metrics": {name: metric_document(one) for name, one in family.board.METRICS.items()},
    }


def metric_document(metric: Metric) -> dict[str, Any]:
    """`scale`: its ends, null where it has none. `needs_labels`: it is of a sample by people."""
    return {
        "title": metric.title,
        "about": metric.about,
        "unit": metric.unit,
        "higher_is_better": metric.higher_is_better,
        "needs_labels": metric.needs_labels,
        "scale": [end if math.isfinite(end) else None for end in metric.scale],
    }


def columns(rows: Sequence[Document], nothing: object) -> dict[str, list[Any]]:
    """By name the values of all rows, `nothing` where a row has none."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name, nothing) for row in rows] for name in names}
