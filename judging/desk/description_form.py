"""What is typed into the form of a description: its fields, its address, and whether it is saved
already."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from django import forms
from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.forms.hidden_characters import (
    MOST_TOLD,
    HiddenCharacter,
    count_hidden,
    hidden_characters,
    names_for_browsers,
    pattern_for_browsers,
)
from benchmarks.forms.typed_text import PlainTextField, plain_text
from benchmarks.models import Description, Figure
from benchmarks.worklist import newest_description

FIGURE_PAGE = "admin:benchmarks_description_figure"
MAX_CHARACTERS = 20_000  # ten pages: a prompt holds all of it, which is 5,000 tokens of every call
FORM = "typed"


class DescriptionForm(forms.Form):
    """`base_version` is the version the text was written from: the check against lost edits needs
    it.

    Its fields belong to the form "typed": every button of the page sends them all. A browser that
    knows the text's language looks for its spelling.
    """

    use_required_attribute = False  # or a reviewer could not send back without a text
    text = PlainTextField(
        limit=MAX_CHARACTERS,
        what="A description",
        label="Description",
        widget=forms.Textarea(
            attrs={
                "rows": 12,
                "spellcheck": "true",
                "dir": "auto",
                "data-counts-into": "words",
                "data-hidden-into": "hidden-characters",
                "data-hidden-pattern": pattern_for_browsers(),
                "data-hidden-names": json.dumps(names_for_browsers()),
                "form": FORM,
            }
        ),
        error_messages={"required": "Describe the figure before you save."},
    )
    base_version = forms.IntegerField(
        min_value=0, max_value=1_000_000, widget=forms.HiddenInput(attrs={"form": FORM})
    )


@dataclass(frozen=True, slots=True)
class HiddenFound:
    """How many characters of a text nobody sees, and the first of them."""

    count: int
    first: tuple[HiddenCharacter, ...]


def hidden_in(form: DescriptionForm) -> HiddenFound:
    text = plain_text(str(form["text"].value() or ""))
    return HiddenFound(count_hidden(text), tuple(islice(hidden_characters(text), MOST_TOLD)))


def number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def form_path(figure_id: int, language: str) -> str:
    return reverse(FIGURE_PAGE, args=[figure_id, language])


def form_title(name: str, language: str) -> str:
    return f"{name}, {language}"


def differs(figure: Figure, language: str, fields: Mapping[str, str]) -> bool:
    """Whether a text was sent that is not the one of the version it was written from."""
    if "text" not in fields:
        return False
    base = Description.objects.filter(
        figure=figure, language=language, version=number(fields.get("base_version")) or 0
    )
    return plain_text(fields["text"]) != (base.values_list("text", flat=True).first() or "")


def was_saved(figure: Figure, language: str, fields: Mapping[str, str], user: User) -> bool:
    """Whether this person saved that text, and sent that comment, after opening the form."""
    versions = Description.objects.filter(figure=figure, language=language)
    comment, base = plain_text(fields.get("comment", "")), number(fields.get("base_version")) or 0
    if comment and not versions.filter(reviewed_by=user, review_comment=comment).exists():
        return False
    text = plain_text(fields.get("text", ""))
    of_theirs = versions.filter(author=user, version__gt=base, text=text)
    return not text or of_theirs.exists() or not differs(figure, language, fields)


def unchanged_draft(
    figure: Figure, language: str, text: str, base_version: int
) -> Description | None:
    """The newest version, where it is the draft this very text was loaded from: saving it again
    adds nothing."""
    newest = newest_description(figure, language)
    if newest is None or newest.version != base_version or newest.text != text:
        return None
    return newest if newest.state == Description.State.DRAFT else None
