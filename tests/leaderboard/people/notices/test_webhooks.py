"""Programs of people are told, signed, and only where the internet is."""

import hashlib
import hmac
import http.server
import json
import socket
import threading
from datetime import timedelta
from itertools import cycle
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team, remove_member
from leaderboard.models.notices import Notice, Webhook, WebhookDelivery
from leaderboard.operations.mail.outgoing import WAITS
from leaderboard.people.notices import deliveries, messenger
from leaderboard.people.notices.deliveries import MOST_FAILURES, MOST_WEBHOOKS, create_webhook
from leaderboard.people.notices.messenger import send_due
from leaderboard.people.notices.telling import tell_people
from leaderboard.results.chain.links import link_waiting
from leaderboard.results.services import replace_entries
from tests.conftest import judged, submit


class Program(http.server.ThreadingHTTPServer):
    """Somebody's program. status: what it answers with; got: headers and body of each call."""

    status = 204

    def __init__(self):
        self.got = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/told?by=assay"


class Handler(http.server.BaseHTTPRequestHandler):
    server: "Program"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, self.headers, body))
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("Location", self.server.url)
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def program(settings):
    settings.WEBHOOKS_TO_LOOPBACK = True
    server = Program()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def hook(program, owner):
    return create_webhook(owner=owner, url=program.url)


def finish(submission):
    tell_people()
    judged(submission)
    link_waiting()
    tell_people()


def make_due():
    WebhookDelivery.objects.filter(next_try__isnull=False).update(
        next_try=timezone.now() - timedelta(seconds=1)
    )


def test_a_finished_entry_is_told_once_and_signed_to_who_asked_for_it(
    program, hook, submission, stranger, settings
):
    settings.SITE_URL = "https://site.example"
    create_webhook(owner=stranger, url=program.url)
    create_webhook(owner=submission.owner, url=program.url, on_finished=False, on_paused=True)
    finish(submission)
    assert (send_due(), send_due()) == (1, 0)
    ((path, headers, body),) = program.got
    assert path == "/told?by=assay"
    sheet = submission.scoresheets.get()
    row = WebhookDelivery.objects.get()
    assert json.loads(body) == {
        "event": "finished",
        "created": row.created.isoformat(timespec="seconds"),
        "submission": str(submission.pk),
        "model": "Speller",
        "release": "spelling-1",
        "visibility": "public",
        "judge": sheet.judge_spec.slug,
        "message": Notice.objects.get().sentence,
        "url": f"https://site.example/submissions/{submission.pk}/",
        "api_url": f"https://site.example/api/v1/submissions/{submission.pk}/",
        "score": 0.75,
        "coverage": 1.0,
        "replaces": None,
    }
    stamp, digest = (part.split("=", 1)[1] for part in headers["Assay-Signature"].split(","))
    signed = stamp.encode() + b"." + body
    assert digest == hmac.new(hook.secret.encode(), signed, hashlib.sha256).hexdigest()
    assert abs(int(stamp) - timezone.now().timestamp()) < 60
    assert (row.webhook, row.arrived, row.status, row.next_try) == (hook, True, 204, None)


def test_who_left_a_team_is_not_sent_what_waited(program, owner, stranger, spelling):
    team = found_team(name="Lab", by=stranger)
    Membership.objects.create(team=team, user=owner)
    create_webhook(owner=owner, url=program.url)
    finish(submit(spelling, stranger, visibility="private", team=team))
    assert WebhookDelivery.objects.get().next_try is not None
    remove_member(team=team, user_id=owner.pk)
    assert send_due() == 0
    assert program.got == []
    delivery = WebhookDelivery.objects.get()
    assert (delivery.next_try, delivery.outcome) == (None, "not sent: you left the team it is of")


def test_a_new_version_in_the_place_of_an_entry_is_told_to_who_asks_for_it(
    program, owner, submission
):
    create_webhook(owner=owner, url=program.url, on_replaced=True)
    create_webhook(owner=owner, url=program.url, on_finished=False, on_paused=True)
    finish(submission)
    newer = submit(submission.release, owner, b"1=a\n2=b\n3=c\n4=d\n", replaces=submission)
    judged(newer)
    replace_entries()
    link_waiting()
    tell_people()
    assert send_due() == 3
    said = [json.loads(body) for _, _, body in program.got]
    assert [one["event"] for one in said] == ["finished", "finished", "replaced"]
    assert [one.get("replaces") for one in said] == [None, str(submission.pk), None]
    assert (said[2]["submission"], said[2]["replaced_by"]) == (str(submission.pk), str(newer.pk))
    assert "score" not in said[2]


