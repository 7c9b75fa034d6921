"""What a name may be, and that form, API and terminal all ask."""

import unicodedata
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from benchmarks.submissions.models import AccessToken, EvaluatedModel, Submission
from benchmarks.submissions.naming.names import NameRefusedError, clean_name, name_fault
from tests.api_clients import session_client, token_client
from tests.conftest import ANSWERS, submit
from tests.each_case import each_case
from tests.slow import slow_except_every

REFUSED = {
    "newline": "M\nC",
    "lone carriage return": "M\rC",
    "tab": "M\tC",
    "NUL": "M\0C",
    "escape": "M\x1b[31mC",
    "bell": "M\x07",
    "C1 control": "M\x85C",
    "right-to-left override": "M\u202eC",
    "isolate": "M\u2067C\u2069",
    "left-to-right mark": "M\u200e",
    "zero-width space": "\u200b",
    "zero-width joiner": "M\u200dC",
    "word joiner": "M\u2060C",
    "byte-order mark": "\ufeffM",
    "soft hyphen": "M\u00adC",
    "tag": "M\U000e0041",
    "variation selector": "M\ufe0f",
    "further variation selector": "M\U000e0100",
    "grapheme joiner": "M\u034fC",
    "Hangul filler": "\u3164",
    "half-width filler": "M\uffa0",
    "empty Braille": "\u2800",
    "line separator": "M\u2028C",
    "lone surrogate": "M\ud800",
    "private use": "M\ue000",
    "unassigned": "M\U000e0fff",
    "only marks": "\u0301\u0301",
    "mark first": "\u0301M",
    "tower of marks": "M" + "\u0301\u0316" * 20,
    "no letter": "...",
    "formula": "=1+1",
    "plus": "+1",
    "minus": "-1",
    "true minus": "\u22121",
    "at": "@SUM(A1)",
    "full-width formula": "＝1+1",
    "full-width plus": "＋1",
    "full-width minus": "－1",
    "full-width at": "＠SUM",
    "small formula": "﹦1",
    "raised formula": "⁼1",
    "formula behind a blank": " =1",
    "too long": "M" * 101,
    "very long": "\ufdfa" * 19_990,
    "too long composed": "\u0958" * 60,
}
TAKEN = {
    "Lucid 9B": "Lucid 9B",
    "  Lucid \u00a0 9B ": "Lucid 9B",
    "Cafe\u0301 7B": "Café 7B",
    "模型-7B（试用）": "模型-7B（试用）",
    "Модель №5": "Модель №5",
    "نموذج ٧": "نموذج ٧",
    "मॉडल": "मॉडल",
    "Tiếng Việt": "Tiếng Việt",
    "שָׁלוֹם": unicodedata.normalize("NFC", "שָׁלוֹם"),
    "c = a + b": "c = a + b",
    "🦙 Llama": "🦙 Llama",
    "<b>M</b> & 'co'": "<b>M</b> & 'co'",
    "": "",
}
refused = pytest.mark.parametrize("name", REFUSED.values(), ids=REFUSED)
SENT = {title: name for title, name in REFUSED.items() if title != "lone surrogate"}  # no UTF-8
# Every way in asks `clean_name`, of which all are tested: few of them need to take each way.
sent = pytest.mark.parametrize("name", slow_except_every(8, SENT.values()), ids=SENT)
typed = pytest.mark.parametrize("name", slow_except_every(8, REFUSED.values()), ids=REFUSED)


@refused
def test_a_name_that_is_not_what_it_looks_like_is_refused_with_a_sentence(name):
    with pytest.raises(NameRefusedError, match=r"^A (name|letter) .+\.$") as refusal:
        clean_name(name)
    assert str(refusal.value).isprintable()


@each_case("name, kept", TAKEN.items())
def test_a_name_in_any_script_is_kept_composed(name, kept):
    assert clean_name(name) == kept
    assert clean_name(kept) == kept
    assert name_fault(kept) == ""


def test_one_name_in_two_compositions_is_one_model(spelling, owner):
    submit(spelling, owner, name="Cafe\u0301")
    submit(spelling, owner, name="Café")
    assert EvaluatedModel.objects.get().name == "Café"


# --- the three ways in ----------------------------------------------------------------------------


def fields(release, **names: str):
    return {
        "release": release.slug,
        "file": SimpleUploadedFile("answers.txt", ANSWERS),
        **names,
    }


@sent
@pytest.mark.parametrize("field", ["model_name", "organisation"])
def test_the_form_refuses_it_beside_its_field(spelling, owner, field, name):
    names = {"model_name": "Good", field: name, "client_token": str(uuid.uuid4())}
    reply = session_client(owner).post("/submit/", fields(spelling, **names))
    assert reply.status_code == 422
    assert reply.context["form"].errors.keys() == {field}
    assert not Submission.objects.exists()
    assert not EvaluatedModel.objects.exists()


@sent
@pytest.mark.parametrize("field", ["model", "organisation"])
def test_the_api_refuses_it_under_its_field(spelling, owner, field, name):
    reply = token_client(owner, "submit").post(
        "/api/v1/submissions/", fields(spelling, **{"model": "Good", field: name})
    )
    assert reply.status_code == 422
    assert reply.json()["errors"].keys() == {field}
    assert not EvaluatedModel.objects.exists()


@typed
@pytest.mark.parametrize("field", ["model", "organisation"])
def test_the_terminal_refuses_it_naming_the_field(spelling, owner, tmp_path, field, name):
    (tmp_path / "answers.txt").write_bytes(ANSWERS)
    options = {"model": "Good", "owner": "rosa", field: name}
    with pytest.raises(CommandError) as refusal:
        call_command("submit", "spelling-1", str(tmp_path / "answers.txt"), **options)
    assert {"model": "name"}.get(field, field) in str(refusal.value)
    assert not EvaluatedModel.objects.exists()


def test_a_token_has_a_name_that_can_be_read(owner):
    client = session_client(owner)
    reply = client.post("/tokens/", {"name": "lap\u202etop", "scope": "read"})
    assert "RIGHT-TO-LEFT OVERRIDE" in reply.content.decode()
    assert not AccessToken.objects.exists()
