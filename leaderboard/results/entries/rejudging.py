"""How far the judging of answers that were asked about anew has come, for the boards whose figures
stand as they were until all of their era are there: a board is by one edition of texts, or by the
next.

Runs that are done with are in no index that is read here: a page of a board of which nothing is
judged anew asks one query, which finds nothing.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F, Q
from django.db.models.functions import Now

from benchmarks.common.lately import lately
from judging.models import Judgement, JudgeRun
from judging.querysets import MOVING
from leaderboard.models import Scoresheet

MOST_RUNS = 2_000
"""Runs that are looked at, which takes some milliseconds; of more the page says "or more"."""
MOST_COUNTED = 10_000
"""Judgements of an era that are counted, some milliseconds too; of more it says "more than"."""
EXACT_UP_TO = 100
"""Greater numbers are told by their first two digits, so that a page which is stored for every
number is stored some hundred times and not thousands."""

LONGEST_WAIT = timedelta(days=1)
"""A run that takes longer holds no other up, and is held up by none: it may never end, and who
asks anew every hour would keep every figure back."""


def held_back() -> Q:
    """Runs whose new figures wait until all that were asked anew in their era are judged. What is
    paused holds nobody up, and neither waits what has no figures yet. One query, by the index of
    runs that are judged anew."""
    asked = lately("asked_anew", Now(), LONGEST_WAIT)
    anew = JudgeRun.objects.queued().filter(asked, scoresheet__isnull=False)
    moving = anew.filter(judgements__state__in=MOVING).order_by()
    held = Q(pk__in=[])
    for release, spec in moving.values_list("submission__release", "judge_spec").distinct():
        held |= Q(submission__release=release, judge_spec=spec)
    return held & asked & Q(asked_anew__gte=F("scoresheet__computed"))


@dataclass(frozen=True, slots=True)
class Rejudging:
    """Of one era (primary keys): public entries whose figures are those of before, how many
    judgements of theirs wait, and how many they have. has_more: there may be more than that."""

    release: int
    judge_spec: int
    entries: int
    waiting: int
    judgements: int
    has_more: bool = False

    @property
    def to_come(self) -> str:
        if not self.waiting:
            return "every judgement is there, and scores are being computed"
        if self.waiting > MOST_COUNTED:
            return f"more than {MOST_COUNTED:,} judgements to come"
        about = "about " if self.waiting > EXACT_UP_TO else ""
        of = "" if self.has_more else f" of {self.judgements:,}"
        word = "judgement" if self.judgements == 1 else "judgements"
        return f"{about}{self.waiting:,}{of} {word} to come"

    @property
    def sentence(self) -> str:
        """ "Re-judging: 12 of 908 judgements to come; 1 entry keeps its old figures until then" """
        one = self.entries == 1 and not self.has_more
        entries = f"{self.entries:,}{' or more' if self.has_more else ''}"
        keep = "entry keeps its" if one else "entries keep their"
        return f"Re-judging: {self.to_come}; {entries} {keep} old figures until then"


def rejudging_of(slug: str) -> tuple[Rejudging, ...]:
    """Of every era of the benchmark of which public entries are judged anew. One query where there
    is none; else one more, and one for each such era."""
    marked = JudgeRun.objects.unscored().filter(asked_anew__isnull=False).order_by()
    keys = list(marked.values_list("pk", flat=True)[: MOST_RUNS + 1])
    if not keys:
        return ()
    sheets = Scoresheet.objects.filter(
        run__in=keys,
        run__asked_anew__gte=F("computed"),
        submission__release__benchmark__slug=slug,
        submission__visibility="public",
        submission__withdrawn__isnull=True,
    ).order_by()
    eras: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for release, spec, run, *counts in sheets.values_list(
        "submission__release", "judge_spec", "run", "judged", "unreadable", "failed", "excluded"
    ):
        eras[release, spec].append((run, sum(counts)))
    has_more = len(keys) > MOST_RUNS
    return tuple(
        Rejudging(
            *era,
            entries=len(runs),
            waiting=waiting_in([run for run, _ in runs]),
            judgements=sum(count for _, count in runs),
            has_more=has_more,
        )
        for era, runs in sorted(eras.items())
    )


def waiting_in(runs: Sequence[int]) -> int:
    """Judgements that have no verdict yet and will have one, rounded up above EXACT_UP_TO; one more
    than MOST_COUNTED stands for any more."""
    moving = Judgement.objects.filter(run__in=runs, state__in=MOVING).order_by()
    return rounded_up(moving[: MOST_COUNTED + 1].count())


def rounded_up(count: int) -> int:
    """By its first two digits, from EXACT_UP_TO on; what is above MOST_COUNTED stays."""
    if not EXACT_UP_TO < count <= MOST_COUNTED:
        return count
    step = int(10 ** (len(str(count)) - 2))
    return -(-count // step) * step
