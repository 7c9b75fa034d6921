"""The API of what is answered: hand in a file, list one's own submissions, publish and withdraw them.

How far the judging of a submission is, is told by leaderboard.api: this app does not know judges.
"""

import hashlib
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from benchmarks.models import Release
from benchmarks.problem_details import RefusalError, refusals
from benchmarks.protocols.base import Note, Problem, Upload
from benchmarks.submissions import services
from benchmarks.submissions.authentication import HasScope
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.selectors import own_submission
from benchmarks.wake import wake

STATUS = {"type": 415, "size": 413}
FORM_BYTES = 64 * 1024  # what the fields beside the file may add to a body
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.UUID,
    OpenApiParameter.HEADER,
    description="A UUID of yours. The same key with the same file names one submission, however often it is sent.",
)
ID = OpenApiParameter("submission_id", OpenApiTypes.UUID, OpenApiParameter.PATH)


class IsPerson(BasePermission):
    """A token may leak: it hands in and watches. What stands under a name is changed by the person, signed in."""

    message = "A token cannot publish or withdraw. Do it signed in, on the page of the submission."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.auth is None


@extend_schema_field(OpenApiTypes.BINARY)
class AnyFileField(serializers.FileField):
    """An upload as it comes: what its name and bytes are worth is the protocol's to say."""


class NewSubmissionSerializer(serializers.Serializer[Any]):
    release = serializers.SlugRelatedField(
        slug_field="slug",
        queryset=Release.objects.published().select_related("benchmark"),
        help_text="Slug of an open release",
    )
    model = serializers.CharField(max_length=100, help_text="Name of the model: an earlier one of yours, or a new one")
    organisation = serializers.CharField(max_length=100, default="", allow_blank=True, help_text="New models only")
    link = serializers.URLField(
        max_length=200, default="", allow_blank=True, help_text="Paper, code or weights; new models only"
    )
    open_weights = serializers.BooleanField(default=False, help_text="New models only")
    notes = serializers.CharField(max_length=2000, default="", allow_blank=True, help_text="New models only")
    visibility = serializers.ChoiceField(Submission.Visibility.choices, default=Submission.Visibility.PRIVATE)
    file = AnyFileField(allow_empty_file=True, help_text="CSV, TSV, JSON or JSONL with an answer to every question")

    def validate_file(self, file: UploadedFile) -> UploadedFile:
        if len(self.initial_data.getlist("file")) > 1:
            raise ValidationError("Send one file.")
        return file


class NoteSerializer(serializers.Serializer[Note]):
    code = serializers.CharField()
    message = serializers.CharField()


class SubmissionLinksSerializer(serializers.Serializer[Submission]):
    self = serializers.HyperlinkedIdentityField(
        view_name="api-submission", lookup_field="id", lookup_url_kwarg="submission_id", help_text="How far it is"
    )
    page = serializers.HyperlinkedIdentityField(
        view_name="submission", lookup_field="id", lookup_url_kwarg="submission_id", help_text="The same for people"
    )
    entry = serializers.HyperlinkedIdentityField(
        view_name="api-entry", lookup_field="id", lookup_url_kwarg="submission_id", help_text="Its figures, once judged"
    )


class SubmissionSerializer(serializers.Serializer[Submission]):
    """A submission as its owner sees it."""

    id = serializers.UUIDField()
    model = serializers.CharField(source="model.name")
    benchmark = serializers.CharField(source="release.benchmark.slug")
    release = serializers.CharField(source="release.slug")
    visibility = serializers.ChoiceField(Submission.Visibility.choices)
    file_name = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the file as it was uploaded")
    notes = NoteSerializer(many=True, source="reading_notes", help_text="What was accepted with a remark")
    created = serializers.DateTimeField()
    confirmed = serializers.DateTimeField(allow_null=True)
    withdrawn = serializers.DateTimeField(allow_null=True)
    links = SubmissionLinksSerializer(source="*")


@method_decorator(never_cache, name="dispatch")
class Submissions(generics.ListAPIView[Submission]):
    queryset = Submission.objects.select_related("model", "release__benchmark")
    serializer_class = SubmissionSerializer
    permission_classes = [IsAuthenticated, HasScope]
    parser_classes = [MultiPartParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        refuse_oversized_body(request)
        super().initial(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Submission]:
        return super().get_queryset().filter(owner=self.request.user.pk)

    @extend_schema(
        operation_id="submissions_list",
        summary="List your submissions",
        description="Your own submissions, newest first, withdrawn ones included.",
        responses={200: SubmissionSerializer(many=True), **refusals(401, 404, 406)},
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="submissions_create",
        summary="Submit a file",
        description="The file is checked whole and accepted, or refused with every problem found and nothing stored. "
        "What is accepted is confirmed at once and waits to be judged. Needs a token with the scope submit.",
        parameters=[IDEMPOTENCY],
        request={"multipart/form-data": NewSubmissionSerializer},
        responses={
            201: OpenApiResponse(SubmissionSerializer, description="Accepted; `Location` tells how far it is."),
            200: OpenApiResponse(SubmissionSerializer, description="Accepted before, under the same key."),
            **refusals(400, 401, 403, 406, 413, 415, 422),
        },
        examples=[OpenApiExample("A note", {"code": "bom", "message": "A byte order mark was ignored."})][:0],
    )
    def post(self, request: Request) -> Response:
        key = idempotency_key(request)
        wanted = valid_fields(request)
        owner = signed_in(request)
        is_replay = key is not None and Submission.objects.filter(owner=owner, client_token=key).exists()
        submission = accept(wanted, owner, key)
        if not is_replay:
            wake()
        document = self.get_serializer(submission).data
        location = reverse("api-submission", args=[submission.pk], request=request)
        return Response(document, status=200 if is_replay else 201, headers={"Location": location})
