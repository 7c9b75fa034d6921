"""The API of what is answered: hand in a file, list one's own submissions, publish and withdraw
them.

Their addresses are in leaderboard.web.api.submissions, which adds how far judging is: this app does
not know judges.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NoReturn
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import QuerySet
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.fields import empty
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from benchmarks.api.asking import (
    ChoiceField,
    StrictQuery,
    as_shown,
    named_or_404,
    repeated_names,
    sentences_in,
    sentences_with_values,
    unknown_names,
)
from benchmarks.api.documents import JSONParser
from benchmarks.api.problem_details import RefusalError
from benchmarks.models import Release
from benchmarks.protocols.base import Problem, Upload
from benchmarks.submissions import services
from benchmarks.submissions.api.authentication import HasScope, scope_missing
from benchmarks.submissions.api.documents import CheckedSerializer, SubmissionSerializer
from benchmarks.submissions.facts import BY_API_NAME, FACTS, RENAMED
from benchmarks.submissions.intake.drafts import is_of
from benchmarks.submissions.intake.problem_groups import grouped
from benchmarks.submissions.models import (
    REASON_LENGTH,
    AccessToken,
    EvaluatedModel,
    Submission,
)
from benchmarks.submissions.naming.names import (
    NAME_LENGTH,
    NameRefusedError,
    clean_name,
    is_unseen,
)
from benchmarks.submissions.naming.public_names import PUBLIC_NAME_LENGTH, team_name
from benchmarks.submissions.querysets import held_by
from benchmarks.submissions.recognition import (
    ReleaseUnclearError,
    accept_from_outside,
    check_from_outside,
)
from benchmarks.submissions.selectors import CHANGE, own_submission, teams_of
from benchmarks.submissions.team_models import Team
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


@extend_schema_field(OpenApiTypes.BINARY)
class AnyFileField(serializers.FileField):
    """An upload as it comes: what its name and bytes are worth is the protocol's to say."""


SHOWN_PROBLEMS = 100
"""Of a file, in the refusal itself: the report it names has all."""


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


class WithdrawalSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(
        max_length=REASON_LENGTH,
        default="",
        allow_blank=True,
        help_text="A sentence for those who cited it",
    )

    def validate_reason(self, text: str) -> str:
        """In one line, of characters that are seen."""
        reason = " ".join(text.split())
        if unseen := next((c for c in reason if is_unseen(c)), ""):
            raise ValidationError(f"It holds a character that nobody sees: U+{ord(unseen):04X}.")
        return reason


