"""A script makes its webhook, sees what it was told, and takes it away."""

from typing import Any

import pytest

from leaderboard.models.notices import Webhook
from leaderboard.people.notices.deliveries import MOST_WEBHOOKS, create_webhook, send_test
from tests.api_clients import token_client

PUBLIC = "https://93.184.215.14/told"
"""By number: a test looks no name up."""
ALL = "/api/v1/webhooks/"


@pytest.fixture
def publisher(owner):
    return token_client(owner, "publish")


def make(client, **more):
    body = {"url": PUBLIC, **more}
    return client.post(ALL, body, content_type="application/json")


def test_the_secret_is_told_once_and_what_was_told_is_listed(publisher):
    answer = make(publisher, events=["finished", "replaced"])
    assert answer.status_code == 201
    hook = Webhook.objects.get()
    assert answer.json()["secret"] == hook.secret
    assert (hook.on_finished, hook.on_paused, hook.on_replaced) == (True, False, True)
    send_test(webhook=hook)
    listed, one = (publisher.get(address) for address in (ALL, f"{ALL}{hook.pk}/"))
    assert hook.secret not in listed.text + one.text
    (found,) = listed.json()
    assert (found["url"], found["events"]) == (PUBLIC, ["finished", "replaced"])
    assert one.json()["url"] == PUBLIC
    (told,) = one.json()["deliveries"]
    assert (told["event"], told["tries"], told["arrived"]) == ("test", 0, False)
    assert told["next_try"]


def test_what_cannot_be_is_refused_and_named(publisher, owner):
    wrong: tuple[dict[str, Any], ...] = (
        {"url": "https://127.0.0.1/"},
        {"url": "http://93.184.215.14/"},
        {"url": "https://10.0.0.1/"},
        {"events": []},
        {"events": "finished"},
        {"secret": "mine"},
    )
    for sent in wrong:
        answer = make(publisher, **sent)
        assert (answer.status_code, {*answer.json()["errors"]}) == (422, {*sent})
    errors = make(publisher, events=["finished", "failed"]).json()["errors"]
    assert errors == {"events": ["At place 2: “failed” is none of: finished, paused, replaced."]}
    assert not Webhook.objects.exists()
    assert make(publisher).json()["events"] == ["finished"]
    for _ in range(MOST_WEBHOOKS - 1):
        create_webhook(owner=owner, url=PUBLIC)
    assert make(publisher).status_code == 422
    assert Webhook.objects.count() == MOST_WEBHOOKS


def test_it_is_deleted(publisher, owner):
    hook = create_webhook(owner=owner, url=PUBLIC)
    assert publisher.post(f"{ALL}{hook.pk}/delete/").json()["url"] == PUBLIC
    assert not Webhook.objects.exists()
    assert publisher.post(f"{ALL}{'9' * 40}/delete/").status_code == 404
