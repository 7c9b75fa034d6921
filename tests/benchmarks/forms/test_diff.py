from benchmarks.forms.diff import Segment, same_words, word_count, word_diff
from tests.each_case import each_case


@each_case(
    "text, count", [("", 0), ("  a red\n car, parked ", 4), ("一只 cat 在睡", 5), ("\u3000", 0)]
)
def test_words_are_counted_as_the_page_counts_them(text, count):
    assert word_count(text) == count


@each_case(
    "old, new, expected",
    [
        ("", "", []),
        ("a cat", "a cat", [("kept", "a cat")]),
        ("a cat", "a red cat", [("kept", "a "), ("ins", "red "), ("kept", "cat")]),
        (
            "a red cat",
            "a blue cat",
            [("kept", "a "), ("del", "red"), ("ins", "blue"), ("kept", " cat")],
        ),
        ("red car", "blue boat", [("del", "red car"), ("ins", "blue boat")]),
        ("一只猫", "一只狗", [("kept", "一只"), ("del", "猫"), ("ins", "狗")]),
        ("a cat", "a\n\ncat", [("kept", "a"), ("del", " "), ("ins", "\n\n"), ("kept", "cat")]),
    ],
)
def test_a_changed_text_shows_what_came_and_went(old, new, expected):
    assert [(segment.kind, segment.text) for segment in word_diff(old, new)] == expected


@each_case("old", ["", "the sea and the sky", " a  b\n"])
@each_case("new", ["", "the sky over the sea", "b a\tb"])
def test_a_diff_holds_both_texts_exactly(old, new):
    segments = word_diff(old, new)
    assert "".join(s.text for s in segments if s.kind != "ins") == old
    assert "".join(s.text for s in segments if s.kind != "del") == new


def test_of_very_long_texts_all_between_the_first_and_the_last_change_is_new():
    same = "word " * 4_000
    segments = word_diff(f"{same}cat {same}sea {same}", f"{same}dog {same}sky {same}")
    assert [(segment.kind, segment.text) for segment in segments] == [
        ("kept", same),
        ("del", f"cat {same}sea"),
        ("ins", f"dog {same}sky"),
        ("kept", f" {same}"),
    ]
    assert word_diff(same, same + "cat")[-1] == Segment("ins", "cat")
    assert word_diff(same, same) == (Segment("kept", same),)


@each_case(
    "one, other, expected",
    [
        ("A cat, asleep.", "a  CAT\nasleep", True),
        ("\uff21 cat", "A cat", True),
        ("A cat.", "A cot.", False),
        ("5 cats", "6 cats", False),
        ("?", "!", False),
        ("?", "?", True),
    ],
)
def test_words_are_the_same_whatever_stands_between_them(one, other, expected):
    assert same_words(one, other) is expected
