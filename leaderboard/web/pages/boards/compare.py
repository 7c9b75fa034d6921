"""The page on which two to six entries stand beside each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString

from benchmarks.submissions.naming.lookalike_names import skeleton
from judging.models import JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import MISSING, print_interval, print_rank, print_value
from leaderboard.results.judges.seals import JudgeSeal, judge_seal
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
    differences_between,
    read_board,
    read_by_measure,
    shared_eras,
    sheets_in_era,
)
from leaderboard.web.board.charts import ChartView, chosen_models
from leaderboard.web.board.comparison import difference_words, name_with_origin
from leaderboard.web.pages.boards.abilities import (
    AbilityTable,
    Moves,
    ability_tables,
    radars,
    significant_side,
)
from leaderboard.web.pages.boards.compare_choices import OFFERED, CompareChoices
from leaderboard.web.pages.boards.compare_picker import Picker, picker_of
from leaderboard.web.pages.boards.compare_questions import WonCell, WonQuestions, won_questions

FEWEST = 2


@dataclass(frozen=True, slots=True)
class ComparedEntry:
    """An entry as the page names it: `series` counts from 1 and names colour and marker; `without`
    is the address of the comparison without it."""

    id: UUID
    series: int
    marker: SafeString
    name: str
    organisation: str
    score: str
    interval: str
    rank: str
    without: str


@dataclass(frozen=True, slots=True)
class PairLine:
    """How the one compares with the other. `side`: "ahead", "behind", or empty."""

    one: ComparedEntry
    other: ComparedEntry
    words: str
    side: str


@dataclass(frozen=True, slots=True)
class EraOffer:
    """An era in which some of what was asked for stands; `models` names them. `url` is empty for
    one alone."""

    benchmark: str
    release: str
    judge: str
    models: tuple[str, ...]
    board_url: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of one era. unscored: names of those no value for the score that ranks."""

    benchmark_slug: str
    benchmark: str
    release: str
    judge: JudgeSeal
    caution: str
    score_title: str
    score_about: str
    entries: tuple[ComparedEntry, ...]
    pairs: tuple[PairLine, ...]
    unscored: tuple[str, ...]
    charts: tuple[ChartView, ...]
    abilities: tuple[AbilityTable, ...]
    questions: WonQuestions

    @property
    def won(self) -> ComparedEntry:
        """Whose questions are listed, and against whom."""
        return self.entries[self.questions.won]

    @property
    def lost(self) -> ComparedEntry:
        return self.entries[self.questions.lost]

    @property
    def won_rows(self) -> Sequence[tuple[ComparedEntry, Sequence[tuple[ComparedEntry, WonCell]]]]:
        """Each entry, and against whom it wins how many."""
        rows = zip(self.entries, self.questions.rows, strict=True)
        return [(entry, list(zip(self.entries, cells, strict=True))) for entry, cells in rows]

    @property
    def without_scores(self) -> tuple[str, ...]:
        """Names of those whose scores by question are not kept yet."""
        return tuple(self.entries[place].name for place in self.questions.missing)


@dataclass(frozen=True, slots=True)
class ComparePage:
    """`comparison` is None where fewer than two can be compared; `problem` then says why. offers:
    eras in which what was asked for stands; left_out: models of which the shown one has no
    entry."""

    notes: tuple[str, ...]
    problem: str
    comparison: Comparison | None
    offers: tuple[EraOffer, ...]
    left_out: tuple[str, ...]
    picker: Picker


def compare_page(choices: CompareChoices) -> ComparePage:
    sheets = compared_sheets(choices.asked)
    eras = shared_eras(sheets)
    notes = [*choices.notes, *unknown_notes(choices, sheets)]
    era = chosen_era(eras, choices, notes)
    offers = tuple(era_offer(one, choices, sheets, is_current=one is era) for one in eras)
    if era is None or len(era.asked) < FEWEST:
        picker = picker_of(choices, sheets, eras, listed_reading(era, sheets))
        problem = problem_of(choices, eras)
        return ComparePage(tuple(notes), problem, None, offers, (), picker)
    reading = era_reading(era, sheets)
    picker = picker_of(choices, sheets, (), reading)
    entries = chosen_entries(era, reading, sheets, choices)
    left_out = tuple(dict.fromkeys(s.model for s in sheets if s.asked not in era.asked))
    if len(entries) < FEWEST:
        return ComparePage(tuple(notes), ONE_ENTRY, None, offers, left_out, picker)
    comparison = comparison_of(reading, entries, choices)
    return ComparePage(tuple(notes), "", comparison, offers, left_out, picker)


# --- which era, and whose entries -----------------------------------------------------------------

ONE_ENTRY = "These are one and the same entry. A comparison needs at least two; select them below."


def unknown_notes(choices: CompareChoices, sheets: Sequence[ComparedSheet]) -> list[str]:
    known = {sheet.asked for sheet in sheets}
    return [
        f"No public entry or model “{one}” was found; it is left out."
        for one in map(str, choices.asked)
        if one not in known
    ]


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


def problem_of(choices: CompareChoices, eras: Sequence[SharedEra]) -> str:
    if len(choices.asked) < FEWEST:
        return "A comparison needs two to six models. Select them below."
    if not eras:
        return "None of these has a public entry. Select models below."
    return (
        "These cannot be compared: no two of them were judged on the same release by the same "
        "judge with the same prompts."
    )


