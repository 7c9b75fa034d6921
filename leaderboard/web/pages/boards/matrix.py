"""Entries by questions of a subtask, as tiles: who gets what right, and the same as a table."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

import numpy as np
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from numpy.typing import NDArray

from benchmarks.models import Benchmark, Question
from benchmarks.registry import protocol
from benchmarks.statistics.items import EVERYBODY
from leaderboard.models import Scoresheet
from leaderboard.results.boards.question_statistics import QuestionTable
from leaderboard.results.formatting import MISSING, print_rank
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.scoresheets.question_scores import unpacked_scores
from leaderboard.results.selectors import BoardEntry, BoardPart, NoSuchEraError, read_board
from leaderboard.web.pages.boards.board import benchmark_named
from leaderboard.web.pages.boards.questions import in_order
from leaderboard.web.pages.entries.questions import entry_url, question_url
from leaderboard.web.pages.questions.eras import (
    QuestionsOf,
    chosen_subtask,
    era_choices,
    page_shown,
    page_url,
    places_in,
    questions_of,
    subtask_choices,
    subtasks_of,
)

MOST_ENTRIES, MOST_QUESTIONS = 40, 200
"""Of a picture: at 1280 pixels a question is five wide, and what is sent stays below 60 kB."""

TILE, HEIGHT = 10, 24  # in units of the drawing

RIGHT, PARTLY, WRONG, UNKNOWN = "RPW–"

MIDDLES = {RIGHT: 12, PARTLY: 18, WRONG: 12}
"""At which height a tile is drawn: what is right fills it, what is partly right its lower half, and
what is wrong is a thin line, so that none needs its colour to be told."""


@require_safe
def board_matrix(request: HttpRequest, slug: str) -> HttpResponse:
    page = matrix_page(benchmark_named(slug), request.GET)
    return render(request, "boards/matrix.html", {"page": page})


def matrix_page(benchmark: Benchmark, query: QueryDict) -> dict[str, Any]:
    """The first subtask where none was chosen; its questions from the easiest to the hardest.
    `subtask` is empty where no board was stored yet."""
    of = questions_of(benchmark, query)
    table, asked = of.table, of.asked
    subtasks = subtasks_of(table) if table else ()
    subtask = chosen_subtask(subtasks, asked) or next(iter(subtasks), None)
    kept = {**of.query, "subtask": subtask.slug if subtask else ""}
    places = in_order(table, places_in(table, subtask), "easy") if table else np.arange(0)
    shown, page = page_shown(places, MOST_QUESTIONS, asked)
    entries, entry_count = entries_of(of)
    letters = letters_of(of, entries, shown)
    questions = questions_at(of, table, shown) if table else ()

    def link(**changes: object) -> str:
        return page_url("board-matrix", benchmark, {**kept, **changes})

    return {
        "benchmark": benchmark,
        "era": of.era,
        "judge": judge_seal(of.era.judge_spec) if of.era else None,
        "eras": era_choices(of.eras, of.era, reverse("board-matrix", args=[benchmark.slug])),
        "subtasks": subtask_choices(table, subtasks, subtask, link) if table else (),
        "subtask": f"{subtask.ability.title}: {subtask.title}" if subtask else "",
        "right_means": protocol(benchmark.slug).right_means,
        "rows": [
            (entry, rank_of(entry), entry_url(entry.id, of.query["judge"]), tiles(verdicts))
            for entry, verdicts in zip(entries, letters, strict=True)
        ],
        "lines": [
            (public_id, url, share, cells([verdicts[column] for verdicts in letters]))
            for column, (url, public_id, share) in enumerate(questions)
        ],
        "shares": drawn_shares(questions, table.share[shown]) if table else "",
        "width": TILE * len(shown),
        "entry_count": entry_count,
        "shown": page,
        "url": link(),
        "list_url": page_url("board-questions", benchmark, kept),
        "notes": asked.notes,
    }


def entries_of(of: QuestionsOf) -> tuple[Sequence[BoardEntry], int]:
    """The first of the board, of equal answers one, and how many there are."""
    if of.era is None:
        return (), 0
    part = BoardPart(count=MOST_ENTRIES, fold=True)
    try:
        reading = read_board(
            of.benchmark,
            release=of.query["release"],
            judge=of.query["judge"],
            part=part,
        )
    except NoSuchEraError:  # since the board was stored its last entry was withdrawn
        return (), 0
    return reading.entries, reading.matching


def questions_at(
    of: QuestionsOf, table: QuestionTable, places: NDArray[np.int64]
) -> Sequence[tuple[str, str, str]]:
    """Address and public id of each, and the share of ranked entries that are right."""
    keys = table.question[places].tolist()
    ids = dict(Question.objects.filter(pk__in=keys).values_list("pk", "public_id"))
    release, judge = of.query["release"], of.query["judge"]
    return [
        (
            question_url(key, release, judge),
            ids[key],
            MISSING if np.isnan(share) else f"{100 * share:.0f} %",
        )
        for key, share in zip(keys, table.share[places].tolist(), strict=True)
    ]


def letters_of(
    of: QuestionsOf, entries: Sequence[BoardEntry], places: NDArray[np.int64]
) -> Sequence[str]:
    """By entry, a letter per question; of a sheet from before scores of answers were kept, all
    unknown; no letters before the board's questions were counted, as after an upgrade."""
    if of.era is None or of.table is None:
        return [""] * len(entries)
    size = len(of.table.question)
    sheets = Scoresheet.objects.filter(
        judge_spec=of.era.judge_spec, submission__in=[entry.id for entry in entries]
    )
    packed: dict[UUID, bytes] = {
        submission: bytes(scores or b"")
        for submission, scores in sheets.values_list("submission", "item_scores")
    }
    return [letters(packed.get(entry.id, b""), size, places) for entry in entries]


