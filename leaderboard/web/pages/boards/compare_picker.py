"""Which models can be ticked for a comparison: those a search finds, or the first of one board.

A page lists a bounded number of them, however many the site has; the search finds any other.
"""

from collections.abc import Sequence
from typing import Any

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocols
from benchmarks.submissions.models import EvaluatedModel, Submission
from leaderboard.results.formatting import print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import BoardReading, ComparedSheet, SharedEra, known_boards
from leaderboard.results.selectors.search import MOST_FOUND, found_entry, found_models
from leaderboard.web.board.choices import MOST_CHOSEN, Choice, words_of
from leaderboard.web.board.comparison import days_of_namesakes, name_with_day
from leaderboard.web.pages.boards.compare_choices import OFFERED, CompareChoices
from leaderboard.web.pages.models.places import first_of_board
from leaderboard.web.pages.site.search import why_not


def picker_of(
    choices: CompareChoices,
    sheets: Sequence[ComparedSheet],
    eras: Sequence[SharedEra],
    reading: BoardReading | None,
) -> dict[str, Any]:
    """sheets, eras: of what is chosen already. reading: of the era in which it is compared, None
    where nothing is chosen or its board is not stored yet. On the page it is the listed board, None
    where a search was made or no board has an entry, and `others` are its entries that cannot be
    ticked; `note` says why a search was not made; release, judge: slugs of the era that is to be
    compared, empty for any; boards: others that can be listed."""
    names = {sheet.asked: sheet.model for sheet in sheets}
    asked = [str(one) for one in choices.asked if str(one) in names]
    chosen = [
        {
            "value": one,
            "model": names[one],
            "without": choices.url(m=[other for other in asked if other != one], q=choices.search),
        }
        for one in asked
    ]
    benchmarks = list(dict.fromkeys(era.release.benchmark for era in eras))
    if not chosen:
        benchmarks = listed_benchmarks()
        reading = None if choices.search else first_reading(benchmarks, choices.benchmark)
    era = reading.era if reading else None
    lines: list[dict[str, Any]] = []
    note = ""
    if choices.search:
        note = why_not(choices.search, words_of(choices.search))
        lines = [] if note else found_lines(choices.search)
    elif reading:
        lines = board_lines(reading, {sheet.submission for sheet in sheets})
    listed = reading.counts.entries if reading and not choices.search else 0
    return {
        "search": choices.search,
        "note": note,
        "chosen": chosen,
        "is_full": len(chosen) == MOST_CHOSEN,
        "lines": lines,
        "has_more_found": bool(choices.search) and len(lines) == MOST_FOUND,
        "others": max(0, listed - len(lines) - len(chosen)),
        "boards": [
            Choice(
                benchmark.title,
                choices.url(benchmark=benchmark.slug, release="", judge=""),
                is_current=reading is not None and reading.benchmark == benchmark,
            )
            for benchmark in benchmarks
        ],
        "reading": None if choices.search else reading,
        "release": era.release.slug if era else choices.release,
        "judge": era.judge_spec.slug if era else choices.judge,
        "clear_url": choices.url(),
        "judge_title": judge_seal(era.judge_spec).label if era else "",
        "score_title": reading.metrics[reading.board.ranking].title if reading else "",
    }


def listed_benchmarks() -> list[Benchmark]:
    """Those with a release, open or closed, that is no hidden test."""
    told = Release.objects.published().exclude(disclosure=Release.Disclosure.HIDDEN_TEST)
    found = Benchmark.objects.filter(slug__in=protocols(), releases__in=told)
    return list(found.distinct().order_by("pk"))


def first_reading(benchmarks: Sequence[Benchmark], asked: str) -> BoardReading | None:
    """The board of the benchmark that was asked for, or of the first that has entries; a large one
    that was never stored is left out."""
    known = known_boards(benchmarks)
    for benchmark in sorted(benchmarks, key=lambda one: one.slug != asked):
        reading = first_of_board(benchmark, OFFERED, known)
        if reading and reading.era and not reading.is_hidden_test:
            return reading
    return None


def board_lines(reading: BoardReading, chosen: set[object]) -> list[dict[str, Any]]:
    """A box to tick for each entry of the board, with its score there."""
    metric = reading.metrics[reading.board.ranking]
    days = days_of_namesakes(reading.rows)
    return [
        {
            "value": entry.id,
            "model": name_with_day(entry, days),
            "organisation": entry.facts.organisation,
            "score": print_value(metric, entry.value(metric.name)),
        }
        for entry in reading.rows
        if entry.id not in chosen
    ]


def found_lines(search: str) -> list[dict[str, Any]]:
    """Models by their slugs, of which the best placed entry is compared; or the one entry whose id
    was typed. `boards` are those where the model has an entry."""
    entry = found_entry(search)
    if entry and entry.release.verdicts_are_public:
        return [pick_line(entry.pk, entry.model, [entry.release.benchmark.title])]
    models = list(found_models(words_of(search)))
    boards = boards_by_model(models)
    return [
        pick_line(model.slug, model, boards[model.pk])
        for model in models
        if model.slug and boards[model.pk]
    ]


def pick_line(value: object, model: EvaluatedModel, boards: Sequence[str]) -> dict[str, Any]:
    return {
        "value": value,
        "model": model.name,
        "organisation": model.organisation,
        "boards": boards,
    }


def boards_by_model(models: Sequence[EvaluatedModel]) -> dict[int, list[str]]:
    """Titles of the benchmarks on which each has a public entry that can be compared."""
    found: dict[int, list[str]] = {model.pk: [] for model in models}
    rows = (
        Submission.objects.public()
        .filter(model__in=models, scoresheets__isnull=False)
        .exclude(release__disclosure=Release.Disclosure.HIDDEN_TEST)
        .order_by("release__benchmark__title")
        .values_list("model", "release__benchmark__title")
        .distinct()
    )
    for model, title in rows:
        found[model].append(title)
    return found
