"""How other people's programs are asked, in a thread of each worker. It follows no redirect, reads
no more of an answer than its status, and gives every try TRY_SECONDS in all, however slowly the
other side speaks."""

import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from datetime import datetime

from django.conf import settings
from django.db import transaction

from judging.coordination.clock import database_now
from leaderboard.models.notices import Notice, Webhook, WebhookDelivery
from leaderboard.operations.mail.outgoing import Sender, claimed, ours, wait_after
from leaderboard.people.notices.addresses import (
    AddressRefusedError,
    LookUp,
    Target,
    look_up,
    resolve,
    target_of,
)
from leaderboard.people.notices.deliveries import MOST_FAILURES, signature
from leaderboard.people.notices.writing import add_new

SILENT_SECONDS = 5.0  # of a connection: programs that answer webhooks answer at once
TRY_SECONDS = 15.0  # from the connection to the status; a server may send a byte every four seconds
OK, REDIRECT, REFUSAL = 200, 300, 400


class PinnedConnection(http.client.HTTPConnection):
    """To the address that was looked at, under the name of the host."""

    def __init__(self, target: Target, address: str) -> None:
        super().__init__(target.host, target.port, timeout=SILENT_SECONDS)
        self.target, self.address = target, address

    def connect(self) -> None:
        plain = socket.create_connection((self.address, self.port), SILENT_SECONDS)
        if self.target.is_plain:
            self.sock = plain
            return
        try:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(plain, server_hostname=self.target.host)
        except BaseException:
            plain.close()
            raise

    def cut(self) -> None:
        """Whoever waits for the other side waits no longer."""
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


def send_due(stopping: threading.Event | None = None, look_up: LookUp = look_up) -> int:
    """What is due was tried; how many arrived."""
    waiting = WebhookDelivery.objects.select_related("webhook")
    return sum(deliver(delivery, look_up) for delivery in claimed(waiting, stopping))


def deliver(delivery: WebhookDelivery, look_up: LookUp) -> bool:
    """The program has it, or it waits for its next try. What is of a team that its person has left
    meanwhile is not sent."""
    if not is_still_theirs(delivery):
        ours(delivery).update(next_try=None, outcome="not sent: you left the team it is of")
        return False
    try:
        status = post(delivery, look_up)
    except (AddressRefusedError, OSError, http.client.HTTPException) as error:
        note_failure(delivery, words_for(error))
        return False
    if OK <= status < REDIRECT:
        note_arrival(delivery, status)
        return True
    is_redirect = REDIRECT <= status < REFUSAL
    why = "answered with a redirect, which is not followed" if is_redirect else "answered"
    note_failure(delivery, f"{why} ({status})", status)
    return False


def words_for(error: Exception) -> str:
    """In our words: what the other side or the system says may name machines of ours."""
    if isinstance(error, AddressRefusedError):
        return str(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        return "its certificate is not valid"
    if isinstance(error, socket.gaierror):
        return "the name of the host is not known"
    if isinstance(error, TimeoutError):
        return f"no answer within {SILENT_SECONDS:.0f} s"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(error, ssl.SSLError):
        return "no TLS connection came about"
    return "the connection broke before there was an answer"


def post(delivery: WebhookDelivery, look_up: LookUp) -> int:
    """The status it was answered with. Raises AddressRefusedError, OSError and HTTPException."""
    target = target_of(delivery.webhook.url)
    connection = PinnedConnection(target, resolve(target, look_up))
    body, timestamp = delivery.body.encode(), int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"{settings.SITE_NAME.encode('ascii', 'ignore').decode()}-webhook",
        "Assay-Event": delivery.event,
        "Assay-Delivery": str(delivery.pk),
        "Assay-Signature": signature(delivery.webhook.secret, timestamp, body),
        "Connection": "close",
    }
    timer = threading.Timer(TRY_SECONDS, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", target.path, body, headers)
        return connection.getresponse().status
    finally:
        timer.cancel()
        connection.close()


# --- what came of it ------------------------------------------------------------------------------


def is_still_theirs(delivery: WebhookDelivery) -> bool:
    """A test is of no entry."""
    if delivery.notice_id is None:
        return True
    return Notice.objects.filter(pk=delivery.notice_id).still_theirs().exists()


@transaction.atomic
def note_arrival(delivery: WebhookDelivery, status: int) -> None:
    ours(delivery).update(
        status=status,
        outcome="arrived",
        arrived=True,
        tries=delivery.tries + 1,
        next_try=None,
    )
    Webhook.objects.filter(pk=delivery.webhook_id).exclude(failures=0).update(failures=0)


@transaction.atomic
def note_failure(delivery: WebhookDelivery, why: str, status: int | None = None) -> None:
    """It waits for its next try, or has ended; a webhook that only fails is switched off."""
    hook = Webhook.objects.select_for_update().get(pk=delivery.webhook_id)
    now, tries = database_now(), delivery.tries + 1
    wait = None if hook.off else wait_after(tries)
    changed = ours(delivery).update(
        status=status,
        outcome=why[:200],
        tries=tries,
        next_try=wait and now + wait,
    )
    if not changed or hook.off:
        return
    hook.failures += 1
    hook.off = now if hook.failures >= MOST_FAILURES else None
    hook.save(update_fields=["failures", "off"])
    if hook.off:
        tell_owner(hook, now)


def tell_owner(hook: Webhook, now: datetime) -> None:
    WebhookDelivery.objects.filter(webhook=hook, next_try__isnull=False).update(
        next_try=None, outcome="not sent: the webhook was switched off"
    )
    switched_off = Notice(
        owner_id=hook.owner_id,
        kind=Notice.Kind.NEEDS_YOU,
        key=f"webhook/{hook.pk}/{now:%Y%m%d%H%M%S}",
        title="A webhook was switched off",
        sentence=(
            f"The last {MOST_FAILURES} tries to reach {hook.url[:200]} failed. The page of your "
            "webhooks says how; switch it on again there."
        ),
    )
    add_new([switched_off], now)


class Messenger(Sender):
    thread_name = "messenger"
    send_due = staticmethod(send_due)
