"""Mail waits in the database, and workers send it: no request and no sweep waits for a mail server.

Each worker has a thread of its own for it (`Postman`). A mail is taken by one thread at a time, for
LEASE, and its row goes as soon as the server has it: a link that sets a password is kept no longer
than it is on its way. Where a worker is killed between the two, another sends that mail again,
under the same Message-ID.
"""

import logging
import smtplib
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from email.utils import formatdate, make_msgid, parseaddr
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from judging import witness
from judging.clock import database_now
from leaderboard.models import OutgoingMail
from leaderboard.operations.lent_connections import lent_connection
from leaderboard.operations.worker_threads import WorkerThread

log = logging.getLogger(__name__)

# A conversation with a server has some ten answers, each of which may take TIMEOUT_SECONDS of
# mail_address.
LEASE = timedelta(minutes=5)
# Between tries of a mail that the server refused: a grey list wants minutes, a full mailbox or a
# wrong setting hours.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720))
# A server that is away is looked for as often as this by each worker, and its mails lose no try by
# it.
AWAY = timedelta(minutes=1)
# The links in mails are valid for three days; whoever waited this long has asked again.
KEPT = timedelta(days=1)
# Ten thousand sign-ups that nobody could mail are no sign-ups; a row has about 2 kB.
MOST = 10_000


class MailServerAwayError(Exception):
    """The server cannot be reached, does not answer, or does not let us in; the message says
    why."""


# --- into the box ---------------------------------------------------------------------------------


class OutboxBackend(BaseEmailBackend):
    """What Django and allauth send is kept for a worker to send. Never raises for a server, because
    it knows none."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        return sum(keep(message) for message in email_messages)


def keep(message: EmailMessage) -> bool:
    """The mail waits; False where it has nobody to go to or the box is full, which is logged."""
    if message.cc or message.bcc or message.attachments or getattr(message, "alternatives", None):
        raise ValueError("The outbox keeps a text and whom it goes to, nothing else of a mail.")
    message.message()  # or a subject of two lines would fail where nobody sees it
    if not message.to:
        return False
    if OutgoingMail.objects.order_by("pk").values_list("pk", flat=True)[MOST:].first():
        log.error("A mail was dropped: %d wait already", MOST)
        return False
    now = database_now()
    _, sender = parseaddr(message.from_email)
    OutgoingMail.objects.create(
        sender=message.from_email,
        recipients=list(message.to),
        subject=str(message.subject),
        text=str(message.body),
        headers={
            "Date": formatdate(now.timestamp()),
            "Message-ID": make_msgid(domain=sender.rpartition("@")[2] or "localhost"),
            **message.extra_headers,
        },
        created=now,
        next_try=now,
    )
    return True


# --- out of the box -------------------------------------------------------------------------------


def send_due(stopping: threading.Event | None = None) -> int:
    """What is due was sent, over one connection; how many mails. MailServerAwayError ends it
    early. None where the database was restored: nobody knows which were sent since."""
    sent = 0
    server = get_connection(settings.MAIL_BACKEND)
    try:
        while not ((stopping and stopping.is_set()) or witness.problem()) and (mail := claim()):
            witness.note()
            sent += deliver(mail, server)
    finally:
        with suppress(Exception):  # a farewell to a server that is gone
            server.close()
    return sent


def claim() -> OutgoingMail | None:
    """The mail that waits longest, ours for LEASE: only one of those who see a row due can change
    its time."""
    while True:
        now = database_now()
        mail = OutgoingMail.objects.filter(next_try__lte=now).order_by("next_try", "pk").first()
        if mail is None:
            return None
        due = OutgoingMail.objects.filter(pk=mail.pk, next_try=mail.next_try)
        mail.next_try = now + LEASE
        if due.update(next_try=mail.next_try):
            return mail


def deliver(mail: OutgoingMail, server: Any) -> bool:
    """The server has the mail, and we have it no longer; False: it waits for its next try, or had
    its last."""
    try:
        server.open()
    except Exception as error:
        postpone(mail, AWAY)
        forget_old()
        raise MailServerAwayError(reason(error)) from error
    try:
        server.send_messages([message_of(mail)])
    except Exception as error:
        handle_failure(mail, reason(error))
        with suppress(Exception):
            server.close()  # in the middle of a conversation: the next mail begins a new one
        if is_lost(error):
            raise MailServerAwayError(reason(error)) from error
        return False
    OutgoingMail.objects.filter(pk=mail.pk).delete()
    return True


def message_of(mail: OutgoingMail) -> EmailMessage:
    return EmailMessage(mail.subject, mail.text, mail.sender, mail.recipients, headers=mail.headers)


def handle_failure(mail: OutgoingMail, why: str) -> None:
    """A refused mail waits for its next try; after the last one, or a day, it is given up."""
    mail.tries += 1
    if mail.tries > len(WAITS) or mail.created < database_now() - KEPT:
        OutgoingMail.objects.filter(pk=mail.pk, next_try=mail.next_try).delete()
        log.error("Mail %s was given up after %d tries: %s", mail.pk, mail.tries, why)
    else:
        postpone(mail, WAITS[mail.tries - 1])
        log.warning("Mail %s waits for another %s: %s", mail.pk, WAITS[mail.tries - 1], why)


def postpone(mail: OutgoingMail, wait: timedelta) -> None:
    """If it is still ours."""
    ours = OutgoingMail.objects.filter(pk=mail.pk, next_try=mail.next_try)
    ours.update(next_try=database_now() + wait, tries=mail.tries)


def forget_old() -> None:
    """While a server is away, few mails are tried; none of the others is kept longer for it."""
    count, _ = OutgoingMail.objects.filter(created__lt=database_now() - KEPT).delete()
    if count:
        log.error("%d mails were given up after %s without a mail server", count, KEPT)


def is_lost(error: Exception) -> bool:
    """Whether the connection broke or fell silent, which says nothing of the mail."""
    return isinstance(error, smtplib.SMTPServerDisconnected) or (
        isinstance(error, OSError) and not isinstance(error, smtplib.SMTPException)
    )


def reason(error: Exception) -> str:
    """What went wrong, without what a server says: it repeats addresses, and sometimes
    passwords."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = {code for code, _ in error.recipients.values()}
        return f"recipient refused ({', '.join(map(str, sorted(codes)))})"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{type(error).__name__} {error.smtp_code}"
    if is_lost(error):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


# --- the thread -----------------------------------------------------------------------------------


class Postman(WorkerThread):
    """Sends what waits. A mail under way is not waited for long: what a stop kills is sent
    again."""

    thread_name = "postman"
    stop_seconds = 5

    def run(self) -> None:
        send_until(self.stopping)


def send_until(stopping: threading.Event) -> None:
    """Sends until told to stop. A server that is away is left alone for a while, and said once in
    the log."""
    is_away = False
    wait = settings.SWEEP_SECONDS
    while not stopping.wait(wait):
        wait = settings.SWEEP_SECONDS
        try:
            with lent_connection():
                send_due(stopping)
        except MailServerAwayError as error:
            wait = AWAY.total_seconds()
            if not is_away:
                log.warning("Mail waits: %s; tried again every %s s", error, wait)
            is_away = True
        except Exception:
            log.exception("Mail could not be looked for; the next look is in %s s", wait)
        else:
            is_away = False
