"""What the address of a comparison asks for, and the lists from which models are ticked."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse

from benchmarks.models import Benchmark
from benchmarks.registry import protocols
from leaderboard.results.formatting import print_value
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import (
    BoardEntry,
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    known_boards,
    read_board,
)
from leaderboard.web.board.choices import (
    MOST_CHOSEN,
    MOST_LETTERS,
    bounded,
    id_of,
    page_of,
    query_url,
)

MOST_NAMED = 100
"""Names in one address that are looked at."""
OFFERED = 20
"""First entries of a board that can be ticked; any other is ticked on its board."""


@dataclass(frozen=True, slots=True)
class CompareChoices:
    """`asked`: ids of entries and slugs of models, two to six of them if there is something to
    compare. won, lost: places among the compared, from 1: of whose questions the list is. `notes`
    say what of the address was not understood."""

    asked: tuple[UUID | str, ...]
    benchmark: str = ""
    release: str = ""
    judge: str = ""
    won: int = 1
    lost: int = 2
    page: int = 1
    notes: tuple[str, ...] = ()

    def url(self, **changes: object) -> str:
        query: dict[str, str | Sequence[str]] = {
            "m": [str(one) for one in self.asked],
            "benchmark": self.benchmark,
            "release": self.release,
            "judge": self.judge,
            "won": str(self.won) if (self.won, self.lost) != (1, 2) else "",
            "lost": str(self.lost) if (self.won, self.lost) != (1, 2) else "",
        }
        query |= {k: v if isinstance(v, list) else str(v) for k, v in changes.items()}
        return f"{reverse('compare')}{query_url(query)}"


def compare_choices(query: QueryDict) -> CompareChoices:
    notes: list[str] = []
    named = [bounded_name(text) for text in query.getlist("m")[:MOST_NAMED]]
    asked = tuple(dict.fromkeys(id_of(name) or name for name in named if name))
    if len(asked) > MOST_CHOSEN:
        notes.append(
            f"At most {MOST_CHOSEN} models can be compared; of the {len(asked)} named, these are "
            f"the first."
        )
    won, lost = number_of(query, "won", 1), number_of(query, "lost", 2)
    return CompareChoices(
        asked=asked[:MOST_CHOSEN],
        benchmark=bounded(query, "benchmark"),
        release=bounded(query, "release"),
        judge=bounded(query, "judge"),
        won=won if won != lost else 1,
        lost=lost if won != lost else 2,
        page=page_of(query, notes),
        notes=tuple(notes),
    )


def bounded_name(text: str) -> str:
    return "".join(c for c in text[:MOST_LETTERS] if c.isprintable()).strip()


def number_of(query: QueryDict, name: str, default: int) -> int:
    asked = query.get(name, "")
    is_one = len(asked) == 1 and asked.isascii() and asked.isdigit()
    return int(asked) if is_one and 1 <= int(asked) <= MOST_CHOSEN else default


# --- what can be ticked ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PickLine:
    value: str
    model: str
    organisation: str
    score: str
    is_ticked: bool


@dataclass(frozen=True, slots=True)
class Picker:
    """The first entries of a board, to tick. release, judge: slugs of its era."""

    slug: str
    title: str
    release: str
    release_title: str
    judge: str
    judge_title: str
    score_title: str
    lines: tuple[PickLine, ...]
    others: int


def picker_of(reading: BoardReading, ticked: Sequence[BoardEntry] = ()) -> Picker | None:
    """None of a board without entries. Who is ticked stands first."""
    if reading.era is None:
        return None
    metric, ids = reading.metrics[reading.board.ranking], {entry.id for entry in ticked}
    others = [entry for entry in reading.rows if entry.id not in ids]
    lines = tuple(
        PickLine(
            value=str(entry.id),
            model=entry.model,
            organisation=entry.facts.organisation,
            score=print_value(metric, entry.value(metric.name)),
            is_ticked=entry.id in ids,
        )
        for entry in (*ticked, *others)
    )
    seal = judge_seal(reading.era.judge_spec)
    return Picker(
        slug=reading.benchmark.slug,
        title=reading.benchmark.title,
        release=reading.era.release.slug,
        release_title=reading.era.release.title,
        judge=seal.slug,
        judge_title=seal.label,
        score_title=metric.title,
        lines=lines,
        others=max(0, reading.counts.entries - len(lines)),
    )


def pickers() -> tuple[Picker, ...]:
    """Of every board; a large board that was never stored is left out."""
    found = []
    offered = list(
        Benchmark.objects.filter(slug__in=protocols(), releases__state="open").distinct()
    )
    known = known_boards(offered)
    for benchmark in offered:
        try:
            reading = read_board(benchmark, part=BoardPart(count=OFFERED, fold=True), known=known)
        except BoardNotStoredError:
            continue
        if picker := picker_of(reading):
            found.append(picker)
    return tuple(found)
