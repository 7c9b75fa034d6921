"""The page of a board that a test holds whole, for the query of an address."""

from urllib.parse import urlencode

from django.http import QueryDict

from leaderboard.board.choices import choices_of
from leaderboard.board.page import BoardPage, board_page, part_of
from leaderboard.selectors import BoardReading, read_by_measure
from leaderboard.selectors.part import cut


def page_of(whole: BoardReading, **query: object) -> BoardPage:
    choices = choices_of(QueryDict(urlencode(query, doseq=True)), whole.board)
    part = part_of(choices, whole.board, whole.metrics)
    measure = choices.measure.slug if choices.measure else ""
    return board_page(read_by_measure(cut(whole, part), measure), choices)
