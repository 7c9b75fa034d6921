"""Pages and mails call a site by its name, and name somebody to write to."""

import pytest
from django.core import mail
from django.urls import reverse

from leaderboard.project.middleware.failures import failure

PASSWORD = "a long enough password 7"


@pytest.fixture(autouse=True)
def named(settings, db):
    settings.SITE_NAME, settings.CONTACT_EMAIL = "Lab boards", "help@lab.example.org"
    settings.ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Lab boards] "


def sign_up(client):
    fields = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    return client.post(
        "/accounts/signup/", fields, follow=True, SERVER_PORT="41735"
    ).content.decode()


def only_mail():
    (message,) = mail.outbox
    mail.outbox.clear()
    return message


def test_a_mail_comes_from_the_site_and_not_from_its_port(client):
    sign_up(client)
    message = only_mail()
    assert message.subject == "[Lab boards] Confirm your email address"
    assert message.body.startswith("Hello from Lab boards.")
    assert "Questions? Write to help@lab.example.org." in message.body
    assert "41735" not in message.body.replace("http://testserver:41735/", "")


def test_a_mail_for_a_new_password_comes_from_the_site_too(client):
    sign_up(client)
    mail.outbox.clear()
    page = client.post("/accounts/password/reset/", {"email": "new@example.org"}, follow=True)
    assert "help@lab.example.org" in page.content.decode()
    message = only_mail()
    assert message.subject == "[Lab boards] Choose a new password"
    assert "asked for a new password for your account at Lab boards" in message.body
    assert "/accounts/password/reset/key/" in message.body


def test_a_site_without_contact_names_nobody(client, settings):
    settings.CONTACT_EMAIL = ""
    page = sign_up(client)
    assert "write to the operators of this site" in " ".join(page.split())
    assert "mailto:" not in page
    assert "Questions?" not in only_mail().body


@pytest.mark.parametrize("name", ["account_reset_password", "account_reset_password_done", "home"])
def test_a_page_that_sends_people_to_somebody_says_to_whom(client, name):
    page = client.get(reverse(name)).content.decode()
    assert 'href="mailto:help@lab.example.org"' in page
    assert "Lab boards</title>" in page
    assert "ontact us" not in page


@pytest.mark.parametrize("status", [500, 503])
def test_a_page_of_a_failure_has_name_and_contact_without_a_request(rf, status):
    page = failure(rf.get("/"), status).content.decode()
    assert "Lab boards" in page
    assert 'href="mailto:help@lab.example.org"' in page


@pytest.mark.parametrize("value", ["Two\nlines", "x" * 61, "Bell\x07"])
def test_a_name_that_no_title_can_bear_is_refused(refusal, value):
    assert "SITE_NAME: must be a line of text" in refusal(SITE_NAME=value)


@pytest.mark.parametrize("value", ["nobody", "a@b@c", "<a@example.org>", "a b@example.org"])
def test_a_contact_that_is_no_address_is_refused(refusal, value):
    assert "CONTACT_EMAIL: must be one mail address" in refusal(CONTACT_EMAIL=value)


def test_an_empty_name_is_the_default(start):
    found = start(SITE_NAME="", CONTACT_EMAIL="")
    assert (found["SITE_NAME"], found["EMAIL_SUBJECT_PREFIX"]) == ("Assay", "[Assay] ")
