"""Models by boards: the ranks that the best entry of each model could hold on every board."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.models import EvaluatedModel
from leaderboard.results.formatting import print_rank
from leaderboard.results.selectors import (
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    KnownBoards,
    known_boards,
    read_board,
)
from leaderboard.web.board.strips import rank_strip


@dataclass(frozen=True, slots=True)
class ModelLine:
    """`places`: the board, and where the model's best entry stands on it: `rank`, absent where it
    has none there, with `strip` which draws the range of its rank."""

    model: EvaluatedModel
    places: tuple[dict[str, str], ...]

    @property
    def size(self) -> str:
        size = self.model.parameters_billions
        return f"{size.normalize():f} B" if size else ""


def first_readings(count: int) -> dict[Benchmark, BoardReading | None]:
    """The first entries of every board, in the order of the home page."""
    shown = shown_benchmarks()
    known = known_boards(shown)
    return {benchmark: first_of_board(benchmark, count, known) for benchmark in shown}


def shown_benchmarks() -> list[Benchmark]:
    """In the order of the home page. The boards of a closed release stay."""
    published = Release.objects.published()
    found = Benchmark.objects.filter(slug__in=protocols(), releases__in=published)
    return papers_first(found.distinct())


def first_of_board(
    benchmark: Benchmark, count: int, known: KnownBoards | None = None
) -> BoardReading | None:
    """None where the board is large and was never stored."""
    try:
        return read_board(benchmark, part=BoardPart(count=count, fold=True), known=known)
    except BoardNotStoredError:
        return None


def papers_first(benchmarks: Iterable[Benchmark]) -> list[Benchmark]:
    """Those with a paper of their own by title, then what are parts of these in the same order."""
    titles = {benchmark.slug: benchmark.title for benchmark in benchmarks}

    def place(benchmark: Benchmark) -> tuple[bool, str, str]:
        whole = protocol(benchmark.slug).part_of
        return whole in titles, titles.get(whole, ""), benchmark.title

    return sorted(benchmarks, key=place)


def model_lines(
    models: Sequence[EvaluatedModel], readings: Sequence[BoardReading]
) -> tuple[ModelLine, ...]:
    """A line for each model, with a place for each board."""
    keys = {model.pk for model in models}
    columns = [(reading.benchmark.title, places_on(reading, keys)) for reading in readings]
    return tuple(
        ModelLine(model, tuple(places.get(model.pk, {"board": title}) for title, places in columns))
        for model in models
    )


def places_on(reading: BoardReading, models: Set[int]) -> Mapping[int, dict[str, str]]:
    """By model, the place of its best entry on the board."""
    return {
        entry.model_id: {
            "board": reading.benchmark.title,
            "rank": print_rank(entry.rank_best, entry.rank_worst),
            "strip": rank_strip(entry, reading.counts.ranked_rows),
        }
        for entry in reading.best_of(models)
        if entry.rank_best and not entry.scored_since  # a hidden test has no ranges
    }
