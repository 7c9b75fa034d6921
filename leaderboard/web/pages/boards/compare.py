"""The page on which two to six entries stand beside each other."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import get_text_list
from django.views.decorators.http import require_safe

from judging.models import JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.scoresheets.ability_moves import unpacked_moves
from leaderboard.results.selectors import (
    BoardEntry,
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    ComparedSheet,
    SharedEra,
    best_candidates,
    compared_sheets,
    models_of_hidden_tests,
    read_board,
    read_by_measure,
    shared_eras,
    sheets_in_era,
)
from leaderboard.web.board.charts import chosen_models
from leaderboard.web.pages.boards.abilities import ability_tables, radars
from leaderboard.web.pages.boards.compare_choices import OFFERED, CompareChoices, compare_choices
from leaderboard.web.pages.boards.compare_differences import (
    FEWEST,
    answer_of,
    difference_rows,
    pair_lines,
)
from leaderboard.web.pages.boards.compare_entries import compared_entries
from leaderboard.web.pages.boards.compare_picker import picker_of
from leaderboard.web.pages.boards.compare_questions import won_questions


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    page = compare_page(compare_choices(request.GET))
    return render(request, "boards/compare.html", {"page": page})


def compare_page(choices: CompareChoices) -> dict[str, Any]:
    """`comparison` is None where fewer than two can be compared; `problem` then says why. offers:
    eras in which what was asked for stands; left_out: models of which the shown one has no
    entry."""
    sheets = compared_sheets(choices.asked)
    eras = shared_eras(sheets)
    notes = [*choices.notes, *unknown_notes(choices, sheets)]
    era = chosen_era(eras, choices, notes)
    page = {
        "notes": notes,
        "offers": [era_offer(one, choices, sheets, is_current=one is era) for one in eras],
    }
    if era is None or len(era.asked) < FEWEST:
        return {
            **page,
            "problem": problem_of(choices, sheets),
            "comparison": None,
            "left_out": [],
            "picker": picker_of(choices, sheets, eras, listed_reading(era, sheets)),
        }
    reading = era_reading(era, sheets)
    entries = chosen_entries(era, reading, sheets, choices)
    is_one = len(entries) < FEWEST
    return {
        **page,
        "problem": ONE_ENTRY if is_one else "",
        "comparison": None if is_one else comparison_of(reading, entries, choices),
        "left_out": list(dict.fromkeys(s.model for s in sheets if s.asked not in era.asked)),
        "picker": picker_of(choices, sheets, (), reading),
    }


# --- which era, and whose entries -----------------------------------------------------------------

HOW = "Tick models in the list, or find others by name."
ONE_ENTRY = f"These are one and the same entry. A comparison needs at least two. {HOW}"


def unknown_notes(choices: CompareChoices, sheets: Sequence[ComparedSheet]) -> list[str]:
    """Each once: a slug and an id may name one model."""
    known = {sheet.asked for sheet in sheets}
    unknown = [one for one in choices.asked if str(one) not in known]
    hidden = models_of_hidden_tests(unknown) if unknown else {}
    return list(
        dict.fromkeys(
            f"{hidden[name]} is left out: its results are of a hidden test, which shows one "
            "rounded score of each entry and nothing that could be compared."
            if name in hidden
            else f"“{name}” was not found or is not public; it is left out."
            for name in map(str, unknown)
        )
    )


def chosen_era(
    eras: Sequence[SharedEra], choices: CompareChoices, notes: list[str]
) -> SharedEra | None:
    """The first one that fits what the address says; None where nothing that was asked for is
    known."""
    wanted = {
        "benchmark": choices.benchmark,
        "release": choices.release,
        "judge": choices.judge,
    }
    fitting = [
        era
        for era in eras
        if choices.benchmark in ("", era.release.benchmark.slug)
        and choices.release in ("", era.release.slug)
        and choices.judge in ("", era.judge_spec.slug)
    ]
    if eras and not fitting:
        wanted_words = ", ".join(f"{name} “{slug}”" for name, slug in wanted.items() if slug)
        notes.append(
            f"None of these has an entry with {wanted_words}; showing a board where they do."
        )
    return next(iter(fitting or eras), None)


def problem_of(choices: CompareChoices, sheets: Sequence[ComparedSheet]) -> str:
    if len(choices.asked) < FEWEST:
        return f"A comparison needs two to six models. {HOW}"
    found = {sheet.asked for sheet in sheets}
    if len(found) < FEWEST:
        only = "Only one" if found else "None"
        return f"{only} of the {len(choices.asked)} named can be compared. Pick another. {HOW}"
    return (
        "These cannot be compared: no two of them were judged on the same release by the same "
        "judge with the same prompts."
    )


def era_offer(
    era: SharedEra, choices: CompareChoices, sheets: Sequence[ComparedSheet], *, is_current: bool
) -> dict[str, Any]:
    """An era in which some of what was asked for stands; `models` names them. `url` is empty for
    one alone."""
    alone = len(era.asked) < FEWEST
    slugs = {
        "benchmark": era.release.benchmark.slug,
        "release": era.release.slug,
        "judge": era.judge_spec.slug,
    }
    return {
        "era": era,
        "judge": judge_seal(era.judge_spec),
        "models": list(dict.fromkeys(s.model for s in sheets if s.asked in era.asked)),
        "url": "" if alone else choices.url(won="", lost="", **slugs),
        "is_current": is_current,
    }


def era_reading(era: SharedEra, sheets: Sequence[ComparedSheet]) -> BoardReading:
    """The first entries of the era's board, and in `also` all that may be compared."""
    return read_by_measure(
        read_board(
            era.release.benchmark,
            release=era.release.slug,
            judge=era.judge_spec.slug,
            part=BoardPart(count=OFFERED, fold=True, also=best_candidates(era, sheets)),
        ),
        "",
    )


