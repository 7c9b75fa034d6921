"""What is typed into the form of a description."""

import json

from django import forms

from benchmarks.forms.hidden_characters import names_for_browsers, pattern_for_browsers
from benchmarks.forms.typed_text import PlainTextField
from judging.desk.proposal_admin import FORM, MAX_CHARACTERS


class VersionedForm(forms.Form):
    """`base_version` is the version the text was written from, 0 for none: the check against lost
    edits needs it."""

    use_required_attribute = False  # or a reviewer could not send back without a text
    base_version = forms.IntegerField(
        min_value=0, max_value=1_000_000, widget=forms.HiddenInput(attrs={"form": FORM})
    )


class DescriptionForm(VersionedForm):
    """A browser that knows the text's language looks for its spelling."""

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
