"""Characters without a shape are named where they stand and nothing else is touched."""

import json
import shutil
import subprocess

import pytest

from benchmarks.forms.hidden_characters import (
    count_hidden,
    hidden_characters,
    parts,
    pattern_for_browsers,
    without_hidden,
)
from tests.each_case import each_case

SEEN = (
    "A red car.",
    "Zwei Zeilen\nund\tein Tabulator",
    "一只猫，在睡。\u3000全角",
    "family 👩\u200d👩\u200d👧 and heart ❤\ufe0f",
    "می\u200cخواهم",
)
HIDDEN = (
    "red\u00a0car",
    "red\u200bcar",
    "\ufeffred car",
    "red \u202eracs\u202c",
    "so\u00adlar",
    "thin\u2009space",
    "line\u2028break",
    "bell\x07",
    "tag \U000e0041\U000e0042",
    "narrow\u202fspace",
)


@each_case("text", SEEN)
def test_what_is_seen_is_left_alone(text):
    assert count_hidden(text) == 0
    assert without_hidden(text.replace("\t", " ")) == text.replace("\t", " ")
    assert list(parts(text)) == [(text, "")]


@each_case("text", HIDDEN)
def test_what_is_hidden_is_found_and_put_right(text):
    assert count_hidden(text) > 0
    assert count_hidden(without_hidden(text)) == 0


def test_places_are_told_in_lines_and_characters_and_blanks_become_ordinary_ones():
    """What is harmless only beside a hidden one goes with it."""
    found = list(hidden_characters("one\ntwo\u00a0three\nfo\u200bur"))
    assert [(one.name, one.line, one.column) for one in found] == [
        ("no-break space (U+00A0)", 2, 4),
        ("zero width space (U+200B)", 3, 3),
    ]
    assert (found[0].before, found[0].after) == ("two", "three")
    (amid,) = hidden_characters(f"{'a' * 30}\u00a0{'b' * 30}")
    assert (amid.before, amid.after) == ("a" * 20, "b" * 20)
    assert without_hidden("a\u00a0b\u2009c\u200bd\u2028e\r\nf\ufeff") == "a b cd\ne\nf"
    assert without_hidden("\u200b\u200b\u200e\u200f") == ""
    pieces = [("red", ""), ("", "no-break space (U+00A0)"), ("car", "")]
    assert list(parts("red\u00a0car")) == pieces


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="no node, which reads the pattern as browsers")
def test_browsers_find_the_same_characters():
    code = """
        const [pattern, texts] = JSON.parse(require("fs").readFileSync(0));
        const found = texts.map((text) => [...text.matchAll(new RegExp(pattern, "gu"))].length);
        console.log(JSON.stringify(found));
    """
    texts = [*SEEN, *HIDDEN]
    sent = json.dumps([pattern_for_browsers(), texts])
    answer = subprocess.run(
        ["node", "-e", code], input=sent.encode(), capture_output=True, check=True
    )
    assert json.loads(answer.stdout) == [count_hidden(text) for text in texts]