def listed_reading(era: SharedEra | None, sheets: Sequence[ComparedSheet]) -> BoardReading | None:
    """The board on which others of the era are ticked; None where there is none, or it is large and
    was never stored."""
    try:
        return era_reading(era, sheets) if era else None
    except BoardNotStoredError:
        return None


def chosen_entries(
    era: SharedEra, reading: BoardReading, sheets: Sequence[ComparedSheet], choices: CompareChoices
) -> list[BoardEntry]:
    """In the order in which they were asked for; of a model the one that is placed best."""
    by_id = {entry.id: entry for entry in (*reading.entries, *reading.also)}
    found: dict[UUID, BoardEntry] = {}
    here = sheets_in_era(era, sheets)
    for asked in map(str, choices.asked):
        own = [by_id[s.submission] for s in here if s.asked == asked and s.submission in by_id]
        if own:
            best = min(own, key=lambda entry: entry.position)
            found.setdefault(best.id, best)
    return list(found.values())


# --- what is said of them -------------------------------------------------------------------------


def comparison_of(
    reading: BoardReading, compared: Sequence[BoardEntry], choices: CompareChoices
) -> dict[str, Any]:
    """Of one era. `rows`: the differences that are drawn; unscored: names of those with no value
    for the score that ranks, `metric`."""
    assert reading.era is not None
    metric = reading.metrics[reading.board.ranking]
    entries = compared_entries(reading, compared, choices)
    drawn = zip(chosen_models(reading, compared), entries, strict=True)
    legend = tuple(replace(line, model=entry.name) for line, entry in drawn)
    sheets = sheets_of(compared, reading.era.judge_spec)
    moves = [unpacked_moves(sheet.ability_moves) for sheet in sheets]
    abilities = ability_tables(reading, compared, moves)
    pairs = pair_lines(reading, entries, sheets)
    rows = difference_rows(metric, entries, pairs, abilities)
    scored = zip(entries, sheets, strict=True)
    return {
        "title": get_text_list([entry.name for entry in entries], "and"),
        "reading": reading,
        "judge": judge_seal(reading.era.judge_spec),
        "metric": metric,
        "answer": answer_of(metric, entries, pairs, abilities),
        "entries": entries,
        "rows": rows,
        "has_clear": any(row["is_clear"] for row in rows),
        "pairs": pairs,
        "unscored": [entry.name for entry, sheet in scored if sheet.ranking is None],
        "charts": list(radars(reading, compared, legend)),
        "abilities": abilities,
        "questions": won_questions(reading.era, entries, sheets, choices),
    }


def sheets_of(entries: Sequence[BoardEntry], spec: JudgeSpec) -> list[Scoresheet]:
    """In the order of the entries, with what is compared of them."""
    ids = [entry.id for entry in entries]
    rows = Scoresheet.objects.filter(submission__in=ids, judge_spec=spec)
    found = {row.submission_id: row for row in rows.only(*COMPARED)}
    return [found[one] for one in ids]


COMPARED = ("submission_id", "ranking", "draws", "item_scores", "ability_moves")
