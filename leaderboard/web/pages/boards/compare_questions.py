"""The questions that one of the compared entries wins and another loses, and the few on which their
answers differ most."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.core.paginator import Paginator
from numpy.typing import NDArray

from benchmarks.models import Question, Release, ReleaseQuestion
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Answer
from leaderboard.models import Scoresheet
from leaderboard.results.disclosure import public_texts, shown_answer
from leaderboard.results.scoresheets.question_scores import STEPS, unpacked_scores
from leaderboard.results.selectors import Era
from leaderboard.web.board.asked import page_or_last
from leaderboard.web.pages.boards.compare_choices import CompareChoices
from leaderboard.web.pages.boards.compare_entries import ComparedEntry
from leaderboard.web.pages.entries.questions import images_of, question_url, shown_image

PER_PAGE = 25
DECIDING = 2
"""Questions with both answers, of those that either wins."""
Scores = NDArray[np.float32]
LEAST = 0.5 / STEPS
"""By which a score must be higher: what is less is rounding."""


def won_questions(
    era: Era,
    entries: Sequence[ComparedEntry],
    sheets: Sequence[Scoresheet],
    choices: CompareChoices,
) -> dict[str, Any]:
    """sheets: of the entries in the order of the page, with `item_scores`. won, lost: the two whose
    questions are listed. `rows`: each entry, and how many it wins against whom. `compared`:
    questions that both have a score of, `even` of these alike. `missing`: entries whose scores by
    question are not kept. `url`: of the first page; `is_open`: the address asks for the list."""
    scores, missing = scores_of(era.release, sheets)
    won, lost = choices.won - 1, choices.lost - 1
    if max(won, lost) >= len(sheets):
        won, lost = 0, 1
    pair = entries[won], entries[lost]
    ahead = scores[won] - scores[lost]  # nan where either has no verdict
    places = most_ahead(ahead)
    notes: list[str] = []
    page = page_or_last(Paginator(places, PER_PAGE), choices.page, notes)
    deciding = [*places[:DECIDING], *most_ahead(-ahead)[:DECIDING]]
    lines = question_lines(era.release, [*page, *deciding], scores[won], scores[lost])
    is_known = ~np.isnan(ahead)
    return {
        "right_means": protocol_of(era.release).right_means,
        "rows": won_table(entries, scores, (won, lost), choices),
        "missing": [entries[place] for place in missing],
        "won": pair[0],
        "lost": pair[1],
        "compared": int(is_known.sum()),
        "even": int((np.abs(ahead[is_known]) <= LEAST).sum()),
        "deciding": deciding_questions(era, pair, lines[len(page) :], len(places[:DECIDING])),
        "lines": lines[: len(page)],
        "page": page,
        "notes": notes,
        "url": choices.url(won=won + 1, lost=lost + 1),
        "is_open": choices.lists_questions,
    }


def most_ahead(ahead: Scores) -> list[int]:
    """Places of the questions in which it is ahead, of those in which it is most the first."""
    places = np.flatnonzero(ahead > LEAST)
    return [int(place) for place in places[np.argsort(-ahead[places], kind="stable")]]


def scores_of(release: Release, sheets: Sequence[Scoresheet]) -> tuple[Scores, tuple[int, ...]]:
    """(entries, questions), nan where an answer has no verdict, and the places of the entries that
    have none kept: they are scored anew sooner or later."""
    size = release.question_count
    packed = [bytes(sheet.item_scores or b"") for sheet in sheets]
    missing = tuple(place for place, scores in enumerate(packed) if len(scores) != size)
    found = np.full((len(sheets), size), np.nan, dtype=np.float32)
    for place, scores in enumerate(packed):
        if place not in missing:
            found[place] = unpacked_scores([scores], size)[0]
    return found, missing


def won_table(
    entries: Sequence[ComparedEntry],
    scores: Scores,
    current: tuple[int, int],
    choices: CompareChoices,
) -> list[tuple[ComparedEntry, list[dict[str, Any]]]]:
    """Of each entry how many questions it wins against each; `url` leads to them, and is empty for
    an entry against itself."""
    return [
        (
            entry,
            [
                {
                    "other": other,
                    "wins": int((scores[won] - scores[lost] > LEAST).sum()),
                    "url": choices.url(won=won + 1, lost=lost + 1) if won != lost else "",
                    "is_current": (won, lost) == current,
                }
                for lost, other in enumerate(entries)
            ],
        )
        for won, entry in enumerate(entries)
    ]


def question_lines(
    release: Release, places: Sequence[int], won: Scores, lost: Scores
) -> list[dict[str, Any]]:
    """What the answers of the one and the other counted, as printed. places: among the questions of
    the release, in its order."""
    if not places:
        return []
    keys = list(
        ReleaseQuestion.objects.filter(release=release)
        .order_by("position")
        .values_list("question", flat=True)
    )
    found = Question.objects.select_related("subtask__ability").in_bulk(
        {keys[place] for place in places}
    )
    plain = is_plain(won) and is_plain(lost)
    return [
        {
            "question": found[keys[place]],
            "won": print_credit(won[place], plain=plain),
            "lost": print_credit(lost[place], plain=plain),
        }
        for place in places
    ]


def deciding_questions(
    era: Era, pair: Sequence[ComparedEntry], lines: Sequence[Mapping[str, Any]], won: int
) -> list[dict[str, Any]]:
    """pair: the one and the other; won: how many of the lines, from the first on, the one wins.
    `better` is whose answer counted more; `url` leads to the answers of all. `answers`: whose, the
    text, None where it is not public, and what it counted."""
    questions: list[Question] = [line["question"] for line in lines]
    images = images_of(questions)
    answers = Answer.objects.filter(
        submission__in=[entry.entry.id for entry in pair], question__in=questions
    ).select_related("question", "submission")
    public = public_texts(era.release, list(answers))
    texts = {
        (answer.submission_id, answer.question_id): shown_answer(
            answer, answer.submission, public[answer.pk]
        )
        for answer in answers
    }
    return [
        {
            "better": pair[0] if place < won else pair[1],
            "question": question,
            "url": question_url(question.pk, era.release.slug, era.judge_spec.slug),
            "images": [
                shown_image(image)
                for image in images.get(question.figure_id or 0, ())[:1]
                if image.sha256
            ],
            "answers": [
                (entry, texts.get((entry.entry.id, question.pk), ""), credit)
                for entry, credit in zip(pair, (line["won"], line["lost"]), strict=True)
            ],
        }
        for place, (question, line) in enumerate(zip(questions, lines, strict=True))
    ]


def is_plain(scores: Scores) -> bool:
    """Whether its answers are right or wrong, and nothing between."""
    known = scores[~np.isnan(scores)]
    return bool(np.isin(known, (0.0, 1.0)).all())


def print_credit(score: np.float32, *, plain: bool) -> str:
    if plain:
        return "right" if score > LEAST else "wrong"
    return f"{float(score):.2f}"
