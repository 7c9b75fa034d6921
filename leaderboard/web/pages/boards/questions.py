"""The questions of a board: how hard each is, which tell entries apart, how far each subtask is
solved, and, for annotators, which look as if their reference were wrong."""

from typing import Any

import numpy as np
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from numpy.typing import NDArray

from benchmarks.models import Benchmark, Question, Subtask
from benchmarks.registry import protocol
from benchmarks.selectors import confirmed_report_count, confirmed_reports_by_question
from benchmarks.statistics.items import EVERYBODY, FEWEST_ENTRIES, saturation, share_interval
from leaderboard.results.boards.question_statistics import QuestionTable
from leaderboard.results.formatting import MISSING, interval_text, print_number
from leaderboard.results.judges.seals import judge_seal
from leaderboard.web.board.choices import Choice
from leaderboard.web.pages.boards.board import benchmark_named
from leaderboard.web.pages.entries.questions import question_url
from leaderboard.web.pages.questions.eras import (
    QuestionsOf,
    chosen_subtask,
    counted_sentence,
    era_choices,
    page_shown,
    page_url,
    places_in,
    questions_of,
    subtask_choices,
    subtasks_of,
)

PER_PAGE = 100

MOST_CHARACTERS = 140
"""Of a question in a list; its page has all of it."""

ORDERS = {
    "": "order of the release",
    "hard": "hardest first",
    "easy": "easiest first",
    "apart": "highest discrimination first",
    "alike": "lowest discrimination first",
}

NO_ORDER = "There is no order “{}” here; this is the order of the release."
BAR_WIDTH = 160
ANNOTATES = "benchmarks.view_reference"


@require_safe
def board_questions(request: HttpRequest, slug: str) -> HttpResponse:
    page = board_questions_page(
        benchmark_named(slug), request.GET, sees_suspects=request.user.has_perm(ANNOTATES)
    )
    return render(request, "boards/questions.html", {"page": page})


@require_safe
@permission_required(ANNOTATES, raise_exception=True)
def board_suspects(request: HttpRequest, slug: str) -> HttpResponse:
    """For annotators: reached through the admin's sign-in (urls.py)."""
    page = suspects_page(benchmark_named(slug), request.GET)
    return render(request, "boards/suspects.html", {"page": page})


def board_questions_page(
    benchmark: Benchmark, query: QueryDict, *, sees_suspects: bool = False
) -> dict[str, Any]:
    """`era` is None where no board was stored yet."""
    of = questions_of(benchmark, query)
    table, asked = of.table, of.asked
    subtasks = subtasks_of(table) if table else ()
    subtask = chosen_subtask(subtasks, asked)
    order = asked.one_of("sort", ORDERS, NO_ORDER)
    kept = {**of.query, "subtask": subtask.slug if subtask else "", "sort": order}
    places = in_order(table, places_in(table, subtask), order) if table else np.arange(0)
    shown, page = page_shown(places, PER_PAGE, asked)

    def link(**changes: object) -> str:
        return f"{page_url('board-questions', benchmark, {**kept, **changes})}#questions"

    every = Choice("all", link(subtask=""), subtask is None, len(table.question) if table else 0)

    return {
        "benchmark": benchmark,
        "era": of.era,
        "judge": judge_seal(of.era.judge_spec) if of.era else None,
        "eras": era_choices(of.eras, of.era, reverse("board-questions", args=[benchmark.slug])),
        "counted": counted_sentence(table) if table else "",
        "right_means": protocol(benchmark.slug).right_means,
        "fewest": FEWEST_ENTRIES,
        "has_few": table is not None and table.entries < FEWEST_ENTRIES,
        "everybody": round(100 * EVERYBODY),
        "subtasks": [subtask_line(of, table, one) for one in subtasks] if table else (),
        "filters": [every, *subtask_choices(table, subtasks, subtask, link)] if table else (),
        "orders": tuple(
            Choice(title, link(sort=name), name == order) for name, title in ORDERS.items()
        ),
        "lines": question_lines(of, table, shown) if table else (),
        "shown": page,
        "url": link(),
        "matrix_url": page_url("board-matrix", benchmark, {**kept, "sort": ""}),
        "suspects_url": page_url("board-suspects", benchmark, of.query) if sees_suspects else "",
        "report_count": confirmed_report_count(of.era.release) if of.era else 0,
        "notes": asked.notes,
    }


def in_order(table: QuestionTable, places: NDArray[np.int64], order: str) -> NDArray[np.int64]:
    """What has no value comes last; ties keep the order of the release."""
    keys = {
        "hard": table.share,
        "easy": -table.share,
        "apart": -table.discrimination,
        "alike": table.discrimination,
    }
    if order not in keys:
        return places
    return places[np.argsort(keys[order][places], kind="stable")]  # nan sorts last


# --- lines ----------------------------------------------------------------------------------------


