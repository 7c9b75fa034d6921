"""The page of a model: what is said of it, where it stands on every board, what it is good and bad
at, and all that was handed in of it."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Prefetch, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import get_text_list
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks.selectors import protocol_of
from benchmarks.submissions.facts import printed_facts, title_of
from benchmarks.submissions.forms import FactsForm
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.naming.names import isolated
from benchmarks.submissions.naming.public_names import public_name, team_name
from benchmarks.submissions.selectors import is_held_by
from benchmarks.submissions.services import change_facts, has_verified_entry
from leaderboard.models import Scoresheet
from leaderboard.results.entries.standing import verified_team
from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import (
    BoardEntry,
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    ComparedSheet,
    KnownBoards,
    PackedFigures,
    SharedEra,
    best_candidates,
    compared_sheets,
    known_boards,
    read_board,
    read_by_measure,
    shared_eras,
)
from leaderboard.web.board.asked import Asked, page_or_last
from leaderboard.web.board.comparison import rank_in_words
from leaderboard.web.board.strips import rank_strip
from leaderboard.web.pages.entries.field import profile_of
from leaderboard.web.pages.models.places import papers_first
from leaderboard.web.pages.models.strengths import strengths_of

MOST_ERAS = 8
"""Boards on one page, each of which is read; the largest ones."""

MOST_CHANGES = 20
"""Of what is said of the model that its page shows, the newest."""

PER_PAGE = 25
"""Submissions of the history."""

CHANGE_MODEL = "submissions.change_evaluatedmodel"


@require_safe
def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Of a model with nothing public for its owner, and who may view submissions in the admin; for
    all others there is none."""
    found = get_object_or_404(
        EvaluatedModel.objects.select_related("owner__public_name").prefetch_related(
            "team__public_name", "team__verification"
        ),
        slug=slug,
    )
    is_owner = is_held_by(request.user, found)
    may_see = is_owner or request.user.has_perm("submissions.view_submission")
    if not may_see and not Submission.objects.public().filter(model=found).exists():
        raise Http404("There is no such model, or nothing of it is public.")
    may_edit = is_owner or request.user.has_perm(CHANGE_MODEL)
    page = model_page(found, is_owner=may_edit, asked=Asked(request.GET))
    return render(request, "models/model.html", {"page": page})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit_model(request: HttpRequest, slug: str) -> HttpResponse:
    """Facts of a model, by its owner, the members of its team, and staff who may change models."""
    assert request.user.is_authenticated
    found = get_object_or_404(EvaluatedModel.objects.select_related("team"), slug=slug)
    is_owner = is_held_by(request.user, found)
    if not (is_owner or request.user.has_perm(CHANGE_MODEL)):
        raise Http404("There is no such model, or it is not yours.")
    form = FactsForm(
        request.POST or None, instance=found, is_organisation_fixed=has_verified_entry(found)
    )
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        if change_facts(
            model=found,
            facts=form.given_facts(),
            by=request.user,
            by_staff=not is_owner,
            reason=reason,
        ):
            messages.success(request, "Saved. Boards show it within a minute.")
        return redirect("model", slug)
    status = 422 if form.errors else 200
    return render(request, "models/edit.html", {"model": found, "form": form}, status=status)


def model_page(model: EvaluatedModel, *, is_owner: bool, asked: Asked) -> dict[str, Any]:
    """`answer` says where the model stands. `charts`: titles of benchmarks and profiles;
    `more_boards`: how many eras are not shown; `changes`: each with what was changed, in words;
    `submissions_made`: public or not."""
    sheets = compared_sheets([model.slug or ""])
    eras = shared_eras(sheets)
    shown = eras[:MOST_ERAS]
    known = known_boards(list({era.release.benchmark for era in shown}))
    readings = [
        (found, entry)
        for era in shown
        if (found := reading_of(era, sheets, known)) and (entry := best_of(found))
    ]
    order = papers_first({reading.benchmark for reading, _ in readings})
    readings.sort(key=lambda found: order.index(found[0].benchmark))
    leading = first_of_benchmarks(readings)
    return {
        "model": model,
        "answer": standing_sentence(isolated(model.name), leading),
        "is_public": bool(sheets) or Submission.objects.public().filter(model=model).exists(),
        "is_owner": is_owner,
        "handed_in_by": held_by_name(model),
        "verified_team": verified_team(model.team),
        "facts": printed_facts(model),
        "changes": [(title_of(row.field), row) for row in model.fact_changes.all()[:MOST_CHANGES]],
        "more_changes": max(0, model.fact_changes.count() - MOST_CHANGES),
        "boards": [model_board(reading, entry) for reading, entry in readings],
        "more_boards": max(0, len(eras) - MOST_ERAS),
        "charts": [
            (reading.benchmark.title, profile)
            for reading, entry in leading
            if (profile := profile_of(reading, entry))
        ],
        "strengths": strengths_of(leading),
        "history": history_of(model, asked),
        "submissions_made": Submission.objects.confirmed().filter(model=model).count(),
    }


def held_by_name(model: EvaluatedModel) -> str:
    """Public name of the team or person whose it is; empty of the site's own."""
    if model.team:
        return team_name(model.team)
    return public_name(model.owner) if model.owner else ""


# --- where it stands ------------------------------------------------------------------------------


