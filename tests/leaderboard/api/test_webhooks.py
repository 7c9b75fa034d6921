"""A script makes its webhook, sees what it was told, and takes it away."""

import pytest

from leaderboard.notice_models import Webhook
from leaderboard.notices.deliveries import MOST_WEBHOOKS, create_webhook, send_test
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


def test_the_secret_is_told_once(publisher):
    answer = make(publisher, events=["finished", "replaced"])
    assert answer.status_code == 201
    hook = Webhook.objects.get()
    assert answer.json()["secret"] == hook.secret
    assert (hook.on_finished, hook.on_paused, hook.on_replaced) == (True, False, True)
    for address in (ALL, f"{ALL}{hook.pk}/"):
        text = publisher.get(address).text
        assert PUBLIC in text
        assert hook.secret not in text
    (listed,) = publisher.get(ALL).json()
    assert listed["events"] == ["finished", "replaced"]


def test_what_it_was_told_is_listed_newest_first(publisher, owner):
    hook = create_webhook(owner=owner, url=PUBLIC)
    send_test(webhook=hook)
    (told,) = publisher.get(f"{ALL}{hook.pk}/").json()["deliveries"]
    assert (told["event"], told["tries"], told["arrived"]) == ("test", 0, False)
    assert told["next_try"]


@pytest.mark.parametrize(
    "sent",
    [
        {"url": "https://127.0.0.1/"},
        {"url": "http://93.184.215.14/"},
        {"url": "https://10.0.0.1/"},
        {"events": []},
        {"events": ["failed"]},
        {"events": "finished"},
        {"secret": "mine"},
    ],
)
def test_what_cannot_be_is_refused_and_named(publisher, sent):
    answer = make(publisher, **sent)
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == set(sent)
    assert not Webhook.objects.exists()


def test_a_person_has_a_handful(publisher, owner):
    for _ in range(MOST_WEBHOOKS):
        create_webhook(owner=owner, url=PUBLIC)
    assert make(publisher).status_code == 422
    assert Webhook.objects.count() == MOST_WEBHOOKS


@pytest.mark.parametrize("scope", ["read", "submit"])
def test_other_tokens_look_and_change_nothing(owner, scope):
    hook = create_webhook(owner=owner, url=PUBLIC)
    client = token_client(owner, scope)
    assert client.get(f"{ALL}{hook.pk}/").status_code == 200
    assert make(client).status_code == 403
    assert client.post(f"{ALL}{hook.pk}/delete/").status_code == 403
    assert Webhook.objects.count() == 1


def test_it_is_deleted_by_its_owner_alone(publisher, owner, stranger):
    hook = create_webhook(owner=owner, url=PUBLIC)
    address = f"{ALL}{hook.pk}/delete/"
    assert token_client(stranger, "publish").post(address).status_code == 404
    assert publisher.post(address).json()["url"] == PUBLIC
    assert not Webhook.objects.exists()
    assert publisher.post(f"{ALL}{'9' * 40}/delete/").status_code == 404


def test_each_event_that_is_none_is_named_with_its_place(publisher):
    errors = make(publisher, events=["finished", "failed"]).json()["errors"]
    assert errors == {"events": ["At place 2: “failed” is none of: finished, paused, replaced."]}
