from collections.abc import Sequence
from typing import Any

from django import forms

from benchmarks.forms.typed_text import TypedTextField
from benchmarks.forms.uploaded_file import TakesFile
from benchmarks.models import Release
from benchmarks.submissions.models import REASON_LENGTH, AccessToken
from benchmarks.submissions.naming.names import (
    NAME_LENGTH,
    NameRefusedError,
    clean_name,
    is_unseen,
)
from benchmarks.submissions.naming.public_names import PUBLIC_NAME_LENGTH, team_name
from benchmarks.submissions.selectors import teams_of
from benchmarks.submissions.services import ModelDetails, ModelFacts
from benchmarks.submissions.team_models import Team

PROSE_LENGTH = 2000
"""Of a model's notes, as its columns hold."""
FIXED = (
    "Staff verified an entry of this model under this organisation. Write to them to have it "
    "changed."
)


class ReleaseField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic only in the stubs
    """A release by its slug. PostgreSQL cannot be asked for a text with NUL: there is no such
    choice."""

    def to_python(self, value: Any) -> Any:
        return super().to_python("no such release" if "\0" in str(value) else value)


class NameField(forms.CharField):
    """A name that others read, as benchmarks.submissions.naming.names takes it."""

    def clean(self, value: Any) -> Any:
        try:
            return clean_name(super().clean(value))
        except NameRefusedError as error:
            raise forms.ValidationError(str(error), code="name") from None


class ProseField(forms.CharField):
    """A few lines that others read, without characters that nobody sees."""

    def __init__(self, **kwargs: Any):
        area = forms.Textarea(attrs={"rows": 4})
        super().__init__(required=False, max_length=PROSE_LENGTH, widget=area, **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if unseen := next((c for c in text if is_unseen(c) and c not in "\r\n\t"), ""):
            raise forms.ValidationError(
                f"A text may not hold characters that nobody sees: U+{ord(unseen):04X}.",
                code="unseen",
            )
        return text


LONGEST_REASON = 300


class ReasonField(TypedTextField):
    """Why staff did something, for whoever reads it later: nothing in it that changes how the rest
    is read, or is not seen."""

    def __init__(self, **kwargs: Any):
        super().__init__(
            limit=LONGEST_REASON,
            what="A reason",
            widget=forms.Textarea(attrs={"rows": 3}),
            error_messages={"required": "Say why."},
            **kwargs,
        )

    def clean(self, value: Any) -> Any:
        reason = super().clean(value)
        if unseen := next((c for c in reason if c != "\n" and is_unseen(c)), ""):
            raise forms.ValidationError(
                f"A reason may not hold characters that nobody sees: U+{ord(unseen):04X}."
            )
        return reason


class TeamField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic only in the stubs
    """One of the teams of a person, by its name."""

    def label_from_instance(self, team: Any) -> str:
        return team_name(team)

    def to_python(self, value: Any) -> Any:
        return super().to_python("no such team" if "\0" in str(value) else value)


class SubmitForm(TakesFile, forms.Form):
    """Shape of an upload; whether its answers fit the release is the protocol's to say."""

    release = ReleaseField(
        Release.objects.none(),
        to_field_name="slug",
        required=False,
        empty_label="Told by the ids in the file",
        help_text="Choose one only where the ids in the file are those of several",
    )
    team = TeamField(
        Team.objects.none(),
        required=False,
        label="For",
        empty_label="Yourself",
        help_text="What is a team's its members see and act on, and the team is named on boards. "
        "It takes one of the team's places and one of yours",
    )
    model_name = NameField(
        max_length=NAME_LENGTH, help_text="An earlier model of yours, or a new one"
    )
    organisation = NameField(max_length=NAME_LENGTH, required=False)
    link = forms.URLField(
        required=False, max_length=200, assume_scheme="https", help_text="Paper, code or weights"
    )
    parameters_billions = forms.DecimalField(
        required=False, min_value=0, max_digits=8, decimal_places=2, label="Parameters (billions)"
    )
    is_open_weights = forms.BooleanField(required=False, label="Open weights")
    notes = forms.CharField(
        required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )
    file = forms.FileField(allow_empty_file=True, max_length=10_000)
    client_token = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        teams = teams_of(user)
        if teams:
            self.fields["team"].queryset = teams  # type: ignore[attr-defined]  # a ModelChoiceField
        else:
            del self.fields["team"]
        releases = Release.objects.accepting().main_first().select_related("benchmark")
        self.fields["release"].queryset = releases  # type: ignore[attr-defined]  # a ModelChoiceField

    def ask_which(self, releases: Sequence[Release], why: str) -> None:
        """The file fits several releases: these alone are to be chosen from."""
        choices = Release.objects.filter(pk__in=[release.pk for release in releases])
        self.fields["release"].queryset = choices  # type: ignore[attr-defined]  # as above
        self.add_error("release", why)

    def model(self) -> ModelDetails:
        known = ("organisation", "link", "parameters_billions", "is_open_weights", "notes")
        return ModelDetails(
            self.cleaned_data["model_name"], **{field: self.cleaned_data[field] for field in known}
        )


class FactsForm(forms.Form):
    """What the owner of a model says of it. Its name stays: entries and citations name it."""

    organisation = NameField(max_length=NAME_LENGTH, required=False)
    link = forms.URLField(
        required=False, max_length=200, assume_scheme="https", help_text="Paper, code or weights"
    )
    parameters_billions = forms.DecimalField(
        required=False, min_value=0, max_digits=8, decimal_places=2, label="Parameters (billions)"
    )
    is_open_weights = forms.BooleanField(required=False, label="Open weights")
    licence = NameField(
        max_length=NAME_LENGTH, required=False, help_text="Of the weights, such as Apache-2.0"
    )
    training_data = ProseField(
        label="Training data",
        help_text="Data sets by name, and whether any of this benchmark's questions are among them",
    )
    notes = ProseField()
    reason = NameField(
        max_length=REASON_LENGTH,
        required=False,
        label="Why it changes",
        help_text="Stands in the public history of the model; may be left out",
    )

    def __init__(self, *args: Any, fixed_organisation: str | None = None, **kwargs: Any):
        """fixed_organisation: what it stays, for staff verified an entry under it."""
        super().__init__(*args, **kwargs)
        if fixed_organisation is not None:
            field = self.fields["organisation"]
            field.disabled, field.initial = True, fixed_organisation
            field.help_text = FIXED

    def facts(self) -> ModelFacts:
        told = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return ModelFacts(**told)


class TokenForm(forms.Form):
    name = NameField(max_length=60, help_text="Where you will use it")
    scope = forms.ChoiceField(
        choices=[
            (AccessToken.Scope.READ, "read"),
            (AccessToken.Scope.SUBMIT, "submit, and read"),
            (AccessToken.Scope.PUBLISH, "publish and withdraw, submit, and read"),
        ],
        help_text="What whoever has the token may do in your name",
    )


class PublicNameForm(forms.Form):
    name = NameField(
        max_length=PUBLIC_NAME_LENGTH,
        required=False,
        label="Public name",
        help_text="Yours or your team's. Left empty, your entries are said to be by your number.",
    )
