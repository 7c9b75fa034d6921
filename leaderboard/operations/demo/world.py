"""The content of a demo and three days of its history: what came, was judged, and was taken back.

Each day is loaded and judged before the next one comes, so that boards of past days are what they
would have been.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from datetime import datetime, timedelta
from itertools import groupby

from django.contrib.auth.models import User

from benchmarks.bundled.synthetic_models import DAYS, entries_of_day, withdrawn_on
from benchmarks.models import Release
from benchmarks.protocols.base import BenchmarkProtocol
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.bundled import ensure_release, load_bundled
from benchmarks.submissions.samples.synthetic import (
    ensure_synthetic_entries,
    withdraw_synthetic_entries,
)
from judging.engine.engine import judge_run
from judging.models import JudgeRun, JudgeSpec
from judging.panel.bundled import load_sample_ratings
from judging.selectors import run_counts
from judging.services import OTHER_RULES, find_spec, plan_run, request_run
from leaderboard.results.boards.editions import store_boards_as_of
from leaderboard.results.services import score_run

A_WHILE = timedelta(hours=2)
"""Since the entries of the last day came, and a day more for each of the days before."""
JUDGED_AFTER = timedelta(hours=1)
Say = Callable[[str], object]


def load_world(
    *,
    families: Collection[BenchmarkProtocol],
    owner: User,
    now: datetime,
    say: Say,
    judge_last: bool,
    days: int = DAYS,
    pool: Executor | None = None,
) -> None:
    """What ships with the families is loaded, and all days but the last are judged; with
    `judge_last` that one too, which otherwise waits for the worker. Safe to repeat: what is there
    stays as it is. Without any `days` there are no synthetic models, and all is of now. `pool`:
    processes with Django set up, which judge side by side."""
    releases: list[Release] = []
    for day in range(1, max(days, 1) + 1):
        moment = now - timedelta(days=max(days - day, 0)) - A_WHILE
        if day == 1:
            releases = load_content(families, owner, moment)
        added = load_day(day, releases, owner, moment) if days else 0
        if added:
            say(f"Day {day} of {DAYS}: {added} entries of synthetic models")
        end = moment + JUDGED_AFTER
        runs = request_rules(end)
        if (day < days or judge_last) and (judged := judge(runs, end, pool)):
            say(f"  {judged} entries judged by the offline rules")
            for slug in sorted({release.benchmark.slug for release in releases}):
                store_boards_as_of(slug, now=end)


def load_content(
    families: Iterable[BenchmarkProtocol], owner: User, moment: datetime
) -> list[Release]:
    """Bundled releases with baselines, samples and what people say of these."""
    releases = []
    for protocol in families:
        releases += load_bundled(protocol=protocol, owner=owner, received=moment)
        load_sample_ratings(protocol)
    return releases


def load_releases(families: Iterable[BenchmarkProtocol]) -> Iterator[Release]:
    """Bundled releases, open, with nothing answered yet."""
    for family in families:
        for bundled in family.bundled:
            yield ensure_release(family, bundled)


def load_day(day: int, releases: list[Release], owner: User, moment: datetime) -> int:
    """How many entries came."""
    added = 0
    for release in releases:
        added += len(
            ensure_synthetic_entries(
                release=release, entries=entries_of_day(day), owner=owner, received=moment
            )
        )
        withdraw_synthetic_entries(
            release=release, entries=withdrawn_on(day), owner=owner, now=moment
        )
    return added


def request_rules(end: datetime) -> list[JudgeRun]:
    """Content that came until then and is not judged yet is to be judged by offline rules,
    whichever judge the site asks about what people hand in; the runs, those of a release after
    each other. What an earlier demo left of its last day is not of the first day of this one."""
    ours = (Submission.Origin.BASELINE, Submission.Origin.SAMPLE)
    waiting = (
        Submission.objects.confirmed()
        .unfinished()
        .filter(origin__in=ours, created__lt=end)
        .order_by("release", "created", "pk")
    )
    return [
        request_run(submission=submission, spec=spec)
        for submission in waiting.select_related("release__benchmark")
        for spec in rules_asked(submission)
    ]


def rules_asked(submission: Submission) -> list[JudgeSpec]:
    """The usual rules. About answers to the first release of a benchmark the others too, so that a
    demo has judges to set beside each other; not about baselines, which nobody compares."""
    family = protocol_of(submission.release)
    specs = [find_spec(of=family, name=JudgeSpec.RULES)]
    is_first = submission.release.slug in {release.slug for release in family.bundled[:1]}
    if is_first and submission.origin == Submission.Origin.SAMPLE:
        specs += [
            find_spec(of=family, name=f"{OTHER_RULES}{rules.name}") for rules in family.other_rules
        ]
    return specs


def judge(runs: Sequence[JudgeRun], now: datetime, pool: Executor | None = None) -> int:
    """How many were judged to their end, as of now; those of a release by one process, which reads
    its questions once."""
    of_releases = [
        [run.pk for run in group]
        for _, group in groupby(runs, key=lambda run: run.submission.release_id)
    ]
    moments = [now] * len(of_releases)
    if pool is None:
        return sum(map(judge_release, of_releases, moments))
    return sum(pool.map(judge_release, of_releases, moments))


def judge_release(runs: Sequence[int], now: datetime) -> int:
    """How many of these were judged to their end. What a worker of an earlier demo still holds is
    left to the worker of this one."""
    judged = 0
    for run in runs:
        plan_run(run_id=run)
        judge_run(run_id=run, seconds=math.inf)
        planned = JudgeRun.objects.select_related("submission__release").get(pk=run)
        if not run_counts(planned).open:
            score_run(run=planned, at=now)
            judged += 1
    return judged
