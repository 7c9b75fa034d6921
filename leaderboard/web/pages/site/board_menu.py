"""The menu of boards in the header of every page."""

import time
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from benchmarks.models import Benchmark
from leaderboard.web.pages.models.places import shown_benchmarks


@lru_cache(maxsize=1)
def read_boards(period: int) -> list[Benchmark]:
    """Once in each period of a web process: which boards there are changes a few times a year."""
    return shown_benchmarks()


def boards_now() -> list[Benchmark]:
    if not settings.BOARD_MENU_SECONDS:
        return []
    try:
        return read_boards(int(time.monotonic() // settings.BOARD_MENU_SECONDS))
    except DatabaseError:  # a page that says what failed shall not fail of its menu
        return []


def board_menu(_: HttpRequest) -> dict[str, Any]:
    """A context processor: nothing is read where no template shows the menu."""
    return {"board_menu": SimpleLazyObject(boards_now)}
