"""Words common to all answers of a submission hide no copy, and are all that is left out."""

import time
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.submissions.marks.common_words import (
    ENOUGH,
    HALF,
    LONGEST_WORD,
    SHARE,
    VERDICTS,
    without_common_words,
)
from tests.each_case import each_case

ANSWERS = ["a red kettle", "two cats", "no", "yes it is", "left of it", "blue", "the sea at night"]
ANSWERS = [*ANSWERS, "nobody", "four", "a tram", "in the sun", "under a tree"]


@each_case(
    "dress",
    [
        lambda n, text: f"{text} well",
        lambda n, text: f"well {text}",
        lambda n, text: f"{text} yes",
        lambda n, text: f"to be sure {text} so it is",
        lambda n, text: f"{text} {'hm ' * 200}".strip(),
        lambda n, text: text if n == 3 else f"well {text}",
    ],
)
def test_a_common_word_is_left_out(dress):
    assert without_common_words([dress(n, text) for n, text in enumerate(ANSWERS)]) == ANSWERS


@each_case(
    "answers",
    [
        ANSWERS,
        ANSWERS[:9],
        [*ANSWERS, ""],
        ["yes"] * 20,
        [f"yes {n}" for n in range(20)],
        [f"no {n}" for n in range(20)],
        [f"well {n}" for n in range(8)] + [f"cat {n}" for n in range(4)],
    ],
)
def test_what_is_answered_stays(answers):
    assert without_common_words(answers) == answers


def test_of_constant_answers_one_word_is_left():
    (left,) = set(without_common_words(["i do not know"] * 20))
    assert left in ["i", "do", "not", "know"]


def test_most_answers_of_one_word_hide_no_copy_either():
    terse = ["cat"] * 19 + ["dog"]
    assert without_common_words([f"{text} well" for text in terse]) == terse


@given(st.lists(st.text("ab ", max_size=12).map(lambda t: " ".join(t.split())), max_size=30))
def test_nothing_is_emptied_and_nothing_is_made_up(answers):
    found = without_common_words(answers)
    assert len(found) == len(answers)
    for text, left in zip(answers, found, strict=True):
        assert left in text
        assert bool(left) == bool(text)


def word_by_word(forms: Sequence[str]) -> list[str]:
    """The rule as it is told, which looks at both ends of all answers in every round."""
    left = [form for form in forms if form]
    while len(left) >= ENOUGH and (found := found_at_an_end(left)):
        is_first, word = found
        size = len(word) + 1
        for n, form in enumerate(left):
            if dict(ends_of(form)).get(is_first) == word:
                left[n] = form[size:] if is_first else form[:-size]
    rest = iter(left)
    return [next(rest) if form else "" for form in forms]


def found_at_an_end(forms: Sequence[str]) -> tuple[bool, str] | None:
    several = sum(" " in form[: LONGEST_WORD + 1] for form in forms)
    counts = Counter(end for form in forms for end in ends_of(form))
    for end, count in counts.most_common() if several > HALF * len(forms) else ():
        if count >= SHARE * several and not (end[0] and end[1] in VERDICTS):
            return end
    return None


def ends_of(form: str) -> list[tuple[bool, str]]:
    last, first = form[-LONGEST_WORD - 1 :], form[: LONGEST_WORD + 1]
    found = [(False, last.rpartition(" ")[2])] if " " in last else []
    found += [(True, first.partition(" ")[0])] if " " in first else []
    return [end for end in found if end[1]]


WORDS = st.sampled_from(["so", "yes", "no", "well", "a", "b", "x" * 30, "y" * 41])


@given(
    st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=9, max_size=24),
    st.lists(WORDS, max_size=4).map(" ".join),
    st.lists(WORDS, max_size=4).map(" ".join),
    st.integers(0, 2),
)
def test_the_words_left_out_are_those_of_the_rule_as_it_is_told(answers, before, after, bare):
    dressed = [
        text if n < bare else f"{before} {text} {after}".strip() for n, text in enumerate(answers)
    ]
    assert without_common_words(dressed) == word_by_word(dressed)


@pytest.mark.slow
def test_long_answers_take_linear_time():
    def seconds(words: int) -> float:
        answers = [f"{'so ' * words}{n} {'x' * 3 * words}" for n in range(20)]
        began = time.process_time()
        without_common_words(answers)
        return time.process_time() - began

    seconds(500)
    assert seconds(8000) < 40 * max(seconds(800), 0.001)
