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

SENT = [name for title, name in REFUSED.items() if title != "lone surrogate"]  # no UTF-8


@each_case("name", REFUSED.values())
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


def test_form_api_and_terminal_refuse_it_naming_the_field(spelling, owner, tmp_path):
    """All ask `clean_name`, of which all names are tested: few of them need to take each way."""
    browser, api = session_client(owner), token_client(owner, "submit")
    (tmp_path / "answers.txt").write_bytes(ANSWERS)
    for number, name in enumerate([*SENT][::4]):
        of_form, of_api = (("model_name", "model"), ("organisation", "organisation"))[number % 2]
        typed = {"model_name": "Good", of_form: name, "client_token": str(uuid.uuid4())}
        reply = browser.post("/submit/", fields(spelling, **typed))
        assert reply.status_code == 422, name
        assert reply.context["form"].errors.keys() == {of_form}
        named = {"model": "Good", of_api: name}
        reply = api.post("/api/v1/submissions/", fields(spelling, **named))
        assert reply.status_code == 422, name
        assert reply.json()["errors"].keys() == {of_api}
        with pytest.raises(CommandError, match={"model": "name"}.get(of_api, of_api)):
            call_command("submit", "spelling-1", f"{tmp_path}/answers.txt", owner="rosa", **named)
    assert not Submission.objects.exists()
    assert not EvaluatedModel.objects.exists()


def test_a_token_has_a_name_that_can_be_read(owner):
    client = session_client(owner)
    reply = client.post("/tokens/", {"name": "lap\u202etop", "scope": "read"})
    assert "RIGHT-TO-LEFT OVERRIDE" in reply.content.decode()
    assert not AccessToken.objects.exists()