def reading_of(
    era: SharedEra, sheets: Sequence[ComparedSheet], known: KnownBoards
) -> BoardReading | None:
    """Of the board nothing but the model's entries; None of a large one that was never stored."""
    try:
        reading = read_board(
            era.release.benchmark,
            release=era.release.slug,
            judge=era.judge_spec.slug,
            part=BoardPart(count=0, also=best_candidates(era, sheets)),
            known=known,
        )
    except BoardNotStoredError:
        return None
    return read_by_measure(reading, "")


def best_of(reading: BoardReading) -> BoardEntry | None:
    return min(reading.also, key=lambda entry: entry.position, default=None)


def first_of_benchmarks(
    readings: Sequence[tuple[BoardReading, BoardEntry]],
) -> list[tuple[BoardReading, BoardEntry]]:
    """Of each benchmark one board, where it has a rank if there is one: several of one say the same
    twice."""
    found: dict[int, tuple[BoardReading, BoardEntry]] = {}
    for reading, entry in sorted(readings, key=lambda one: not is_placed(one[1])):
        found.setdefault(reading.benchmark.pk, (reading, entry))
    return list(found.values())


def standing_sentence(name: str, found: Sequence[tuple[BoardReading, BoardEntry]]) -> str:
    """ "Alder could rank 1st to 3rd of 12 on TouchStone; 2nd of 18 on HallusionBench." """
    ranks = [
        f"{rank_in_words(entry, reading.counts.ranked_rows)} on {reading.benchmark.title}"
        for reading, entry in found
        if is_placed(entry)
    ]
    if ranks:
        could = "could rank" if any(" to " in rank for rank in ranks) else "ranks"
        return f"{name} {could} {'; '.join(ranks)}."
    scored = [
        reading.benchmark.title
        for reading, entry in found
        if entry.value(reading.board.ranking) is not None
    ]
    if scored:
        return f"{name} has a score on {get_text_list(scored, 'and')} but no rank."
    return f"No board with public answers has a score of {name} yet."


def is_placed(entry: BoardEntry) -> bool:
    return entry.rank is not None and not entry.scored_since


def model_board(reading: BoardReading, entry: BoardEntry) -> dict[str, Any]:
    """Where the model's best placed entry stands in one era: `rank`, with `strip` which draws it;
    both empty where it has none. `equals`: other entries with the same answers."""
    assert reading.era is not None
    metric = reading.metrics[reading.board.ranking]
    figure, folded = entry.figure(metric.name), reading.folded.get(entry.id)
    is_ranked = is_placed(entry)
    return {
        "reading": reading,
        "entry": entry,
        "metric": metric,
        "judge": judge_seal(reading.era.judge_spec),
        "score": print_value(metric, figure.value) if figure else MISSING,
        "interval": print_interval(metric, figure) if figure else "",
        "rank": print_rank(entry.rank_best, entry.rank_worst) if is_ranked else "",
        "strip": rank_strip(entry, reading.counts.ranked_rows) if is_ranked else "",
        "not_ranked": "" if entry.rank else why_not_ranked(reading, entry),
        "equals": folded.count if folded else int(entry.same_answers_as is not None),
    }


def why_not_ranked(reading: BoardReading, entry: BoardEntry) -> str:
    if entry.origin == Submission.Origin.BASELINE:
        return "a baseline, never ranked"
    if entry.standing.is_kept_out:
        return "kept out of the ranking"
    if entry.coverage < reading.board.min_coverage:
        return "too few answers have a verdict"
    return "no value for the score that ranks"


# --- what was handed in ---------------------------------------------------------------------------


def history_of(model: EvaluatedModel, asked: Asked) -> dict[str, Any]:
    """Public submissions, and those that were public when they were withdrawn, newest first."""
    public = Q(visibility=Submission.Visibility.PUBLIC, withdrawn__isnull=True)
    gone = Q(was_public=True, withdrawn__isnull=False)
    sheets = Scoresheet.objects.only(
        "submission_id", "judge_spec_id", "board_figures", "judge_spec__slug", "judge_spec__model"
    ).select_related("judge_spec")
    found = (
        Submission.objects.filter(public | gone, model=model)
        .select_related("release__benchmark", "decision")
        .prefetch_related(Prefetch("scoresheets", sheets.order_by("pk")))
        .order_by("-created", "id")
    )
    shown = page_or_last(Paginator(found, PER_PAGE), asked.page(), asked.notes)
    lines = []
    for submission in shown:
        # Of one that was withdrawn no score is shown.
        scores = [] if submission.withdrawn else scores_of(submission)
        lines.append((submission, scores, became(submission, has_score=bool(scores))))
    return {"lines": lines, "page": shown, "notes": asked.notes}


def became(submission: Submission, *, has_score: bool) -> str:
    if submission.withdrawn:
        return "replaced by a newer version" if submission.replaced_by_id else "withdrawn"
    if submission.decision and not submission.decision.is_ranked:
        return "public, kept out of the ranking"
    return "public" if has_score else "public, not judged yet"


def scores_of(submission: Submission) -> list[dict[str, Any]]:
    family = protocol_of(submission.release)
    metric = family.board.METRICS[family.board.BOARD.ranking]
    found = []
    for sheet in submission.scoresheets.all():
        figure = PackedFigures(sheet.board_figures).get(metric.name)
        found.append(
            {
                "judge": judge_seal(sheet.judge_spec),
                "title": metric.title,
                "score": print_value(metric, figure.value) if figure else MISSING,
                "interval": print_interval(metric, figure) if figure else "",
            }
        )
    return found
