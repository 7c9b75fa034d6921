"""Writing what is shown: one scoresheet per finished run."""

import math
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef

from benchmarks.common.lately import lasting
from benchmarks.models import Release
from benchmarks.protocols.base import BenchmarkProtocol, Contributions, Ratings, TextKind
from benchmarks.protocols.runs import Verdicts
from benchmarks.registry import protocols
from benchmarks.scoring.entries import score_entry
from benchmarks.scoring.sheets import SCORING_VERSION, moves_of, release_seed
from benchmarks.selectors import approved_descriptions, protocol_of
from benchmarks.submissions.intake.replacing import take_place
from benchmarks.submissions.marks.flagging import FLAGS_VERSION
from benchmarks.submissions.marks.flags import ensure_flags
from benchmarks.submissions.models import Submission
from benchmarks.submissions.querysets import SubmissionQuerySet
from benchmarks.submissions.selectors import AnswerSheet, answer_sheet
from benchmarks.submissions.services import finish_submission
from judging.coordination.clock import database_now
from judging.models import JudgeRun
from judging.panel.selectors import ratings_of
from judging.panel.services import hold_submissions
from judging.querysets import RunQuerySet
from judging.selectors import references_read, run_counts, verdicts_of
from judging.services.attempts import StillChangingError, attempt
from judging.services.runs import mark_scored, revision_to_score
from judging.texts import Kinds
from leaderboard.models import ChainLink, Scoresheet, SharedCacheRow
from leaderboard.results.chain.digests import digest_of_answers, digest_of_verdicts
from leaderboard.results.chain.links import append, sheet_content
from leaderboard.results.entries.rejudging import held_back
from leaderboard.results.judges.length_effect import lengths_of
from leaderboard.results.judges.records import keep_record
from leaderboard.results.scoresheets.ability_moves import ability_names, packed_moves
from leaderboard.results.scoresheets.hidden_tests import sealed
from leaderboard.results.scoresheets.question_scores import packed_scores

# people's ratings come file by file; a run that changes while it is computed thrice is looked at
# later
MOST_TRIES = 3
OUTDATED_AT_ONCE = 100
"""Scoresheets of older formulas that a sweep computes anew, after all that have new verdicts: at a
third of a second each, ten thousand of them would keep an hour of new entries waiting."""
CHECKED_AT_ONCE = 500
"""Of these, so many are taken of each kind, some of which may have new verdicts as well; a thousand
parameters are what older SQLite takes."""
LONGEST_LIMIT = timedelta(hours=1)
"""Of what the shared cache keeps: a limit of sign-in (ACCOUNT_RATE_LIMITS)."""
COUNTED = ("judged", "unreadable", "failed", "excluded")


def score_finished_runs(*, large: bool | None = None, seconds: float = math.inf) -> int:
    """Every run of this size of which nothing waits for a worker has a scoresheet of all that judge
    and people say of its answers, as far as `seconds` reach; how many were written. Those asked
    about anew change theirs together, once all of their era are judged. Of those made by older
    formulas, or whose submission has flags of older rules, some at a time are computed anew
    (OUTDATED_AT_ONCE)."""
    end = time.monotonic() + seconds
    ready = runs_to_score().of_size(large=large).exclude(held_back())
    ready = ready.select_related("judge_spec", "submission__release__benchmark")
    runs = list(ready.unscored())
    older = {
        pk
        for rows in outdated_runs(large=large)
        for pk in rows.order_by("pk").values_list("pk", flat=True)[:CHECKED_AT_ONCE]
    }
    if older := older - {run.pk for run in runs}:
        runs += ready.filter(pk__in=sorted(older)[:CHECKED_AT_ONCE])[:OUTDATED_AT_ONCE]
    written = [
        attempt(run_id=run.pk, doing="scoring it", work=partial(score_run, run=run))
        for run in runs
        if time.monotonic() < end
    ]
    return sum(sheet is not None for sheet in written)


def runs_to_score() -> RunQuerySet:
    """Runs a scoresheet can be made of now, the oldest first."""
    return JudgeRun.objects.not_withdrawn().scorable().to_try().order_by("pk")


