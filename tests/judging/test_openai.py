"""What a reply says, read without a server: nothing but a chat completion is a reply."""

import json
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from judging.judges.base import JudgeHaltedError, JudgeRefusedError, JudgeUnavailableError, Reply
from judging.judges.endpoint import retry_after, status_failure, storable, token_count
from judging.judges.providers.openai import Provider

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def read(body: object) -> Reply:
    return Provider.reply(json.dumps(body).encode(), request_id="")


WISHES = {
    "0": 0,
    "20": 20,
    "1.5": 1.5,
    "300": 300,
    "Thu, 01 Jan 2026 12:00:30 GMT": 30,
    "Thu, 01 Jan 2026 11:00:00 GMT": None,
    "999999999": 86_400,
    "inf": 86_400,
    "nan": None,
    "-5": None,
    "soon": None,
    "": None,
}


def test_a_wish_to_wait_is_read_in_seconds_or_as_a_date():
    date = "Thu, 01 Jan 2026 12:00:00 GMT"
    assert {wish: retry_after({"retry-after": wish, "date": date}) for wish in WISHES} == WISHES


@pytest.mark.parametrize("date", ["", "yesterday"])
def test_a_date_counts_from_our_own_clock_where_the_endpoint_does_not_say_its_time(
    date, monkeypatch
):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 1, 1, 12, 0, 10, tzinfo=UTC))
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT", "date": date}) == 20


def failure_of(status: int) -> Exception:
    return status_failure(status, {}, b"")


def test_every_status_has_a_named_failure():
    failures = {status: failure_of(status) for status in range(300, 600)}
    assert {type(failure) for failure in failures.values()} == {
        JudgeUnavailableError,
        JudgeRefusedError,
        JudgeHaltedError,
    }
    assert all(str(failure).startswith(f"HTTP {status}") for status, failure in failures.items())
    waits = {s: f for s, f in failures.items() if isinstance(f, JudgeUnavailableError)}
    assert [status for status, failure in waits.items() if failure.is_limit] == [429]
    assert [status for status, failure in waits.items() if failure.is_overload] == [429, 503, 529]


@given(st.binary(max_size=60))
def test_any_bytes_are_a_reply_or_a_passing_fault(content):
    with pytest.raises(JudgeUnavailableError):
        Provider.reply(content, request_id="")


@given(VALUES, VALUES, VALUES, VALUES)
def test_whatever_stands_in_a_completion_it_is_a_reply_or_a_passing_fault(
    content, reason, usage, model
):
    choice = {"message": {"content": content}, "finish_reason": reason}
    try:
        reply = read({"choices": [choice], "usage": usage, "model": model})
    except JudgeUnavailableError:
        return
    assert reply.text == (storable(content) if isinstance(content, str) else "")
    assert all(isinstance(text, str) for text in (reply.finish_reason, reply.model))


@given(st.text(st.characters() | st.sampled_from("\0\ud800\udfff")))
def test_stored_text_has_neither_nul_nor_lone_surrogates(text):
    assert "\0" not in storable(text)
    storable(text).encode()


def test_a_token_count_is_a_whole_number_a_column_can_hold():
    assert [token_count(value) for value in (3, 0)] == [3, 0]
    assert {token_count(value) for value in (-1, 2**31, "3", 1.5)} == {None}


@pytest.mark.parametrize("content", [None, [], 3, {"text": "right"}])
def test_content_that_is_no_text_is_an_empty_reply(content):
    assert read({"choices": [{"message": {"content": content}}]}).text == ""
