"""Text that a page does not show is found, quickly where there is none."""

import re

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.answer_texts import invisible
from benchmarks.protocols.answer_texts.invisible import hides_text
from tests.each_case import each_case

PARTS = st.sampled_from(
    (
        "\\color",
        "\\phantom{",
        "{white}",
        "color: white",
        "COLOR=#fff",
        "font-size: 0",
        "diſplay: none",
        "dIsplay:none",
        "vısıbılıty: hidden",
        "VİSİBİLİTY: hidden",
        "opacity:0",
        "<!--",
        " ",
        "a",
        "\u200b",
        "\u200d",
        "\ufe0f",
        "👩",
        "ก",
        "ش",
    )
)


@given(st.lists(PARTS | st.text(max_size=3), max_size=8).map("".join))
def test_hidden_text_is_whatever_the_patterns_find(text):
    patterns = (invisible.INVISIBLE, invisible._HIDDEN)
    assert hides_text(text) == any(re.search(pattern, text) for pattern in patterns)


@each_case(
    "text", ["color: white", "diſplay: none", "VİSİBİLİTY: hidden", "\\phantom{a}", "a\u200bb"]
)
def test_it_is_found_in_letters_that_are_read_as_others(text):
    assert hides_text(text)
