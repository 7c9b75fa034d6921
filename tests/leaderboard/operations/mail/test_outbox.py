"""Mail leaves from workers: no request waits for a mail server, none is sent twice, and no text is
kept."""

import logging
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import BadHeaderError, EmailMessage, EmailMultiAlternatives, mail_admins
from django.core.management import CommandError, call_command
from django.db import connections
from django.db.models import F

from leaderboard.models import OutgoingMail
from leaderboard.operations.mail import outbox, outgoing
from leaderboard.operations.mail.outbox import KEPT, send_due
from leaderboard.operations.mail.outgoing import LEASE, WAITS, ServerAwayError, claim, send_until
from leaderboard.project.mail_address import read_mail_address
from tests.processes import comes_true
from tests.smtp_server import MailServer, running_mail_server

SMTP = "django.core.mail.backends.smtp.EmailBackend"
PASSWORD = "a long enough password 7"


@pytest.fixture
def mail_server(settings) -> Iterator[MailServer]:
    with running_mail_server() as server:
        settings.EMAIL_BACKEND = "leaderboard.operations.mail.outbox.OutboxBackend"
        settings.MAIL_BACKEND, settings.EMAIL_TIMEOUT = SMTP, 60.0
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server


@pytest.fixture
def no_server(settings, mail_server) -> None:
    settings.EMAIL_PORT = 1


def write(*addresses: str, text: str = "Hello.") -> None:
    for address in addresses or ("ada@example.org",):
        EmailMessage("A subject", text, "site@example.org", [address]).send()


def sign_up(client, email: str):
    fields = {"email": email, "password1": PASSWORD, "password2": PASSWORD}
    return client.post("/accounts/signup/", fields)


def make_due() -> None:
    OutgoingMail.objects.update(next_try=F("created"))


# --- requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("hangs", ["", "CONNECT", "refuses"])
def test_a_sign_up_asks_no_mail_server_and_says_that_mail_is_on_its_way(
    client, db, settings, mail_server, hangs
):
    mail_server.hangs = hangs
    settings.EMAIL_PORT = 1 if hangs == "refuses" else mail_server.port
    reply = sign_up(client, "new@example.org")
    assert reply.url == "/accounts/confirm-email/"
    assert "new@example.org" in client.get(reply.url).content.decode()
    assert EmailAddress.objects.filter(email="new@example.org").exists()
    assert mail_server.connections == 0


@pytest.mark.parametrize(
    ("address", "told", "untold"),
    [
        ("console:", "printed in the terminal where the site runs", "spam"),
        ("smtp://mail.example.org:25", "check your spam folder", "terminal"),
    ],
)
def test_whoever_waits_for_a_mail_is_told_where_it_comes(
    client, db, settings, address, told, untold
):
    """The demo has no mail server."""
    settings.MAIL_BACKEND = read_mail_address(address)["EMAIL_BACKEND"]
    pages = ("/accounts/confirm-email/", "/accounts/password/reset/done/")
    for text in (client.get(page).content.decode() for page in pages):
        assert told in text
        assert untold not in text


def test_a_worker_sends_what_was_written_and_keeps_nothing_of_it(client, db, settings, mail_server):
    settings.ADMINS = [("", "ops@example.org")]
    sign_up(client, "new@example.org")
    mail_admins("An endpoint is halted", "Look.")
    waiting = OutgoingMail.objects.order_by("pk")[0]
    assert "/accounts/confirm-email/" in waiting.text
    assert send_due() == 2
    assert not OutgoingMail.objects.exists()
    (message,) = mail_server.to("new@example.org")
    assert message.get_payload().splitlines() == waiting.text.splitlines()
    assert {name: message[name] for name in ("Message-ID", "Date")} == {
        name: waiting.headers[name] for name in ("Message-ID", "Date")
    }  # it says when it was written, and no machine
    assert message["Message-ID"].endswith("@localhost>")
    assert len(mail_server.to("ops@example.org")) == 1


def test_what_could_never_be_sent_is_refused_where_it_is_written(db, mail_server):
    with pytest.raises(BadHeaderError):
        EmailMessage("A subject\nBcc: all@example.org", "", "site@example.org", ["a@x.org"]).send()
    with_more = EmailMultiAlternatives("A subject", "", "site@example.org", ["ada@example.org"])
    with_more.attach_alternative("<p>", "text/html")
    with pytest.raises(ValueError, match="keeps a text"):
        with_more.send()
    assert not OutgoingMail.objects.exists()


def test_a_full_box_drops_mail_and_no_page(client, db, mail_server, monkeypatch, caplog):
    monkeypatch.setattr(outbox, "MOST", 1)
    write("ada@example.org", "bob@example.org")
    assert sign_up(client, "new@example.org").status_code == 302
    assert OutgoingMail.objects.count() == 2
    assert "A mail was dropped" in caplog.text


