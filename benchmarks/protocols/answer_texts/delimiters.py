"""Keeping what others wrote inside the lines that mark it as data."""

from collections.abc import Mapping
from string import Template
from typing import Literal

from benchmarks.protocols.base import Message

Role = Literal["system", "user"]


def marked_messages(
    templates: Mapping[Role, str], texts: Mapping[str, str], delimiter: str
) -> tuple[Message, ...]:
    """A message per template, in order. Templates are string.Template texts whose placeholders are
    the names of `texts` and $delimiter; all are filled in one pass, so that no text can name one.
    No text keeps the delimiter.

    Raises ValueError for a blank delimiter, which would mark nothing.
    """
    if not delimiter.strip():
        raise ValueError("the delimiter is blank")
    shown = {name: without_delimiter(text, delimiter) for name, text in texts.items()}
    return tuple(
        Message(role, Template(template).substitute(shown, delimiter=delimiter))
        for role, template in templates.items()
    )


def without_delimiter(text: str, delimiter: str) -> str:
    """The text without the delimiter, also where taking one out puts another together."""
    while delimiter in text:
        text = text.replace(delimiter, "")
    return text