def letters(packed: bytes, size: int, places: NDArray[np.int64]) -> str:
    if len(packed) != size:
        return UNKNOWN * len(places)
    (scores,) = unpacked_scores([packed], size)
    shown = scores[places]
    named = [np.isnan(shown), shown >= EVERYBODY, shown <= 1 - EVERYBODY + 1e-6]
    return "".join(np.select(named, [UNKNOWN, RIGHT, WRONG], PARTLY).tolist())


# --- drawing --------------------------------------------------------------------------------------


def rank_of(entry: BoardEntry) -> str:
    rank = print_rank(entry.rank_best, entry.rank_worst)
    return entry.origin if rank == MISSING and entry.origin != "upload" else rank


def tiles(verdicts: str) -> SafeString:
    """A path per letter: equal neighbours are one line, which its dashes divide."""
    drawn = [(kind, "".join(lines(verdicts, kind))) for kind in MIDDLES]
    paths = (f'<path class="{kind}" d="{path}"/>' for kind, path in drawn if path)
    return mark_safe("".join(paths))  # noqa: S308  # nosec B308 - letters and numbers of ours


def lines(verdicts: str, kind: str) -> Iterator[str]:
    start = 0
    for one, run in groupby(verdicts):
        length = len(list(run))
        if one == kind:
            yield f"M{TILE * start} {MIDDLES[kind]}h{TILE * length - 1}"
        start += length


def drawn_shares(
    questions: Sequence[tuple[str, str, str]], shares: NDArray[np.float64]
) -> SafeString:
    """A bar per question, as high as its share of entries that are right, which leads to its page;
    for a mouse, for the table has the same links."""
    found = []
    for column, (question, share) in enumerate(zip(questions, shares, strict=True)):
        height = round(HEIGHT * float(np.nan_to_num(share)))
        found.append(
            format_html(
                '<a href="{}" tabindex="-1"><title>{}: {}</title>'
                '<path class="behind" d="M{} 0h9v24h-9z"/><path d="M{} 24h9v-{}h-9z"/></a>',
                *question,
                TILE * column,
                TILE * column,
                height,
            )
        )
    return mark_safe("".join(found))  # noqa: S308  # nosec B308 - each is escaped


def cells(verdicts: Sequence[str]) -> SafeString:
    """Cells of a table need no end: there are eight thousand."""
    text = "".join(f"<td>{one}" for one in verdicts)
    return mark_safe(text)  # noqa: S308  # nosec B308 - letters of ours
