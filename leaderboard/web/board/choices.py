"""What a reader chose of a board, read from an address that anybody may have typed.

Every text is bounded before anything looks at it. What a board does not know is left out and
said on the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone

from benchmarks.protocols.base import Board, BoardTable, Measure, Metric
from leaderboard.results.selectors import EACH, SIZES, TOGETHER, board_by
from leaderboard.web.board.columns import columns_asked, width_of

MOST_LETTERS = 100
"""Of a search, a slug, or a word that a note repeats: names of models have at most so many."""
MOST_WORDS = 8
"""Of a search. Each is one more comparison per row."""
MOST_CHOSEN = 6
"""Models that are drawn: as many as there are series colours that can be told apart."""
MOST_DIGITS = 6
"""Of the number of a page."""
ROWS = ((10, 50), (14, 40), (18, 30), (45, 15), (90, 8))
FEWEST_ROWS = 5
"""Rows of a page by the columns it shows, so that it stays under 250 kB: a cell has about 160
bytes, a head 700, what a row begins and ends with as many. The widest table of ours has 123
columns."""


class TooLongError(ValueError):
    """A search of more letters than one may have."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A link that chooses one of several; count: how many it leads to, where that is shown; about:
    what it means, where that is said."""

    title: str
    url: str
    is_current: bool
    count: int | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class SortState:
    """Which metric orders the rows; empty for the ranking."""

    metric: str = ""
    ascending: bool = False

    def query(self) -> dict[str, str]:
        order = "asc" if self.ascending else "desc"
        return {"sort": self.metric, "order": order if self.metric else ""}


RANKED = SortState()


@dataclass(frozen=True, slots=True)
class BoardChoices:
    """`release` and `judge` are slugs, empty where none was named. `measure` is None on boards
    without any. `columns` are as `columns_asked` has them; is_one_table: whether the address named
    a table or columns. `page` counts from 1, `asked` are entries to draw. `notes` say what of the
    address was not understood. `moment`: as of when the board is wanted, None for now; `as_of` says
    it as the address does, and `as_of_fault` why it was not understood. `snapshot`: digest of a
    kept board, or its beginning. size: slug of SIZES, or empty.
    organisation: its whole name, or empty."""

    table: BoardTable
    columns: tuple[str, ...] = ()
    is_one_table: bool = False
    release: str = ""
    judge: str = ""
    measure: Measure | None = None
    ranges: str = EACH
    sort: SortState = RANKED
    show_published: bool = True
    search: str = ""
    open_weights: bool = False
    verified: bool = False
    size: str = ""
    organisation: str = ""
    page: int = 1
    asked: tuple[UUID, ...] = ()
    notes: tuple[str, ...] = ()
    moment: datetime | None = None
    as_of: str = ""
    as_of_fault: str = ""
    snapshot: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """What a model or its organisation must hold, each word of it."""
        return words_of(self.search)[:MOST_WORDS]

    @property
    def is_narrowed(self) -> bool:
        """Whether only some entries are wanted."""
        by_model = self.open_weights or self.size or self.organisation
        return bool(by_model or self.verified or self.words)

    @property
    def rows(self) -> int:
        """Of a page."""
        return rows_of_page(self.table, self.columns)


def rows_of_page(table: BoardTable, columns: Sequence[str] = ()) -> int:
    """How many rows one page shows of the table."""
    width = width_of(table, columns)
    return next((rows for most, rows in ROWS if width <= most), FEWEST_ROWS)


def choices_of(query: QueryDict, board: Board) -> BoardChoices:
    """Raises TooLongError for a search that is."""
    notes: list[str] = []
    measure = measure_of(query, board, notes)
    shown = board_by(board, measure) if measure else board
    asked = MomentAsked.of(bounded(query, "as_of"), timezone.now())
    if asked.fault:
        notes.append(f"{asked.fault} This is the board of now.")
    table = table_of(query, shown, notes)
    return BoardChoices(
        table=table,
        columns=columns_asked(query, table, notes),
        is_one_table="table" in query or "columns" in query,
        release=bounded(query, "release"),
        judge=bounded(query, "judge"),
        measure=measure,
        ranges=TOGETHER if query.get("ranges") == TOGETHER else EACH,
        sort=sort_of(query, shown, notes),
        show_published=query.get("published") != "off",
        search=search_of(query),
        open_weights=query.get("open") == "1",
        verified=query.get("verified") == "1",
        size=size_of(query, notes),
        organisation=bounded(query, "org"),
        page=page_of(query, notes),
        asked=asked_of(query, notes),
        notes=tuple(notes),
        moment=asked.moment,
        as_of=asked.text if asked.moment else "",
        as_of_fault=asked.fault,
        # Whatever cannot be the digest of one stays as it is: an address that is cited must not
        # show another board.
        snapshot=bounded(query, "snapshot").casefold(),
    )


DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class MomentAsked:
    """As of when somebody wants to see a board. fault: why that is no moment of the past; empty
    where nothing was asked for."""

    text: str = ""
    moment: datetime | None = None
    fault: str = ""

    @classmethod
    def of(cls, text: str, now: datetime) -> "MomentAsked":
        """A day means its end, and an instant without an offset is UTC. Today's end is still to
        come, and stands for now."""
        if not text:
            return cls()
        try:
            is_day = len(text) == len("2026-11-20")
            found = datetime.fromisoformat(text if not is_day else f"{text}T00:00:00")
            moment = found if found.tzinfo else found.replace(tzinfo=UTC)
            moment = moment.astimezone(UTC) + (DAY if is_day else timedelta(0))
        except (ValueError, OverflowError):
            return cls(text, fault=f"“{text}” is no day such as 2026-11-20, and no instant.")
        if moment > (now + DAY if is_day else now):
            return cls(text, fault=f"{text} is still to come.")
        return cls(text, moment=min(moment, now))


def words_of(text: str) -> tuple[str, ...]:
    """What is searched for, whatever its letter case, each word once."""
    return tuple(dict.fromkeys(text.casefold().split()))


def plain(text: str) -> str:
    """On one line, without what no name has: a database refuses some of it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def bounded(query: QueryDict, name: str) -> str:
    return plain(query.get(name, "")[: MOST_LETTERS + 1])[:MOST_LETTERS]


