"""The API of one's own webhooks: a script that hands in can be told of the end instead of asking.

Any token reads them; making and deleting one needs the scope publish, for what a webhook is told
leaves the site.
"""

from datetime import datetime
from typing import Any

from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchmarks.api.asking import ChoiceField, StrictQuery, named_or_404
from benchmarks.api.documents import JSONParser
from benchmarks.api.problem_details import RefusalError, refusals
from benchmarks.submissions.api.authentication import HasScope
from benchmarks.submissions.api.views import body_fields
from benchmarks.submissions.models import AccessToken
from leaderboard.models.notices import Webhook, WebhookDelivery
from leaderboard.people.notices.addresses import URL_LENGTH, AddressRefusedError, check_address
from leaderboard.people.notices.deliveries import (
    EVENTS,
    SHOWN,
    WebhookRefusedError,
    create_webhook,
    delete_webhook,
    events_of,
    newest_deliveries,
)

LARGEST_KEY = 2**63 - 1
NAMES = tuple(EVENTS.values())
ID = OpenApiParameter(
    "webhook_id", OpenApiTypes.INT, OpenApiParameter.PATH, description="Id of a webhook of yours"
)
WHO = "Needs a token with the scope publish, or you signed in."


class NewWebhookSerializer(serializers.Serializer[Any]):
    url = serializers.CharField(
        max_length=URL_LENGTH,
        help_text="https:// and a public host. It is called by POST; redirects are not followed.",
    )
    events = serializers.ListField(
        child=ChoiceField(choices=NAMES),
        min_length=1,
        max_length=len(NAMES),
        default=[NAMES[0]],
        help_text="Events that it is called for; by default, when judging of an entry has finished",
    )

    def validate_url(self, url: str) -> str:
        try:
            check_address(url)
        except AddressRefusedError as error:
            raise serializers.ValidationError(str(error)) from None
        return url


class WebhookSerializer(serializers.Serializer[Webhook]):
    id = serializers.IntegerField()
    url = serializers.CharField()
    events = serializers.SerializerMethodField()
    created = serializers.DateTimeField()
    off = serializers.DateTimeField(
        allow_null=True, help_text="Since when it is asked no more, because it only failed"
    )
    failures = serializers.IntegerField(help_text="Tries in a row that failed")

    def get_events(self, hook: Webhook) -> list[str]:
        return events_of(hook)


class MadeWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(
        help_text="What is sent is signed with it; told in this answer alone"
    )


class DeliverySerializer(serializers.Serializer[WebhookDelivery]):
    event = serializers.CharField()
    created = serializers.DateTimeField()
    tries = serializers.IntegerField()
    arrived = serializers.BooleanField()
    status = serializers.IntegerField(allow_null=True, help_text="It was answered with last")
    outcome = serializers.CharField(help_text="Of the last try; empty before the first")
    next_try = serializers.SerializerMethodField(help_text="Null once it has ended")

    def get_next_try(self, row: WebhookDelivery) -> datetime | None:
        return row.next_try


class WebhookDetailSerializer(WebhookSerializer):
    deliveries = serializers.SerializerMethodField(help_text=f"The newest {SHOWN}")

    def get_deliveries(self, hook: Webhook) -> list[dict[str, Any]]:
        return [DeliverySerializer(row).data for row in newest_deliveries(hook)]


def own_webhook(request: Request, webhook_id: int) -> Webhook:
    mine = Webhook.objects.filter(owner=request.user.pk)
    key = min(webhook_id, LARGEST_KEY)
    return named_or_404(mine, "webhook of yours", "webhooks", pk=key)


@method_decorator(never_cache, name="dispatch")
class Webhooks(StrictQuery, APIView):
    permission_classes = [IsAuthenticated, HasScope]
    write_scope = AccessToken.Scope.PUBLISH
    parser_classes = [JSONParser, FormParser, MultiPartParser]

    @extend_schema(
        operation_id="webhooks_list",
        summary="List your webhooks",
        description="All of them, newest first; a person has a handful at most.",
        responses={200: WebhookSerializer(many=True), **refusals(400, 401, 406)},
    )
    def get(self, request: Request) -> Response:
        mine = Webhook.objects.filter(owner=request.user.pk)
        return Response([WebhookSerializer(hook).data for hook in mine])

    @extend_schema(
        operation_id="webhooks_create",
        summary="Make a webhook",
        description="A URL of your own program, which is called by POST when something happens to "
        f"one of your entries. {WHO}",
        request=NewWebhookSerializer,
        responses={
            201: OpenApiResponse(MadeWebhookSerializer, description="Made; keep its secret."),
            **refusals(400, 401, 403, 406, 415, 422),
        },
    )
    def post(self, request: Request) -> Response:
        assert request.user.is_authenticated
        wanted = body_fields(request, NewWebhookSerializer)
        chosen = {f"on_{name}": name in wanted["events"] for name in NAMES}
        try:
            hook = create_webhook(owner=request.user, url=wanted["url"], **chosen)
        except WebhookRefusedError as error:
            raise RefusalError(422, str(error)) from None
        hook.refresh_from_db()  # the database says when it was made
        return Response(MadeWebhookSerializer(hook).data, status=status.HTTP_201_CREATED)


@method_decorator(never_cache, name="dispatch")
class WebhookOfMine(StrictQuery, APIView):
    permission_classes = [IsAuthenticated]

    @extend_schema(
        operation_id="webhook",
        summary="Look at a webhook",
        description="With its last deliveries and their outcomes.",
        parameters=[ID],
        responses={200: WebhookDetailSerializer, **refusals(400, 401, 404, 406)},
    )
    def get(self, request: Request, webhook_id: int) -> Response:
        return Response(WebhookDetailSerializer(own_webhook(request, webhook_id)).data)


@method_decorator(never_cache, name="dispatch")
class DeleteWebhook(StrictQuery, APIView):
    permission_classes = [IsAuthenticated, HasScope]
    write_scope = AccessToken.Scope.PUBLISH

    @extend_schema(
        operation_id="webhook_delete",
        summary="Delete a webhook",
        description=f"It is no longer called, not even for events that are waiting. {WHO}",
        parameters=[ID],
        request=None,
        responses={
            200: OpenApiResponse(WebhookSerializer, description="As it was."),
            **refusals(400, 401, 403, 404, 406),
        },
    )
    def post(self, request: Request, webhook_id: int) -> Response:
        hook = own_webhook(request, webhook_id)
        document = WebhookSerializer(hook).data
        delete_webhook(webhook=hook)
        return Response(document)
