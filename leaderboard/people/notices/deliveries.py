"""What webhooks are told, kept until their program has it.

They are sent by messenger.py, and again as all is that leaves the site (operations/outgoing.py). A
program that failed MOST_FAILURES times in a row is asked no more, and its owner told. What is sent
is what the owner may see of an entry of theirs: names, score, state, and where to read on.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse

from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from leaderboard.models import Scoresheet
from leaderboard.models.notices import Notice, Webhook, WebhookDelivery

MOST_WEBHOOKS = 5  # of a person; each is asked for every entry of theirs
MOST_WAITING = 100  # of a webhook: people who hand in more than that a day do not do it by hand
MOST_TESTS = 5  # of a webhook that wait
MOST_FAILURES = 15  # in a row: nearly all tries of two events
KEPT = timedelta(days=30)
SHOWN = 20
FORGOTTEN_AT_ONCE = 500  # a minute; many more than come
FINISHED, PAUSED, REPLACED, TEST = "finished", "paused", "replaced", "test"
EVENTS = {
    Notice.Kind.FINISHED.value: FINISHED,
    Notice.Kind.PAUSED.value: PAUSED,
    Notice.Kind.REPLACED.value: REPLACED,
}
"""What webhooks can be told, by kind of the notice that is told to people."""


class WebhookRefusedError(Exception):
    """The text is a sentence for whoever asked."""


@transaction.atomic
def create_webhook(
    *,
    owner: User,
    url: str,
    on_finished: bool = True,
    on_paused: bool = False,
    on_replaced: bool = False,
) -> Webhook:
    """A new webhook with a secret of its own, which is to be shown once. Raises
    WebhookRefusedError."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=owner.pk)
    if Webhook.objects.filter(owner=owner).count() >= MOST_WEBHOOKS:
        raise WebhookRefusedError(f"You have {MOST_WEBHOOKS} webhooks, the maximum.")
    if not (on_finished or on_paused or on_replaced):
        raise WebhookRefusedError("Choose at least one event.")
    return Webhook.objects.create(
        owner=owner,
        url=url,
        secret=f"whsec_{secrets.token_urlsafe(32)}",
        on_finished=on_finished,
        on_paused=on_paused,
        on_replaced=on_replaced,
    )


def switch_on(*, webhook: Webhook) -> None:
    Webhook.objects.filter(pk=webhook.pk).update(off=None, failures=0)


def delete_webhook(*, webhook: Webhook) -> None:
    Webhook.objects.filter(pk=webhook.pk).delete()


@transaction.atomic
def send_test(*, webhook: Webhook) -> None:
    """A delivery that says it is a test waits. Raises WebhookRefusedError."""
    waiting = WebhookDelivery.objects.filter(webhook=webhook, event=TEST, next_try__isnull=False)
    if webhook.off or waiting.count() >= MOST_TESTS:
        raise WebhookRefusedError(
            "This webhook is switched off."
            if webhook.off
            else "Some tests are still waiting to be sent."
        )
    now = database_now()
    body = body_of({"event": TEST, "created": now.isoformat(timespec="seconds")})
    WebhookDelivery.objects.create(
        webhook=webhook, event=TEST, body=body, created=now, next_try=now
    )


# --- into the box ---------------------------------------------------------------------------------


def add_deliveries(notices: Sequence[Notice], judges: Mapping[str, str], now: datetime) -> None:
    """For each notice of an event that webhooks of its person ask for one delivery waits. judges:
    by key of the notice, whose run it is of. In the transaction of the notices."""
    notified = [notice for notice in notices if str(notice.kind) in EVENTS]
    hooks = list(Webhook.objects.filter(owner__in={n.owner_id for n in notified}, off=None))
    made = []
    for notice in notified:
        event = EVENTS[str(notice.kind)]
        for hook in hooks:
            if hook.owner_id == notice.owner_id and is_asked_for(hook, event):
                body = event_body(notice, event, judges.get(notice.key, ""), now)
                made.append(
                    WebhookDelivery(
                        webhook=hook,
                        notice=notice,
                        event=event,
                        body=body,
                        created=now,
                        next_try=now,
                    )
                )
    WebhookDelivery.objects.bulk_create(made)


def events_of(hook: Webhook) -> list[str]:
    """What it is told of, in the order of EVENTS."""
    return [name for name in EVENTS.values() if getattr(hook, f"on_{name}")]


def newest_deliveries(hook: Webhook) -> list[WebhookDelivery]:
    return list(WebhookDelivery.objects.filter(webhook=hook).order_by("-pk")[:SHOWN])


def is_asked_for(hook: Webhook, event: str) -> bool:
    if event not in events_of(hook):
        return False
    waiting = WebhookDelivery.objects.filter(webhook=hook, next_try__isnull=False)
    return waiting.count() < MOST_WAITING


def event_body(notice: Notice, event: str, judge: str, now: datetime) -> str:
    submission = notice.submission
    assert submission is not None
    document: dict[str, Any] = {
        "event": event,
        "created": now.isoformat(timespec="seconds"),
        "submission": str(submission.pk),
        "model": submission.model.name,
        "release": submission.release.slug,
        "visibility": submission.visibility,
        "judge": judge or None,
        "message": notice.sentence,
        "url": settings.SITE_URL + reverse("submission", args=[submission.pk]),
        "api_url": settings.SITE_URL + reverse("api-submission", args=[submission.pk]),
    }
    if event == FINISHED:
        document |= score_of(submission, judge)
        document["replaces"] = str(submission.replaces_id) if submission.replaces_id else None
    if event == REPLACED:
        document["replaced_by"] = str(submission.replaced_by_id)
    return body_of(document)


def score_of(submission: Submission, judge: str) -> dict[str, Any]:
    sheets = Scoresheet.objects.filter(submission=submission, judge_spec__slug=judge)
    found = sheets.values("ranking", "coverage").first()
    if found is None:
        return {"score": None, "coverage": None}
    return {"score": found["ranking"], "coverage": found["coverage"]}


def body_of(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """`t=TIMESTAMP,v1=HEX`: HMAC-SHA256 by the secret over the timestamp, a dot and the body. The
    timestamp, in seconds, is signed so that what was overheard cannot be sent again later."""
    signed = f"{timestamp}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={timestamp},v1={digest}"


def forget_old_deliveries() -> int:
    """Those that ended a month ago are gone, some at a time."""
    old = WebhookDelivery.objects.filter(
        created__lt=database_now() - KEPT, next_try__isnull=True
    ).order_by("created")
    keys = list(old.values_list("pk", flat=True)[:FORGOTTEN_AT_ONCE])
    return WebhookDelivery.objects.filter(pk__in=keys).delete()[0] if keys else 0