def era_offer(
    era: SharedEra, choices: CompareChoices, sheets: Sequence[ComparedSheet], *, is_current: bool
) -> EraOffer:
    slugs = {"release": era.release.slug, "judge": era.judge_spec.slug}
    benchmark = era.release.benchmark
    names = dict.fromkeys(s.model for s in sheets if s.asked in era.asked)
    query = f"?release={era.release.slug}&judge={era.judge_spec.slug}"
    return EraOffer(
        benchmark=benchmark.title,
        release=era.release.title,
        judge=judge_seal(era.judge_spec).label,
        models=tuple(names),
        board_url=f"{reverse('board', args=[benchmark.slug])}{query}",
        url=""
        if len(era.asked) < FEWEST
        else choices.url(benchmark=benchmark.slug, won="", lost="", **slugs),
        is_current=is_current,
    )


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
    reading: BoardReading, entries: Sequence[BoardEntry], choices: CompareChoices
) -> Comparison:
    assert reading.era is not None
    metric = reading.metrics[reading.board.ranking]
    named = compared_entries(reading, entries, choices)
    release, spec = reading.era.release, reading.era.judge_spec
    legend = chosen_models(reading, entries)
    sheets = sheets_of(entries, spec)
    pairs, unscored = pair_lines(reading, entries, named, sheets)
    return Comparison(
        benchmark_slug=release.benchmark.slug,
        benchmark=release.benchmark.title,
        release=release.title,
        judge=judge_seal(spec),
        caution=spec.caution,
        score_title=metric.title,
        score_about=metric.about,
        entries=named,
        pairs=pairs,
        unscored=unscored,
        charts=radars(reading, entries, legend),
        abilities=ability_tables(reading, entries, [moves_in(sheet) for sheet in sheets]),
        questions=won_questions(release, sheets, choices),
    )


def compared_entries(
    reading: BoardReading, entries: Sequence[BoardEntry], choices: CompareChoices
) -> tuple[ComparedEntry, ...]:
    metric = reading.metrics[reading.board.ranking]
    names, legend = names_among(entries), chosen_models(reading, entries)
    ids = [str(entry.id) for entry in entries]
    found = []
    for entry, line in zip(entries, legend, strict=True):
        figure = entry.figure(metric.name)
        rank = print_rank(entry.rank_best, entry.rank_worst)
        others = [one for one in ids if one != str(entry.id)]
        found.append(
            ComparedEntry(
                id=entry.id,
                series=line.series,
                marker=line.marker,
                name=names[entry.id],
                organisation=entry.facts.organisation,
                score=print_value(metric, figure.value) if figure else MISSING,
                interval=print_interval(metric, figure) if figure else "",
                rank=MISSING if entry.scored_since else rank,
                without=choices.url(m=others, won="", lost=""),
            )
        )
    return tuple(found)


def names_among(entries: Sequence[BoardEntry]) -> Mapping[UUID, str]:
    """By their models; those that are easily taken for another one also by who handed them in, and
    by the day where that is the same too."""
    found = {}
    for entry in entries:
        alike = [
            e for e in entries if e is not entry and skeleton(e.model) == skeleton(entry.model)
        ]
        days = any(other.handed_in_by == entry.handed_in_by for other in alike)
        found[entry.id] = name_with_origin(entry, day=days) if alike else entry.model
    return found


def sheets_of(entries: Sequence[BoardEntry], spec: JudgeSpec) -> list[Scoresheet]:
    """In the order of the entries, with what is compared of them."""
    ids = [entry.id for entry in entries]
    rows = Scoresheet.objects.filter(submission__in=ids, judge_spec=spec)
    found = {row.submission_id: row for row in rows.only(*COMPARED)}
    return [found[one] for one in ids]


COMPARED = ("submission_id", "ranking", "draws", "item_scores", "ability_moves")


def moves_in(sheet: Scoresheet) -> Moves:
    return unpacked_moves(sheet.ability_moves)


def pair_lines(
    reading: BoardReading,
    entries: Sequence[BoardEntry],
    named: Sequence[ComparedEntry],
    sheets: Sequence[Scoresheet],
) -> tuple[tuple[PairLine, ...], tuple[str, ...]]:
    """Every pair of those that have a score, and the names of those that have none."""
    metric = reading.metrics[reading.board.ranking]
    scored = [i for i, sheet in enumerate(sheets) if sheet.ranking is not None]
    unscored = tuple(line.name for i, line in enumerate(named) if i not in scored)
    if len(scored) < FEWEST:
        return (), unscored
    figures = [entries[i].figure(metric.name) for i in scored]
    known = [figure.groups for figure in figures if figure and figure.groups is not None]
    differences = differences_between(
        [sheets[i] for i in scored], reading.board, groups=min(known, default=None)
    )
    lines = []
    for one, other in combinations(range(len(scored)), 2):
        i, j = scored[one], scored[other]
        difference = differences.between(one, other)
        same = lead_of_equals(entries[i]) == lead_of_equals(entries[j])
        words = SAME_ANSWERS if same else difference_words(metric, difference)
        lines.append(PairLine(named[i], named[j], words, significant_side(difference)))
    return tuple(lines), unscored


SAME_ANSWERS = "equal, because the two files contain the same answers"


def lead_of_equals(entry: BoardEntry) -> UUID:
    return entry.same_answers_as or entry.id
