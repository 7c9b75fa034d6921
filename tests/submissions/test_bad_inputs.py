"""The 96 bad inputs over the API: the status, the code, and nothing stored of what is refused."""

import gzip
import io
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from benchmarks.registry import protocol, protocols
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Answer, EvaluatedModel, Submission
from judging.models import JudgeCall
from tests.api_clients import API, token_client
from tests.protocols.files.writing import GOOD_ROWS, IDS, Case, table
from tests.site import PROJECT
from tests.slow import slow
from tests.submissions.bad_inputs import (
    PAGE,
    TRANSPORT,
    driven,
    expected_code,
    expected_status,
    lines,
    page,
)

SUBMISSIONS = f"{API}/submissions/"
GOOD = table(GOOD_ROWS)


@pytest.fixture(autouse=True)
def plain(settings):
    settings.PROTOCOLS = [*settings.PROTOCOLS, "tests.plain_protocol"]
    protocols.cache_clear()
    yield
    protocols.cache_clear()


def make_release(ids: tuple[str, ...]) -> None:
    dataset = "".join(f"{id_}|word|word\n" for id_ in ids).encode()
    import_release(protocol=protocol("plain"), stream=io.BytesIO(dataset), slug="plain-1")


@pytest.fixture
def submitter(owner) -> Client:
    return token_client(owner, "submit")


def stored() -> tuple[int, int, int, int]:
    files = len(list(Path(storages["uploads"].path("")).glob("*")))
    rows = [model.objects.count() for model in (Submission, Answer, EvaluatedModel)]
    return rows[0], rows[1], rows[2], files


class NamedFile(io.BytesIO):
    """An upload with the name as it is: SimpleUploadedFile would mend it."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


def fields(name: str = "a.csv", content: bytes = GOOD) -> dict[str, object]:
    return {"release": "plain-1", "model": "Plain", "file": NamedFile(name, content)}


def first_of_each(cases: Sequence[Case]) -> list[Case]:
    """A case for every status with every code: the files themselves are read in
    tests/protocols/files."""
    return [*{(expected_status(c), expected_code(c)): c for c in reversed(cases)}.values()]


@pytest.mark.parametrize("is_first", [True, slow(False)], ids=["of each kind", "others"])
def test_a_bad_file_has_the_status_of_the_table(submitter, is_first):
    first = first_of_each(driven())
    for case in (case for case in driven() if (case in first) is is_first):
        with transaction.atomic():
            make_release(case.ids)
            check(submitter, case)
            transaction.set_rollback(True)


def check(submitter: Client, case: Case) -> None:
    before = stored()
    response = submitter.post(SUBMISSIONS, fields(case.upload.name, case.upload.content))
    assert response.status_code == expected_status(case), (str(case), response.content)
    document = response.json()
    if response.status_code != 201:
        codes = [problem["code"] for problem in document.get("problems", [])]
        assert not expected_code(case) or expected_code(case) in codes, str(case)
        assert stored() == before, str(case)
        assert not JudgeCall.objects.exists()
    else:
        assert tuple(note["code"] for note in document["notes"]) == case.notes, str(case)
        answers = Answer.objects.values_list("question__public_id", "text")
        assert dict(answers) == case.answers, str(case)


# --- what no file can be --------------------------------------------------------------------------


def two_files(client: Client):
    return client.post(SUBMISSIONS, fields() | {"file": [NamedFile("a.csv", GOOD)] * 2})


def many_files(client: Client):
    files = {f"file{n}": SimpleUploadedFile("a.csv", GOOD) for n in range(101)}
    return client.post(SUBMISSIONS, fields() | files)


def no_file(client: Client):
    return client.post(SUBMISSIONS, {"release": "plain-1", "model": "Plain"})


def no_boundary(client: Client):
    return client.generic("POST", SUBMISSIONS, b"--x", "multipart/form-data; boundary=")


def no_csrf_token(client: Client):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(User.objects.get())
    return browser.post("/submit/", fields())


def twice(client: Client):
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    client.post(SUBMISSIONS, fields(), headers=headers)
    return client.post(SUBMISSIONS, fields(), headers=headers)


def called_html(client: Client):
    file = SimpleUploadedFile("a.csv", GOOD, content_type="text/html")
    return client.post(SUBMISSIONS, fields() | {"file": file})


def packed(client: Client):
    body = gzip.compress(encode_multipart(BOUNDARY, fields()))
    headers = {"Content-Encoding": "gzip"}
    return client.generic("POST", SUBMISSIONS, body, MULTIPART_CONTENT, headers=headers)


SENDERS: dict[int, Callable[[Client], Any]] = {
    9: two_files,
    10: many_files,
    11: no_file,
    12: no_boundary,
    13: no_csrf_token,
    14: twice,
    25: called_html,
    37: packed,
}


def test_a_bad_request_has_the_status_of_the_table(submitter):
    make_release(IDS)
    first = {line.number: line.status for line in reversed(TRANSPORT)}
    statuses = {number: first[number] for number in SENDERS}
    found = {number: str(sender(submitter).status_code) for number, sender in SENDERS.items()}
    assert found == statuses


# --- the page -------------------------------------------------------------------------------------


def test_the_table_has_every_case_names_its_test_and_stands_in_the_documentation():
    """Of what files hold the last word is theirs; what only a server meets has tests of its own."""
    named = {line.number: line.test for line in lines()}
    assert {*named} == set(range(1, 117))
    assert PAGE.read_text("utf-8") == page(), "run `python -m tests.submissions.bad_inputs`"
    for test in set(named.values()):
        path, _, name = test.partition("::")
        assert f"\ndef {name}(" in (PROJECT / path).read_text("utf-8"), test
