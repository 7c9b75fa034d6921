"""Trying a file that waits to be confirmed: a few answers with real verdicts."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchmarks.selectors import kept_truths, protocol_of, question_view
from benchmarks.submissions.models import Submission
from benchmarks.submissions.selectors import is_held_by, own_submission
from benchmarks.wake import wake
from judging.models import JudgeRun
from judging.progress import calls_of
from judging.querysets import MOVING
from judging.selectors import run_counts, verdicts_of
from judging.services import DryRunRefusedError, start_dry_run
from judging.services.dry_runs import QUESTIONS, dry_run_of, dry_run_places
from leaderboard.results.judges.seals import judge_seal
from leaderboard.web.pages.entries.questions import question_cards
from leaderboard.web.pages.submissions.cost import cost_sentence, pause_words, run_money


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def dry_run(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The part of a submission's page that tells of it; a POST starts it, as only the owner, or
    a member of the team, may wish: it may cost."""
    if request.method == "POST":
        return start(request, submission_id)
    submission = own_submission(request.user, submission_id)
    waits = submission.confirmed is None and submission.withdrawn is None
    is_owner = is_held_by(request.user, submission)
    panel = dry_run_panel(submission, is_owner=is_owner) if waits else None
    response = render(request, "submissions/dry_run.html", {"panel": panel})
    if panel is None or not panel["is_moving"]:
        response["HX-Refresh"] = "true"
    return response


def start(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    assert request.user.is_authenticated
    mine = Submission.objects.held_by(request.user)
    submission = get_object_or_404(mine.select_related("release__benchmark"), pk=submission_id)
    try:
        start_dry_run(submission=submission)
    except DryRunRefusedError as error:
        messages.warning(request, str(error))
    else:
        wake()
    return redirect("submission", submission_id)


def dry_run_panel(submission: Submission, *, is_owner: bool) -> dict[str, Any] | None:
    """None for what nobody owns, and for a hidden test. `result` is None before there is one.
    is_moving: the page should look again."""
    if submission.owner is None or not submission.release.verdicts_are_public:
        return None
    run = dry_run_of(submission)
    places = dry_run_places(submission.owner)
    result = dry_run_result(submission, run) if run else None
    return {
        "id": submission.pk,
        "questions": min(QUESTIONS, submission.release.question_count),
        "result": result,
        "is_moving": result is not None and result["is_moving"],
        "places": places,
        "left": max(0, places.limit - places.taken),
        "is_owner": is_owner,
    }


def dry_run_result(submission: Submission, run: JudgeRun) -> dict[str, Any]:
    """How far the judge is with the few answers, and what it said."""
    counts = run_counts(run)
    states = set(run.judgements.order_by().values_list("state", flat=True).distinct())
    return {
        "judge": judge_seal(run.judge_spec),
        "counts": counts,
        "is_moving": run.paused is None and not states.isdisjoint(MOVING),
        "cost": cost_sentence(run_money(calls_of(run), counts.open)),
        "pause": pause_words(run),
        "cards": dry_run_cards(submission, run),
    }


def dry_run_cards(submission: Submission, run: JudgeRun) -> list[dict[str, Any]]:
    """What is hidden on an entry's page is hidden here: whose file it is makes no difference."""
    answers = list(
        submission.answers.filter(pk__in=run.judgements.values("answer"))
        .select_related("question__subtask__ability", "question__figure")
        .order_by("pk")
    )
    kept = kept_truths(submission.release)
    views = [question_view(answer.question, kept) for answer in answers]
    verdicts = verdicts_of(run, [view.public_id for view in views])
    texts = [answer.text for answer in answers]
    scored = protocol_of(submission.release).explain(views, texts, verdicts, {})
    rows = list(zip(answers, views, scored, strict=True))
    return question_cards(submission, run, run.judge_spec.slug, rows)
