"""What makes two answers equal, and what does not."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.answer_texts.equal_answers import letters_and_digits
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import equal_form, matches
from tests.each_case import each_case

EQUAL = [
    ("Yes.", "yes"),
    (" Yes,  it is! ", "yes it is"),
    ("Ｙｅｓ", "yes"),
    ("<think>It may be red.</think>\nRed", "red"),
    ("x-ray", "X ray"),
    ("cafe\u0301", "café"),
    ("\u200b?", "\u200b? "),
]
OTHER = [
    ("1.5", "15"),
    ("3/4", "34"),
    ("-2", "2"),
    ("12:30", "1230"),
    ("cafe", "café"),
    ("कि", "का"),
    ("?", "!"),
    ("<think>Red.", "Red."),
    ("ice cream", "icecream"),
    ("", "no"),
]


@each_case("cases, is_equal", [(EQUAL, True), (OTHER, False)])
def test_case_blanks_marks_and_thinking_make_no_difference_and_all_else_does(cases, is_equal):
    equal = {pair: letters_and_digits(pair[0]) == letters_and_digits(pair[1]) for pair in cases}
    assert equal == dict.fromkeys(cases, is_equal)


def test_a_text_that_grows_much_is_compared_as_it_is():
    assert letters_and_digits("\ufdfa") == letters_and_digits("صلى الله عليه وسلم")
    assert letters_and_digits(" " + "\ufdfa" * 1000) == "\ufdfa" * 1000
    assert letters_and_digits("½ " * 1000) == " ".join(["1 2"] * 1000)


def test_the_suite_reads_answers_as_its_word_matching_does():
    assert equal_form("<think>Hm.</think>The two cats!") == equal_form("2 cats")
    assert letters_and_digits("The two cats!") != letters_and_digits("2 cats")
    assert matches("The two cats!", ["2 cats"]) == matches("2 cats", ["2 cats"]) is True


@given(
    st.text(st.sampled_from("aZ09 .,:/-_?!'\n"), max_size=40)
    | st.text(st.characters(max_codepoint=127))
)
def test_plain_text_is_equal_as_any_other(text):
    """Beside a letter with an accent, which goes the long way, it keeps its form."""
    long_way = letters_and_digits(f"{text} \u00e9").removesuffix("\u00e9").strip()
    assert letters_and_digits(text) == (long_way or text.strip())
