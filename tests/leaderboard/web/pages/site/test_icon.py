"""No page costs a visitor a 404 for its icon, the admin's included."""

from django.contrib.staticfiles import finders


def test_the_icon_that_browsers_ask_for_by_themselves_is_there(client):
    reply = client.get("/favicon.ico")
    assert reply.status_code == 302
    assert "max-age=86400" in reply["Cache-Control"]
    assert finders.find(reply.url.removeprefix("/static/"))


def test_the_database_is_not_asked_for_it(client, db, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get("/favicon.ico")
