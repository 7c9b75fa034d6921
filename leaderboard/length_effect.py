"""Whether a judge favours long answers: the rank correlation of an answer's length with what the judge said of it."""

from collections.abc import Iterable

from benchmarks.protocols.base import ScoredRow
from benchmarks.selectors import protocol_of, question_view
from benchmarks.statistics.correlation import spearman
from judging.models import JudgeSpec
from judging.selectors import verdicts_of
from leaderboard.models import Scoresheet
from leaderboard.numbers import MISSING
from leaderboard.pages import StripFigure
from leaderboard.selectors import public_sheets

FEWEST_ANSWERS = 20
ENTRIES = 3
TITLE = "Length and score"


def length_figure(spec: JudgeSpec) -> StripFigure:
    """Over the newest public entries only: each is a thousand answers to read, and this stands on a page."""
    sheets = (
        Scoresheet.objects.filter(public_sheets(), judge_spec=spec)
        .exclude(submission__origin="baseline")
        .select_related("run", "submission__release__benchmark")
        .only("run", "submission")
        .order_by("-submission__created", "submission_id")[:ENTRIES]
    )
    pairs = [pair for sheet in sheets for pair in lengths_and_scores(sheet)]
    if len(pairs) < FEWEST_ANSWERS:
        return StripFigure(TITLE, MISSING, f"{len(pairs)} judged answers, {FEWEST_ANSWERS} are needed")
    found = spearman([length for length, _ in pairs], [score for _, score in pairs])
    note = f"rank correlation, {len(pairs):,} answers of {len(sheets)} entr{'y' if len(sheets) == 1 else 'ies'}"
    return StripFigure(TITLE, MISSING if found is None else f"{found:+.2f}", note)


def lengths_and_scores(sheet: Scoresheet) -> Iterable[tuple[int, float]]:
    """Characters and score of each answer that the judge replied to; what needed no call is left out."""
    answers = list(
        sheet.submission.answers.select_related("question__subtask__ability", "question__figure").order_by("pk")
    )
    views = [question_view(answer.question) for answer in answers]
    verdicts = verdicts_of(sheet.run, [view.public_id for view in views])
    replied = set(sheet.run.judgements.exclude(raw_reply="").values_list("answer_id", flat=True))
    rows = protocol_of(sheet.submission.release).scoring.explain(views, [a.text for a in answers], verdicts)
    for answer, row in zip(answers, rows, strict=True):
        if answer.pk in replied and (score := score_of(row)) is not None:
            yield len(answer.text), score


def score_of(row: ScoredRow) -> float | None:
    if row.score is not None:
        return row.score
    return None if row.is_right is None else float(row.is_right)
