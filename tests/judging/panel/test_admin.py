"""Ratings in the admin: who may hand in and withdraw, and what they read when a file is wrong."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from benchmarks.protocols.base import Upload
from judging.panel.models import Rating, RatingFile
from tests.judging.panel.files import imported, ratings
from tests.judging.room import says
from tests.slow import slow_except_every

FILES = "/admin/panel/ratingfile/"
RIGHTS = {
    "keeper": ["view_ratingfile", "add_ratingfile", "change_ratingfile", "view_rating"],
    "importer": ["add_ratingfile"],
    "reader": ["view_ratingfile", "view_rating"],
    "staff": [],
    "visitor": None,
}


def visit(name: str = "keeper") -> Client:
    """A browser in which this person is signed in; nobody is signed in where there is no name."""
    client = Client()
    if name:
        rights = RIGHTS[name]
        user, _ = User.objects.get_or_create(username=name, is_staff=rights is not None)
        user.user_permissions.set(Permission.objects.filter(codename__in=rights or []))
        client.force_login(user)
    return client


@pytest.fixture
def file(submission) -> RatingFile:
    return imported(ratings(submission, "1,ann,neatness,4", "4,ann,neatness,2")).file


def send(client: Client, file: Upload, **more):
    return client.post(
        f"{FILES}add/", {"file": SimpleUploadedFile(file.name, file.content)}, **more
    )


def page_of(response) -> str:
    return str(response.content, "utf-8")


NOBODY = {"keeper": 403, "importer": 403, "reader": 403, "staff": 403, "visitor": 302, "": 302}
READERS = {**NOBODY, "keeper": 200, "reader": 200}
PAGES = {
    "list": (READERS, "get", FILES),
    "file": (READERS, "get", FILES + "{pk}/change/"),
    "ratings": (READERS, "get", "/admin/panel/rating/"),
    "form": ({**NOBODY, "keeper": 200, "importer": 200}, "get", FILES + "add/"),
    "import": ({**NOBODY, "keeper": 422, "importer": 422}, "post", FILES + "add/"),
    "ask why": ({**NOBODY, "keeper": 200}, "get", FILES + "{pk}/withdraw/"),
    "withdraw": ({**NOBODY, "keeper": 302}, "post", FILES + "{pk}/withdraw/"),
    "delete": (
        dict.fromkeys(NOBODY, 403) | {"visitor": 302, "": 302},
        "post",
        FILES + "{pk}/delete/",
    ),
    "add a rating": (
        dict.fromkeys(NOBODY, 403) | {"visitor": 302, "": 302},
        "get",
        "/admin/panel/rating/add/",
    ),
}


@pytest.mark.parametrize("page", slow_except_every(3, PAGES))
def test_each_page_is_for_those_who_may(file, page):
    expected, method, url = PAGES[page]
    found = {}
    for name in expected:
        with transaction.atomic():
            values = {"reason": "wrong"} if method == "post" else {}
            response = getattr(visit(name), method)(url.format(pk=file.pk), values)
            found[name] = response.status_code
            file.refresh_from_db()
            assert (file.withdrawn is not None) == ((page, name) == ("withdraw", "keeper"))
            transaction.set_rollback(True)
    assert found == expected


def test_a_form_from_elsewhere_is_refused(submission):
    client = visit()
    client.handler.enforce_csrf_checks = True
    assert send(client, ratings(submission, "1,ann,neatness,4")).status_code == 403
    assert not RatingFile.objects.exists()


def test_an_imported_file_is_told_listed_and_logged_once(submission):
    client, file = visit(), ratings(submission, "1,ann,neatness,4", "4,ann,neatness,2")
    page = page_of(send(client, file, follow=True))
    says(
        page,
        "2 ratings are imported",
        '<td class="field-rating_count">2</td><td class="field-entries">1</td>',
    )
    stored = RatingFile.objects.get()
    assert stored.uploaded_by.username == "keeper"
    assert "already been imported. Nothing changed." in page_of(send(client, file, follow=True))
    assert LogEntry.objects.get().change_message == "Imported 2 ratings."
    page = page_of(client.get(f"{FILES}{stored.pk}/change/"))
    assert f"Speller ({submission.pk}), neatness: 2" in page
    assert 'name="_save"' not in page
    # whoever may only import is led to the front page
    response = send(visit("importer"), ratings(submission, "1,bob,neatness,4"))
    assert (response.status_code, response["Location"]) == (302, "/admin/")


def test_a_refused_file_shows_every_problem_as_text(submission, settings):
    client = visit()
    lines = "1,ann,neatness,<script>", "9,ann,neatness,4"
    response = send(client, ratings(submission, *lines))
    page = page_of(response)
    assert response.status_code == 422
    says(
        page,
        "The file was not accepted: 2 problems found",
        "a whole number from 1 to 5",
        "&lt;script&gt;",
    )
    assert "<script>" not in page
    response = client.post(f"{FILES}add/", {})
    assert (response.status_code, "This field is required." in page_of(response)) == (422, True)
    settings.UPLOAD_LIMIT_BYTES = 10
    response = send(client, ratings(submission, "1,ann,neatness,4"))
    assert response.status_code == 422
    assert "at most 0 MiB are accepted" in page_of(response)
    assert not Rating.objects.exists()


def test_a_file_is_withdrawn_once_and_with_a_fit_reason(file):
    client, where = visit(), f"{FILES}{file.pk}/withdraw/"
    assert where in page_of(client.get(f"{FILES}{file.pk}/change/"))
    for reason in ("", "  ", "x" * 301, "a\0b"):
        assert client.post(where, {"reason": reason}).status_code == 422
    assert RatingFile.objects.not_withdrawn().get() == file
    page = page_of(client.post(where, {"reason": "upside down"}, follow=True))
    assert "The file ratings.csv is withdrawn" in page
    file.refresh_from_db()
    assert file.reason == "upside down"
    assert LogEntry.objects.get().change_message == "Withdrawn: upside down"
    assert "/withdraw/" not in page_of(client.get(f"{FILES}{file.pk}/change/"))
    again = client.post(where, {"reason": "twice"}, follow=True)
    assert "was withdrawn before. Nothing changed." in page_of(again)
    for key in ("nothing", "00000000-0000-0000-0000-000000000000"):
        assert client.get(f"{FILES}{key}/withdraw/").status_code == 404


def test_the_pages_keep_the_strict_policy(file):
    client = visit()
    for where in (
        FILES,
        f"{FILES}add/",
        f"{FILES}{file.pk}/change/",
        f"{FILES}{file.pk}/withdraw/",
    ):
        response = client.get(where)
        assert "unsafe" not in response["Content-Security-Policy"]
        assert " style=" not in page_of(response)


def test_ratings_are_looked_at_in_few_queries(submission, django_assert_max_num_queries):
    imported(ratings(submission, *(f"1,rater {number},neatness,4" for number in range(30))))
    client = visit()
    with django_assert_max_num_queries(10):
        assert "rater 29" in page_of(client.get("/admin/panel/rating/"))
