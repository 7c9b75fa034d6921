"""The pages of releases: what is in one, what it may be used for, what it can show, and how to
answer it."""

import hashlib
import json
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from benchmarks.models import Release, ReleaseArchive, ReleaseQuestion, Subtask
from benchmarks.releases.files import archive_name, example_program
from benchmarks.selectors import protocol_of
from leaderboard.models import BoardEdition
from leaderboard.results.disclosure import shown_anomalies, shown_corrections
from leaderboard.results.judges.seals import judge_seal
from leaderboard.web.board.comparison import print_points, steps_sentence
from leaderboard.web.pages.releases.croissant import dataset_document, in_a_page

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

SOON = 300
"""Seconds that a browser keeps a file of a release without asking: what is said of its licence may
be corrected."""

NO_ARCHIVE = "The archive of this release is not made yet. Sweeps make it within the hour."


def published(slug: str) -> Release:
    found = Release.objects.published().select_related("benchmark", "archive")
    release: Release = get_object_or_404(found, slug=slug)
    return release


def archived(slug: str) -> tuple[Release, ReleaseArchive]:
    release = published(slug)
    archive = archive_of(release)
    if archive is None:
        raise Http404(NO_ARCHIVE)
    return release, archive


def document_of(request: HttpRequest, release: Release) -> dict[str, Any]:
    return dataset_document(
        release,
        archive_of(release),
        page_url=request.build_absolute_uri(reverse("release", args=[release.slug])),
        archive_url=request.build_absolute_uri(reverse("release-archive", args=[release.slug])),
    )


@require_safe
def releases(request: HttpRequest) -> HttpResponse:
    """Benchmark by benchmark, the main one of each first."""
    found = Release.objects.published().main_first().select_related("benchmark", "archive")
    return render(request, "releases/releases.html", {"releases": found})


@require_safe
def release(request: HttpRequest, slug: str) -> HttpResponse:
    found = published(slug)
    dataset = in_a_page(document_of(request, found))
    return render(
        request, "releases/release.html", {"page": release_page(found), "dataset": dataset}
    )


@require_safe
def release_archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """All that is public of a release, in one file."""
    release, archive = archived(slug)
    etag = f'"{archive.sha256}"'
    if unchanged := get_conditional_response(request, etag, int(archive.made.timestamp())):
        return unchanged
    try:
        content = archive.file.open("rb")
    except FileNotFoundError:
        raise Http404("The archive is not in the file storage.") from None
    response = FileResponse(
        content,
        content_type="application/zip",
        as_attachment=True,
        filename=archive_name(release),
    )
    return kept_a_while(response, etag, archive.made)


@require_safe
def release_example(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The program that the page shows, and that is in the archive."""
    release = published(slug)
    name = f"{release.slug}-example.py"
    return file_of_text(request, example_program(release), "text/x-python", name)


@require_safe
def release_croissant(request: HttpRequest, slug: str) -> HttpResponseBase:
    release, _archive = archived(slug)
    text = json.dumps(document_of(request, release), indent=2, ensure_ascii=False) + "\n"
    return file_of_text(request, text, "application/ld+json", f"{release.slug}-croissant.json")


def file_of_text(request: HttpRequest, text: str, kind: str, name: str) -> HttpResponseBase:
    """A small file, told from others by its content."""
    etag = f'"{hashlib.sha256(text.encode()).hexdigest()}"'
    if unchanged := get_conditional_response(request, etag):
        return unchanged
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)
    return kept_a_while(response, etag, None)


def kept_a_while(response: HttpResponseBase, etag: str, made: datetime | None) -> HttpResponseBase:
    response.headers["ETag"] = etag
    if made is not None:
        response.headers["Last-Modified"] = http_date(made.timestamp())
    patch_cache_control(response, public=True, max_age=SOON)
    return response


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