def outdated_runs(*, large: bool | None = None) -> tuple[RunQuerySet, ...]:
    """Runs of this size that can be scored now and in which nothing changed, and only formulas or
    rules did; each found by an index, in no order.

    What cannot be scored is not among them: it would stay, keep every sweep busy, and take the
    places of those behind it.
    """
    known = (
        runs_to_score().of_size(large=large).filter(judge_spec__protocol__in=protocols()).order_by()
    )
    flagged = Submission.objects.with_older_flags(FLAGS_VERSION)
    # By keys: were it a join, SQLite would go through all runs that were planned.
    older = Scoresheet.objects.filter(scoring__lt=SCORING_VERSION)
    return (
        known.filter(pk__in=older.values("run")),
        known.filter(submission__in=flagged, scoresheet__isnull=False),
    )


def score_run(*, run: JudgeRun, at: datetime | None = None) -> Scoresheet:
    """The run's scoresheet holds what its verdicts and people say now; computing it again gives the
    same figures.

    It is computed outside of any transaction and written in a short one, which finds that nothing
    changed meanwhile; otherwise it is computed again. The submission has its flags before it has a
    score. A run of which judgements wait is scored as far as it is judged, and again once they are
    settled. at: the moment, for content that is loaded with its history.
    """
    ensure_flags(submission=run.submission)
    for _ in range(MOST_TRIES):
        now = at or database_now()
        revision = revision_to_score(run)
        figures = figures_of(run)
        with transaction.atomic():
            hold_submissions([run.submission_id])
            if revision is None or mark_scored(run, revision):
                return write_scoresheet(run, figures, now, ended=at)
    raise StillChangingError(f"what is said of run {run.pk} changed {MOST_TRIES} times meanwhile")


class VerdictsAndRatings(NamedTuple):
    """In the order of the answers. verdicts: the judge's by slot, and what the protocol compares
    by column; ratings: what people say, by dimension."""

    verdicts: Verdicts
    ratings: Ratings


def verdicts_and_ratings(run: JudgeRun, answered: AnswerSheet) -> VerdictsAndRatings:
    public_ids = [view.public_id for view in answered.views]
    columns = comparing_columns(protocol_of(run.submission.release), run, answered)
    verdicts = {**verdicts_of(run, public_ids), **columns}
    return VerdictsAndRatings(verdicts, ratings_of(run.submission, public_ids))


def figures_of(run: JudgeRun) -> Mapping[str, object]:
    """The fields of the scoresheet that are computed from verdicts and ratings."""
    protocol = protocol_of(run.submission.release)
    answered = answer_sheet(run.submission)
    verdicts, ratings = verdicts_and_ratings(run, answered)
    if not run.submission.release.verdicts_are_public:
        return sealed_figures(run, answered, verdicts, ratings)
    lengths = lengths_of(run, answered, verdicts)
    rows = protocol.explain(answered.views, answered.texts, verdicts, ratings)
    item_scores = packed_scores(rows)
    del rows
    scored = score_entry(
        protocol,
        answered.views,
        answered.texts,
        verdicts,
        ratings,
        seed=release_seed(run.submission.release.slug),
    )
    sheet, board = scored.sheet, protocol.board.BOARD
    moves = moves_of(scored.contributions, ability_names(board))
    packed = {name: figure.packed() for name, figure in sheet.figures.items()}
    return {
        "ranking": sheet.figures[board.ranking].value,
        "coverage": scored.contributions.coverage,
        "figures": packed,
        "board_figures": {name: packed[name] for name in board.metric_names() if name in packed},
        "draws": sheet.draws.astype("<f8").tobytes(),
        "lengths": lengths,
        "item_scores": item_scores,
        "ability_moves": packed_moves(moves),
        "answers_digest": digest_of_answers(answered),
        "verdicts_digest": digest_of_verdicts(run),
        "scoring": SCORING_VERSION,
    }


def sealed_figures(
    run: JudgeRun, answered: AnswerSheet, verdicts: Verdicts, ratings: Ratings
) -> Mapping[str, object]:
    """Those of an entry of a hidden test."""
    board = protocol_of(run.submission.release).board
    exact, contributions = exact_score(run, answered, verdicts, ratings)
    return sealed(
        contributions,
        score=exact,
        release=run.submission.release,
        board=board.BOARD,
        metrics=board.METRICS,
        texts=answered.texts,
    )


