"""The thread that asks other people's programs. It follows no redirect, reads no more of an answer
than its status, and gives every try TRY_SECONDS in all, however slowly the other side speaks."""

import http.client
import logging
import socket
import ssl
import threading
import time
from contextlib import suppress

from django.conf import settings

from judging import witness
from leaderboard.notice_models import WebhookDelivery
from leaderboard.notices.addresses import (
    AddressRefusedError,
    LookUp,
    Target,
    look_up,
    resolve,
    target_of,
)
from leaderboard.notices.deliveries import (
    claim,
    end_unsent,
    is_still_theirs,
    note_arrival,
    note_failure,
    signature,
)
from leaderboard.operations.lent_connections import lent_connection
from leaderboard.operations.worker_threads import WorkerThread

log = logging.getLogger(__name__)
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
    """What is due was tried; how many arrived. None where the database was restored."""
    arrived = 0
    while not ((stopping and stopping.is_set()) or witness.problem()) and (delivery := claim()):
        witness.note()
        arrived += deliver(delivery, look_up)
    return arrived


def deliver(delivery: WebhookDelivery, look_up: LookUp) -> bool:
    """The program has it, or it waits for its next try. What is of a team that its person has left
    meanwhile is not sent."""
    if not is_still_theirs(delivery):
        end_unsent(delivery)
        return False
    try:
        status = post(delivery, look_up)
    except AddressRefusedError as error:
        note_failure(delivery, str(error))
        return False
    except ssl.SSLCertVerificationError:
        note_failure(delivery, "its certificate is not valid")
        return False
    except (OSError, http.client.HTTPException) as error:
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


class Messenger(WorkerThread):
    """Sends what waits for webhooks. A try under way is not waited for long: what a stop kills is
    sent again."""

    thread_name = "messenger"
    stop_seconds = 5

    def run(self) -> None:
        send_until(self.stopping)


def send_until(stopping: threading.Event) -> None:
    while not stopping.wait(settings.SWEEP_SECONDS):
        try:
            with lent_connection():
                send_due(stopping)
        except Exception:
            log.exception("Webhooks were not asked; the next look is soon")
