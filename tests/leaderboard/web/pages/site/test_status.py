"""The status page: what visitors and machines read of the work, and what they must not."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions.services import set_visibility
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun
from leaderboard.models import WorkerBeat
from leaderboard.operations.redaction import publishable
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results.formatting import print_age
from leaderboard.web.pages.site.status import queue_of, status_page
from tests.conftest import submit
from tests.leaderboard.operations.waiting import beat, waiting_run
from tests.leaderboard.web.pages.shown_text import cells, page_at

MAIN = {
    "url": "https://judge.example.org/v1",
    "key": "key-of-the-judge",
    "limits": {},
    "prices": {},
}


@pytest.fixture
def endpoint(settings, db) -> Endpoint:
    settings.JUDGE_ENDPOINTS = {"main": MAIN}
    return Endpoint.objects.create(alias="main")


def test_an_idle_site_says_so(client, db):
    reply = client.get(reverse("status"))
    assert reply.status_code == 200
    assert "Nothing is waiting to be judged." in reply.content.decode()


def test_only_staff_read_how_a_worker_is_started(client, admin_client, db):
    assert "No worker was seen" in client.get(reverse("status")).content.decode()
    assert "make worker" not in client.get(reverse("status")).content.decode()
    assert "make worker" in admin_client.get(reverse("status")).content.decode()


def test_what_waits_in_a_paused_run_is_paused():
    def rows(state: str, count: int, *, later: int = 0, is_paused: bool = False) -> dict[str, Any]:
        paused = timezone.now() if is_paused else None
        return {"state": state, "rows": count, "later": later, "paused": paused}

    waiting, leased = Judgement.State.WAITING, Judgement.State.LEASED
    found = [rows(waiting, 50, later=20), rows(leased, 4), rows(Judgement.State.PAUSED, 300)]
    assert queue_of([*found, rows(waiting, 1_000, later=10, is_paused=True)]) == {
        "ready": 30,
        "being judged": 4,
        "waiting for the next attempt": 20,
        "paused": 1_300,
    }


def test_a_submission_to_plan_is_counted(submission):
    page = status_page()
    assert (page["state"], page["unplanned"]) == ("working", 1)


def test_the_queue_is_told_by_what_it_waits_for(submission):
    run = waiting_run(submission)
    first, second, *_ = run.judgements.filter(state="waiting")
    later = timezone.now() + timedelta(minutes=5)
    Judgement.objects.filter(pk=first.pk).update(state="leased", lease_until=later)
    Judgement.objects.filter(pk=second.pk).update(not_before=later)
    ready = run.judgements.filter(state="waiting").count() - 1
    assert status_page()["queue"] == [
        ("ready", ready),
        ("being judged", 1),
        ("waiting for the next attempt", 1),
        ("paused", 0),
    ]


def test_a_paused_run_says_why_and_never_whose_it_is(client, submission):
    set_visibility(submission=submission, visibility="private")
    run = waiting_run(submission)
    halted = {"pause_kind": "endpoint", "pause_reason": "the endpoint wants another key"}
    JudgeRun.objects.filter(pk=run.pk).update(paused=timezone.now(), **halted)
    said = client.get(reverse("status")).content.decode()
    assert "paused: endpoint" in said
    assert "the endpoint wants another key" in said
    assert "Speller" not in said
    assert status_page()["state"] == "on hold"


@pytest.mark.parametrize("kind", ["budget", "person"])
def test_what_was_said_of_one_submission_is_not_published(client, submission, kind):
    run = waiting_run(submission)
    JudgeRun.objects.filter(pk=run.pk).update(
        paused=timezone.now(), pause_kind=kind, pause_reason="rosa spent 12.50"
    )
    assert "12.50" not in client.get(reverse("status")).content.decode()


def test_runs_of_one_state_are_one_line(spelling, owner, client):
    for name in ("One", "Two"):
        waiting_run(submit(spelling, owner, name=name))
    left = str(Judgement.objects.unfinished().count())
    (table,) = page_at(client, "/status/").xpath("//table[caption[starts-with(., 'Unfinished')]]")
    assert cells(table) == [["Spelling", "running", "nothing is blocking it", "2", left]]


def test_work_that_nobody_does_is_told(client, submission):
    waiting_run(submission)
    assert "no worker has been seen for 60 s" in client.get(reverse("status")).content.decode()
    assert status_page()["state"] == "stuck"


def test_the_last_hour_is_counted_by_outcome(submission):
    sweep_here(grace=timedelta(0))
    judged = Judgement.objects.filter(state="judged").count()
    old, new = Judgement.objects.all()[:2]
    Judgement.objects.filter(pk=old.pk).update(settled=timezone.now() - timedelta(hours=2))
    JudgeCall.objects.create(judgement=new, started=timezone.now(), outcome="unknown")
    page = status_page()
    assert dict(page["settled"])["judged"] == judged - 1
    assert page["calls"] == [("unknown", 1)]


def test_workers_are_numbered_and_their_hosts_are_not_told(client, db):
    beat("secret-host/1")
    beat("secret-host/2", ago=timedelta(minutes=5))
    beat("secret-host/3", ago=timedelta(hours=5))
    said = client.get(reverse("status")).content.decode()
    assert "secret-host" not in said + client.get(reverse("status-json")).content.decode()
    assert [(w["number"], w["state"]) for w in status_page()["workers"]] == [
        (1, "alive"),
        (2, "silent"),
    ]


def test_an_endpoint_that_nobody_used_is_open(settings, db):
    settings.JUDGE_ENDPOINTS = {"main": MAIN}
    assert [(line["alias"], line["state"]) for line in status_page()["endpoints"]] == [
        ("main", "open")
    ]


def test_a_held_endpoint_says_until_when(endpoint):
    until = timezone.now() + timedelta(minutes=1)
    Endpoint.objects.update(held_until=until, hold_reason="429, Retry-After 60")
    (line,) = status_page()["endpoints"]
    assert (line["state"], line["until"], line["reason"]) == ("held", until, "429, Retry-After 60")
    Endpoint.objects.update(held_until=timezone.now())
    assert status_page()["endpoints"][0]["state"] == "open"


def test_a_halted_endpoint_says_why_without_address_or_key(client, endpoint):
    reason = f"401 from {MAIN['url']}: key {MAIN['key']} is unknown at judge.example.org"
    Endpoint.objects.update(halted=timezone.now(), halt_reason=reason)
    for name in ("status", "status-json"):
        said = client.get(reverse(name)).content.decode()
        assert "halted" in said
        assert "401 from" in said
        assert "judge.example.org" not in said
        assert MAIN["key"] not in said


def test_an_address_that_no_setting_names_is_left_out_too(settings):
    settings.JUDGE_ENDPOINTS = {}
    assert (
        publishable("sent to http://10.0.0.7:8000/v1 with sk-abc123, refused")
        == "sent to … with … refused"
    )


def test_page_and_json_have_the_same_figures(client, submission):
    waiting_run(submission)
    beat("box/1")
    told = client.get(reverse("status-json")).json()
    page = status_page()
    assert told["queue"] == [list(line) for line in page["queue"]]
    assert told["runs"][0]["judgements"] == page["runs"][0]["judgements"]
    assert told["workers"][0]["state"] == page["workers"][0]["state"]
    assert told["unplanned"] == page["unplanned"]


def test_queries_do_not_grow_with_what_there_is(
    client, spelling, owner, endpoint, django_assert_max_num_queries
):
    for name in ("One", "Two", "Three"):
        waiting_run(submit(spelling, owner, name=name))
    WorkerBeat.objects.bulk_create(
        WorkerBeat(name=f"box/{n}", seen=timezone.now()) for n in range(5)
    )
    sorting = 4 if connection.vendor == "postgresql" else 0  # how it sorts texts, in a savepoint
    with django_assert_max_num_queries(14 + sorting):
        client.get(reverse("status"))


def test_the_footer_leads_to_the_status_page(client, db):
    assert f'href="{reverse("status")}"' in client.get(reverse("home")).content.decode()


def test_ages_are_never_more_than_they_are():
    printed = {
        0: "0 s",
        119: "119 s",
        120: "2 min",
        7199: "119 min",
        7200: "2 h",
        172_800: "2 d",
    }
    assert {seconds: print_age(seconds) for seconds in printed} == printed
