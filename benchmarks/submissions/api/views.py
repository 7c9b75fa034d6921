"""The API of what is answered: hand in a file, list one's own submissions, publish and withdraw
them.

How far the judging of a submission is, is told by leaderboard.api.views: this app does not know
judges.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import asdict
from typing import Any, NoReturn
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import generics, serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.fields import empty
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from benchmarks.api.problem_details import RefusalError, refusals
from benchmarks.models import Release
from benchmarks.protocols.base import Problem, Upload
from benchmarks.submissions import services
from benchmarks.submissions.api.authentication import HasScope
from benchmarks.submissions.api.documents import SubmissionSerializer
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.names import NAME_LENGTH, NameRefusedError, clean_name
from benchmarks.submissions.problem_groups import grouped
from benchmarks.submissions.recognition import ReleaseUnclearError, accept_from_outside
from benchmarks.submissions.selectors import CHANGE, own_submission
from benchmarks.wake import wake

NEW_ONLY = "Of a new model; one you have keeps what its page says, and a note tells so"
CSRF_FIELD = "csrfmiddlewaretoken"
"""Django's own: a browser may send the token in a field instead of a header."""
STATUS = {"type": 415, "size": 413, "quota": 429, "busy": 503}
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.UUID,
    OpenApiParameter.HEADER,
    description="A UUID of yours. The same key with the same file names one submission, however "
    "often it is sent.",
)
ID = OpenApiParameter(
    "submission_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="Id of a submission"
)
SIGNED_IN: Any = [
    {"cookieAuth": []}
]  # drf-spectacular types this as a list of names; it wants the requirements


class IsPerson(BasePermission):
    """A token may leak: it hands in and watches. What stands under a name is changed by the person,
    signed in."""

    message = "A token cannot publish or withdraw. Do it signed in, on the page of the submission."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.auth is None


@extend_schema_field(OpenApiTypes.BINARY)
class AnyFileField(serializers.FileField):
    """An upload as it comes: what its name and bytes are worth is the protocol's to say."""


SHOWN_LETTERS = 60
"""Of what somebody sent, where a refusal repeats it: longer than any name of ours."""
SHOWN_PROBLEMS = 100
"""Of a file, in the refusal itself: the report it names has all."""
SHOWN_FIELDS = 10
"""Of the unknown fields of a request: more are no slips of the pen."""


def as_shown(sent: object) -> str:
    """What was sent, short enough to be repeated."""
    text = str(sent).replace("\0", "␀")
    return text if len(text) <= SHOWN_LETTERS else text[: SHOWN_LETTERS - 1] + "…"


class ReleaseField(serializers.SlugRelatedField[Release]):
    """A release by its slug. PostgreSQL cannot be asked for a text with NUL: there is no such
    release."""

    default_error_messages = {
        "does_not_exist": "There is no open release “{value}”; /api/v1/releases/ lists those there "
        "are."
    }

    def to_internal_value(self, data: Any) -> Any:
        if "\0" in str(data):
            self.fail("does_not_exist", value=as_shown(data))
        return super().to_internal_value(data)

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        if "value" in kwargs:
            kwargs["value"] = as_shown(kwargs["value"])
        super().fail(key, **kwargs)


class NameField(serializers.CharField):
    """A name that others read, as benchmarks.submissions.naming.names takes it."""

    def run_validation(self, data: Any = empty) -> Any:
        found = super().run_validation(data)
        try:
            return clean_name(found)
        except NameRefusedError as error:
            raise ValidationError(str(error), code="name") from None


class NewSubmissionSerializer(serializers.Serializer[Any]):
    release = ReleaseField(
        slug_field="slug",
        queryset=Release.objects.published().select_related("benchmark"),
        required=False,
        default=None,
        help_text="Slug of an open release; without it the ids of the file tell which",
    )
    model = NameField(
        max_length=NAME_LENGTH, help_text="Name of the model: an earlier one of yours, or a new one"
    )
    organisation = NameField(
        max_length=NAME_LENGTH, default="", allow_blank=True, help_text=NEW_ONLY
    )
    link = serializers.URLField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text=f"Paper, code or weights. {NEW_ONLY}",
    )
    parameters_billions = serializers.DecimalField(
        max_digits=8,
        decimal_places=2,
        min_value=0,
        default=None,
        allow_null=True,
        help_text=NEW_ONLY,
    )
    open_weights = serializers.BooleanField(default=False, help_text=NEW_ONLY)
    notes = serializers.CharField(max_length=2000, default="", allow_blank=True, help_text=NEW_ONLY)
    visibility = serializers.ChoiceField(
        Submission.Visibility.choices, default=Submission.Visibility.PRIVATE
    )
    file = AnyFileField(
        allow_empty_file=True, help_text="CSV, TSV, JSON or JSONL with an answer to every question"
    )

    def validate_file(self, file: "UploadedFile[bytes]") -> "UploadedFile[bytes]":
        if len(self.initial_data.getlist("file")) > 1:
            raise ValidationError("Send one file.")
        return file


