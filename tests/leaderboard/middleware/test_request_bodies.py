"""Bodies are bounded by their announced length before anything of them is kept, on every route."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory

from leaderboard.middleware.request_bodies import ORDINARY_BYTES
from leaderboard.wsgi import application
from tests.api_clients import session_client, token_client

LARGE = 300 * 1024 * 1024
UPLOAD = 15 * 1024 * 1024
FORM = "multipart/form-data; boundary=b"


class Untouched:
    """A body that must not be read."""

    def read(self, *_: object) -> bytes:
        raise AssertionError("the body was read")

    readline = read


def send(client: Client, path: str, length: object, **more: str):
    announced = {"CONTENT_LENGTH": str(length), "wsgi.input": Untouched()}
    return client.generic("POST", path, b"", FORM, **announced, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/accounts/login/",
        "/accounts/signup/",
        "/submit/",
        "/tokens/",
        "/admin/",
        "/api/v1/submissions/",
        "/api/v1/boards/",
    ],
)
@pytest.mark.parametrize("is_signed_in", [False, True])
def test_a_body_beyond_every_limit_is_refused_unread(db, owner, path, is_signed_in):
    client = session_client(owner) if is_signed_in else Client()
    response = send(client, path, LARGE)
    assert response.status_code == 413
    assert "314,572,800 bytes" in response.content.decode()
    is_document = response["Content-Type"] == "application/problem+json"
    assert is_document == path.startswith("/api/")


@pytest.mark.parametrize("path", ["/accounts/login/", "/tokens/", "/admin/login/"])
def test_a_form_needs_no_megabytes(db, owner, path):
    assert send(session_client(owner), path, ORDINARY_BYTES + 1).status_code == 413


@pytest.mark.parametrize("path", ["/submit/", "/admin/panel/ratingfile/add/"])
def test_a_visitor_hands_in_no_file(db, path):
    response = send(Client(), path, UPLOAD)
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")


def test_a_program_without_a_token_hands_in_no_file(db):
    assert send(Client(), "/api/v1/submissions/", UPLOAD).status_code == 401


def test_a_token_that_only_reads_hands_in_no_file(owner):
    assert send(token_client(owner, "read"), "/api/v1/submissions/", UPLOAD).status_code == 403


@pytest.mark.parametrize("length", ["many", "-1", "1e3", "٣"])
@pytest.mark.parametrize("path", ["/", "/submit/", "/api/v1/submissions/", "/nowhere/"])
def test_a_length_that_is_no_number_is_refused(db, path, length):
    assert send(Client(), path, length).status_code == 400


OTHERS = ["utf-16", "latin-1", "idna", "hex", "punycode", "undefined", "utf-8-sig", "nowhere"]
FORMS = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
KINDS = [*FORMS, "application/json", "text/plain"]
PATHS = ["/accounts/login/", "/submit/", "/nowhere/", "/api/v1/submissions/", "/api/v1/webhooks/"]


@pytest.mark.parametrize("charset", OTHERS)
@pytest.mark.parametrize("path", PATHS)
def test_a_body_in_another_charset_than_utf_8_is_refused(db, owner, path, charset):
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(owner)
    client.get("/accounts/email/")
    for kind in KINDS:
        response = client.generic("POST", path, b"a=b", f"{kind}; charset={charset}")
        assert response.status_code == 415
        assert "Send the body as UTF-8" in response.content.decode()
        assert (response["Content-Type"] == "application/problem+json") == ("/api/" in path)


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", "utf8", '"Utf_8"', "u8", "cp65001"])
@pytest.mark.parametrize("kind", FORMS)
def test_a_form_in_utf_8_is_read_whatever_that_is_called(db, owner, kind, charset):
    body = "login=M%C3%BCller&password=x"
    if "boundary" in kind:
        head = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
        parts = [head.format("login", "Müller"), head.format("password", "x")]
        body = "".join(f"--x\r\n{part}" for part in parts) + "--x--\r\n"
    kind = f"{kind}; charset={charset}"
    response = Client().generic("POST", "/accounts/login/", body.encode(), kind)
    assert response.status_code == 200
    assert 'value="Müller"' in response.content.decode()


@pytest.mark.parametrize("charset", [*OTHERS, "utf8"])
def test_a_query_is_utf_8_whatever_is_said_of_a_body_that_there_is_not(db, settings, charset):
    for settings.SHARED_PAGES in (False, True):
        for kind in KINDS:
            more: Any = {"CONTENT_TYPE": f"{kind}; charset={charset}"}
            response = Client().get("/models/?q=M%C3%BCller", **more)
            assert response.status_code == 200
            assert 'value="Müller"' in response.content.decode()


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain; a*=nowhere''x",
        "text/plain; charset*=idna''%ff",
        "multipart/form-data; boundary*0=x; boundary*1*=nowhere''y",
    ],
)
def test_a_type_that_cannot_be_read_is_refused_and_does_not_matter_without_a_body(db, kind):
    made = RequestFactory().generic("POST", "/accounts/login/", b"a=b", kind).environ
    answered: list[str] = []
    application(made, lambda status, headers: answered.append(status))  # as a server asks
    assert answered == ["415 Unsupported Media Type"]
    assert Client().get("/accounts/login/", CONTENT_TYPE=kind).status_code == 200


@pytest.mark.parametrize("path", ["/submit/", "/api/v1/submissions/"])
def test_a_body_in_chunks_is_asked_for_its_length(db, path):
    assert send(Client(), path, "", HTTP_TRANSFER_ENCODING="chunked").status_code == 411


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/submit/", "/api/v1/submissions/"])
def test_a_file_of_the_largest_size_is_read(client, owner, path, settings):
    settings.UPLOAD_LIMIT_BYTES = 2 * ORDINARY_BYTES
    client.force_login(owner)
    file = SimpleUploadedFile("a.csv", b"x" * 2 * ORDINARY_BYTES)
    assert client.post(path, {"file": file}).status_code == 422


CUT = {"CONTENT_LENGTH": "1000", "CONTENT_TYPE": FORM}


class CutOff:
    """A connection that ends within the body."""

    def read(self, *_: object) -> bytes:
        raise OSError("gone")

    readline = read


@pytest.mark.parametrize(("path", "status"), [("/accounts/login/", 403), ("/submit/", 403)])
def test_a_form_whose_sender_goes_away_is_no_fault_of_the_site(db, owner, path, status):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    cut: dict[str, Any] = {**CUT, "wsgi.input": CutOff()}
    assert client.generic("POST", path, b"", FORM, **cut).status_code == status


def test_a_program_that_goes_away_within_its_file_is_no_fault_of_the_site(owner):
    cut: dict[str, Any] = {**CUT, "wsgi.input": CutOff()}
    client = token_client(owner, "submit")
    assert client.generic("POST", "/api/v1/submissions/", b"", FORM, **cut).status_code == 400
