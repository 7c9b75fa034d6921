"""The pages of releases: what is in one, what it may be used for, what it can show, and how to
answer it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count
from django.urls import reverse

from benchmarks.models import Release, ReleaseArchive, ReleaseQuestion, Subtask
from benchmarks.releases.files import example_program
from benchmarks.selectors import protocol_of
from leaderboard.models import BoardEdition
from leaderboard.results.disclosure import shown_anomalies, shown_corrections
from leaderboard.results.formatting import MISSING, print_size
from leaderboard.results.judges.seals import JudgeSeal, judge_seal
from leaderboard.web.board.comparison import print_points, steps_sentence

LANGUAGES = {"en": "English", "zh": "Chinese"}
ADDRESSES = "https://", "http://"
MOST_FAULTS = 50
"""Sentences about faults that a page shows: of 1,129 faulty rows each could have its own."""
MOST_NAMED = 8
"""Questions that are named after one sentence about their fault."""

STATES = {
    Release.State.OPEN: "Open: it takes submissions.",
    Release.State.FROZEN: "Frozen: it takes no submissions now. Its boards stay.",
    Release.State.RETIRED: "Retired: it is history and takes no submissions. Its boards stay.",
}


class ReleaseLine(NamedTuple):
    """A row of the list of releases. `download`: size of the archive, empty while there is none."""

    release: Release
    language: str
    download: str


@dataclass(frozen=True, slots=True)
class SubtaskCount:
    title: str
    questions: int
    figures: int


@dataclass(frozen=True, slots=True)
class AbilityCount:
    title: str
    questions: int
    figures: int
    subtasks: tuple[SubtaskCount, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence, how many questions it is said of, and the first of them."""

    sentence: str
    count: int
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A board of the release. `smallest`: with its unit, or MISSING; `edition`: number of the texts
    it is judged by, and since when."""

    judge: JudgeSeal
    url: str
    entries: int
    ranked: int
    smallest: str
    is_assumed: bool
    edition: int
    since: datetime | None


# --- the list -------------------------------------------------------------------------------------


def release_lines() -> list[ReleaseLine]:
    """Every published release, benchmark by benchmark, the main one of each first."""
    found = Release.objects.published().main_first().select_related("benchmark", "archive")
    return [
        ReleaseLine(
            release,
            language_name(release.language),
            print_size(archive.size) if (archive := archive_of(release)) else "",
        )
        for release in found
    ]


def archive_of(release: Release) -> ReleaseArchive | None:
    """None until a sweep has made one."""
    return getattr(release, "archive", None)


def language_name(code: str) -> str:
    return LANGUAGES.get(code, code)


# --- one ------------------------------------------------------------------------------------------


def release_page(release: Release) -> dict[str, Any]:
    """Needs `benchmark` and `archive` selected. `archive` is None until a sweep has made one.
    `source_url`: what is said of its source, where that is an address. `metric`: title of what
    ranks, in whose points differences are. `steps`: what the scores of a hidden test are rounded
    to."""
    board = protocol_of(release).board
    abilities = ability_counts(release)
    faults = faults_of(release)
    archive = archive_of(release)
    correction_count, corrections = shown_corrections(release)
    return {
        "release": release,
        "benchmark": release.benchmark.title,
        "language": language_name(release.language),
        "state": STATES[Release.State(release.state)],
        "source_url": release.source if release.source.startswith(ADDRESSES) else "",
        "figures": figure_count(release),
        "abilities": abilities,
        "faults": faults[:MOST_FAULTS],
        "fault_count": len({anomaly["question"] for anomaly in release.anomalies}),
        "more_faults": len(faults[MOST_FAULTS:]),
        "correction_count": correction_count,
        "corrections": corrections,
        "boards": board_lines(release),
        "metric": board.METRICS[board.BOARD.ranking].title,
        "steps": steps_sentence(board.METRICS[board.BOARD.ranking], release),
        "archive": archive,
        "size": print_size(archive.size) if archive else "",
        "program": example_program(release),
    }


def figure_count(release: Release) -> int:
    """One figure may be asked about in several subtasks, and counts once."""
    counted = ReleaseQuestion.objects.filter(release=release).aggregate(
        figures=Count("question__figure", distinct=True)
    )
    return int(counted["figures"])


def ability_counts(release: Release) -> tuple[AbilityCount, ...]:
    """Questions and figures by ability and subtask, in the order of the taxonomy; what the release
    has none of is not listed."""
    rows = (
        ReleaseQuestion.objects.filter(release=release)
        .order_by()
        .values_list("question__subtask")
        .annotate(Count("pk"), Count("question__figure", distinct=True))
    )
    counts = {subtask: (questions, figures) for subtask, questions, figures in rows}
    subtasks = Subtask.objects.filter(pk__in=counts).select_related("ability")
    found: dict[int, list[Subtask]] = {}
    for subtask in subtasks.order_by("ability__position", "position", "pk"):
        found.setdefault(subtask.ability_id, []).append(subtask)
    return tuple(ability_count(shown, counts) for shown in found.values())


def ability_count(
    subtasks: Sequence[Subtask], counts: Mapping[int, tuple[int, int]]
) -> AbilityCount:
    lines = tuple(SubtaskCount(subtask.title, *counts[subtask.pk]) for subtask in subtasks)
    return AbilityCount(
        title=subtasks[0].ability.title,
        questions=sum(line.questions for line in lines),
        figures=sum(line.figures for line in lines),
        subtasks=lines,
    )


def faults_of(release: Release) -> tuple[Fault, ...]:
    """What the import noted, the most frequent first."""
    questions: dict[str, list[str]] = {}
    for question, sentences in shown_anomalies(release).items():
        for sentence in sentences:
            questions.setdefault(sentence, []).append(question)
    ordered = sorted(questions.items(), key=lambda item: -len(item[1]))
    return tuple(
        Fault(sentence, len(named), tuple(named[:MOST_NAMED])) for sentence, named in ordered
    )


def board_lines(release: Release) -> tuple[BoardLine, ...]:
    """The boards that are stored of the release, those with most entries handed in first."""
    board = protocol_of(release).board
    metric = board.METRICS[board.BOARD.ranking]
    editions = (
        BoardEdition.objects.filter(release=release, replaced__isnull=True)
        .select_related("judge_spec__prompt_set")
        .order_by("-handed_in", "-entries", "-judge_spec")
    )
    address = reverse("board", args=[release.benchmark.slug])
    return tuple(
        BoardLine(
            judge=judge_seal(edition.judge_spec),
            url=f"{address}?release={release.slug}&judge={edition.judge_spec.slug}",
            entries=edition.entries,
            ranked=edition.ranked,
            smallest=MISSING
            if edition.smallest_each is None
            else f"{print_points(metric, edition.smallest_each)} points",
            is_assumed=edition.each_is_assumed,
            edition=edition.content_number,
            since=edition.content_since,
        )
        for edition in editions
    )