def search_of(query: QueryDict) -> str:
    text = query.get("q", "")
    if len(text) > MOST_LETTERS:
        raise TooLongError(f"A search has at most {MOST_LETTERS} letters, and this one has more.")
    return plain(text)


def size_of(query: QueryDict, notes: list[str]) -> str:
    asked = bounded(query, "size")
    if asked and asked not in SIZES:
        notes.append(f"There are no models by the size “{asked}” here; these are of any size.")
    return asked if asked in SIZES else ""


def measure_of(query: QueryDict, board: Board, notes: list[str]) -> Measure | None:
    asked = bounded(query, "measure")
    measure = next((known for known in board.measures if known.slug == asked), None)
    if asked and measure is None:
        notes.append(f"There is no way of scoring “{asked}” here.")
    return measure or next(iter(board.measures), None)


def table_of(query: QueryDict, board: Board, notes: list[str]) -> BoardTable:
    asked = bounded(query, "table")
    table = next((known for known in board.tables if known.slug == asked), None)
    if asked and table is None:
        notes.append(f"There is no table “{asked}” here; this is the first.")
    return table or board.tables[0]


def sort_of(query: QueryDict, board: Board, notes: list[str]) -> SortState:
    """By a column that is shown, or by the ranking."""
    asked = bounded(query, "sort")
    known = {board.ranking, *(column.name for column in board.metrics())}
    if asked and asked not in known:
        notes.append(f"There is no column “{asked}” to sort by here.")
    if asked not in known:
        return RANKED
    return SortState(asked, ascending=query.get("order") == "asc")


def page_of(query: QueryDict, notes: list[str]) -> int:
    asked = bounded(query, "page")
    if asked.isascii() and asked.isdigit() and len(asked) <= MOST_DIGITS and int(asked):
        return int(asked)
    if asked:
        notes.append(f"There is no page “{asked}”; this is the first.")
    return 1


def note_beyond(page: int, pages: int) -> str:
    """What is said where a list of that many pages shows its last one instead; empty where it has
    the page that was asked for."""
    if page <= pages:
        return ""
    return f"There is no page {page:,} here, for this list has {pages:,} in all; this is the last."


def asked_of(query: QueryDict, notes: list[str]) -> tuple[UUID, ...]:
    """The entries to draw, at most six."""
    texts = query.getlist("m")
    asked = tuple(dict.fromkeys(i for text in texts[:MOST_LETTERS] if (i := id_of(text))))
    if len(asked) > MOST_CHOSEN:
        notes.append(f"{MOST_CHOSEN} models at most are drawn together.")
    return asked[:MOST_CHOSEN]


def id_of(text: str) -> UUID | None:
    try:
        return UUID(text) if len(text) == len(str(UUID(int=0))) else None
    except ValueError:
        return None


# --- addresses ------------------------------------------------------------------------------------

Query = Mapping[str, str | Sequence[str]]
"""What a link says of a reader's choices, empty where nothing was chosen."""


def query_url(query: Query, **changes: str | Sequence[str]) -> str:
    chosen = {name: value for name, value in {**query, **changes}.items() if value}
    return f"?{urlencode(chosen, doseq=True)}"


def better_first(metric: Metric) -> SortState:
    return SortState(metric.name, ascending=metric.higher_is_better is False)


def query_of(choices: BoardChoices, *, default_table: str) -> dict[str, str | Sequence[str]]:
    """The choices as an address has them. What stands by itself on the page is left out."""
    return {
        "release": choices.release,
        "judge": choices.judge,
        "measure": choices.measure.slug if choices.measure else "",
        "ranges": "" if choices.ranges == EACH else choices.ranges,
        "table": "" if choices.table.slug == default_table else choices.table.slug,
        "columns": ",".join(choices.columns),
        **choices.sort.query(),
        "published": "" if choices.show_published else "off",
        "q": choices.search,
        "open": "1" if choices.open_weights else "",
        "verified": "1" if choices.verified else "",
        "size": choices.size,
        "org": choices.organisation,
        "page": str(choices.page) if choices.page > 1 else "",
        "m": [str(entry) for entry in choices.asked],
        "as_of": choices.as_of,
        "snapshot": choices.snapshot,
    }
