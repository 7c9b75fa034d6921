"""Every refusal of the API as one kind of document: RFC 9457 problem details."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import (
    APIException,
    ErrorDetail,
    MethodNotAllowed,
    NotAcceptable,
    NotAuthenticated,
    ParseError,
    UnsupportedMediaType,
)
from rest_framework.views import exception_handler

from benchmarks.api.asking import as_shown
from benchmarks.protocols.base import Problem

MEDIA_TYPE = "application/problem+json"
AS_WRITTEN = {"ensure_ascii": False}
"""Quotation marks are read in terminals too, where \\u201c is none."""
NO_ACCOUNT = (
    "This needs an account. Make a token on the page Tokens and send it as a header: "
    "Authorization: Bearer YOUR_TOKEN"
)
MEANINGS = {
    400: "A parameter, a header or the body is malformed; `errors` names it.",
    401: "This needs an account, or the token is unknown, expired or revoked.",
    403: "The account or token may not do this, or the CSRF token is missing.",
    404: "It does not exist, or you may not see it.",
    406: "None of the media types asked for in `Accept` is offered.",
    409: "The submission is not in a state that allows this.",
    411: "The length of the body is missing.",
    413: "The body or the file is larger than is accepted; the limit is named.",
    415: "The body or the file is of a type that is not accepted.",
    422: (
        "Nothing was stored or changed: `errors` lists malformed fields, `groups` the problems "
        "of the file by kind."
    ),
    429: "Your limit for this release is reached; `Retry-After` and `next_place` say until when.",
    503: "The site is busy; `Retry-After` says how many seconds to wait.",
}


class RefusalError(APIException):
    """A refusal with its status; `errors` by field, `problems` of a file, the `next_place` of its
    sender and further `members` are those of the document (ProblemDetailsSerializer)."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        errors: Mapping[str, Sequence[str]] | None = None,
        problems: Sequence[Problem] = (),
        wait_seconds: int | None = None,
        next_place: datetime | None = None,
        members: Mapping[str, Any] | None = None,
    ):
        super().__init__(detail)
        self.status_code = status
        if wait_seconds is not None:
            self.wait = wait_seconds  # REST framework makes it a header, Retry-After
        self.errors = errors
        self.problems = problems
        self.next_place = next_place
        self.members = members or {}


class FileProblemSerializer(serializers.Serializer[Problem]):
    code = serializers.CharField()
    message = serializers.CharField()
    line = serializers.IntegerField(
        allow_null=True, help_text="From 1; null where no line is to blame"
    )
    column = serializers.CharField(help_text="Name of a field, or place in the line; may be empty")
    expected = serializers.CharField(help_text="May be empty")
    found = serializers.CharField(help_text="May be empty")
    record = serializers.CharField(
        help_text="Of a JSON document the record, such as IC15, record 1; may be empty"
    )


class ProblemGroupSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    column = serializers.CharField(help_text="Name of a field; may be empty")
    count = serializers.IntegerField()
    examples = FileProblemSerializer(many=True, help_text="The first of them, at most three")


class ProblemDetailsSerializer(serializers.Serializer[Any]):
    """RFC 9457 problem details. `type` is always "about:blank": the status says what kind of
    problem it is."""

    type = serializers.CharField()
    title = serializers.CharField(help_text="Phrase of the status")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What is wrong and what to do")
    # a field named as a property of serializers
    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="Sentences by field",
    )
    problems = FileProblemSerializer(
        many=True, required=False, help_text="The first hundred; `report` has all"
    )
    problem_count = serializers.IntegerField(required=False, help_text="Of all problems")
    groups = ProblemGroupSerializer(
        many=True, required=False, help_text="All problems by kind, with how many there are of each"
    )
    missing_count = serializers.IntegerField(
        required=False, help_text="Questions of the release that the file does not name"
    )
    report = serializers.URLField(
        required=False, help_text="Every problem and missing id, for a day"
    )
    next_place = serializers.DateTimeField(
        required=False, help_text="The instant from which a file is welcome again"
    )
    candidates = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Slugs of the releases of which one is to be named",
    )


