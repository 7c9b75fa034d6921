"""Reading what is shown: eras, boards and parts of them, and single entries."""

from leaderboard.selectors.boards import read_board
from leaderboard.selectors.compared import SharedEra, Stand, shared_eras, stands_of
from leaderboard.selectors.entries import behind_of, visible_sheet
from leaderboard.selectors.eras import choose_era, eras_of, public_sheets
from leaderboard.selectors.part import firsts_of
from leaderboard.selectors.ranking import differences_between, is_higher_better
from leaderboard.selectors.readings import (
    EACH,
    EVERYTHING,
    MOST_FOLDED,
    TOGETHER,
    UP_TO_DATE,
    BoardEntry,
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    ColumnSpan,
    Counts,
    Era,
    Folded,
    NoSuchEraError,
    PackedFigures,
    SmallestDifference,
    board_by,
    in_order,
    most_common,
    read_by_measure,
    rows_of,
)

__all__ = [
    "EACH",
    "EVERYTHING",
    "MOST_FOLDED",
    "TOGETHER",
    "UP_TO_DATE",
    "BoardEntry",
    "BoardNotStoredError",
    "BoardPart",
    "BoardReading",
    "ColumnSpan",
    "Counts",
    "Era",
    "Folded",
    "NoSuchEraError",
    "PackedFigures",
    "SharedEra",
    "SmallestDifference",
    "Stand",
    "behind_of",
    "board_by",
    "choose_era",
    "differences_between",
    "eras_of",
    "firsts_of",
    "in_order",
    "is_higher_better",
    "most_common",
    "public_sheets",
    "read_board",
    "read_by_measure",
    "rows_of",
    "shared_eras",
    "stands_of",
    "visible_sheet",
]
