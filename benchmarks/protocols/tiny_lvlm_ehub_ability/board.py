"""What the ability-level board shows: the sum and its five parts, guarded and as published, and the
printed ranking."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Metric, Radar
from benchmarks.protocols.published import read_published
from benchmarks.protocols.tiny_lvlm_ehub.suite import CAPABILITIES, JUDGED
from benchmarks.protocols.tiny_lvlm_ehub_ability.scoring import GUARDED, PUBLISHED


def _metrics(score: str, suffix: str, total: str, share: str) -> tuple[Metric, ...]:
    """The sum, then its parts."""
    parts = (
        Metric(
            f"{score}@{slug}",
            f"{CAPABILITIES[slug]}{suffix}",
            share,
            empty="this release has no record of it",
            digits=1,
        )
        for slug in JUDGED
    )
    return (
        Metric(
            score,
            f"Sum{suffix}",
            total,
            empty="an ability has no value",
            digits=1,
            bounds=(0.0, float(len(JUDGED))),
        ),
        *parts,
    )


SUM, *ABILITIES = _metrics(
    GUARDED,
    "",
    "The five shares added up, times 100: from 0 to 500. By word matching with guards (ours).",
    "Share of its records in whose answer a correct answer is found by word matching with guards "
    "(ours).",
)
PUBLISHED_SUM, *PUBLISHED_ABILITIES = _metrics(
    PUBLISHED,
    ", as published",
    "The five shares by word matching as published added up, times 100 (official code).",
    "Share of its records in whose answer a correct answer occurs as whole words (official code).",
)

BOARD = Board(
    summary=(
        "Short questions pooled into five abilities; an answer counts if it contains a correct one."
    ),
    how=(
        "Word matching decides, without a judge. As published it misses paraphrases "
        "and finds correct answers in long replies by accident: “yes and no” is right whatever "
        "was asked. So the ranking has guards: the question is removed from the answer; an answer "
        "to a yes/no question must commit to yes or no; in a long answer only the first and last "
        "fifty words are searched; and a number in a list of many does not count. A separate table "
        "compares the figures by word matching as published with the printed ones.\n"
        "\n"
        "Each ability is a share of its records, and the score is the sum of the five. The "
        "records differ from those of the suite of 42 datasets, as do score and sum, so the two "
        "boards are not comparable."
    ),
    ranking=SUM.name,
    min_coverage=1.0,
    tables=(
        BoardTable(
            "abilities",
            "Overview",
            "Shares by word matching with guards and their sum.",
            (ColumnGroup("Ranking", (SUM,)), ColumnGroup("Abilities", tuple(ABILITIES))),
        ),
        BoardTable(
            "published",
            "Word matching as published",
            "Shares and sum by the official code, quirks included: the figures to compare with "
            "printed ones.",
            (
                ColumnGroup("Sum", (PUBLISHED_SUM,)),
                ColumnGroup("Abilities", tuple(PUBLISHED_ABILITIES)),
            ),
            order=PUBLISHED_SUM.name,
        ),
    ),
    published=read_published(Path(__file__).parent),
    charts=(
        Radar(
            "abilities-radar",
            "Abilities",
            "Share by ability.",
            (ColumnGroup("Abilities", tuple(ABILITIES)),),
            0.0,
            1.0,
        ),
    ),
)

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in BOARD.metrics()}
