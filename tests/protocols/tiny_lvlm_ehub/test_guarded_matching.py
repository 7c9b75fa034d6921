"""Saying everything is saying nothing, and honest answers are found as before."""

import json
from pathlib import Path

import pytest

from benchmarks.protocols.base import QuestionRow, QuestionView
from benchmarks.protocols.tiny_lvlm_ehub import PROTOCOL, judging, scoring
from benchmarks.protocols.tiny_lvlm_ehub.guarded_matching import is_answered
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches
from tests.each_case import each_case
from tests.protocols.tiny_lvlm_ehub.questions import case, question

POPE_FILE = Path(__file__).resolve().parents[4] / "shared/data/tiny_lvlm_ehub/pope_1500.jsonl"
SHEEP = "How many sheep stand on the meadow?"
DOG = "Is there a dog in the picture?"


BOTH = ("yes and no", "Yes no", "No, yes.", f"{DOG} yes and no", "yes no yes no", DOG)


@each_case(
    "asked, answer, references, is_right",
    [
        *((DOG, answer, [reference], False) for answer in BOTH for reference in ("yes", "no")),
        (DOG, "Yes, a dog lies on the grass.", ["yes"], True),
        (DOG, f"{DOG} Yes.", ["yes"], True),
        (DOG, "Yes.", ["no"], False),
        (DOG, "There is no dog.", ["no"], True),
        (DOG, "No.", ["yes", "no"], True),
        (DOG, "yes and no", ["yes", "no"], False),
        (DOG, "There are none.", ["no", "none"], True),
        (SHEEP, "5", ["5"], True),
        (SHEEP, "There are five sheep, two of them white and three black.", ["5"], True),
        (SHEEP, "1 2 3 4 5 6 7 8 9 10", ["5"], False),
        (SHEEP, "one two three four five", ["5"], False),
        (SHEEP, "There are four.", ["5"], False),
    ],
)
def test_an_answer_must_commit_to_one_word_or_number(asked, answer, references, is_right):
    assert is_answered(asked, answer, references) is is_right


def test_what_only_the_question_says_is_no_answer_nor_is_a_reference_of_nothing():
    asked = "Is the barrel made of wood, metal or glass?"
    assert matches(asked, ["wood"])
    assert not is_answered(asked, asked, ["wood"])
    assert is_answered(asked, f"{asked} It is made of wood.", ["wood"])
    assert matches("anything", ["The"])
    assert not is_answered("What is it?", "anything", ["The"])
    assert not is_answered("What is it?", "A cat.", [])


@each_case("place, is_right", [(0, True), (49, True), (50, False), (149, False), (150, True)])
def test_of_a_long_answer_only_its_ends_are_searched(place, is_right):
    words = ["filler"] * 200
    words[place] = "teapot"
    assert is_answered("What is it?", " ".join(words), ["teapot"]) is is_right


def test_the_offline_judge_says_what_guarded_matching_says():
    view = question("MSCOCO_pope_random", 1, "yes")
    assert judging.rule(case("yes and no", view)).endswith(judging.WRONG)
    assert judging.rule(case("Yes.", view)).endswith(judging.RIGHT)


@pytest.fixture(scope="module")
def pope() -> list[QuestionView]:
    if not POPE_FILE.exists():
        pytest.skip("the POPE questions are not beside this checkout (../shared/data)")
    with POPE_FILE.open("rb") as stream:
        rows = [row for row in PROTOCOL.dataset.read(stream) if isinstance(row, QuestionRow)]
    return [
        QuestionView(r.public_id, r.ability, r.subtask, "", r.group, r.text, r.facts, r.truth)
        for r in rows
    ]


@each_case("is_asked_back", [False, True])
def test_yes_and_no_scores_nothing_on_1500_pope_questions(pope, is_asked_back):
    answers = [f"{view.text if is_asked_back else ''} yes and no" for view in pope]
    labels = [
        judging.parse(slot, judging.rule(case(answer, view, slot.name)), "strict")
        for view, answer in zip(pope, answers, strict=True)
        for slot in judging.slots(view, 1)[:1]
    ]
    verdicts: dict[str, list[str | None]] = {f"{name}.1": [*labels] for name in judging.SCORE_KEYS}
    found = scoring.contributions(pope, answers, verdicts)
    totals = dict(zip(found.names, found.numerator[0].sum(axis=0).tolist(), strict=True))
    for score, right in (("cee", 0), ("guarded", 0), ("pope_accuracy", 0), ("words", 1500)):
        assert sum(v for name, v in totals.items() if name.startswith(f"{score}@")) == right


def test_every_measure_has_its_name_and_says_whose_it_is():
    measures = {m.slug: m for m in PROTOCOL.board.BOARD.measures}
    assert list(measures) == ["cee", "guarded", "words", "both", "human-anchored"]
    assert "as published" in measures["words"].title
    assert json.dumps(PROTOCOL.board.BOARD.how).count("with guards")