@method_decorator(never_cache, name="dispatch")
class Submissions(generics.ListAPIView[Submission]):
    queryset = Submission.objects.select_related("model", "release__benchmark")
    serializer_class = SubmissionSerializer
    permission_classes = [IsAuthenticated, HasScope]
    parser_classes = [MultiPartParser]

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
        description="The file is checked whole and accepted, or refused with every problem found "
        "and no answer stored. What is accepted is confirmed at once and waits to be "
        "judged. Needs a token with the scope submit. `visibility=public` is refused "
        "to tokens: publish it signed in, on the page of the submission.",
        parameters=[IDEMPOTENCY],
        request={"multipart/form-data": NewSubmissionSerializer},
        responses={
            201: OpenApiResponse(
                SubmissionSerializer, description="Accepted; `Location` tells how far it is."
            ),
            200: OpenApiResponse(
                SubmissionSerializer, description="Accepted before, under the same key."
            ),
            **refusals(400, 401, 403, 406, 411, 413, 415, 422, 429, 503),
        },
    )
    def post(self, request: Request) -> Response:
        key = idempotency_key(request)
        wanted = valid_fields(request)
        refuse_publishing_token(request, wanted["visibility"])
        owner = signed_in(request)
        is_replay = (
            key is not None and Submission.objects.filter(owner=owner, client_token=key).exists()
        )
        submission = accept(wanted, owner, key, request)
        if not is_replay:
            wake()
        document = self.get_serializer(submission).data
        location = reverse("api-submission", args=[submission.pk], request=request)
        return Response(document, status=200 if is_replay else 201, headers={"Location": location})


def refuse_publishing_token(request: Request, visibility: str) -> None:
    """A token may leak; what stands under a name is the word of the person, signed in."""
    if request.auth is not None and visibility == Submission.Visibility.PUBLIC:
        raise PermissionDenied(
            "A token cannot publish, and no answer was stored. Send the file without "
            "visibility=public, then publish it signed in, on the page of the submission."
        )


def too_large(size: int) -> RefusalError:
    megabytes = settings.UPLOAD_LIMIT_BYTES // 1024 // 1024
    message = f"{size:,} bytes were sent; a file may have at most {megabytes} MiB."
    expected = f"at most {settings.UPLOAD_LIMIT_BYTES} bytes"
    problem = Problem("size", message, expected=expected, found=f"{size} bytes")
    return refused_file(services.SubmissionRefusedError([problem]))


def refused_file(
    error: services.SubmissionRefusedError, request: Request | None = None
) -> RefusalError:
    """The problems by kind and how many there are, the first of them, and where all are kept. Where
    waiting helps the file as such was not refused."""
    problems = error.problems
    count = "a problem" if len(problems) == 1 else f"{len(problems):,} problems"
    detail = f"The submission is refused for {count}; no answer was stored."
    members: dict[str, Any] = {
        "problem_count": len(problems),
        "groups": [asdict(group) for group in grouped(problems)],
        "missing_count": len(error.missing),
    }
    if error.kept_id:
        members["report"] = reverse("api-refused-file", args=[error.kept_id], request=request)
    if error.wait_seconds is not None:
        detail, members = problems[0].message, {}
    return RefusalError(
        STATUS.get(problems[0].code, 422),
        detail,
        problems=problems[:SHOWN_PROBLEMS],
        wait_seconds=error.wait_seconds,
        next_place=error.next_place,
        members=members,
    )


def idempotency_key(request: Request) -> UUID | None:
    key = request.headers.get("Idempotency-Key")
    try:
        return None if key is None else UUID(key)
    except ValueError:
        raise ValidationError({"Idempotency-Key": ["Send a UUID."]}) from None


def signed_in(request: Request) -> User:
    assert request.user.is_authenticated
    return request.user


def valid_fields(request: Request) -> dict[str, Any]:
    form = NewSubmissionSerializer(data=request.data)
    errors = dict(form.errors) if not form.is_valid() else {}
    errors |= unknown_fields(request.data, form.fields)
    if errors:
        raise RefusalError(
            422, f"Malformed: {', '.join(errors)}; no answer was stored.", errors=errors
        )
    wanted: dict[str, Any] = form.validated_data
    if wanted["file"].size > settings.UPLOAD_LIMIT_BYTES:
        raise too_large(wanted["file"].size)
    return wanted


