"""Shapes of the documents a submission's owner reads. A field that is not listed here does not
leave the site."""

from typing import Any

from rest_framework import serializers

from benchmarks.protocols.base import Note
from benchmarks.submissions.intake.quota import NoPlace
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import team_name
from benchmarks.submissions.services import CheckedFile


class NoteSerializer(serializers.Serializer[Note]):
    code = serializers.CharField()
    message = serializers.CharField()


class SubmissionLinksSerializer(serializers.Serializer[Submission]):
    self = serializers.HyperlinkedIdentityField(
        view_name="api-submission",
        lookup_field="id",
        lookup_url_kwarg="submission_id",
        help_text="How far it is",
    )
    page = serializers.HyperlinkedIdentityField(
        view_name="submission",
        lookup_field="id",
        lookup_url_kwarg="submission_id",
        help_text="The same for people",
    )
    entry = serializers.HyperlinkedIdentityField(
        view_name="api-entry",
        lookup_field="id",
        lookup_url_kwarg="submission_id",
        help_text="Its figures, once judged",
    )


class NoPlaceSerializer(serializers.Serializer[NoPlace]):
    sentence = serializers.CharField(help_text="Why no file of yours is welcome now")
    next_place = serializers.DateTimeField(
        allow_null=True, help_text="The instant from which one is; null where that is not known"
    )


class TeamField(serializers.CharField):
    def __init__(self, **kwargs: Any):
        about = "Name of the team it is submitted for; null where it is for none"
        super().__init__(allow_null=True, help_text=about, **kwargs)

    def to_representation(self, team: Any) -> str:
        return team_name(team)


class CheckedSerializer(serializers.Serializer[CheckedFile]):
    """A file that would be accepted, and of which nothing was stored."""

    state = serializers.ChoiceField(("valid",), default="valid", read_only=True)
    benchmark = serializers.CharField(source="submission.release.benchmark.slug")
    release = serializers.CharField(source="submission.release.slug")
    model = serializers.CharField(source="submission.model.name")
    team = TeamField(source="submission.team")
    file_name = serializers.CharField(source="submission.file_name")
    sha256 = serializers.CharField(source="submission.sha256", help_text="Of the file as it came")
    answers = serializers.SerializerMethodField(help_text="How many it has")
    notes = NoteSerializer(
        many=True,
        source="submission.reading_notes",
        help_text="What would be accepted with a remark",
    )
    no_place = NoPlaceSerializer(allow_null=True, help_text="Null where it could be submitted now")

    def get_answers(self, checked: CheckedFile) -> int:
        return len(checked.answers)


class SubmissionSerializer(serializers.Serializer[Submission]):
    """A submission as its owner sees it."""

    id = serializers.UUIDField()
    model = serializers.CharField(source="model.name")
    team = TeamField()
    benchmark = serializers.CharField(source="release.benchmark.slug")
    release = serializers.CharField(source="release.slug")
    visibility = serializers.ChoiceField(Submission.Visibility.choices)
    file_name = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the file as it was uploaded")
    notes = NoteSerializer(
        many=True, source="reading_notes", help_text="What was accepted with a remark"
    )
    replaces = serializers.UUIDField(
        source="replaces_id", allow_null=True, help_text="Whose place it takes, or took"
    )
    replaced_by = serializers.UUIDField(
        source="replaced_by_id", allow_null=True, help_text="Which one took its place"
    )
    created = serializers.DateTimeField()
    confirmed = serializers.DateTimeField(allow_null=True)
    withdrawn = serializers.DateTimeField(allow_null=True)
    withdrawal_reason = serializers.CharField(help_text="Empty where none was given")
    links = SubmissionLinksSerializer(source="*")
