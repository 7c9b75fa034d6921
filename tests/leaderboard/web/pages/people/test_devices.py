"""Where somebody is signed in, and how they sign out elsewhere."""

from allauth.usersessions.models import UserSession
from django.test import Client

from tests.api_clients import session_client

SIGN_IN = {"login": "rosa@example.org", "password": "a long enough password"}


def signed_in(browser: str) -> Client:
    client = Client(HTTP_USER_AGENT=browser)
    assert client.post("/accounts/login/", SIGN_IN).status_code == 302
    return client


def test_each_browser_is_listed_and_the_others_are_signed_out(owner):
    phone, desk = signed_in("Phone <b>1</b>"), signed_in("Desk")
    page = desk.get("/accounts/sessions/").content.decode()
    assert "Phone &lt;b&gt;1" in page
    assert page.count("this one") == 1
    assert "2 signed in" in desk.get("/accounts/").content.decode()
    assert desk.post("/accounts/sessions/").status_code == 302
    assert phone.get("/accounts/").status_code == 302
    assert desk.get("/accounts/").status_code == 200
    assert UserSession.objects.count() == 1


def test_one_browser_is_signed_out_and_the_others_stay(owner):
    phone, tablet, desk = signed_in("Phone"), signed_in("Tablet"), signed_in("Desk")
    row = UserSession.objects.get(user_agent="Phone")
    page = desk.get("/accounts/sessions/").content.decode()
    assert f'action="/accounts/sessions/{row.pk}/end/"' in page
    reply = desk.post(f"/accounts/sessions/{row.pk}/end/", follow=True)
    assert "Signed out there." in reply.content.decode()
    assert phone.get("/accounts/").status_code == 302
    assert [client.get("/accounts/").status_code for client in (tablet, desk)] == [200, 200]


def test_the_browser_itself_can_be_the_one(owner):
    desk = signed_in("Desk")
    assert desk.post(f"/accounts/sessions/{UserSession.objects.get().pk}/end/").status_code == 302
    assert desk.get("/accounts/").status_code == 302


def test_nobody_signs_out_somebody_else(owner, stranger):
    desk = signed_in("Desk")
    address = f"/accounts/sessions/{UserSession.objects.get().pk}/end/"
    assert session_client(stranger).post(address).status_code == 404
    assert desk.get("/accounts/").status_code == 200
