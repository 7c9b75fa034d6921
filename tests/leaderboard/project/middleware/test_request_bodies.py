"""Bodies are bounded by their announced length before anything of them is kept, on every route."""

from itertools import product
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory

from leaderboard.project.middleware.request_bodies import ORDINARY_BYTES
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


FORMS_OF_THE_SITE = (
    "/",
    "/accounts/login/",
    "/accounts/signup/",
    "/submit/",
    "/tokens/",
    "/admin/",
)
ADDRESSES_OF_THE_API = ("/api/v1/submissions/", "/api/v1/boards/")


@pytest.mark.parametrize("is_signed_in", [False, True])
def test_a_body_beyond_every_limit_or_of_no_length_is_refused_unread(db, owner, is_signed_in):
    client = session_client(owner) if is_signed_in else Client()
    for path in (*FORMS_OF_THE_SITE, *ADDRESSES_OF_THE_API):
        response = send(client, path, LARGE)
        assert (response.status_code, "314,572,800 bytes" in response.text) == (413, True), path
        is_document = response["Content-Type"] == "application/problem+json"
        assert is_document == path.startswith("/api/")
    for path in ("/", "/submit/", "/api/v1/submissions/", "/nowhere/"):
        lengths = ("many", "-1", "1e3", "٣")
        assert {send(client, path, length).status_code for length in lengths} == {400}, path
    for path in ("/submit/", "/api/v1/submissions/"):
        assert send(client, path, "", HTTP_TRANSFER_ENCODING="chunked").status_code == 411
    for path in ("/accounts/login/", "/tokens/", "/admin/login/"):  # a form needs no megabytes
        assert send(client, path, ORDINARY_BYTES + 1).status_code == 413


def test_who_may_not_hand_in_a_file_is_refused_unread(db, owner):
    for path in ("/submit/", "/admin/panel/ratingfile/add/"):
        response = send(Client(), path, UPLOAD)
        assert response.status_code == 302
        assert response["Location"].startswith("/accounts/login/")
    reader = token_client(owner, "read")
    found = [send(one, "/api/v1/submissions/", UPLOAD).status_code for one in (Client(), reader)]
    assert found == [401, 403]


OTHERS = ["utf-16", "latin-1", "idna", "hex", "punycode", "undefined", "utf-8-sig", "nowhere"]
FORMS = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
KINDS = [*FORMS, "application/json", "text/plain"]
PATHS = ["/accounts/login/", "/submit/", "/nowhere/", "/api/v1/submissions/", "/api/v1/webhooks/"]


def test_a_body_in_another_charset_than_utf_8_is_refused(db, owner):
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(owner)
    client.get("/accounts/email/")
    for path, charset, kind in product(PATHS, OTHERS, KINDS):
        response = client.generic("POST", path, b"a=b", f"{kind}; charset={charset}")
        said = (response.status_code, "Send the body as UTF-8" in response.text)
        assert said == (415, True), (path, charset, kind)
        assert (response["Content-Type"] == "application/problem+json") == ("/api/" in path)


def test_a_form_in_utf_8_is_read_whatever_that_is_called(db):
    head = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    parts = [head.format("login", "Müller"), head.format("password", "x")]
    whole = "".join(f"--x\r\n{part}" for part in parts) + "--x--\r\n"
    bodies = dict(zip(FORMS, ("login=M%C3%BCller&password=x", whole), strict=True))
    names = ("utf-8", "UTF-8", "utf8", '"Utf_8"', "u8", "cp65001")
    for (kind, body), charset in product(bodies.items(), names):
        sent = f"{kind}; charset={charset}"
        response = Client().generic("POST", "/accounts/login/", body.encode(), sent)
        assert response.status_code == 200
        assert 'value="Müller"' in response.text, sent


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_query_is_utf_8_whatever_is_said_of_a_body_that_there_is_not(db, settings, is_shared):
    settings.SHARED_PAGES = is_shared
    for charset, kind in product((*OTHERS, "utf8"), KINDS[1:3]):
        more: Any = {"CONTENT_TYPE": f"{kind}; charset={charset}"}
        response = Client().get("/models/?q=M%C3%BCller", **more)
        assert response.status_code == 200
        assert 'value="Müller"' in response.text, more


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


def test_a_file_of_the_largest_size_is_read(client, owner, settings):
    settings.UPLOAD_LIMIT_BYTES = 2 * ORDINARY_BYTES
    client.force_login(owner)
    for path in ("/submit/", "/api/v1/submissions/"):
        file = SimpleUploadedFile("a.csv", b"x" * 2 * ORDINARY_BYTES)
        assert client.post(path, {"file": file}).status_code == 422


CUT = {"CONTENT_LENGTH": "1000", "CONTENT_TYPE": FORM}


class CutOff:
    """A connection that ends within the body."""

    def read(self, *_: object) -> bytes:
        raise OSError("gone")

    readline = read


def test_a_sender_who_goes_away_is_no_fault_of_the_site(db, owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    submitter = token_client(owner, "submit")
    for one, path, status in (
        (client, "/accounts/login/", 403),
        (client, "/submit/", 403),
        (submitter, "/api/v1/submissions/", 400),
    ):
        cut: dict[str, Any] = {**CUT, "wsgi.input": CutOff()}
        assert one.generic("POST", path, b"", FORM, **cut).status_code == status, path
