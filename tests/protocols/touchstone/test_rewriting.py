"""The official table once more: what is unchanged stays byte by byte."""

import io

import pytest

from benchmarks.protocols.touchstone.rewriting import NoTableError, rewritten
from tests.each_case import each_case

HEADER = b"image\tindex\tcategory\thuman_annotation\tgpt4_ha_answer\tquestion\ttask_name\tmore\r\n"
FIRST = b'abc=\t1\tX\t"A ""red"" kettle."\t It is red. \tQ?\tT\tz\r\n'
SECOND = b'abc=\t2\tX\tA van,\tBlue.\t"Q\twith a tab?"\tT\t\n'
FILE = b"\xef\xbb\xbf" + HEADER + FIRST + SECOND


def again(content: bytes = FILE, **texts: dict[str, str]) -> bytes:
    named = {key.removeprefix("q"): value for key, value in texts.items()}
    return b"".join(rewritten(io.BytesIO(content), named))


def test_without_another_text_the_file_is_the_same():
    same = {"description": 'A "red" kettle.', "reference": "It is red."}
    assert again() == FILE
    assert again(q1=same, q2={"description": "A van,", "reference": "Blue."}) == FILE


def test_a_row_that_changes_leaves_the_others_as_they_are():
    new = again(q2={"description": 'A "blue"\tvan.\nTwo.'})
    assert new.startswith(b"\xef\xbb\xbf" + HEADER + FIRST)
    changed = b'abc=\t2\tX\t"A ""blue""\tvan.\nTwo."\tBlue.\t"Q\twith a tab?"\tT\t\n'
    assert new.endswith(changed)


@each_case(
    "content, message",
    [(b"a\tb\n", "lacks index"), (HEADER + b"1\t2\n", "Line 2"), (HEADER + b'"x', "Line 2")],
)
def test_what_is_no_such_table_is_refused(content, message):
    with pytest.raises(NoTableError, match=message):
        again(content)