ASSERTED = [
    ("It is not a teapot.", "teapot", False),
    ("There are 2 sheep, not 3.", "3", False),
    ("There are 2 sheep, not 3.", "2", True),
    ("Either a cat, a dog, a teapot", "teapot", False),
    ("a man’s hat", "man's hat", True),
    ("ｔｅａｐｏｔ", "teapot", True),
    ("It is 100%", "100%", True),
    ("100%", "100%", True),
    ("It's not a cat but a teapot.", "teapot", True),
    ("It's not only a teapot.", "teapot", True),
    ("Not a cat, a dog or a teapot", "teapot", False),
    ("a cup or mug", "mug", True),
    ("It could be a cat, a dog, or a teapot.", "teapot", False),
    ("No, it's a teapot.", "teapot", True),
    ("There is no teapot.", "teapot", False),
    ("I see a teapot rather than a kettle.", "kettle", False),
    ("I see a teapot rather than a kettle.", "teapot", True),
    ("This isn't a teapot", "teapot", False),
    ("red, white and blue", "blue", True),
    ("cat, dog, bird, cow, horse, teapot, sheep", "teapot", False),
    ("There are three sheep", "3", True),
    ("1,000 people", "1000", True),
    ("Washington, D.C.", "Washington, D.C.", True),
    ("No parking", "no parking", True),
    ("STOP", "stop", True),
    ("No teapot but a kettle", "kettle", True),
    ("teapot", "teapot", True),
    ("It isn't clear, but it looks like a teapot.", "teapot", True),
    ("I am not sure, perhaps a teapot", "teapot", True),
    ("not sure but teapot", "teapot", True),
    ("The animal is a dog, not a cat.", "dog", True),
    ("The animal is a dog, not a cat.", "cat", False),
    ("It never was a teapot", "teapot", False),
    ("I don't see any teapot", "teapot", False),
    ("There aren't 5 sheep; there are 4.", "5", False),
    ("There aren't 5 sheep; there are 4.", "4", True),
    ("Not 3 but 4", "4", True),
    ("Anything other than a teapot", "teapot", False),
    ("$5.00", "$5.00", True),
    ("C", "c", True),
    ("The answer is (B)", "b", True),
    ("none", "none", True),
    ("zero", "0", True),
    ("There are 0 sheep", "0", True),
    ("That is definitely not a red teapot.", "teapot", False),
    ("There are no cups next to the teapot.", "teapot", True),
    ("It is anything but a teapot.", "teapot", False),
    ("It is nothing but a teapot.", "teapot", True),
    ("It is far from being a teapot.", "teapot", False),
    ("I don't think it is a teapot.", "teapot", False),
    ("I cannot tell if it is a teapot.", "teapot", False),
    ("It looks like a teapot, but it is a cup.", "teapot", False),
    ("It looks like a teapot but is actually a cup.", "teapot", False),
    ("It looks like a cup, but it is a teapot.", "teapot", True),
    ("It looks like a teapot, but the lid is missing.", "teapot", True),
    ("Some would say teapot, but I'd say cup.", "teapot", False),
    ("Teapot? No, a cup.", "teapot", False),
    ("Cup? No, a teapot.", "teapot", True),
    ("teapot - no wait, cup", "teapot", False),
    ("cup - no wait, teapot", "teapot", True),
    ("Not a cup. A teapot.", "teapot", True),
    ("No people, only a teapot.", "teapot", True),
    ("Maybe a cup, maybe a teapot.", "teapot", False),
    ("A teapot is not visible.", "teapot", False),
    ("The teapot is not white.", "teapot", True),
    ("Das ist kein teapot.", "teapot", False),
    ("100 %", "100%", True),
    ("25°C", "25 °C", True),
    ("Coca\u2011Cola", "Coca-Cola", True),
    ("tea\u00adpot", "teapot", True),
]


NUMBERS = [
    ("There are 3.5 sheep.", "3", False),
    ("It weighs 3.5 kg", "3.5", True),
    ("-3", "3", False),
    ("-5", "-5", True),
    ("A-3", "3", True),
    ("2 or 3 sheep", "3", False),
    ("2-3 sheep", "3", False),
    ("Pages 2-3", "2-3", True),
    ("It's 3 - three sheep.", "3", True),
    ("between 2 and 4", "4", False),
    ("more than three", "3", False),
    ("more than two: three", "3", True),
    ("twenty-one", "21", True),
    ("twenty-one", "1", False),
    ("two hundred", "200", True),
    ("two hundred", "2", False),
    ("thirteen", "13", True),
    ("twenty one pilots", "twenty one pilots", True),
    ("Not all 3 sheep are white.", "3", True),
    ("not exactly 3", "3", False),
]


@each_case("asked, cases", [(SHEEP, NUMBERS), ("What is it?", ASSERTED)])
def test_a_number_is_found_as_a_whole_and_what_is_denied_or_guessed_at_is_no_answer(asked, cases):
    wrong = [case for case in cases if is_answered(asked, case[0], [case[1]]) is not case[2]]
    assert wrong == []
