"""What can go wrong, each with the exit status of the command line."""

from typing import Any


class AssayError(Exception):
    """`document` is the site's problem document (RFC 9457), empty where it sent none."""

    exit_status = 3

    def __init__(self, message: str, document: dict[str, Any] | None = None):
        super().__init__(message)
        self.document = document or {}


class FileRefusedError(AssayError):
    """The file cannot be accepted as it is. `problems` are sentences, the first hundred or all."""

    exit_status = 1

    def __init__(self, message: str, problems: list[str], document: dict[str, Any] | None = None):
        super().__init__(message, document)
        self.problems = problems


class WrongRequestError(AssayError):
    """The site knows no such thing, or does not understand what it is asked."""

    exit_status = 2


class SiteAwayError(AssayError):
    """No answer, or a failure of the site, however often it was asked."""

    exit_status = 3


class NotInTimeError(AssayError):
    """Not judged by the time that was given. It goes on: ask again later."""

    exit_status = 4


class NotAllowedError(AssayError):
    """There is no token, or it is not made for this."""

    exit_status = 5


class NoPlaceError(AssayError):
    """Your places for the release are taken; the message says until when."""

    exit_status = 6
