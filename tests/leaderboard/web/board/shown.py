"""The page of a board that a test holds whole, for the query of an address."""

import re
from html import unescape
from types import SimpleNamespace
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.test import RequestFactory

from leaderboard.results.selectors import BoardReading, read_by_measure
from leaderboard.results.selectors.part import cut
from leaderboard.web.board.choices import choices_of
from leaderboard.web.board.page import board_page, part_of
from leaderboard.web.pages.boards.board import page_markup


def page_of(whole: BoardReading, **query: object) -> SimpleNamespace:
    choices = choices_of(QueryDict(urlencode(query, doseq=True)), whole.board)
    part = part_of(choices, whole.board, whole.metrics)
    measure = choices.measure.slug if choices.measure else ""
    return SimpleNamespace(**board_page(read_by_measure(cut(whole, part), measure), choices))


HEAD = re.compile(
    r'aria-sort="(?P<sort>\w+)" data-metric="(?P<metric>[^"]+)".*?href="(?P<url>[^"]+)"'
)


class Head(NamedTuple):
    """Of a column: which metric, what its link asks for, and whether it is the one that orders."""

    metric: str
    url: str
    sort: str


def heads_of(page: SimpleNamespace) -> list[Head]:
    found = re.finditer(HEAD, page.heads)
    return [Head(one["metric"], unescape(one["url"]), one["sort"]) for one in found]


def markup(page: SimpleNamespace) -> str:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    return page_markup(request, vars(page)).decode()
