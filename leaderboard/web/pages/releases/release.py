"""The pages of releases: what is in one, what it may be used for, what it can show, and how to
answer it."""

from typing import Any

from django.db.models import Count

from benchmarks.models import Release, ReleaseArchive, ReleaseQuestion, Subtask
from benchmarks.releases.files import example_program
from benchmarks.selectors import protocol_of
from leaderboard.models import BoardEdition
from leaderboard.results.disclosure import shown_anomalies, shown_corrections
from leaderboard.results.judges.seals import judge_seal
from leaderboard.web.board.comparison import print_points, steps_sentence

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


def archive_of(release: Release) -> ReleaseArchive | None:
    """None until a sweep has made one."""
    return getattr(release, "archive", None)


def release_page(release: Release) -> dict[str, Any]:
    """Needs `benchmark` and `archive` selected. `archive` is None until a sweep has made one.
    `source_url`: what is said of its source, where that is an address. `metric`: title of what
    ranks, in whose points differences are. `steps`: what the scores of a hidden test are rounded
    to."""
    board = protocol_of(release).board
    abilities = ability_counts(release)
    faults = faults_of(release)
    correction_count, corrections = shown_corrections(release)
    return {
        "release": release,
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
        "archive": archive_of(release),
        "program": example_program(release),
    }


def figure_count(release: Release) -> int:
    """One figure may be asked about in several subtasks, and counts once."""
    counted = ReleaseQuestion.objects.filter(release=release).aggregate(
        figures=Count("question__figure", distinct=True)
    )
    return int(counted["figures"])


def ability_counts(release: Release) -> list[dict[str, Any]]:
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
    found: dict[str, list[tuple[str, int, int]]] = {}
    for subtask in subtasks.order_by("ability__position", "position", "pk"):
        found.setdefault(subtask.ability.title, []).append((subtask.title, *counts[subtask.pk]))
    return [
        {
            "title": title,
            "questions": sum(questions for _, questions, _ in lines),
            "figures": sum(figures for _, _, figures in lines),
            "subtasks": lines,
        }
        for title, lines in found.items()
    ]


def faults_of(release: Release) -> list[dict[str, Any]]:
    """What the import noted, the most frequent first: a sentence, of how many questions it is said,
    and the first of them."""
    questions: dict[str, list[str]] = {}
    for question, sentences in shown_anomalies(release).items():
        for sentence in sentences:
            questions.setdefault(sentence, []).append(question)
    ordered = sorted(questions.items(), key=lambda item: -len(item[1]))
    return [
        {"sentence": sentence, "count": len(named), "named": named[:MOST_NAMED]}
        for sentence, named in ordered
    ]


def board_lines(release: Release) -> list[dict[str, Any]]:
    """The boards that are stored of the release, those with most entries handed in first.
    `smallest`: the smallest difference in points, empty where it is not known."""
    board = protocol_of(release).board
    metric = board.METRICS[board.BOARD.ranking]
    editions = (
        BoardEdition.objects.filter(release=release, replaced__isnull=True)
        .select_related("judge_spec__prompt_set")
        .order_by("-handed_in", "-entries", "-judge_spec")
    )
    lines = []
    for edition in editions:
        each = edition.smallest_each
        smallest = "" if each is None else f"{print_points(metric, each)} points"
        judge = judge_seal(edition.judge_spec)
        lines.append({"edition": edition, "judge": judge, "smallest": smallest})
    return lines
