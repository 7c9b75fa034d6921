"""What holds for all scores and all texts: bounds, order, relabelling, and replies the parser can
read."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.protocols.base import JudgeCase, QuestionView, Slot, UnreadableError
from benchmarks.protocols.touchstone import judging
from benchmarks.protocols.touchstone.board import METRICS
from benchmarks.protocols.touchstone.scoring import ABILITIES, SUBTASKS, contributions
from benchmarks.protocols.touchstone.words import content_words
from benchmarks.scoring.sheets import score_sheet
from tests.each_case import each_case

HALVES = st.integers(2, 20).map(lambda n: f"{n / 2:g}")
VERDICT = st.one_of(st.none(), st.just("- 1"), st.tuples(HALVES, HALVES).map(" ".join))
ROUNDS = st.lists(
    st.tuples(VERDICT, VERDICT, st.integers(0, 26), st.integers(0, 3)), min_size=1, max_size=12
)
SLOTS = st.sampled_from([Slot(name) for name in judging.ROUNDS])


def question(number: int, subtask: str, figure: int) -> QuestionView:
    ability = subtask.partition("/")[0]
    return QuestionView(
        str(number), ability, subtask, str(figure), str(figure), "?", {"categories": ability}, {}
    )


def values(rounds, *, swapped: bool = False) -> dict[str, float]:
    """Every metric that is defined. `swapped`: each round's scores are told of the other round."""
    questions = [
        question(n, SUBTASKS[subtask], figure) for n, (_, _, subtask, figure) in enumerate(rounds)
    ]
    names = judging.ROUNDS[::-1] if swapped else judging.ROUNDS
    verdicts = {f"{name}.1": [row[place] for row in rounds] for place, name in enumerate(names)}
    found = contributions(questions, ["abc"] * len(rounds), verdicts)
    sums = zip(
        found.names, found.numerator[0].sum(axis=0), found.denominator[0].sum(axis=0), strict=True
    )
    return {name: top / bottom for name, top, bottom in sums if bottom}


@given(ROUNDS)
def test_values_lie_in_their_bounds(rounds):
    for name, value in values(rounds).items():
        if name.startswith(("overall", "reference")):
            assert 100 <= value <= 1000
        elif name == "order_effect":
            assert -900 <= value <= 900
        elif name != "answer_length":
            assert 0 <= value <= 1


@given(ROUNDS)
def test_win_tie_and_loss_are_a_whole(rounds):
    found = values(rounds)
    assume("win" in found)
    assert found["win"] + found["tie"] + found["loss"] == pytest.approx(1)


@given(ROUNDS)
def test_exchanging_the_rounds_turns_the_order_effect_and_nothing_else(rounds):
    one, other = values(rounds), values(rounds, swapped=True)
    assert other.pop("order_effect", 0.0) == pytest.approx(-one.pop("order_effect", 0.0))
    assert other == pytest.approx(one)


@given(ROUNDS, st.randoms())
def test_the_order_of_the_questions_does_not_matter(rounds, random):
    assert values(random.sample(rounds, len(rounds))) == pytest.approx(values(rounds))


@given(ROUNDS)
def test_subtasks_of_one_ability_make_up_the_ability(rounds):
    found = contributions(
        [
            question(n, SUBTASKS[subtask], figure)
            for n, (_, _, subtask, figure) in enumerate(rounds)
        ],
        [""] * len(rounds),
        {f"{name}.1": [row[place] for row in rounds] for place, name in enumerate(judging.ROUNDS)},
    )
    totals = dict(zip(found.names, found.numerator[0].sum(axis=0), strict=True))
    for ability in ABILITIES:
        parts = sum(
            totals[f"overall@{slug}"] for slug in SUBTASKS if slug.startswith(f"{ability}/")
        )
        assert parts == pytest.approx(totals[f"overall@{ability}"])


def test_an_empty_answer_loses_without_an_order_effect():
    found = values([("- 1", "- 1", 0, 0)])
    assert (found["overall"], found["loss"], found["flip"], found["order_effect"]) == (100, 1, 0, 0)
    assert "reference" not in found


