"""Mail that waits to be sent (`outgoing`).

Its row goes as soon as the server has it: a link that sets a password is kept no longer than it is
on its way. A mail that is sent again has the same Message-ID.
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

from judging.coordination.clock import database_now
from leaderboard.models import OutgoingMail
from leaderboard.operations.mail.outgoing import (
    AWAY,
    Sender,
    ServerAwayError,
    claimed,
    ours,
    wait_after,
)

log = logging.getLogger(__name__)

# The links in mails are valid for three days; whoever waited this long has asked again.
KEPT = timedelta(days=1)
# Ten thousand sign-ups that nobody could mail are no sign-ups; a row has about 2 kB.
MOST = 10_000


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
    """Send the mails that are due over one connection; returns how many. Ends early where the
    server does not answer."""
    server = get_connection(settings.MAIL_BACKEND)
    try:
        return sum(deliver(mail, server) for mail in claimed(OutgoingMail.objects.all(), stopping))
    finally:
        with suppress(Exception):  # a farewell to a server that is gone
            server.close()


def deliver(mail: OutgoingMail, server: Any) -> bool:
    """The server has the mail, and we have it no longer; False: it waits for its next try, or had
    its last."""
    try:
        server.open()
    except Exception as error:
        postpone(mail, AWAY)
        forget_old()
        raise away(error) from error
    try:
        server.send_messages([message_of(mail)])
    except Exception as error:
        handle_failure(mail, reason(error))
        with suppress(Exception):
            server.close()  # in the middle of a conversation: the next mail begins a new one
        if is_lost(error):
            raise away(error) from error
        return False
    OutgoingMail.objects.filter(pk=mail.pk).delete()
    return True


def away(error: Exception) -> ServerAwayError:
    return ServerAwayError(f"Mail waits: {reason(error)}")


def message_of(mail: OutgoingMail) -> EmailMessage:
    return EmailMessage(mail.subject, mail.text, mail.sender, mail.recipients, headers=mail.headers)


def handle_failure(mail: OutgoingMail, why: str) -> None:
    """A refused mail waits for its next try; after the last one, or a day, it is given up."""
    mail.tries += 1
    wait = wait_after(mail.tries)
    if wait is None or mail.created < database_now() - KEPT:
        ours(mail).delete()
        log.error("Mail %s was given up after %d tries: %s", mail.pk, mail.tries, why)
    else:
        postpone(mail, wait)
        log.warning("Mail %s waits for another %s: %s", mail.pk, wait, why)


def postpone(mail: OutgoingMail, wait: timedelta) -> None:
    ours(mail).update(next_try=database_now() + wait, tries=mail.tries)


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


class Postman(Sender):
    thread_name = "postman"
    send_due = staticmethod(send_due)
