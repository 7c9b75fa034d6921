"""The reader of whole documents, for files that are ours: nothing it cannot read is more than a
ValueError."""

import pytest

from benchmarks.protocols.files import read_json
from tests.each_case import each_case


def test_a_document_is_read_with_or_without_a_mark():
    assert read_json(b'{"a": [1]}') == read_json(b'\xef\xbb\xbf{"a": [1]}') == {"a": [1]}


@each_case(
    "content",
    [
        b"",
        b"[1,",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        '{"a": 1}'.encode("utf-16"),
        '{"a": "\xe9"}'.encode("latin-1"),
        b"1" * 5_000,
    ],
)
def test_what_is_no_json_is_a_value_error(content):
    with pytest.raises(ValueError, match=r"."):
        read_json(content)
