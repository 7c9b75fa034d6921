"""One number of the site followed down: from a rank to the judge's own words."""

from typing import Any

from benchmarks.models import Question
from benchmarks.submissions.models import Answer
from leaderboard.models import Scoresheet
from leaderboard.results.disclosure import (
    public_texts,
    shown_answer,
    shown_references,
    shown_replies,
)
from leaderboard.results.formatting import print_rank, print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.pages.entries.questions import ShownImage, images_of, shown_image

LONGEST = 600
"""Letters of a text that the example shows; the entry's page has it whole."""


def example_of(reading: BoardReading) -> dict[str, Any] | None:
    """The leading entry of a board with one of its answers; None where nobody leads, or the answer
    may not be shown."""
    leader = next((entry for entry in reading.rows if entry.rank and not entry.scored_since), None)
    if reading.era is None or leader is None or reading.is_hidden_test:
        return None
    sheet = (
        Scoresheet.objects.filter(submission=leader.id, judge_spec=reading.era.judge_spec)
        .select_related("run__judge_spec", "run__submission__release", "submission__release")
        .defer("figures", "board_figures", "draws", "lengths", "ability_moves")
        .first()
    )
    answer = first_answer(sheet) if sheet else None
    if sheet is None or answer is None:
        return None
    return with_answer(reading, leader, sheet, answer)


def first_answer(sheet: Scoresheet) -> Answer | None:
    """By the index of answers, which is ordered by question within a submission: ordered by key, a
    database with millions might read them all to find the first."""
    answers = sheet.submission.answers.select_related("question__figure")
    return answers.order_by("submission", "question").first()


def with_answer(
    reading: BoardReading, leader: BoardEntry, sheet: Scoresheet, answer: Answer
) -> dict[str, Any] | None:
    """`replies` has that of the answer's first slot, if any; `n` is how many questions the score
    counts over."""
    release = sheet.submission.release
    shown = shown_answer(answer, sheet.submission, public_texts(release, [answer])[answer.pk])
    metric = reading.metrics[reading.board.ranking]
    figure = leader.figure(metric.name)
    references = shown_references(release, [answer.question_id])
    if shown is None or figure is None:
        return None
    return {
        "benchmark": reading.benchmark,
        "rank": print_rank(leader.rank_best, leader.rank_worst),
        "ranked": reading.counts.ranked_rows,
        "leader": leader,
        "metric": metric,
        "score": print_value(metric, figure.value),
        "n": figure.n,
        "question": answer.question,
        "text": shortened(answer.question.text),
        "image": first_image(answer.question),
        "answer": shortened(shown),
        "reference": shortened(references.get(answer.question_id, "")),
        "judge": judge_seal(sheet.run.judge_spec),
        "replies": shown_replies(sheet.run, [answer.pk]).get(answer.pk, ())[:1],
    }


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def first_image(question: Question) -> ShownImage | None:
    stored = [one for one in images_of([question]).get(question.figure_id or 0, ()) if one.sha256]
    return shown_image(stored[0]) if stored else None