def unknown_fields(sent: Iterable[str], known: Collection[str]) -> dict[str, list[str]]:
    """A sentence for each field that is none of ours: one that is misspelt must not be dropped
    without a word."""
    unknown = [name for name in sent if name not in known and name != CSRF_FIELD]
    sentence = f"There is no such field. There are: {', '.join(known)}."
    return {as_shown(name): [sentence] for name in unknown[:SHOWN_FIELDS]}


def accept(wanted: dict[str, Any], owner: User, key: UUID | None, request: Request) -> Submission:
    """The confirmed submission, or the one accepted before under the same key. Raises
    RefusalError."""
    upload = Upload(wanted["file"].name, wanted["file"].read())
    try:
        submission = accept_from_outside(
            release=wanted["release"],
            upload=upload,
            model=model_details(wanted),
            owner=owner,
            visibility=wanted["visibility"],
            client_token=key,
        )
    except ReleaseUnclearError as error:
        raise unclear_release(error) from None
    except services.SubmissionRefusedError as error:
        raise refused_file(error, request) from None
    is_of_another = wanted["release"] and submission.release_id != wanted["release"].pk
    if is_of_another or submission.sha256 != hashlib.sha256(upload.content).hexdigest():
        raise RefusalError(
            422, "This Idempotency-Key was used for another file or release. Send a new one."
        )
    return submission


def unclear_release(error: ReleaseUnclearError) -> RefusalError:
    """The sender is to name one of the releases."""
    fitting = [candidate.release.slug for candidate in error.candidates]
    told = {"release": [str(error)]}
    return RefusalError(422, str(error), errors=told, members={"candidates": fitting})


def model_details(wanted: dict[str, Any]) -> services.ModelDetails:
    return services.ModelDetails(
        name=wanted["model"],
        organisation=wanted["organisation"],
        link=wanted["link"],
        parameters_billions=wanted["parameters_billions"],
        is_open_weights=wanted["open_weights"],
        notes=wanted["notes"],
    )


def changed(request: Request, submission_id: UUID, visibility: str) -> Response:
    """The submission with its new visibility; 409 where its state does not allow it."""
    submission = own_submission(request.user, submission_id, CHANGE)
    services.set_visibility(submission=submission, visibility=visibility)
    submission.refresh_from_db(fields=["visibility"])
    if submission.visibility != visibility:
        raise RefusalError(
            409, "Only a confirmed submission that is not withdrawn can be published."
        )
    return Response(SubmissionSerializer(submission, context={"request": request}).data)


@extend_schema(
    operation_id="submission_publish",
    summary="Publish a submission",
    description="It stands on its board from now on. Only signed in, never with a token.",
    parameters=[ID],
    auth=SIGNED_IN,
    request=None,
    responses={200: SubmissionSerializer, **refusals(401, 403, 404, 406, 409)},
)
@never_cache
@api_view(["POST"])
@permission_classes([IsAuthenticated, IsPerson])
def publish(request: Request, submission_id: UUID) -> Response:
    return changed(request, submission_id, Submission.Visibility.PUBLIC)


@extend_schema(
    operation_id="submission_make_private",
    summary="Make a submission private",
    description="It leaves its board and is seen by you alone. Only signed in, never with a token.",
    parameters=[ID],
    auth=SIGNED_IN,
    request=None,
    responses={200: SubmissionSerializer, **refusals(401, 403, 404, 406)},
)
@never_cache
@api_view(["POST"])
@permission_classes([IsAuthenticated, IsPerson])
def make_private(request: Request, submission_id: UUID) -> Response:
    return changed(request, submission_id, Submission.Visibility.PRIVATE)


@extend_schema(
    operation_id="submission_withdraw",
    summary="Withdraw a submission",
    description="It leaves every board for good and stays as a tombstone. Only signed in, never "
    "with a token.",
    parameters=[ID],
    auth=SIGNED_IN,
    request=None,
    responses={200: SubmissionSerializer, **refusals(401, 403, 404, 406)},
)
@never_cache
@api_view(["POST"])
@permission_classes([IsAuthenticated, IsPerson])
def withdraw(request: Request, submission_id: UUID) -> Response:
    submission = own_submission(request.user, submission_id, CHANGE)
    services.withdraw_submission(submission=submission)
    submission.refresh_from_db(fields=["visibility", "withdrawn"])
    return Response(SubmissionSerializer(submission, context={"request": request}).data)
