"""Boards of as many entries as a test likes, with names, scores and intervals as they are in the
field."""

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from uuid import UUID

from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Metric
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.differences import Difference
from judging.models import JudgeSpec
from leaderboard.models import BoardFacts
from leaderboard.results.selectors import BoardEntry, BoardReading, Era

FAMILIES = ("Lucid", "Albatross", "Orca", "Heron", "Falcon", "Mono", "Intern", "Prism", "Argus")
SIZES = ("7B", "9B", "13B", "34B", "72B")
KINDS = ("Chat", "Instruct", "Preview", "DPO")
LABS = ("Meridian Labs", "University of Somewhere", "Northwind AI Lab", "Salt Lake Research")
QUESTIONS = 951
LARGE = {"percent": (0.6, 0.12), "ratio": (0.1, 0.1), "score": (600.0, 80.0)}
"""By unit, about which value entries lie and how far from it."""


DIFFERENT = 110
"""Entries whose figures differ; more than a page shows, and then they begin again."""


@cache
def many(slug: str, count: int) -> BoardReading:
    """A board of the family as `read_board` would hold it whole: every metric has a value, and few
    intervals are alike. The last entry is a baseline."""
    family, chance = protocol(slug), random.Random(7)
    board = family.board.BOARD
    metrics = {metric.name: metric for metric in family.board.METRICS.values()}
    metrics |= {metric.name: metric for metric in board.metrics()}
    benchmark = Benchmark(slug=family.slug, title=family.title)
    release = Release(
        pk=1,
        slug=f"{family.slug}-2023-08",
        title=f"{family.title}, {QUESTIONS} questions",
        benchmark=benchmark,
        language="en",
        question_count=QUESTIONS,
        disclosure="open",
    )
    spec = JudgeSpec(
        pk=1, slug=f"{family.slug}-rules-e0113e", kind="rules", model="1", protocol=family.slug
    )
    shown = [metrics[name] for name in board.metric_names()]
    figures = [{m.name: figure(m, chance) for m in shown} for _ in range(min(count, DIFFERENT))]
    entries = [entry(place, figures[place % DIFFERENT], chance) for place in range(count)]
    entries[-1] = replace(
        entries[-1], origin="baseline", rank=None, rank_best=None, rank_worst=None, to_leader=None
    )
    era = Era(release, spec, count)
    return BoardReading(
        benchmark=benchmark,
        board=board,
        metrics=family.board.METRICS,
        era=era,
        eras=(era,),
        entries=tuple(entries),
        published=board.published,
        computed=datetime(2026, 1, 1, tzinfo=UTC),
    )


def entry(place: int, figures: Mapping[str, MetricValue], chance: random.Random) -> BoardEntry:
    first, second = chance.sample(FAMILIES, 2)
    version = f"V{chance.randint(1, 4)}.{chance.randint(0, 9)}"
    behind = chance.uniform(0.01, 0.3)
    return BoardEntry(
        id=UUID(int=chance.getrandbits(128)),
        model_id=place,
        model=f"{first}-{second}-{version}-{chance.choice(SIZES)}-{chance.choice(KINDS)} {place}",
        facts=BoardFacts(chance.choice(LABS), is_open_weights=place % 2 == 0),
        origin="upload",
        submitted=datetime(2026, 1, 1, tzinfo=UTC),
        rank=place + 1,
        rank_best=max(1, place - 7),
        rank_worst=place + 9,
        coverage=1.0 if chance.random() < 0.9 else 0.97,
        judged=QUESTIONS,
        unreadable=0,
        failed=0,
        excluded=0,
        figures=figures,
        handed_in_by=f"team {second.lower()} {place}",
        to_leader=Difference(-behind, -behind - 0.1, 0.1 - behind) if place else None,
        position=place,
    )


def figure(metric: Metric, chance: random.Random) -> MetricValue:
    low, high = metric.scale
    middle, spread = LARGE[metric.unit]
    value = min(max(chance.gauss(middle, spread), low), high)
    half = abs(chance.gauss(spread / 5, spread / 20))
    judged = QUESTIONS if chance.random() < 0.97 else QUESTIONS - 9
    n = QUESTIONS if chance.random() < 0.9 else judged - chance.randint(1, 99)
    return MetricValue(
        value, max(value - half, low), min(value + half, high), None, n, QUESTIONS, judged, 60
    )
