"""Names that a reader takes for one another have one skeleton; names that merely resemble have
two."""

import string

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.submissions.naming.lookalike_names import SKELETON_LENGTH, same_writing, skeleton
from benchmarks.submissions.naming.names import NAME_LENGTH
from tests.each_case import each_case


@each_case(
    "name, alike",
    [
        ("Lucid 9B", "Luсid 9В"),  # Cyrillic с and В
        ("OpenAI", "0penAl"),
        ("OpenAI", "ΟpenΑΙ"),  # Greek
        ("Gemini", "Gernini"),
        ("Claude", "CIaude"),
        ("GPT-4V", "ＧＰＴ　４Ｖ"),
        ("GPT-4V", "GPT 4V"),
        ("GPT-4o", "GPT-40"),
        ("Cafe", "Café"),
        ("Hope", "Норе"),
        ("wave", "vvave"),
        ("Koh", "Κοհ"),
    ],
)
def test_look_alikes_share_a_skeleton(name, alike):
    assert name != alike
    assert skeleton(name) == skeleton(alike)


@each_case(
    "name, other",
    [
        ("Qwen2.5", "Qwen25"),
        ("LLaVA-1.5", "LLaVA-1.6"),
        ("LLaVA 7B", "LLaVA 13B"),
        ("Model", "Model+"),
        ("Модель", "Modell"),
        ("通义千问", "通义万问"),
        ("GPT-4", "GPT-4V"),
        ("Owl", "Cat"),
    ],
)
def test_names_that_a_reader_tells_apart_have_two(name, other):
    assert skeleton(name) != skeleton(other)


def test_case_width_blanks_and_dashes_are_the_same_writing_and_other_letters_are_not():
    assert same_writing("GPT-4V") == same_writing("ＧＰＴ 4v") == same_writing("gpt_4V")
    assert same_writing("OpenAI") != same_writing("0penAI")
    assert same_writing("OpenAI") != same_writing("OpenАI")


@given(st.text(max_size=NAME_LENGTH))
def test_a_skeleton_is_short_and_writing_alike_looks_alike(name):
    assert len(skeleton(name)) <= SKELETON_LENGTH
    assert skeleton(name.replace("-", " ")) == skeleton(name)


@given(st.text(string.ascii_letters + string.digits + " -", max_size=NAME_LENGTH))
def test_names_of_one_writing_have_one_skeleton(name):
    assert skeleton(name.upper()) == skeleton(name.lower()) == skeleton(name)
