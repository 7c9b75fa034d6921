"""Writing what is shown: one scoresheet per finished run."""

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q

from benchmarks.registry import protocols
from benchmarks.selectors import protocol_of, question_view
from judging.clock import database_now
from judging.models import JudgeRun
from judging.panel.models import RatingFile
from judging.panel.selectors import ratings_of
from judging.panel.services import hold_submissions
from judging.selectors import run_counts, verdicts_of
from leaderboard.length_effect import lengths_of
from leaderboard.models import Scoresheet
from leaderboard.scoring import SCORING_VERSION, release_seed, score_sheet


def score_finished_runs() -> int:
    """Every finished run has a scoresheet that is newer than its newest verdict and than the last change of what
    people said of its answers, knows how long they are and was made by today's formulas; how many were written."""
    rating_files = RatingFile.objects.filter(submissions=OuterRef("submission"))
    outdated = Q(scoresheet__lengths__isnull=True) | Q(scoresheet__scoring__lt=SCORING_VERSION)
    finished = (
        JudgeRun.objects.finished()
        .annotate(newest=Max("judgements__settled"))
        .filter(
            Q(scoresheet__isnull=True)
            | Q(scoresheet__computed__lte=F("newest"))
            | (outdated & Q(judge_spec__protocol__in=protocols()))
            | Exists(rating_files.changed_since(OuterRef("scoresheet__computed")))
        )
    )
    runs = list(finished.select_related("judge_spec", "submission__release__benchmark"))
    for run in runs:
        score_run(run=run)
    return len(runs)


@transaction.atomic
def score_run(*, run: JudgeRun) -> Scoresheet:
    """The run's scoresheet holds what its verdicts and people say now; computing it again gives the same figures."""
    hold_submissions([run.submission_id])
    now = database_now()
    release = run.submission.release
    protocol = protocol_of(release)
    answers = list(
        run.submission.answers.select_related("question__subtask__ability", "question__figure").order_by("pk")
    )
    views = [question_view(answer.question) for answer in answers]
    public_ids = [view.public_id for view in views]
    verdicts = {**verdicts_of(run, public_ids), **ratings_of(run.submission, public_ids)}
    contributions = protocol.scoring.contributions(views, [answer.text for answer in answers], verdicts)
    board = protocol.board.BOARD
    sheet = score_sheet(contributions, ranking=board.ranking, seed=release_seed(release.slug))
    packed = {name: figure.packed() for name, figure in sheet.figures.items()}
    counts = run_counts(run)
    scoresheet, _ = Scoresheet.objects.update_or_create(
        run=run,
        defaults={
            "submission": run.submission,
            "judge_spec": run.judge_spec,
            "ranking": sheet.figures[board.ranking].value,
            "coverage": contributions.coverage,
            "judged": counts.judged,
            "unreadable": counts.unreadable,
            "failed": counts.failed,
            "excluded": counts.excluded,
            "figures": packed,
            "board_figures": {name: packed[name] for name in board.metric_names() if name in packed},
            "draws": sheet.draws.astype("<f8").tobytes(),
            "lengths": lengths_of(run, answers, views, verdicts),
            "scoring": SCORING_VERSION,
            "computed": now,
        },
    )
    return scoresheet