def test_flip_and_order_effect_worked_out_by_hand():
    found = values([("8 9", "8 6", 0, 0), ("7 5", "7 5", 1, 1), ("8 8", "9 8", 2, 2)])
    assert found["flip"] == pytest.approx(2 / 3)
    assert found["order_effect"] == pytest.approx(100)  # 9 - 6, 5 - 5, 8 - 8


def test_repeats_are_runs_of_their_own():
    one = [question(0, SUBTASKS[0], 0)]
    verdicts = {
        "reference_first.1": ["8 6"],
        "reference_first.2": ["8 8"],
        "answer_first.1": ["8 6"],
    }
    found = contributions(one, ["a"], {**verdicts, "answer_first.2": [None]})
    assert found.numerator[:, 0, found.names.index("overall")].tolist() == [1200, 800]
    assert found.judged[found.names.index("overall")] == 0


def test_no_questions_have_no_groups():
    assert contributions([], [], {}).numerator.shape[:2] == (1, 0)


def test_a_whole_benchmark_is_scored_in_a_moment():
    rng = np.random.default_rng(3)
    questions = [question(n, SUBTASKS[n % 27], n) for n in range(908)]
    verdicts = {
        f"{name}.1": [f"{a} {b}" for a, b in rng.integers(1, 11, (908, 2))]
        for name in judging.ROUNDS
    }
    start = time.process_time()
    score_sheet(
        contributions(questions, ["abc"] * 908, verdicts),
        metrics=METRICS,
        ranking="overall",
        seed=1,
    )
    assert time.process_time() - start < 3  # about 0.2 s; the rest is for machines that are busy


# --- judging --------------------------------------------------------------------------------------


def case(slot: Slot, answer: str, reference: str, description: str) -> JudgeCase:
    return JudgeCase(slot, question(0, SUBTASKS[0], 0), reference, description, answer)


@given(SLOTS, st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_the_parser_reads_every_reply_of_the_rules(slot, answer, reference, description):
    verdict = judging.parse(
        slot, judging.rule(case(slot, answer, reference, description)), "strict"
    )
    assert all(1 <= float(score) <= 10 for score in verdict.split())


def test_repeating_the_question_earns_nothing():
    asked = replace(question(0, SUBTASKS[0], 0), text="Which brand of kettle stands on the stove?")
    one = replace(
        case(Slot("answer_first"), asked.text, "Aquella.", "A kettle by Aquella on a stove."),
        question=asked,
    )
    assert judging.parse(one.slot, judging.rule(one), "strict").endswith(" 1")


@given(SLOTS, st.text(max_size=40), st.sampled_from(judging.PARSERS))
def test_any_reply_is_read_or_unreadable(slot, reply, parser):
    try:
        verdict = judging.parse(slot, reply, parser)
    except UnreadableError:
        return
    assert all(np.isfinite(float(score)) for score in verdict.split(" "))


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_a_verdict_fits_where_it_is_kept(first, second):
    assert len(judging.parse(Slot("reference_first"), f"{first!r} {second!r}", "official")) <= 40


@given(SLOTS, st.text(max_size=40), st.text(max_size=40))
def test_both_answers_stand_between_delimiters(slot, answer, reference):
    prompts = {
        "system": "Rate.",
        "user": "$description\n$question\n$first\n$delimiter\n$second\n$delimiter",
    }
    one = replace(case(slot, answer, reference, ""), answer=f"{answer}<<<>>>")
    assert judging.messages(one, prompts, "<<<>>>")[1].content.count("<<<>>>") == 2


@each_case(
    "text, words",
    [
        ("The cats sat on a glass.", {"cat", "sat", "glass"}),
        ("红色的", {"红色", "色的"}),
        ("猫", {"猫"}),
        ("BMI为24", {"bmi", "为", "24"}),
        ("", set()),
    ],
)
def test_content_words(text, words):
    assert content_words(text) == words
