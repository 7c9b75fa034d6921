"""How many answers a lead hangs on: against all choices of answers there are, on small cases."""

import json
from collections.abc import Collection, Sequence
from io import BytesIO
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.protocols.base import Contributions, QuestionRow, QuestionView, Slot
from benchmarks.registry import protocol
from benchmarks.statistics.resampling import Floats
from leaderboard.fragility import (
    MOST_CHANGED,
    answers_to_fall,
    changed_columns,
    empty_verdicts,
    losses_of,
)
from leaderboard.models import Scoresheet
from leaderboard.scoring import score_sheet
from tests.conftest import ANSWERS, judged, submit
from tests.slow import slow_except_every

SETS, FIGURES, ASKED = 3, 2, 2


def hallusionbench_questions() -> list[QuestionView]:
    """Three sets of two figures with an image and two questions each: twelve rows, six figures, six
    pairs."""
    rows = [
        {
            "category": "VD",
            "subcategory": "math",
            "visual_input": str(1 + (figure > 0)),
            "set_id": str(number),
            "figure_id": str(figure),
            "sample_note": "made",
            "question_id": str(question),
            "question": f"Is figure {figure} of set {number} number {question}?",
            "gt_answer_details": f"It is number {question}.",
            "gt_answer": str((number + figure + question) % 2),
            "filename": f"./VD/math/{number}_{figure}.png",
        }
        for number in range(SETS)
        for figure in range(FIGURES)
        for question in range(ASKED)
    ]
    read = protocol("hallusionbench").dataset.read(BytesIO(json.dumps(rows).encode()))
    return [
        QuestionView(r.public_id, r.ability, r.subtask, r.figure, r.group, r.text, r.facts, r.truth)
        for r in read
        if isinstance(r, QuestionRow)
    ]


def spelling_questions(count: int) -> list[QuestionView]:
    names = [str(number) for number in range(count)]
    return [
        QuestionView(name, "words", "words/short", "", name, f"Spell {name}.", {}, {})
        for name in names
    ]


class Case:
    """A submission by what a judge said of it, and what becomes of its score."""

    def __init__(
        self, slug: str, questions: Sequence[QuestionView], slot: str, said: Sequence[str | None]
    ):
        self.scoring, self.questions = protocol(slug).scoring, list(questions)
        self.ranking = protocol(slug).board.BOARD.ranking
        self.metrics = protocol(slug).board.METRICS
        self.answers = ["Yes."] * len(said)
        self.verdicts = {f"{slot}.1": said}
        self.empty = empty_verdicts(
            protocol(slug).judging, self.questions, self.answers, rules=None
        )

    def contribute(self, rows: Collection[int]) -> Contributions:
        answers = ["" if row in rows else text for row, text in enumerate(self.answers)]
        verdicts = changed_columns(self.verdicts, self.empty, rows)
        return self.scoring.contributions(self.questions, answers, verdicts)

    def score(self, rows: Collection[int]) -> float:
        sheet = score_sheet(
            self.contribute(rows), metrics=self.metrics, ranking=self.ranking, seed=1
        )
        value = sheet.figures[self.ranking].value
        assert value is not None
        return value

    def losses(self) -> Floats:
        return losses_of(self.contribute, [q.group for q in self.questions], ranking=self.ranking)

    def largest_losses(self, most: int) -> list[float]:
        """What the worst choice of 1, 2, … answers costs, by trying all of them."""
        whole = self.score(())
        return [
            whole - min(self.score(rows) for rows in combinations(range(len(self.answers)), k))
            for k in range(1, most + 1)
        ]


WORDS = spelling_questions(9)
PAIRS = hallusionbench_questions()


@pytest.mark.slow
@given(st.lists(st.sampled_from(["right", "wrong", None]), min_size=9, max_size=9))
@settings(max_examples=10)
def test_where_answers_count_one_by_one_no_choice_costs_more(said):
    if set(said) == {None}:
        return
    case = Case("spelling", WORDS, "spelled", said)
    assert case.losses()[:2] == pytest.approx(case.largest_losses(2))


@pytest.mark.slow
@pytest.mark.parametrize("seed", slow_except_every(4, range(4)))
def test_where_answers_count_together_as_many_as_it_says_are_enough(seed):
    """On pairs and figures the choice is made one by one: it never promises more than the worst
    choice costs, the first answer is the worst there is, and here it is the worst choice of two and
    three as well."""
    said = np.random.default_rng(seed).choice(["correct", "incorrect"], len(PAIRS), p=[0.8, 0.2])
    case = Case("hallusionbench", PAIRS, "correctness", [str(verdict) for verdict in said])
    found, largest = case.losses()[:3], np.array(case.largest_losses(3))
    assert (found <= largest + 1e-12).all()
    assert found == pytest.approx(largest)