def refusals(*statuses: int) -> dict[tuple[int, str], OpenApiResponse]:
    """The documented responses of an operation that may refuse with `statuses`."""
    return {
        (status, MEDIA_TYPE): OpenApiResponse(
            ProblemDetailsSerializer, description=MEANINGS[status]
        )
        for status in statuses
    }


def asks_for_documents(request: HttpRequest) -> bool:
    """Whether a program asks, to whom a page says nothing."""
    return request.path_info.startswith("/api/")


def problem_document(status: int, detail: str = "", title: str = "") -> dict[str, Any]:
    """`title` is the name of the status unless it is given."""
    document = {
        "type": "about:blank",
        "title": title or HTTPStatus(status).phrase,
        "status": status,
    }
    return {**document, "detail": detail} if detail else document


def problem(status: int, detail: str, title: str = "") -> JsonResponse:
    """A refusal made where no view of the API runs: by a middleware, or for a failure."""
    document = problem_document(status, detail, title)
    return JsonResponse(
        document, status=status, content_type=MEDIA_TYPE, json_dumps_params=AS_WRITTEN
    )


def problem_response(error: Exception, context: Mapping[str, Any]) -> JsonResponse | None:
    """The exception handler of the API; None leaves an error to Django. JSON whatever the request
    accepts."""
    error = in_our_words(as_api_exception(error), context["request"], context["view"])
    response = exception_handler(error, dict(context))
    if response is None:
        return None
    document = problem_document(response.status_code)
    if isinstance(error, RefusalError):
        document |= refusal_members(error)
    elif isinstance(response.data, dict) and set(response.data) == {"detail"}:
        document["detail"] = str(response.data["detail"])
    else:
        document["detail"] = f"Malformed: {', '.join(response.data)}."
        document["errors"] = response.data
    headers = {
        name: response[name] for name in ("WWW-Authenticate", "Retry-After") if name in response
    }
    return JsonResponse(
        document,
        status=response.status_code,
        content_type=MEDIA_TYPE,
        headers=headers,
        json_dumps_params=AS_WRITTEN,
    )


def refusal_members(error: RefusalError) -> dict[str, Any]:
    members: dict[str, Any] = {"detail": str(error.detail), **error.members}
    if error.errors is not None:
        members["errors"] = error.errors
    if error.problems:
        members["problems"] = [asdict(problem) for problem in error.problems]
    if error.next_place:
        members["next_place"] = error.next_place.isoformat().replace("+00:00", "Z")
    return members


def in_our_words(error: Exception, request: Any, view: Any) -> Exception:
    """What the framework refuses by itself, said with what was asked for and what there is."""
    if isinstance(error, NotAuthenticated):
        error.detail = ErrorDetail(NO_ACCOUNT)
    elif isinstance(error, MethodNotAllowed):
        there_are = " and ".join(name for name in view.allowed_methods if name != "OPTIONS")
        error.detail = ErrorDetail(f"{request.method} does nothing here; {there_are} does.")
    elif isinstance(error, NotAcceptable):
        offered = " or ".join(one.media_type for one in view.get_renderers())
        asked = as_shown(request.META.get("HTTP_ACCEPT", ""))
        error.detail = ErrorDetail(f"Accept asks for “{asked}”; this answers with {offered}.")
    elif isinstance(error, UnsupportedMediaType):
        taken = " or ".join(one.media_type for one in view.get_parsers())
        sent = as_shown(request.content_type)
        error.detail = ErrorDetail(f"“{sent}” was sent; this takes {taken}.")
    return error


def as_api_exception(error: Exception) -> Exception:
    """Django's own complaints about a request become refusals like any other."""
    if isinstance(error, UnreadablePostError):
        return RefusalError(400, "The body did not arrive whole. Nothing was saved; send it again.")
    if isinstance(error, RequestDataTooBig):
        return RefusalError(413, "The form fields are too large.")
    if isinstance(error, (BadRequest, MultiPartParserError, SuspiciousOperation)):
        return ParseError("The request is malformed or has too many parts.")
    return error
