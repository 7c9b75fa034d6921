"""Text that a person typed: never cut, never lost. One that is too long is refused whole, with the
count."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from benchmarks.forms.hidden_characters import hidden_sentence


def plain_text(text: str) -> str:
    """Browsers send line ends of their own; a text that only differs in them is the same text."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def number(text: str | None) -> int | None:
    """None where it is no whole number from 0, or has ten digits or more."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


class TypedTextField(forms.CharField):
    """At most `limit` characters, line ends counted once. Its widget has no `maxlength`: a browser
    that knows one cuts what is pasted, without a word. word-count.js tells the length while it is
    written instead."""

    def __init__(self, *, limit: int, what: str, **kwargs: Any) -> None:
        super().__init__(**{"widget": forms.Textarea, **kwargs})
        self.limit, self.what = limit, what
        self.widget.attrs["data-limit"] = str(limit)

    def to_python(self, value: Any) -> str:
        return plain_text(super().to_python(value) or "")

    def validate(self, value: str) -> None:
        super().validate(value)
        if len(value) > self.limit:
            raise ValidationError(
                f"{self.what} has at most {self.limit:,} characters; this one has {len(value):,}."
                " Nothing of it was cut or saved: shorten it and send it again.",
                code="too-long",
            )


class PlainTextField(TypedTextField):
    """Without characters that nobody sees. The first of them are named with their places."""

    def validate(self, value: str) -> None:
        super().validate(value)
        if found := hidden_sentence(value):
            raise ValidationError(f"{found} Nothing of it was changed or saved.", code="hidden")
