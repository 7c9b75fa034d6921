"""What an official file would become, before anything of it is stored. Plain Python: it runs in the
process that reads files from outside (submissions/files/reader.py)."""

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchmarks.figures.images import ImageError, examine_image
from benchmarks.protocols.base import (
    Anomaly,
    BenchmarkProtocol,
    Gap,
    Note,
    Problem,
    QuestionRow,
    Upload,
)


def draft_document(upload: Upload, family: BenchmarkProtocol) -> dict[str, Any]:
    """The preview as JSON: how many questions, by the title of their ability too; figures, and
    those of which the file has no picture; empty texts; anomalies by code; notes; every problem."""
    titles = {entry.slug: entry.title for entry in family.dataset.TAXONOMY}
    counts: Counter[str] = Counter()
    abilities: Counter[str] = Counter()
    anomalies: Counter[str] = Counter()
    figures: dict[str, bool] = {}
    notes: list[str] = []
    problems: list[Problem] = []
    for item in family.dataset.read(io.BytesIO(upload.content)):
        if isinstance(item, QuestionRow):
            counts["questions"] += 1
            abilities[titles.get(item.ability, item.ability)] += 1
            if item.figure and item.figure not in figures:
                problems += picture_problems(item)
                figures[item.figure] = any(image.content for image in item.images)
        elif isinstance(item, Gap):
            counts["gaps"] += 1
        elif isinstance(item, Anomaly):
            anomalies[item.code] += 1
        elif isinstance(item, Note):
            notes.append(item.message)
        elif isinstance(item, Problem):
            problems.append(item)
    if not counts["questions"] and not problems:
        problems.append(Problem("empty", "The file has no questions."))
    return {
        "questions": counts["questions"],
        "gaps": counts["gaps"],
        "abilities": dict(abilities),
        "figures": len(figures),
        "without_picture": sum(not has_picture for has_picture in figures.values()),
        "anomalies": dict(anomalies),
        "notes": notes,
        "problems": [asdict(problem) for problem in problems],
    }


def picture_problems(question: QuestionRow) -> Iterator[Problem]:
    for image in question.images:
        if image.content is not None:
            try:
                examine_image(image.content)
            except ImageError as error:
                message = f"The picture {image.name} {error}."
                yield Problem("image", message, question.line, "image", record=question.record)