class NewSubmissionSerializer(serializers.ModelSerializer[EvaluatedModel]):
    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.CharField: NameField,
    }

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
    visibility = ChoiceField(Submission.Visibility.choices, default=Submission.Visibility.PRIVATE)
    file = AnyFileField(
        allow_empty_file=True,
        help_text="CSV, TSV, JSON, JSONL, XLSX or Parquet with an answer to every question",
    )
    team = serializers.CharField(
        max_length=PUBLIC_NAME_LENGTH,
        default=None,
        allow_null=True,
        help_text="Name or number of your team for which the file is submitted. Its members can "
        "see and manage it, and it also counts towards the team's limit",
    )
    replaces = serializers.UUIDField(
        default=None,
        allow_null=True,
        help_text="Id of an earlier submission of yours or your team's, of the same model and "
        "release, whose place this one takes once it is judged and public",
    )
    validate_only = serializers.BooleanField(
        default=False,
        help_text="Check the file and say what judging it would take; nothing is stored, and no "
        "place is needed",
    )

    class Meta:
        model = EvaluatedModel
        fields = (
            *("release", "model", *BY_API_NAME, "visibility"),
            *("file", "team", "replaces", "validate_only"),
        )
        extra_kwargs = {
            name: {**RENAMED.get(name, {}), "help_text": NEW_ONLY} for name in BY_API_NAME
        }

    def validate_team(self, named: str | None) -> Team | None:
        return None if named is None else team_of(self.context["owner"], named)

    def validate_replaces(self, submission_id: UUID | None) -> Submission | None:
        if submission_id is None:
            return None
        mine = Submission.objects.held_by(self.context["owner"])
        if old := mine.select_related("team__public_name").filter(pk=submission_id).first():
            return old
        raise ValidationError(f"There is no submission of yours “{submission_id}”.")

    def validate(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """A new version of what is a team's is that team's."""
        old = wanted["replaces"]
        return {**wanted, "team": old.team} if old and wanted["team"] is None else wanted


@method_decorator(never_cache, name="dispatch")
class Submissions(StrictQuery, generics.ListAPIView[Submission]):
    queryset = Submission.objects.select_related("model", "release__benchmark").prefetch_related(
        "team__public_name"
    )
    serializer_class = SubmissionSerializer
    permission_classes = [IsAuthenticated, HasScope]
    parser_classes = [MultiPartParser]

    def get_queryset(self) -> QuerySet[Submission]:
        return super().get_queryset().filter(held_by(self.request.user))

    def post(self, request: Request) -> Response:
        key = idempotency_key(request)
        owner = signed_in(request)
        wanted = valid_fields(request, owner)
        refuse_publishing_token(request, wanted["visibility"])
        if wanted["validate_only"]:
            return Response(self.checked_document(check(wanted, owner, request)))
        is_replay = (
            key is not None and Submission.objects.filter(owner=owner, client_token=key).exists()
        )
        submission = accept(wanted, owner, key, request)
        if not is_replay:
            wake()
        document = self.get_serializer(submission).data
        location = reverse("api-submission", args=[submission.pk], request=request)
        return Response(document, status=200 if is_replay else 201, headers={"Location": location})

    def checked_document(self, checked: services.CheckedFile) -> dict[str, Any]:
        return CheckedSerializer(checked).data


def refuse_publishing_token(request: Request, visibility: str) -> None:
    """A token may leak: it publishes only if it was made for that."""
    token = request.auth
    if visibility != Submission.Visibility.PUBLIC or not isinstance(token, AccessToken):
        return
    if not token.may(AccessToken.Scope.PUBLISH):
        raise PermissionDenied(
            f"{scope_missing(token, AccessToken.Scope.PUBLISH)} No answer was stored: send the "
            "file without visibility=public, and publish it on the page of the submission."
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
    detail = f"The submission is refused for {count}; no answer was stored. {error.recognised}"
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
        detail.strip(),
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


def team_of(user: User, named: str) -> Team:
    """One of the user's teams. Raises ValidationError, which names them: a team that is not the
    user's is told from none by nothing."""
    teams = list(teams_of(user))
    by_name = {team_name(team).casefold(): team for team in teams}
    found = by_name.get(named.casefold()) or {str(team.pk): team for team in teams}.get(named)
    if found is not None:
        return found
    names = ", ".join(f"“{team_name(team)}”" for team in teams)
    yours = f"You are in {names}." if teams else "You are in none."
    raise ValidationError(f"You are in no team “{as_shown(named)}”. {yours}")


def valid_fields(request: Request, owner: User) -> dict[str, Any]:
    form = NewSubmissionSerializer(data=request.data, context={"owner": owner})
    errors = sentences_with_values(form.errors, request.data) if not form.is_valid() else {}
    sent = [name for name in request.data if name != CSRF_FIELD]
    errors |= unknown_names(sent, form.fields) | repeated_names(request.data, form.fields)
    if errors:
        raise RefusalError(
            422, f"Malformed: {', '.join(errors)}; no answer was stored.", errors=errors
        )
    wanted: dict[str, Any] = form.validated_data
    if wanted["file"].size > settings.UPLOAD_LIMIT_BYTES:
        raise too_large(wanted["file"].size)
    return wanted


def accept(wanted: dict[str, Any], owner: User, key: UUID | None, request: Request) -> Submission:
    """The confirmed submission, or the one accepted before under the same key. Raises
    RefusalError."""
    upload = Upload(wanted["file"].name, wanted["file"].read())
    with refusals_as_documents(request):
        submission = accept_from_outside(
            release=wanted["release"],
            upload=upload,
            model=model_of(wanted),
            owner=owner,
            visibility=wanted["visibility"],
            team=wanted["team"],
            client_token=key,
            replaces=wanted["replaces"],
        )
    named = {name: wanted[name] for name in ("release", "team", "replaces")}
    if not is_of(submission, upload=upload, model_name=wanted["model"], **named):
        raise RefusalError(
            422,
            "This Idempotency-Key was used for another file, model, release or team, or in place "
            "of another submission. Send a new one.",
        )
    return submission


def check(wanted: dict[str, Any], owner: User, request: Request) -> services.CheckedFile:
    """Raises RefusalError as `accept` does."""
    upload = Upload(wanted["file"].name, wanted["file"].read())
    with refusals_as_documents(request):
        return check_from_outside(
            release=wanted["release"],
            upload=upload,
            model=model_of(wanted),
            owner=owner,
            team=wanted["team"],
            replaces=wanted["replaces"],
        )


@contextmanager
def refusals_as_documents(request: Request) -> Iterator[None]:
    try:
        yield
    except ReleaseUnclearError as error:
        raise unclear_release(error) from None
    except services.SubmissionRefusedError as error:
        raise refused_file(error, request) from None


def unclear_release(error: ReleaseUnclearError) -> RefusalError:
    """The sender is to name one of the releases."""
    fitting = [candidate.release.slug for candidate in error.candidates]
    errors = {"release": [str(error)]}
    return RefusalError(422, str(error), errors=errors, members={"candidates": fitting})


def model_of(wanted: dict[str, Any]) -> EvaluatedModel:
    """The model that was named and described; not stored."""
    facts = {fact: wanted[fact] for fact in FACTS if fact in wanted}
    return EvaluatedModel(name=wanted["model"], **facts)


def own_to_change(request: Request, submission_id: UUID) -> Submission:
    """The caller's own submission. A token, which may leak, changes what is
    its owner's or their team's and nothing else, whatever its owner may do."""
    if not isinstance(request.auth, AccessToken):
        return own_submission(request.user, submission_id, CHANGE)
    return own_alone(request, submission_id)


def own_alone(request: Request, submission_id: UUID) -> Submission:
    """The user's or their teams', whatever else they may see."""
    mine = Submission.objects.held_by(request.user)
    return named_or_404(
        mine.select_related("model", "release__benchmark"),
        "submission of yours",
        "submissions",
        pk=submission_id,
    )


class SubmissionChange(StrictQuery, APIView):
    """What an owner does with a submission: by `change`, which is answered with the submission."""

    permission_classes = [IsAuthenticated, HasScope]
    write_scope = AccessToken.Scope.PUBLISH
    parser_classes = [JSONParser, FormParser, MultiPartParser]
    body: type[serializers.Serializer[Any]] | None = None
    """What is sent with it; None where that is not looked at."""

    def post(self, request: Request, submission_id: UUID) -> Response:
        submission = self.found(request, submission_id)
        self.change(submission, **(body_fields(request, self.body) if self.body else {}))
        submission.refresh_from_db(fields=["visibility", "withdrawn", "withdrawal_reason"])
        self.refuse_unchanged(submission)
        wake()
        return Response(self.document(submission))

    def found(self, request: Request, submission_id: UUID) -> Submission:
        return own_to_change(request, submission_id)

    def change(self, submission: Submission, **wanted: Any) -> None:
        raise NotImplementedError

    def refuse_unchanged(self, submission: Submission) -> None:
        """Raises RefusalError where its state did not allow the change."""

    def document(self, submission: Submission) -> dict[str, Any]:
        return SubmissionSerializer(submission, context={"request": self.request}).data


def body_fields(request: Request, fields: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """Raises RefusalError."""
    form = fields(data=request.data)
    form.is_valid()
    errors = {name: sentences_in(found) for name, found in form.errors.items()}
    if isinstance(request.data, dict):
        sent = [name for name in request.data if name != CSRF_FIELD]
        errors |= unknown_names(sent, form.fields)
    if errors:
        raise RefusalError(
            422, f"Malformed: {', '.join(errors)}; nothing was changed.", errors=errors
        )
    wanted: dict[str, Any] = form.validated_data
    return wanted


class Publishing(SubmissionChange):
    def change(self, submission: Submission, **wanted: Any) -> None:
        public = Submission.Visibility.PUBLIC
        services.set_visibility(submission=submission, visibility=public)

    def refuse_unchanged(self, submission: Submission) -> None:
        if submission.visibility != Submission.Visibility.PUBLIC:
            raise RefusalError(
                409, "Only a confirmed submission that is not withdrawn can be published."
            )


class MakingPrivate(SubmissionChange):
    def change(self, submission: Submission, **wanted: Any) -> None:
        private = Submission.Visibility.PRIVATE
        services.set_visibility(submission=submission, visibility=private)


class Withdrawing(SubmissionChange):
    body = WithdrawalSerializer

    def change(self, submission: Submission, **wanted: Any) -> None:
        services.withdraw_submission(submission=submission, reason=wanted["reason"])
