from collections.abc import Sequence
from typing import Any

from django import forms
from django.db import models

from benchmarks.forms.typed_text import TypedTextField
from benchmarks.forms.uploaded_file import TakesFile
from benchmarks.models import Release
from benchmarks.submissions.facts import FACTS
from benchmarks.submissions.models import REASON_LENGTH, AccessToken, EvaluatedModel
from benchmarks.submissions.naming.names import (
    NAME_LENGTH,
    NameRefusedError,
    clean_name,
    is_unseen,
)
from benchmarks.submissions.naming.public_names import PUBLIC_NAME_LENGTH, team_name
from benchmarks.submissions.selectors import teams_of
from benchmarks.submissions.team_models import Team

FIXED = "Staff verified an entry of this model under this organisation. Contact them to change it."


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


def fact_field(column: "models.Field[Any, Any]", **kwargs: Any) -> forms.Field | None:
    """As a form asks for it: a name is taken as all names that others read."""
    if isinstance(column, models.URLField):
        kwargs["assume_scheme"] = "https"
    elif isinstance(column, models.CharField):
        kwargs["form_class"] = NameField
    elif isinstance(column, models.TextField):
        kwargs["widget"] = forms.Textarea(attrs={"rows": 4})
    elif isinstance(column, models.DecimalField):
        kwargs["min_value"] = 0
    return column.formfield(**kwargs)


class ModelFactsForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    class Meta:
        model = EvaluatedModel
        fields = FACTS
        formfield_callback = fact_field

    def short_facts(self) -> list[forms.BoundField]:
        return [self[fact] for fact in FACTS if self[fact].widget_type != "textarea"]

    def long_facts(self) -> list[forms.BoundField]:
        return [self[fact] for fact in FACTS if self[fact].widget_type == "textarea"]


class SubmitForm(TakesFile, ModelFactsForm):
    """Shape of an upload; whether its answers fit the release is the protocol's to say."""

    release = ReleaseField(
        Release.objects.none(),
        to_field_name="slug",
        required=False,
        empty_label="Detect from the file",
        help_text="Only needed if the ids match several releases",
    )
    team = TeamField(
        Team.objects.none(),
        required=False,
        label="For",
        empty_label="Yourself",
        help_text="All team members can see and manage it, and boards name the team. It counts "
        "towards the team's limit and yours",
    )
    model_name = NameField(
        max_length=NAME_LENGTH, help_text="An earlier model of yours, or a new one"
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

    def model(self) -> EvaluatedModel:
        """The model that was named and described; not stored."""
        model: EvaluatedModel = self.instance
        model.name = self.cleaned_data["model_name"]
        return model


class FactsForm(ModelFactsForm):
    """What the owner of a model says of it. Its name stays: entries and citations name it."""

    reason = NameField(
        max_length=REASON_LENGTH,
        required=False,
        label="Why it changes",
        help_text="Shown in the public history of the model; optional",
    )

    def __init__(self, *args: Any, is_organisation_fixed: bool, **kwargs: Any):
        """is_organisation_fixed: for staff verified an entry under it."""
        super().__init__(*args, **kwargs)
        if is_organisation_fixed:
            field = self.fields["organisation"]
            field.disabled, field.help_text = True, FIXED

    def given_facts(self) -> dict[str, Any]:
        return {fact: self.cleaned_data[fact] for fact in FACTS}


class TokenForm(forms.Form):
    name = NameField(max_length=60, help_text="Where you will use it")
    scope = forms.ChoiceField(
        choices=[
            (AccessToken.Scope.READ, "read"),
            (AccessToken.Scope.SUBMIT, "read, submit"),
            (AccessToken.Scope.PUBLISH, "read, submit, publish and withdraw"),
        ],
        help_text="What the token allows in your name",
    )


class PublicNameForm(forms.Form):
    name = NameField(
        max_length=PUBLIC_NAME_LENGTH,
        required=False,
        label="Public name",
        help_text="Yours or your team's. If empty, your entries show your member number.",
    )
