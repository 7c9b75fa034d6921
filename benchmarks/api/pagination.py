"""Pages of lists in the API: a cursor names a place in the list, so rows that arrive meanwhile move
nothing."""

from datetime import UTC

from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from benchmarks.api.asking import as_shown


class CheckedCursor(CursorPagination):
    """A cursor whose place was made up is refused before the database sees it."""

    def is_place(self, text: str) -> bool:
        raise NotImplementedError

    def decode_cursor(self, request: Request) -> Cursor | None:
        try:
            cursor = super().decode_cursor(request)
        except NotFound:
            raise self.no_page(request) from None
        if cursor and cursor.position is not None and not self.is_place(str(cursor.position)):
            raise self.no_page(request)
        return cursor

    def no_page(self, request: Request) -> NotFound:
        sent = as_shown(request.query_params[self.cursor_query_param])
        return NotFound(
            f"“{sent}” is no page of this list: follow `next`, from the address without a cursor."
        )


class NewestFirst(CheckedCursor):
    ordering = ("-created", "-pk")
    page_size = 50

    def is_place(self, text: str) -> bool:
        try:
            time = parse_datetime(text)
            return time is not None and time.tzinfo is not None and bool(time.astimezone(UTC))
        except (ValueError, OverflowError):
            return False


class FileOrder(CheckedCursor):
    ordering = "position"
    page_size = 100

    def is_place(self, text: str) -> bool:
        return text.isascii() and text.isdigit() and len(text) < 10
