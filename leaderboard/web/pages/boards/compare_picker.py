"""Which models can be ticked for a comparison: those a search finds, or the first of one board.

A page lists a bounded number of them, however many the site has; the search finds any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """Named by the address already; `without` is the address that does not name it."""

    value: str
    model: str
    without: str


@dataclass(frozen=True, slots=True)
class PickLine:
    """A box to tick. `score` is its score on the listed board, `boards` are those where a model
    that was searched for has an entry."""

    value: str
    model: str
    organisation: str
    score: str = ""
    boards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picker:
    """`reading` is the listed board, None where a search was made or no board has an entry. `note`
    says why a search was not made. release, judge: slugs of the era that is to be compared, empty
    for any. boards: others that can be listed."""

    search: str
    note: str
    chosen: tuple[ChosenModel, ...]
    lines: tuple[PickLine, ...]
    boards: tuple[Choice, ...]
    reading: BoardReading | None
    release: str
    judge: str
    clear_url: str
    judge_title: str = ""
    score_title: str = ""

    @property
    def others(self) -> int:
        """Entries of the listed board that cannot be ticked here."""
        listed = self.reading.counts.entries if self.reading else 0
        return max(0, listed - len(self.lines) - len(self.chosen))

    @property
    def is_full(self) -> bool:
        return len(self.chosen) == MOST_CHOSEN

    @property
    def has_more_found(self) -> bool:
        return bool(self.search) and len(self.lines) == MOST_FOUND


def picker_of(
    choices: CompareChoices,
    sheets: Sequence[ComparedSheet],
    eras: Sequence[SharedEra],
    reading: BoardReading | None,
) -> Picker:
    """sheets, eras: of what is chosen already. reading: of the era in which it is compared, None
    where nothing is chosen or its board is not stored yet."""
    chosen = chosen_models_of(choices, sheets)
    benchmarks = list(dict.fromkeys(era.release.benchmark for era in eras))
    if not chosen:
        benchmarks = listed_benchmarks()
        reading = None if choices.search else first_reading(benchmarks, choices.benchmark)
    era = reading.era if reading else None
    lines: Sequence[PickLine] = ()
    note = ""
    if choices.search:
        note = why_not(choices.search, words_of(choices.search))
        lines = () if note else found_lines(choices.search)
    elif reading:
        lines = board_lines(reading, {sheet.submission for sheet in sheets})
    return Picker(
        search=choices.search,
        note=note,
        chosen=chosen,
        lines=tuple(lines),
        boards=tuple(
            Choice(
                benchmark.title,
                choices.url(benchmark=benchmark.slug, release="", judge=""),
                is_current=reading is not None and reading.benchmark == benchmark,
            )
            for benchmark in benchmarks
        ),
        reading=None if choices.search else reading,
        release=era.release.slug if era else choices.release,
        judge=era.judge_spec.slug if era else choices.judge,
        clear_url=choices.url(),
        judge_title=judge_seal(era.judge_spec).label if era else "",
        score_title=reading.metrics[reading.board.ranking].title if reading else "",
    )


def chosen_models_of(
    choices: CompareChoices, sheets: Sequence[ComparedSheet]
) -> tuple[ChosenModel, ...]:
    names = {sheet.asked: sheet.model for sheet in sheets}
    asked = [str(one) for one in choices.asked if str(one) in names]
    return tuple(
        ChosenModel(
            one,
            names[one],
            choices.url(m=[other for other in asked if other != one], q=choices.search),
        )
        for one in asked
    )


def listed_benchmarks() -> list[Benchmark]:
    """Those with an open release that is no hidden test."""
    opened = Release.objects.accepting().exclude(disclosure=Release.Disclosure.HIDDEN_TEST)
    found = Benchmark.objects.filter(slug__in=protocols(), releases__in=opened)
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


def board_lines(reading: BoardReading, chosen: set[object]) -> list[PickLine]:
    metric = reading.metrics[reading.board.ranking]
    days = days_of_namesakes(reading.rows)
    return [
        PickLine(
            value=str(entry.id),
            model=name_with_day(entry, days),
            organisation=entry.facts.organisation,
            score=print_value(metric, entry.value(metric.name)),
        )
        for entry in reading.rows
        if entry.id not in chosen
    ]


def found_lines(search: str) -> list[PickLine]:
    """Models by their slugs, of which the best placed entry is compared; or the one entry whose id
    was typed."""
    entry = found_entry(search)
    if entry and entry.release.verdicts_are_public:
        boards = (entry.release.benchmark.title,)
        model = entry.model
        return [PickLine(str(entry.pk), model.name, model.organisation, boards=boards)]
    models = list(found_models(words_of(search)))
    boards_of = boards_by_model(models)
    return [
        PickLine(model.slug, model.name, model.organisation, boards=tuple(boards_of[model.pk]))
        for model in models
        if model.slug and boards_of[model.pk]
    ]


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
