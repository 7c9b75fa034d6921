import re

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail

from leaderboard.people.accounts.services import ensure_demo_accounts

PASSWORD = "a long enough password 7"
NEWCOMER = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
SIGN_IN = {"login": "new@example.org", "password": PASSWORD}


def test_a_new_account_enters_once_its_address_is_confirmed_by_a_press(client, db):
    client.post("/accounts/signup/", NEWCOMER)
    (message,) = mail.outbox
    assert client.post("/accounts/login/", SIGN_IN).url == "/accounts/confirm-email/"
    assert client.get("/submissions/").status_code == 302
    link = re.search(r"http://testserver(/accounts/confirm-email/\S+/)", str(message.body))
    assert link
    client.get(link[1])  # as programs do that look at mails
    assert not EmailAddress.objects.get().verified
    client.post(link[1])
    client.post("/accounts/login/", SIGN_IN)
    page = client.get("/submissions/")
    assert (page.status_code, "My entries" in page.text) == (200, True)
    assert client.get("/admin/", follow=True).status_code == 403
    client.logout()
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")


def test_demo_passwords_that_nobody_was_shown_are_given_the_next_time(db):
    assert ensure_demo_accounts(later=True) == {}
    assert not any(user.has_usable_password() for user in User.objects.all())
    shown = ensure_demo_accounts()
    names = ("admin", "researcher", "annotator", "reviewer")
    assert list(shown) == [f"{name}@assay.example" for name in names]
    assert all(User.objects.get(email=e).check_password(p) for e, p in shown.items())
    assert ensure_demo_accounts() == {}