def question_lines(
    of: QuestionsOf, table: QuestionTable, places: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """`bar`: where the share, and the ends of its interval, lie on a bar BAR_WIDTH wide; None where
    nobody has a verdict."""
    keys = table.question[places].tolist()
    questions = Question.objects.select_related("subtask").in_bulk(keys)
    shares, answered = table.share[places].astype(np.float64), table.answered[places]
    low, high = share_interval(shares, answered)
    reports = confirmed_reports_by_question(keys)
    lines = []
    for place, key, n, *ends in zip(places, keys, answered, low, shares, high, strict=True):
        least, share, most = (100 * float(end) for end in ends)
        lines.append(
            {
                "question": questions[key],
                "url": question_url(key, of.query["release"], of.query["judge"]),
                "text": cut(questions[key].text),
                "answered": int(n),
                "share": f"{share:.0f} %" if n else MISSING,
                "span": interval_text(least, most, "{:.0f}".format) if n else "",
                "bar": [round(float(end) * BAR_WIDTH, 1) for end in ends] if n else None,
                "apart": print_apart(float(table.discrimination[place])),
                "reports": reports.get(key, 0),
            }
        )
    return lines


def cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]}…"


def print_apart(value: float) -> str:
    return MISSING if np.isnan(value) else print_number(value, 2, signed=True)


def subtask_line(of: QuestionsOf, table: QuestionTable, subtask: Subtask) -> dict[str, Any]:
    """`parts`: left end, width, and what it is, of each part of its bar."""
    found = saturation(table.share[table.subtask == subtask.pk].astype(np.float64))
    query = {**of.query, "subtask": subtask.slug}
    left, parts = 0.0, []
    for name, count in (("solved", found.solved), ("open", found.open), ("missed", found.missed)):
        if count:
            width = count / found.questions * BAR_WIDTH
            parts.append((round(left, 1), round(width, 1), name))
            left += width
    return {
        "subtask": subtask,
        "found": found,
        "parts": parts,
        "url": f"{page_url('board-questions', of.benchmark, query)}#questions",
        "matrix_url": page_url("board-matrix", of.benchmark, query),
    }


# --- for annotators -------------------------------------------------------------------------------

FEWEST_SUSPECTS, MOST_SUSPECTS = 10, 200
"""A tenth of the questions is listed, and no more than people look through in a day."""


def suspects_page(benchmark: Benchmark, query: QueryDict) -> dict[str, Any]:
    """`has_few`: nothing is claimed with so few entries."""
    of = questions_of(benchmark, query)
    table = of.table
    places = suspects_of(table) if table else np.arange(0)
    return {
        "benchmark": benchmark,
        "era": of.era,
        "eras": era_choices(of.eras, of.era, reverse("board-suspects", args=[benchmark.slug])),
        "counted": counted_sentence(table) if table else "",
        "fewest": FEWEST_ENTRIES,
        "has_few": table is None or table.entries < FEWEST_ENTRIES,
        "questions": len(table.question) if table else 0,
        "lines": suspect_lines(of, table, places) if table else (),
        "notes": of.asked.notes,
    }


def suspects_of(table: QuestionTable) -> NDArray[np.int64]:
    """The tenth of the questions that is most suspected, the most suspected first; none with too
    few entries."""
    known = np.flatnonzero(table.suspicion > 0)  # nan is not
    most = min(MOST_SUSPECTS, max(FEWEST_SUSPECTS, -(-len(table.question) // 10)))
    return known[np.argsort(-table.suspicion[known], kind="stable")][:most]


def suspect_lines(
    of: QuestionsOf, table: QuestionTable, places: NDArray[np.int64]
) -> list[dict[str, Any]]:
    keys = table.question[places].tolist()
    questions = Question.objects.select_related("subtask").in_bulk(keys)
    return [
        {
            "question": questions[key],
            "url": question_url(key, of.query["release"], of.query["judge"]),
            "text": cut(questions[key].text),
            "suspicion": f"{float(table.suspicion[place]):.2f}",
            "share": f"{100 * float(table.share[place]):.0f} %",
            "answered": int(table.answered[place]),
            "reasons": reasons_of(table, int(place)),
        }
        for place, key in zip(places, keys, strict=True)
    ]


def reasons_of(table: QuestionTable, place: int) -> tuple[str, ...]:
    """In words, the strongest first."""
    share, apart = float(table.share[place]), float(table.discrimination[place])
    found = []
    if share <= 1 - EVERYBODY:
        entries = int(table.answered[place])
        found.append(
            f"None of the {entries:,} entries gets it right."
            if share == 0
            else f"Almost none of the {entries:,} entries gets it right."
        )
    if apart < 0:
        found.append(
            "Entries that do better on all other questions do worse here: correlation "
            f"{print_apart(apart)}."
        )
    if share > 0:
        missed = 100 * float(table.missed[place])
        found.append(
            f"Of the entries above average elsewhere, {missed:.0f} % miss it, weighted by how "
            "far above average they are."
        )
    return tuple(found)
