"""The context of a submission's own page: how far its judging is, and what its owner can do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from benchmarks.kept_documents import from_mapping
from benchmarks.protocols.base import Note
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import team_name
from judging.selectors import planned_calls, runs_ahead
from leaderboard.pages.cost import EstimateCard, estimate_card
from leaderboard.pages.dry_run import DryRunPanel, dry_run_panel
from leaderboard.pages.progress import RunLine, progress_page
from leaderboard.selectors.progress import watched


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """`state` is one of those of submission_states.SENTENCES. `is_moving`: the page should look
    again in `look_again` seconds. replaces, newer: the earlier version it takes the place of, and
    the one that takes its own. `estimate`: what the default judge will take, and `dry_run`: what it
    said of a few answers, while the submission is to be confirmed. `ahead`: other runs in the queue
    then."""

    id: UUID
    model: str
    benchmark_slug: str
    benchmark: str
    release: str
    file_name: str
    has_file: bool
    sha256: str
    answers: int
    visibility: str
    withdrawal_reason: str
    replaces: UUID | None
    has_taken_place: bool
    newer: UUID | None
    state: str
    sentence: str
    notes: tuple[Note, ...]
    runs: tuple[RunLine, ...]
    calls_planned: int
    estimate: EstimateCard | None
    is_moving: bool
    look_again: int
    dry_run: DryRunPanel | None
    ahead: int
    is_owner: bool
    team: str
    created: datetime


def submission_page(submission: Submission, user: Any) -> SubmissionPage:
    release = submission.release
    found = watched(user, submission.pk)
    progress, is_owner = progress_page(found), found.is_held
    state = progress.state
    dry_run = dry_run_panel(submission, is_owner=is_owner) if state == "to confirm" else None
    estimate = estimate_card(submission) if state == "to confirm" else None
    return SubmissionPage(
        id=submission.id,
        model=submission.model.name,
        benchmark_slug=release.benchmark.slug,
        benchmark=release.benchmark.title,
        release=release.title,
        file_name=submission.file_name,
        has_file=bool(submission.file),
        sha256=submission.sha256,
        answers=release.question_count,
        visibility=submission.visibility,
        withdrawal_reason=submission.withdrawal_reason,
        replaces=submission.replaces_id,
        has_taken_place=submission.replacement_settled is not None,
        newer=submission.replaced_by_id or newer_version(submission),
        state=state,
        sentence=progress.sentence,
        notes=tuple(from_mapping(Note, note) for note in submission.reading_notes),
        runs=progress.runs,
        calls_planned=planned_calls(submission) if state == "to confirm" else 0,
        estimate=estimate,
        is_moving=progress.is_moving,
        look_again=progress.look_again,
        dry_run=dry_run,
        ahead=runs_ahead() if state == "to confirm" else 0,
        is_owner=is_owner,
        team=team_name(submission.team) if submission.team else "",
        created=submission.created,
    )


def newer_version(submission: Submission) -> UUID | None:
    """One that is under way to take its place."""
    standing = Submission.objects.not_withdrawn().filter(replaces=submission.pk)
    return standing.values_list("pk", flat=True).first()
