"""Texts of a release as files in the admin, and what a draft lacks."""

import io

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.models import Description, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from tests.judging.room import says

LINES = b"1|two|two|one.png\n2|sea|sea|dark.png\n"
HEADER = "kind,name,version,text\n"


@pytest.fixture
def release(db) -> Release:
    family = protocol("spelling")
    stream = io.BytesIO(LINES)
    return import_release(protocol=family, stream=stream, slug="spelling-1", is_draft=True).release


def signed_in(client, *codenames: str) -> User:
    user = User.objects.create_user("anna", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client.force_login(user)
    return user


@pytest.fixture
def desk(client, admin_user):
    client.force_login(admin_user)
    return client


def page_of(response) -> str:
    return str(response.content, "utf-8")


def place(release: Release, rest: str = "") -> str:
    return f"/admin/benchmarks/release/{release.pk}/texts/{rest}"


def send(client, release: Release, content: str, layout: str = "texts"):
    file = SimpleUploadedFile("texts.csv", content.encode())
    return client.post(place(release), {"file": file, "layout": layout})


def test_texts_go_out_and_come_back_changed_for_review(desk, release):
    out = desk.get(place(release, "csv/"))
    text = b"".join(out.streaming_content).decode()
    assert out["Content-Disposition"] == 'attachment; filename="spelling-1-texts.csv"'
    assert "description,Short 1,0,,,one.png,\r\n" in text
    changed = text.replace("Short 1,0,,,one.png,", "Short 1,0,,,one.png,One boat.")
    preview = send(desk, release, changed)
    page = page_of(preview)
    assert (preview.status_code, "Submit 1 text for review" in page) == (200, True)
    says(page, "1 text: new: there is no text yet", "<ins>One boat.</ins>")
    token = page.split('name="token" value="')[1].split('"')[0]
    done = desk.post(place(release, "submit/"), {"token": token}, follow=True)
    assert "1 text waits for review; descriptions: 1, references: 0." in page_of(done)
    assert Description.objects.get().state == "in review"
    again = desk.post(place(release, "submit/"), {"token": token}, follow=True)
    assert "This preview was used before" in page_of(again)


def test_a_file_that_is_wrong_or_old_is_told_so_and_nothing_can_be_handed_in(desk, release):
    response = send(desk, release, f"{HEADER}reference,1,1,a\u200bb\nreference,9,1,x\n")
    page = page_of(response)
    assert response.status_code == 422
    told = "line 2, text: The text has a character that nobody sees and a judge reads: zero width"
    assert told in page
    assert 'name="token"' not in page
    page = page_of(send(desk, release, f"{HEADER}reference,1,9,mine\n"))
    assert "someone else has written texts of this file since you downloaded it" in page
    assert "is already on this site" not in page
    assert desk.post(place(release), {"layout": "texts"}).status_code == 422
    assert send(desk, release, HEADER, layout="else").status_code == 422
    assert desk.get(place(release, "exe/")).status_code == 404
    Release.objects.update(state="frozen")
    page = page_of(desk.get(place(release)))
    assert "The release is frozen: its texts stay as they are." in page
    assert "Show the differences" not in page


def test_who_may_look_alone_takes_texts_away_and_others_get_none(client, release):
    user = signed_in(client, "view_description", "view_release")
    assert "Upload texts" not in page_of(client.get(place(release)))
    assert send(client, release, HEADER).status_code == 403
    assert client.post(place(release, "submit/"), {"token": "x"}).status_code == 403
    user.user_permissions.set(Permission.objects.filter(codename="view_release"))
    for rest in ("", "csv/", "jsonl/"):
        assert client.get(place(release, rest)).status_code == 403


def test_what_a_draft_lacks_is_told_with_links(desk, release):
    page = page_of(desk.get(f"/admin/benchmarks/release/{release.pk}/lacking/"))
    says(page, "2 descriptions lacking", "Figure of question 1")
    for figure in release.questions.values_list("figure", flat=True):
        Description.objects.create(
            figure_id=figure, version=1, text="A.", state=Description.State.APPROVED
        )
    page = page_of(desk.get(f"/admin/benchmarks/release/{release.pk}/lacking/"))
    assert "It is complete" in page


def upload(client, content: str, **fields):
    data = {"benchmark": "spelling", "slug": "grown", "language": "en", **fields}
    file = SimpleUploadedFile("words.txt", content.encode())
    return client.post("/admin/benchmarks/release/upload/", {"file": file, **data})


def confirmed(client, response):
    token = page_of(response).split('name="token" value="')[1].split('"')[0]
    return client.post(
        "/admin/benchmarks/release/upload/confirm/", {"token": token}, follow=True
    ), token


def test_an_official_file_is_previewed_and_becomes_a_draft(desk, db):
    preview = upload(desk, "1|two|two|one.png\n2|sea|sea\n")
    page = page_of(preview)
    says(page, "2 questions about 1 figure.", "No picture of 1 figure is in the file")
    assert not Release.objects.exists()
    done, token = confirmed(desk, preview)
    assert "Imported as a draft: 2 questions." in page_of(done)
    assert (Release.objects.get().state, Release.objects.get().slug) == ("draft", "grown")
    again = desk.post("/admin/benchmarks/release/upload/confirm/", {"token": token}, follow=True)
    assert "This preview was used before" in page_of(again)


def test_a_faulty_official_file_is_refused_with_its_places(desk, db):
    response = upload(desk, "1|two\n")
    assert response.status_code == 422
    assert "line 1: A line is id|word|spelling" in page_of(response)
    assert 'name="token"' not in page_of(response)


def test_a_name_that_others_have_is_told_and_the_file_can_be_sent_again(desk, release):
    done, _ = confirmed(desk, upload(desk, "9|two|two\n", slug="spelling-1"))
    assert "Nothing was imported. There is a release" in page_of(done)
    assert Release.objects.count() == 1


def test_known_questions_lead_to_the_release_that_has_them(desk, release):
    done, _ = confirmed(desk, upload(desk, LINES.decode(), slug=""))
    assert "The questions are those of" in page_of(done)
    assert "Its texts are known too." in page_of(done)


def test_who_may_not_add_releases_uploads_none(client, release):
    signed_in(client, "view_release", "change_release", "add_description")
    assert upload(client, "1|two|two\n").status_code == 403
    assert client.post("/admin/benchmarks/release/upload/confirm/").status_code == 403


def test_the_page_of_a_draft_leads_to_both(desk, release):
    page = page_of(desk.get(f"/admin/benchmarks/release/{release.pk}/change/"))
    says(page, f"/admin/benchmarks/release/{release.pk}/lacking/", place(release))
    assert place(release) in page_of(desk.get("/admin/benchmarks/release/texts/"))