def test_a_program_that_fails_is_asked_later_and_later_and_no_redirect_is_followed(
    program, hook, submission
):
    finish(submission)
    for tries, (wait, status) in enumerate(zip(WAITS, cycle((302, 404, 500))), 1):
        program.status = status
        assert send_due() == 0
        row = WebhookDelivery.objects.get()
        assert (row.arrived, row.status, row.tries, len(program.got)) == (
            False,
            status,
            tries,
            tries,
        )
        left = row.next_try - timezone.now()
        assert wait - timedelta(minutes=1) < left <= wait
        make_due()
    for _ in range(2):
        send_due()
        make_due()
    row.refresh_from_db()
    assert row.next_try is None
    assert len(program.got) == len(WAITS) + 1
    program.status = 200
    deliveries.send_test(webhook=hook)
    assert send_due() == 1
    hook.refresh_from_db()
    assert hook.failures == 0


def test_a_webhook_that_only_fails_is_switched_off_and_its_owner_told(
    program, hook, submission, owner
):
    program.status = 500
    finish(submission)
    Webhook.objects.update(failures=MOST_FAILURES - 1)
    send_due()
    hook.refresh_from_db()
    assert hook.off
    assert WebhookDelivery.objects.get().next_try is None
    assert Notice.objects.filter(owner=owner, kind="needs-you").count() == 1
    make_due()
    assert send_due() == 0
    assert len(program.got) == 1


def test_a_program_that_never_answers_holds_nobody_up(settings, owner, submission, monkeypatch):
    settings.WEBHOOKS_TO_LOOPBACK = True
    monkeypatch.setattr(messenger, "TRY_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        create_webhook(owner=owner, url=f"http://127.0.0.1:{silent.getsockname()[1]}/")
        finish(submission)
        assert send_due() == 0
    assert WebhookDelivery.objects.get().tries == 1


def test_a_name_that_moved_to_this_machine_is_not_asked(program, hook, submission, settings):
    finish(submission)
    settings.WEBHOOKS_TO_LOOPBACK = False
    Webhook.objects.update(url=program.url.replace("http:", "https:"))
    assert send_due() == 0
    assert program.got == []
    assert "public internet" in WebhookDelivery.objects.get().outcome


# --- pages ----------------------------------------------------------------------------------------


def test_a_webhook_is_made_tested_and_deleted_in_the_browser(program, owner, client):
    client.force_login(owner)
    said = {"url": program.url, "on_finished": "on", "on_paused": "on", "on_replaced": "on"}
    made = client.post(reverse("webhooks"), said)
    hook = Webhook.objects.get()
    assert hook.secret in made.text
    page = client.get(reverse("webhooks")).text
    assert hook.secret not in page
    assert "finished, paused and replaced" in page
    change = reverse("webhook-change", args=[hook.pk])
    client.post(change, {"do": "test"})
    assert send_due() == 1
    assert "arrived" in client.get(reverse("webhooks")).text
    client.post(change, {"do": "delete"})
    assert not Webhook.objects.exists()


def test_private_addresses_and_too_many_are_refused_in_words(owner, client):
    client.force_login(owner)
    said = {"url": "https://10.0.0.1/", "on_finished": "on"}
    page = client.post(reverse("webhooks"), said)
    assert page.status_code == 422
    assert "public internet" in page.text
    for _ in range(MOST_WEBHOOKS):
        create_webhook(owner=owner, url="https://8.8.8.8/")
    page = client.post(reverse("webhooks"), said | {"url": "https://8.8.8.8/"})
    assert page.status_code == 422
    assert Webhook.objects.count() == MOST_WEBHOOKS


def test_the_lines_on_the_page_check_a_signature(client, owner):
    client.force_login(owner)
    page = client.get(reverse("webhooks")).text
    lines = page.split("<pre")[-1].split(">", 1)[1].split("</pre>")[0]
    names: dict[str, Any] = {}
    exec(lines.replace("&lt;", "<"), names)
    stamp = int(timezone.now().timestamp())
    header = deliveries.signature("whsec_x", stamp, b"{}")
    assert names["is_ours"](header, b"{}", "whsec_x")
    assert not names["is_ours"](header, b"{ }", "whsec_x")
