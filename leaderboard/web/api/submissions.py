"""The API of one's own submissions: hand in, watch, publish, withdraw. What is known of judging
stands in its documents; the rest is benchmarks.submissions.api's."""

from typing import Any
from uuid import UUID

from django.http import Http404
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchmarks.api.asking import StrictQuery, not_yours
from benchmarks.api.problem_details import RefusalError, refusals
from benchmarks.submissions.api.views import (
    IDEMPOTENCY,
    MakingPrivate,
    NewSubmissionSerializer,
    Publishing,
    SubmissionChange,
    Submissions,
    WithdrawalSerializer,
    Withdrawing,
    own_alone,
    signed_in,
)
from benchmarks.submissions.models import AccessToken, Submission
from benchmarks.submissions.selectors import own_submission
from benchmarks.submissions.services import CheckedFile
from judging.models import JudgeRun
from judging.services import retry_failed
from leaderboard.results.disclosure import HIDDEN_TEST
from leaderboard.results.entries.submission_states import states_of
from leaderboard.web.api.documents import (
    EstimatedSerializer,
    StatedSubmissionSerializer,
    WatchedSubmissionSerializer,
    watch_document,
)
from leaderboard.web.board.asked import MOST_LETTERS, plain
from leaderboard.web.pages.submissions.cost import estimate_card
from leaderboard.web.pages.submissions.submission import submission_page

ID = OpenApiParameter(
    "submission_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="Id of a submission"
)
KNOWN_OR_VALID = PolymorphicProxySerializer(
    component_name="KnownOrValid",
    serializers=[StatedSubmissionSerializer, EstimatedSerializer],
    resource_type_field_name=None,
)


@extend_schema_view(
    get=extend_schema(
        operation_id="submissions_list",
        summary="List your submissions",
        description="Yours and those of your teams, newest first, withdrawn ones included.",
        responses={200: StatedSubmissionSerializer(many=True), **refusals(400, 401, 404, 406)},
    ),
    post=extend_schema(
        operation_id="submissions_create",
        summary="Submit a file, or check it",
        description="The file is checked whole and accepted, or refused with every problem found "
        "and no answer stored. What is accepted is confirmed at once and waits to be judged. With "
        "`validate_only=true` nothing is stored whatever it holds: the answer says what accepting "
        "and judging it would take. Needs a token with the scope submit; `visibility=public` one "
        "with the scope publish.",
        parameters=[IDEMPOTENCY],
        request={"multipart/form-data": NewSubmissionSerializer},
        responses={
            201: OpenApiResponse(
                StatedSubmissionSerializer, description="Accepted; `Location` tells how far it is."
            ),
            200: OpenApiResponse(
                KNOWN_OR_VALID,
                description="Accepted before, under the same key; or valid, and not submitted.",
            ),
            **refusals(400, 401, 403, 406, 411, 413, 415, 422, 429, 503),
        },
    ),
)
class StatedSubmissions(Submissions):
    """The list of one's own, and handing in, with how far each submission is: judges are known
    here."""

    serializer_class = StatedSubmissionSerializer

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        found = args[0] if kwargs.get("many") else args[:1]
        context = {**self.get_serializer_context(), "states": states_of(found)}
        return self.get_serializer_class()(*args, context=context, **kwargs)

    def checked_document(self, checked: CheckedFile) -> dict[str, Any]:
        card = estimate_card(checked.submission, checked.answers)
        return EstimatedSerializer(checked, context={"card": card}).data


@method_decorator(never_cache, name="dispatch")
class SubmissionDetail(StrictQuery, APIView):
    permission_classes = [IsAuthenticated]

    @extend_schema(
        operation_id="submission",
        summary="Watch a submission",
        description="How far one of your submissions is: its state, the notes on its file, and "
        "of each run its counts, pace, time left and place in the queue.",
        parameters=[ID],
        responses={200: WatchedSubmissionSerializer, **refusals(400, 401, 404, 406)},
    )
    def get(self, request: Request, submission_id: UUID) -> Response:
        try:
            submission = own_submission(request.user, submission_id)
        except Http404:
            raise not_yours("submission", submission_id, "submissions") from None
        return Response(
            watch_document(submission, submission_page(submission, request.user), request)
        )


class StatedChange(SubmissionChange):
    """Answered with the submission's state as well."""

    def document(self, submission: Submission) -> dict[str, Any]:
        states = states_of([submission])
        context = {"request": self.request, "states": states}
        return StatedSubmissionSerializer(submission, context=context).data


CHANGED: dict[Any, Any] = {200: StatedSubmissionSerializer, **refusals(400, 401, 403, 404, 406)}
WHO = "Needs a token with the scope publish, or you signed in."


@method_decorator(never_cache, name="dispatch")
@extend_schema_view(
    post=extend_schema(
        operation_id="submission_publish",
        summary="Publish a submission",
        description=f"It is on its board from now on. {WHO}",
        parameters=[ID],
        request=None,
        responses={**CHANGED, **refusals(409)},
    )
)
class Publish(Publishing, StatedChange):
    """Stands on its board."""


@method_decorator(never_cache, name="dispatch")
@extend_schema_view(
    post=extend_schema(
        operation_id="submission_make_private",
        summary="Make a submission private",
        description=f"It leaves its board and only you can see it. {WHO}",
        parameters=[ID],
        request=None,
        responses=CHANGED,
    )
)
class MakePrivate(MakingPrivate, StatedChange):
    """Stands on no board."""


@method_decorator(never_cache, name="dispatch")
@extend_schema_view(
    post=extend_schema(
        operation_id="submission_withdraw",
        summary="Withdraw a submission",
        description="It leaves every board permanently and stays as a tombstone, which gives the "
        "reason if it was public. {WHO}",
        parameters=[ID],
        request=WithdrawalSerializer,
        responses={**CHANGED, **refusals(413, 415, 422)},
    )
)
class Withdraw(Withdrawing, StatedChange):
    """Stands as a tombstone."""


class RetrySerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(
        max_length=MOST_LETTERS,
        default="",
        allow_blank=True,
        help_text="Slug of one of its judges; without it all are asked",
    )


@method_decorator(never_cache, name="dispatch")
@extend_schema_view(
    post=extend_schema(
        operation_id="submission_retry",
        summary="Ask again for what failed",
        description="Judgements that ended without a verdict are requested again, and paid for "
        "again if a model judges. Existing verdicts stay, and this does not count as a submission. "
        "Needs a token with the scope submit, or that you are signed in.",
        parameters=[ID],
        request=RetrySerializer,
        responses={**CHANGED, **refusals(409, 413, 415, 422)},
    )
)
class Retry(StatedChange):
    """Only the owner, or a member of the team, may wish it: it may cost."""

    write_scope = AccessToken.Scope.SUBMIT
    body = RetrySerializer

    def found(self, request: Request, submission_id: UUID) -> Submission:
        return own_alone(request, submission_id)

    def change(self, submission: Submission, **wanted: Any) -> None:
        if not submission.release.verdicts_are_public:
            raise RefusalError(
                409, f"{HIDDEN_TEST} The operators decide what of it is judged again."
            )
        runs = JudgeRun.objects.not_withdrawn().whole().filter(submission=submission)
        if wanted["judge"]:
            runs = runs.filter(judge_spec__slug=plain(wanted["judge"]))
        by = signed_in(self.request)
        if not sum([retry_failed(run=run, by=by) for run in runs.order_by("pk")]):
            raise RefusalError(
                409, "Nothing of it that could be asked again ended without a verdict."
            )