# --- a server that misbehaves ---------------------------------------------------------------------


def test_mail_waits_while_the_server_is_away_and_loses_no_try(db, settings, no_server, mail_server):
    write("ada@example.org", "bob@example.org")
    for _ in range(len(WAITS) + 1):
        with pytest.raises(ServerAwayError, match="ConnectionRefusedError"):
            send_due()
        make_due()
    settings.EMAIL_PORT = mail_server.port
    assert send_due() == 2


@pytest.mark.slow
@pytest.mark.parametrize("hangs", ["CONNECT", "EHLO", "MAIL", "DATA"])
def test_a_silent_server_costs_one_wait_however_many_mails_there_are(
    db, settings, mail_server, hangs
):
    mail_server.hangs, settings.EMAIL_TIMEOUT = hangs, 0.5
    write(*(f"new{number}@example.org" for number in range(14)))
    with pytest.raises(ServerAwayError):
        send_due()
    assert mail_server.connections <= 1  # none where we had given up before it was taken
    assert OutgoingMail.objects.count() == 14


def test_a_refused_recipient_keeps_nobody_else_waiting(db, mail_server):
    mail_server.refusals = [450]
    write("ada@example.org", "bob@example.org")
    assert send_due() == 1
    assert len(mail_server.to("bob@example.org")) == 1
    row = OutgoingMail.objects.get()
    assert (row.recipients, row.tries) == (["ada@example.org"], 1)
    assert timedelta(0) < row.next_try - row.created < 2 * WAITS[0]


def test_tries_end(db, mail_server, caplog):
    mail_server.refusals = [550] * 100
    write()
    for _ in WAITS:
        assert OutgoingMail.objects.exists()
        assert send_due() == 0
        make_due()
    assert send_due() == 0
    assert not OutgoingMail.objects.exists()
    assert "was given up after 8 tries: recipient refused (550)" in caplog.text
    assert "ada@example.org" not in caplog.text


@pytest.mark.usefixtures("no_server")
def test_no_link_is_kept_longer_than_a_day(db):
    write("ada@example.org", "bob@example.org")
    OutgoingMail.objects.update(created=F("created") - KEPT - timedelta(minutes=1))
    write("new@example.org")
    with pytest.raises(ServerAwayError):
        send_due()
    assert OutgoingMail.objects.get().recipients == ["new@example.org"]


# --- at the terminal ------------------------------------------------------------------------------


def test_one_mail_can_be_tried_at_the_terminal_which_says_why_it_fails(
    db, settings, mail_server, capsys
):
    write()
    call_command("try_mail", "me@example.org")
    assert capsys.readouterr().out == "The mail was taken. 1 wait in the outbox.\n"
    assert len(mail_server.to("me@example.org")) == 1
    settings.EMAIL_PORT = 1
    with pytest.raises(CommandError, match="The mail was not taken: ConnectionRefusedError"):
        call_command("try_mail", "me@example.org")


# --- two workers ----------------------------------------------------------------------------------


def test_a_mail_that_one_worker_has_is_not_another_s(db, mail_server):
    write()
    assert claim(OutgoingMail.objects.all())
    assert send_due() == 0
    OutgoingMail.objects.update(next_try=F("next_try") - LEASE)
    assert send_due() == 1


def test_two_workers_send_each_mail_once(committed, mail_server):
    addresses = [f"new{number}@example.org" for number in range(30)]
    write(*addresses)
    sent: list[int] = []

    def work() -> None:
        sent.append(send_due())
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sent) == 30
    assert sorted(str(message["To"]) for message in mail_server.received) == sorted(addresses)


# --- the thread -----------------------------------------------------------------------------------


class CountingEvent(threading.Event):
    """Knows how often a loop waited for it."""

    waits = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waits += 1
        return super().wait(timeout)


@pytest.mark.slow
def test_the_thread_of_a_worker_sends_on_when_the_server_is_back(
    committed, settings, mail_server, monkeypatch, caplog
):
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(outgoing, "AWAY", timedelta(seconds=0.02))
    settings.SWEEP_SECONDS, settings.EMAIL_PORT = 0.05, 1
    stopping = CountingEvent()
    thread = threading.Thread(target=send_until, args=(stopping, send_due))
    thread.start()
    try:
        write()
        assert comes_true(lambda: "Mail waits: ConnectionRefusedError" in caplog.text)
        waits = stopping.waits
        assert comes_true(lambda: stopping.waits > waits + 3)
        assert caplog.text.count("Mail waits: ") == 1
        settings.EMAIL_PORT = mail_server.port
        assert comes_true(lambda: len(mail_server.received) == 1)
    finally:
        stopping.set()
        thread.join()
