"""What a reader chose of a board. What a board does not know is left out and said on the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils import timezone

from benchmarks.protocols.base import Board, BoardTable, Measure, Metric
from leaderboard.results.selectors import EACH, SIZES, TOGETHER, board_by
from leaderboard.web.board.asked import MOST_LETTERS, Asked, plain
from leaderboard.web.board.columns import columns_asked, width_of

MOST_WORDS = 8
"""Of a search. Each is one more comparison per row."""
MOST_CHOSEN = 6
"""Models that are drawn: as many as there are series colours that can be told apart."""
ROWS = ((10, 50), (14, 40), (18, 30), (45, 15), (90, 8))
FEWEST_ROWS = 5
"""Rows of a page by the columns it shows, so that it stays under 250 kB: a cell has about 160
bytes, a head 700, what a row begins and ends with as many. The widest table of ours has 123
columns."""


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
    """Raises BadRequest for a search that is too long."""
    asked = Asked(query)
    measure = measure_of(asked, board)
    shown = board_by(board, measure) if measure else board
    past = MomentAsked.of(asked.text("as_of"), timezone.now())
    if past.fault:
        asked.notes.append(f"{past.fault} This is the board of now.")
    table = table_of(asked, shown)
    return BoardChoices(
        table=table,
        columns=columns_asked(query, table, asked.notes),
        is_one_table="table" in query or "columns" in query,
        release=asked.text("release"),
        judge=asked.text("judge"),
        measure=measure,
        ranges=TOGETHER if query.get("ranges") == TOGETHER else EACH,
        sort=sort_of(asked, shown),
        show_published=query.get("published") != "off",
        search=search_of(query),
        open_weights=query.get("open") == "1",
        verified=query.get("verified") == "1",
        size=asked.one_of("size", SIZES, NO_SIZE),
        organisation=asked.text("org"),
        page=asked.page(),
        asked=asked_of(asked),
        notes=tuple(asked.notes),
        moment=past.moment,
        as_of=past.text if past.moment else "",
        as_of_fault=past.fault,
        # Whatever cannot be the digest of one stays as it is: an address that is cited must not
        # show another board.
        snapshot=asked.text("snapshot").casefold(),
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


def search_of(query: QueryDict) -> str:
    text = query.get("q", "")
    if len(text) > MOST_LETTERS:
        raise BadRequest(f"A search has at most {MOST_LETTERS} letters, and this one has more.")
    return plain(text)


NO_SIZE = "There are no models by the size “{}” here; these are of any size."


def measure_of(asked: Asked, board: Board) -> Measure | None:
    known = {measure.slug: measure for measure in board.measures}
    slug = asked.one_of("measure", known, "There is no way of scoring “{}” here.")
    return known.get(slug) or next(iter(board.measures), None)


def table_of(asked: Asked, board: Board) -> BoardTable:
    known = {table.slug: table for table in board.tables}
    slug = asked.one_of("table", known, "There is no table “{}” here; this is the first.")
    return known.get(slug, board.tables[0])


def sort_of(asked: Asked, board: Board) -> SortState:
    """By a column that is shown, or by the ranking."""
    known = {board.ranking, *(column.name for column in board.metrics())}
    name = asked.one_of("sort", known, "There is no column “{}” to sort by here.")
    return SortState(name, ascending=asked.query.get("order") == "asc") if name else RANKED


def asked_of(asked: Asked) -> tuple[UUID, ...]:
    """The entries to draw, at most six."""
    texts = asked.query.getlist("m")
    named = tuple(dict.fromkeys(i for text in texts[:MOST_LETTERS] if (i := id_of(text))))
    if len(named) > MOST_CHOSEN:
        asked.notes.append(f"{MOST_CHOSEN} models at most are drawn together.")
    return named[:MOST_CHOSEN]


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
