"""The pages of a method that an address does not take, and of a request that a view refuses."""

import pytest
from lxml import html  # type: ignore[import-untyped]  # ships no types

from tests.conftest import import_spelling
from tests.person import words


@pytest.mark.parametrize("address", ["/teams/1/close/", "/notices/read/", "/teams/1/leave/"])
def test_what_only_takes_a_form_says_so_when_it_is_opened(client, owner, address):
    client.force_login(owner)
    response = client.get(address)
    assert (response.status_code, response["Allow"]) == (405, "POST")
    page = html.fromstring(response.text).xpath("//main")[0]
    assert "It only takes what a form of this site sends. Nothing was changed." in words(page)
    assert page.xpath(".//a/@href") == ["/#boards"]
    assert client.head(address).status_code == 405


def test_what_can_only_be_read_says_so_when_something_is_sent_to_it(client, db):
    response = client.post("/models/")
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert "It takes GET, HEAD, not POST. Nothing was changed." in response.text


def test_a_method_that_nobody_uses_is_named_with_those_that_are_taken(client, owner):
    client.force_login(owner)
    response = client.put("/notices/read/")
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "It takes POST, not PUT. Nothing was changed." in response.text


def test_a_search_that_is_too_long_is_one_line_of_the_log(client, db, caplog):
    import_spelling()
    for address in ("/boards/spelling/", "/boards/spelling/export.csv"):
        response = client.get(address, {"q": "x" * 101})
        assert response.status_code == 400
        assert "A search has at most 100 letters" in response.text
    assert [record.message for record in caplog.records] == [
        "Bad Request: /boards/spelling/",
        "Bad Request: /boards/spelling/export.csv",
    ]
    assert not any(record.exc_info for record in caplog.records)