def exact_score(
    run: JudgeRun, answered: AnswerSheet, verdicts: Verdicts, ratings: Ratings
) -> tuple[float | None, Contributions]:
    """The metric that ranks, and what it is made of."""
    protocol = protocol_of(run.submission.release)
    seed = release_seed(run.submission.release.slug)
    scored = score_entry(protocol, answered.views, answered.texts, verdicts, ratings, seed=seed)
    return scored.sheet.figures[protocol.board.BOARD.ranking].value, scored.contributions


def write_scoresheet(
    run: JudgeRun,
    figures: Mapping[str, object],
    computed: datetime,
    ended: datetime | None = None,
) -> Scoresheet:
    counts = run_counts(run)
    counted = {name: getattr(counts, name) for name in COUNTED}
    is_hidden_test = not run.submission.release.verdicts_are_public
    if is_hidden_test:  # of its replies nobody is told how many were readable
        counted = dict.fromkeys(COUNTED, 0)
    key = {"submission": run.submission, "judge_spec": run.judge_spec}
    scoresheet, _ = Scoresheet.of_any_schema.update_or_create(
        run=run, defaults={**key, **figures, **counted, "computed": computed}
    )
    # Where requests failed that a rank needs, the site owes its owner verdicts and takes no place.
    board = protocol_of(run.submission.release).board.BOARD
    has_failed = counts.failed > 0 and scoresheet.coverage < board.min_coverage
    finish_submission(submission_id=run.submission_id, has_failed=has_failed, at=ended)
    if not is_hidden_test:  # lengths of replies and what requests cost may tell verdicts
        keep_record(scoresheet)
    append(
        kind=ChainLink.Kind.SCORESHEET,
        submission_id=run.submission_id,
        judge=run.judge_spec.slug,
        content=sheet_content(scoresheet),
    )
    return scoresheet


def score_again(release: Release) -> int:
    """Sweeps score its entries anew, though nothing was judged; how many. For a hidden test that is
    one no more: its scoresheets hold less than others."""
    sheets = Scoresheet.of_any_schema.filter(submission__release=release)
    return sheets.update(scoring=0)


def due_replacements() -> SubmissionQuerySet:
    """New versions of entries that are scored and public, and not yet in the place of the old."""
    sheets = Scoresheet.objects.filter(submission=OuterRef("pk"))
    return Submission.objects.due_to_replace().filter(Exists(sheets))


def replace_entries() -> int:
    """Each of them is in its place afterwards; how many entries gave theirs up. Before boards are
    stored: none shows both."""
    due = list(due_replacements().order_by("finished").values_list("pk", flat=True))
    return sum(take_place(submission_id=submission_id) for submission_id in due)


def forget_expired() -> int:
    """Rows of the shared cache that ended are gone, or end later than any can; how many. Every
    write to it counts the rows there are."""
    ended = ~lasting("expires", database_now(), LONGEST_LIMIT)
    return SharedCacheRow.objects.filter(ended).delete()[0]


def comparing_columns(
    protocol: BenchmarkProtocol,
    run: JudgeRun,
    answered: AnswerSheet,
    public: Sequence[Kinds] | None = None,
) -> Mapping[str, Sequence[str | None]]:
    """What the protocol finds in the answers by the approved descriptions of now and the references
    that were read; nothing where it compares nothing. With `public`, of each answer by those texts
    alone that it names."""
    if protocol.comparing is None:
        return {}
    figures = {key for key in answered.figures if key is not None}
    release = run.submission.release
    approved = approved_descriptions(figures, release.language, release.closed)
    descriptions = ["" if key is None else approved.get(key, "") for key in answered.figures]
    read = references_read(run)
    references = [read.get(answer, "") for answer in answered.answers]
    if public is not None:
        descriptions = shown_alone(descriptions, "description", public)
        references = shown_alone(references, "reference", public)
    return protocol.comparing(answered.views, answered.texts, descriptions, references)


def shown_alone(texts: Sequence[str], kind: TextKind, public: Sequence[Kinds]) -> list[str]:
    return [text if kind in kinds else "" for text, kinds in zip(texts, public, strict=True)]
