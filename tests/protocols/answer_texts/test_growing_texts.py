"""Answers made to grow or to grind: what reads one takes milliseconds, and nothing of its length
squared."""

import unicodedata
from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.answer_texts.emptiness import BARE_OPENING, floor_reason, is_bare_opening
from benchmarks.protocols.answer_texts.invisible import hides_text
from benchmarks.protocols.answer_texts.normal_forms import MOST_GROWTH, normalised
from benchmarks.protocols.answer_texts.thinking import answer_alone, without_thoughts
from benchmarks.protocols.answer_texts.yes_no import read_yes_no
from benchmarks.protocols.files.forms import folded
from benchmarks.protocols.files.limits import MAX_CHARACTERS
from benchmarks.protocols.files.lookalikes import plain_reading
from benchmarks.protocols.tiny_lvlm_ehub.asserted import asserts
from benchmarks.protocols.tiny_lvlm_ehub.numbers_said import whole_numbers
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches, shared_tokens
from benchmarks.protocols.touchstone.words import content_words
from tests.each_case import each_case
from tests.growth import SIZES, growth_fault, seconds

SECONDS = 0.15
"""Of one answer, however it is made. The slowest takes 0.03 s here; unbounded, U+FDFA took 0.3 s
and marks 0.8 s."""

TEXTS: Mapping[str, Callable[[int], str]] = {
    "phrases in one character": lambda n: "\ufdfa" * n,
    "marks on one letter": lambda n: "a" + "\u0301" * (n // 2) + "\u0316" * (n // 2),
    "marks of two kinds in turn": lambda n: "a" + "\u0301\u0316" * (n // 2),
    "a colour and blanks": lambda n: "\\color" + " " * (n - 6),
    "a colour again and again": lambda n: "\\color " * (n // 7),
    "brackets": lambda n: "(" * n,
    "joiners": lambda n: "\u200d" * n,
    "halves of flags": lambda n: "\U0001f1e6" * n,
    "one word": lambda n: "a" * n,
    "different words": lambda n: " ".join(f"{i}x" for i in range(n // 6)),
    "quotes": lambda n: "'\"" * (n // 2),
    "directions in turn": lambda n: "\u202e\u202d" * (n // 2),
    "letters that grow in lower case": lambda n: "İ" * n,
    "sigmas, whose lower case looks around": lambda n: "Σ\u0301" * (n // 2),
    "dots in one character": lambda n: "…" * n,
    "abbreviations": lambda n: "a." * (n // 2),
    "openings": lambda n: "solution " * (n // 9),
    "an opening after blanks": lambda n: " " * (n - 8) + "solution",
    "yes and no": lambda n: "yes no, actually " * (n // 17),
    "conclusions": lambda n: "so the answer is not the answer " * (n // 32),
    "answers about no": lambda n: "the answer no, " * (n // 15),
    "denials": lambda n: "not a cat or a " * (n // 15),
    "what seems": lambda n: "seems a cat, " * (n // 13) + "but it is a dog",
    "numbers and ranges": lambda n: "1.2-" * (n // 4),
    "digits": lambda n: "1" * (n - 1) + "x",
    "numbers in words": lambda n: "twenty " * (n // 7),
    "a word rejected": lambda n: "i reject not rule out yes is " * (n // 29),
    "open tags": lambda n: "<a" * (n // 2),
    "thoughts": lambda n: "<think>" + "</think>\n<think>" * (n // 16) + "</think>",
    "thoughts that begin and never end": lambda n: "<think>" * (n // 7),
    "jamo": lambda n: "\u1112\u1161\u11ab" * (n // 3),
}
READERS: Mapping[str, Callable[[str], object]] = {
    "floor": lambda text: floor_reason(text, ["a reference"]),
    "hidden text": hides_text,
    "yes or no": read_yes_no,
    "word matching": lambda text: matches(text, ["a dog", "100%", "solution"]),
    "denials": lambda text: asserts(text, "cat"),
    "numbers": whole_numbers,
    "shared tokens": lambda text: shared_tokens(text, ["a dog"]),
    "content words": content_words,
    "thoughts": without_thoughts,
    "an answer alone": answer_alone,
    "look of an id": plain_reading,
    "name of a field": folded,
}


@each_case("reader", READERS)
@each_case("text", TEXTS)
def test_reading_takes_no_longer_than_the_text(text, reader):
    made = {size: TEXTS[text](size) for size in SIZES[:2]}
    assert not growth_fault(lambda size: READERS[reader](made[size]), SIZES[:2])
    assert seconds(lambda: READERS[reader](made[MAX_CHARACTERS]), 2) < SECONDS


# --- and nothing else changes ---------------------------------------------------------------------

LETTERS = st.text(st.characters(codec="utf-8"), max_size=40)
SCRIPTS = st.text(
    st.sampled_from(
        "aé ß.e\u0301\u0323ｶﾞ한\u1112\u1161\u11abがか\u3099①㎏ﬁ\u0915\u093c\u0bc6\u0bbe。字"
    ),
    max_size=40,
)


@given(st.lists(LETTERS | SCRIPTS, max_size=30), st.sampled_from(["NFC", "NFKC"]))
def test_a_text_is_normalised_as_by_the_library(parts, form):
    text = "".join(parts) * 5
    assert normalised(text, form, most=MOST_GROWTH * len(text)) == unicodedata.normalize(form, text)


def test_a_text_ends_where_there_is_enough():
    assert normalised("\ufdfa" * 1000, most=20) == unicodedata.normalize("NFKC", "\ufdfa" * 2)[:20]
    assert normalised("abc", most=2) == "ab"


def test_no_character_grows_more_than_is_said():
    longest = max(len(unicodedata.normalize("NFKC", chr(code))) for code in range(0x110000))
    assert longest == MOST_GROWTH


@each_case("text", [" " * 19_000 + "Solution:", "Ｓｏｌｕｔｉｏｎ" * 100 + "!" * 5000])
def test_long_openings_are_openings_still(text):
    assert floor_reason(text) == BARE_OPENING


def test_more_than_a_thousand_letters_are_no_opening():
    assert is_bare_opening("solution" * 125)
    assert not is_bare_opening("solution" * 126)