def test_a_curve_is_what_changing_those_answers_does():
    """The last of the curve is the score without any answer."""
    case = Case("hallusionbench", PAIRS, "correctness", ["correct"] * len(PAIRS))
    losses = case.losses()
    assert len(losses) == len(PAIRS)
    assert losses[-1] == pytest.approx(case.score(()) - case.score(range(len(PAIRS))))
    assert (np.diff(losses) >= 0).all()


def test_a_wrong_answer_costs_its_figure_and_its_pair_too():
    case = Case("hallusionbench", PAIRS, "correctness", ["correct"] * len(PAIRS))
    rows, figures, pairs = len(PAIRS), SETS * FIGURES, SETS * ASKED
    assert case.losses()[0] == pytest.approx((1 / rows + 1 / figures + 1 / pairs) / 3)


def test_where_lower_is_better_a_change_raises_the_score():
    questions = spelling_questions(4)
    case = Case("touchstone_hallucination", questions, "degree", ["0"] * 4)
    slot = protocol("touchstone_hallucination").judging.slots(questions[0], 1)[0]
    case.verdicts = {slot.key: ["0", "4", "10", "0"]}
    losses = losses_of(
        case.contribute, [q.group for q in questions], ranking="h_score", higher_is_better=False
    )
    assert losses == pytest.approx([250.0, 500.0, 650.0, 650.0])


def test_a_curve_has_a_hundred_values_at_most():
    case = Case("spelling", spelling_questions(150), "spelled", ["right"] * 150)
    assert case.losses() == pytest.approx(np.arange(1, MOST_CHANGED + 1) / 150)


def test_without_a_score_nothing_can_be_lost():
    assert len(Case("spelling", WORDS, "spelled", [None] * 9).losses()) == 0


def test_a_large_group_takes_a_bounded_number_of_looks():
    looks = []
    questions = [
        QuestionView(q.public_id, q.ability, q.subtask, "", "one", q.text, {}, {})
        for q in spelling_questions(40)
    ]
    case = Case("spelling", questions, "spelled", ["right"] * 40)

    def contribute(rows: Collection[int]) -> Contributions:
        looks.append(rows)
        return case.contribute(rows)

    losses_of(contribute, ["one"] * 40, ranking="accuracy")
    assert len(looks) <= 1 + 48


@pytest.mark.parametrize(
    ("margin", "answers"), [(0.0, 1), (0.25, 2), (0.24, 1), (0.49, 2), (0.5, None), (0.9, None)]
)
def test_a_lead_is_lost_when_the_score_falls_below_the_next(margin, answers):
    assert answers_to_fall(np.array([0.25, 0.5]), margin) == answers


def test_a_lead_that_no_answer_costs_is_not_lost():
    assert answers_to_fall(np.array([0.0, 0.0]), 0.0) is None
    assert answers_to_fall(np.zeros(0), 0.0) is None


def test_only_what_the_empty_answer_is_judged_changes():
    empty = {"a": ["wrong", None]}
    found = changed_columns({"a.1": ["right", "right"], "b.1": ["x", "y"]}, empty, [0, 1])
    assert found == {"a.1": ["wrong", "right"], "b.1": ["x", "y"]}


@pytest.mark.parametrize(
    "slug", ["hallusionbench", "touchstone", "tiny_lvlm_ehub", "touchstone_hallucination"]
)
def test_every_protocol_says_what_an_empty_answer_is_judged(slug):
    questions = PAIRS if slug == "hallusionbench" else spelling_questions(2)
    judging = protocol(slug).judging
    found = empty_verdicts(judging, questions, ["Yes."] * len(questions), rules=None)
    slots: set[Slot] = {slot for q in questions for slot in judging.slots(q, 1)}
    assert set(found) == {slot.name for slot in slots}


def test_a_scoresheet_keeps_its_curve_and_a_baseline_has_none(spelling, owner):
    run = judged(submit(spelling, owner, ANSWERS))
    baseline = judged(submit(spelling, None, ANSWERS, name="Always", origin="baseline"))
    losses = np.frombuffer(Scoresheet.objects.get(run=run).losses or b"", dtype="<f8")
    assert losses == pytest.approx([0.25, 0.5, 0.75, 0.75])
    assert Scoresheet.objects.get(run=baseline).losses == b""
