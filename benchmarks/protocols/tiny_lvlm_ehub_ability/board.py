"""What the ability-level board shows: the sum, its five parts, and the printed ranking beside."""

import json
from collections.abc import Mapping
from pathlib import Path

from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Metric, PublishedRow, Radar
from benchmarks.protocols.tiny_lvlm_ehub.suite import CAPABILITIES, JUDGED

SUM = Metric(
    "words",
    "Sum",
    "The five shares added up, times 100: from 0 to 500 (official code).",
    True,
    "percent",
    1,
    "an ability has no value",
)
ABILITIES = tuple(
    Metric(
        f"words@{slug}",
        CAPABILITIES[slug],
        "Share of its records in whose answer a correct answer occurs as whole words (official code).",
        True,
        "percent",
        1,
        "this release has no record of it",
    )
    for slug in JUDGED
)


def _published() -> tuple[PublishedRow, ...]:
    """Printed figures, a row per model. Read once, at import: part of this package like its code, but data."""
    text = (Path(__file__).parent / "published.json").read_text(encoding="utf-8")
    return tuple(PublishedRow(**row) for row in json.loads(text))


BOARD = Board(
    summary=(
        "The ability-level benchmark of Tiny LVLM-eHub pools short questions into five abilities and counts the "
        "answers in which a correct answer occurs."
    ),
    how=(
        "Word matching decides, after the official normalisation with its quirks; no judge is asked. It is blind to "
        "paraphrases and finds correct answers in long replies by accident, so that a long-winded model gains.\n\n"
        "Each ability is a share of its records, and the score is the sum of the five. The records differ from those "
        "of the suite of 42 datasets, as do score and sum: the two boards do not compare."
    ),
    ranking=SUM.name,
    min_coverage=1.0,
    tables=(
        BoardTable(
            "abilities",
            "Abilities",
            "Shares by word matching and their sum.",
            (ColumnGroup("Ranking", (SUM,)), ColumnGroup("Abilities", ABILITIES)),
        ),
    ),
    published=_published(),
    charts=(
        Radar("abilities-radar", "Abilities", "Share by ability.", (ColumnGroup("Abilities", ABILITIES),), 0.0, 1.0),
    ),
)

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in BOARD.metrics()}
