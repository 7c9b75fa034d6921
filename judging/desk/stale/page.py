"""What stands by older texts, as values: by release, by figure and by entry, each with its price.

All of it is found by the texts that judgements name. What is up to date is not looked at, so the
page costs as much as there is to judge again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet

from benchmarks.figures.names import read_index, release_marks
from benchmarks.models import Figure, Question, Release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import handed_in_by
from judging.coordination import money
from judging.desk.stale.counts import stale_counts
from judging.desk.stale.staleness import (
    REPORTED,
    cost_of_calls,
    stale_judgements,
    stale_radius,
)
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import UNFINISHED, JudgementQuerySet

ROWS = 100  # of a list on the page; those with the most judgements first


@dataclass(slots=True)
class Group:
    """Stale judgements of one figure, one question without a figure, or one entry. `value` is what
    a tick sends; `questions` are public ids, of a figure; `detail` tells an entry from others of
    its name."""

    name: str
    value: str
    judgements: int = 0
    entries: int = 0
    calls: int = 0
    micro: float = 0.0
    questions: list[str] = field(default_factory=list)
    detail: str = ""

    @property
    def price(self) -> str:
        return money.print_money(round(self.micro))


def stale_page(*, slug: str, user: User) -> dict[str, Any]:
    """Of the open release `slug`, or of the one with the most to judge again."""
    rows = sorted(release_rows(), key=lambda row: (-row["judgements"], row["release"].slug))
    release = next((row["release"] for row in rows if row["release"].slug == slug), None)
    release = release or (rows[0]["release"] if rows else None)
    if release is None:
        return {"release": None}
    figures, entries = groups_of(stale_judgements(release=release), user)
    return {
        "releases": rows,
        "release": release,
        "radius": stale_radius(release=release),
        "figures": figures[:ROWS],
        "entries": entries[:ROWS],
        "more_figures": max(0, len(figures) - ROWS),
        "more_entries": max(0, len(entries) - ROWS),
    }


def release_rows() -> list[dict[str, Any]]:
    """`moving`: judgements that wait for a verdict in `entries` that were asked about anew."""
    releases = Release.objects.filter(state=Release.State.OPEN).select_related("benchmark")
    anew, stale = being_judged(releases), stale_counts(releases)
    rows = []
    for release in releases:
        moving, entries = anew.get(release.pk, (0, 0))
        count = stale.get(release.pk, 0)
        rows.append({"release": release, "judgements": count, "moving": moving, "entries": entries})
    return rows


def being_judged(releases: "QuerySet[Release]") -> Mapping[int, tuple[int, int]]:
    """By release: judgements that wait in runs that were asked anew, and in how many entries. Runs
    that are done with are in no index that is read here."""
    runs = JudgeRun.objects.unscored().not_withdrawn()
    anew = runs.filter(asked_anew__isnull=False, submission__release__in=releases)
    waiting = Judgement.objects.filter(run__in=anew, state__in=UNFINISHED).order_by()
    found = waiting.values_list("run__submission__release").annotate(
        rows=Count("pk"), entries=Count("run__submission", distinct=True)
    )
    return {release: (rows, entries) for release, rows, entries in found}


def groups_of(work: JudgementQuerySet, user: User) -> tuple[list[Group], list[Group]]:
    """By figure, or by question where there is none, and by entry; the most judgements first."""
    means = cost_by_judge(work)
    by_place = counted(work, "answer__question__figure", "answer__question", means=means)
    by_entry = counted(work, "run__submission", means=means)
    entries_of_figures = distinct(work, "answer__question__figure", "run__submission")
    entries_of_questions = distinct(work, "answer__question", "run__submission")
    figures: dict[str, Group] = {}
    names = names_of_figures({figure for figure, _ in by_place if figure})
    questions = Question.objects.in_bulk({question for _, question in by_place})
    for (figure, question), (rows, calls, micro) in by_place.items():
        value = f"figure-{figure}" if figure else f"question-{question}"
        name = names[figure] if figure else f"Question {questions[question].public_id}"
        group = figures.setdefault(value, Group(name, value))
        group.judgements, group.calls = group.judgements + rows, group.calls + calls
        group.micro += micro
        if figure:
            group.questions.append(questions[question].public_id)
        entries = entries_of_figures if figure else entries_of_questions
        group.entries = entries.get(figure or question, 0)
    shown = names_of_entries([entry for (entry,) in by_entry], user)
    found = []
    for (entry,), (rows, calls, micro) in by_entry.items():
        name, detail = shown[entry]
        found.append(Group(name, f"entry-{entry}", rows, 0, calls, micro, detail=detail))
    return most_first(figures.values()), most_first(found)


def names_of_figures(keys: Iterable[int]) -> Mapping[int, str]:
    """The `figure_names.name_of` each; all of a benchmark's are read at once."""
    figures = Figure.objects.in_bulk(set(keys))
    marks = release_marks()
    indexes = {pk: read_index(marks[pk]) for pk in {f.benchmark_id for f in figures.values()}}
    return {
        pk: str(indexes[figure.benchmark_id].names.get(pk) or f"Figure {pk}")
        for pk, figure in figures.items()
    }


def most_first(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.judgements, group.name, group.detail))


def distinct(work: JudgementQuerySet, by: str, of: str) -> Mapping[Any, int]:
    found = work.order_by().values_list(by)
    return dict(found.annotate(Count(of, distinct=True)))


def counted(
    work: JudgementQuerySet, *by: str, means: Mapping[int, float]
) -> dict[tuple[Any, ...], tuple[int, int, float]]:
    """By these values: how many judgements, how many of them ask a judge with a price, and micro
    for that."""
    found: defaultdict[tuple[Any, ...], list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for *key, spec, rows in (
        work.order_by().values_list(*by, "judge_spec").annotate(rows=Count("pk"))
    ):
        sums = found[tuple(key)]
        sums[0] += rows
        sums[1] += rows if spec in means else 0
        sums[2] += rows * means.get(spec, 0.0)
    return {key: (int(rows), int(calls), micro) for key, (rows, calls, micro) in found.items()}


def cost_by_judge(work: JudgementQuerySet) -> Mapping[int, float]:
    """Micro of one call by judge with a price, as `cost_of_calls` has them of all."""
    found = (
        work.order_by()
        .values_list("judge_spec")
        .annotate(rows=Count("pk"), reported=Count("pk", filter=REPORTED))
    )
    counts = {spec: (rows, reported) for spec, rows, reported in found}
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk(counts)
    return {
        pk: cost_of_calls(work, spec, *counts[pk]) / counts[pk][0]
        for pk, spec in specs.items()
        if not spec.is_offline
    }


def names_of_entries(keys: Sequence[UUID], user: User) -> Mapping[UUID, tuple[str, str]]:
    """Entries that everybody may see by their names; of others the name is for those alone who may
    look at what was handed in: whoever reviews texts works without knowing whose answers they
    are."""
    may_see = user.has_perm("submissions.view_submission")
    rows = Submission.objects.filter(pk__in=keys).select_related(
        "model", "owner__public_name", "team__public_name"
    )
    return {row.pk: name_of_entry(row, may_see) for row in rows}


def name_of_entry(entry: Submission, may_see: bool) -> tuple[str, str]:
    """And whose it is, when it was handed in, and how its address begins."""
    short = str(entry.pk)[:8]
    if not may_see and entry.visibility != Submission.Visibility.PUBLIC:
        return f"Private entry {short}", ""
    handed_in = f"by {handed_in_by(entry)}, {entry.created:%Y-%m-%d %H:%M} UTC, entry {short}"
    return entry.model.name, handed_in
