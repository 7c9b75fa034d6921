"""Hand-worked metrics on nine answers, with the five labels of each written as "11010"."""

import numpy as np
import pytest

from benchmarks.protocols.base import NOT_RATED, Ratings
from benchmarks.protocols.tiny_lvlm_ehub import board, scoring
from benchmarks.protocols.tiny_lvlm_ehub.board import METRICS
from benchmarks.protocols.tiny_lvlm_ehub.panel import RATED
from benchmarks.scoring.sheets import score_sheet
from tests.each_case import each_case
from tests.protocols.tiny_lvlm_ehub.questions import labelled, question

RANDOM = "MSCOCO_pope_random"
QUESTIONS = [
    question("IC15", 1, "exit"),
    question("IC15", 2, "taxi"),
    question("SVT", 1, "bank"),
    question("SROIE", 1, "12 May 2020"),
    question(RANDOM, 1, "yes"),
    question(RANDOM, 2, "yes"),
    question(RANDOM, 3, "no"),
    question(RANDOM, 4, "no"),
    question("VirtualHome", 1),
]
ANSWERS = [
    "EXIT",
    "a cab",
    "bank",
    "May 2020",
    "Yes, there is.",
    "It is hard to tell.",
    "Yes",
    "No.",
    "Walk, grab, drink.",
]
LABELS = ["11111", "11101", "0000x", "00-11", "11111", "00000", "00000", "11111", "-----"]
PEOPLE: Ratings = {
    "correct": [(1, 1, 0), (1,), (1,), (0, 1), (), (), (), (), ()],
    "executability": [()] * 8 + [(5, 4)],
    "conciseness": [()] * 8 + [(3,)],
}


def figures_of(verdicts, rows=slice(None), ratings=NOT_RATED):
    found = scoring.contributions(QUESTIONS[rows], ANSWERS[rows], verdicts, ratings)
    return score_sheet(found, metrics=METRICS, ranking="cee", seed=1).figures


@pytest.fixture(scope="module")
def figures():
    return figures_of(labelled(*LABELS), ratings=PEOPLE)


@each_case(
    "name, value, n",
    [
        ("cee@IC15", 1.0, 2),
        ("cee@SVT", 0.0, 1),
        ("cee@SROIE", 0.0, 1),  # two against two of the four labels: ties are wrong
        ("cee@knowledge", 1 / 3, 4),
        (f"cee@{RANDOM}", 0.5, 4),
        ("cee@hallucination", 0.5, 4),
        ("cee", (1 / 3 + 0.5) / 2, 8),
        ("words@IC15", 0.5, 2),
        ("words@SVT", 1.0, 1),
        ("words@knowledge", 0.5, 4),
        ("words", (0.5 + 0.5) / 2, 8),
        ("agree@IC15", 0.5, 2),
        ("agree", 6 / 8, 8),
        ("agree@hallucination", 1.0, 4),
        ("split_5_0", 5 / 8, 8),
        ("split_4_1", 1 / 8, 8),
        ("split_3_2", 0.0, 8),
        ("split_other", 2 / 8, 8),
        ("no_vote", 0.0, 8),
        ("cee_readable", 4 / 8, 8),
        (f"pope_accuracy@{RANDOM}", 2 / 4, 4),
        (f"pope_precision@{RANDOM}", 1 / 2, 2),
        (f"pope_recall@{RANDOM}", 1 / 2, 2),
        (f"pope_f1@{RANDOM}", 2 / 4, 4),
        (f"pope_yes@{RANDOM}", 2 / 4, 4),
        (f"pope_unparsed@{RANDOM}", 1 / 4, 4),
        ("pope_recall", 1 / 2, 2),
        ("token_f1@SROIE", 4 / 5, 5),
        ("rated@executability", 0.9, 2),
        ("rated@conciseness", 0.6, 1),
        ("rated@reasonability", None, 0),
        ("rated", None, 3),
        ("ratings", 3.0, 1),
        ("ratings@executability", 2.0, 1),
        ("ratings@reasonability", 0.0, 1),
        ("people_cee", 2 / 3, 3),
        ("people_words", 2 / 3, 3),
        ("people_cee@IC15", 1.0, 2),
        ("people_words@IC15", 0.5, 2),
        ("right_people", 1.0, 3),
        ("kappa_cee", 0.0, 3),
        ("kappa_words", 0.0, 3),
        ("right_people@IC15", 1.0, 2),
        ("kappa_cee@IC15", None, 2),  # all right on both sides: chance alone agrees always
        ("kappa_words@IC15", 0.0, 2),
    ],
)
def test_hand_worked_metrics(figures, name, value, n):
    assert figures[name].value == (None if value is None else pytest.approx(value))
    assert figures[name].n == n


@each_case(
    "name, asked, judged",
    [
        ("cee@IC15", 3, 3),
        ("cee@SVT", 2, 1),
        ("cee@knowledge", 5, 4),
        ("cee", 7, 6),
        ("words", 7, 7),
        ("agree", 7, 6),
        ("cee_readable", 7, 6),
        (f"pope_precision@{RANDOM}", 2, 2),
        (f"pope_recall@{RANDOM}", 2, 2),
        (f"pope_f1@{RANDOM}", 2, 2),
        ("pope_precision", 2, 2),
        ("people_cee", 4, 3),
        ("kappa_cee", 4, 3),
        ("kappa_words", 4, 4),
        ("kappa_cee@SVT", 1, 0),
    ],
)
def test_judged_are_the_rows_a_metric_knows_enough_of_and_a_mean_sums_them(name, asked, judged):
    questions = [question("IC15", n, "exit") for n in (1, 2, 3)]
    questions += [question("SVT", n, "bank") for n in (1, 2)]
    questions += [question(RANDOM, 1, "yes"), question(RANDOM, 2, "no")]
    labels = ["11111", "xxxx1", "00000", "1----", "11111", "11111", "11111"]
    people = {"correct": [(1,), (1,), (0,), (1,), (), (), ()]}
    found = scoring.contributions(questions, ["no"] * 7, labelled(*labels), people)
    figure = score_sheet(found, metrics=METRICS, ranking="cee", seed=1).figures.get(name)
    assert (
        figure is None
        if name == "kappa_cee@SVT"
        else (figure.asked, figure.judged) == (asked, judged)
    )


def test_the_mean_of_ratings_is_also_that_of_its_ability_and_dataset_and_counts_ratings():
    rated = {dimension.slug: [(), (4, 5)] for dimension in RATED}
    found = figures_of({}, slice(7, 9), rated)
    assert found["rated@embodied"] == found["rated@VirtualHome"] == found["rated"]
    assert (found["rated"].value, found["rated"].n) == (pytest.approx(0.9), 10)
    assert (found["ratings"].value, found["ratings"].low) == (10.0, None)


@each_case(
    "labels, coverage",
    [
        (("11111", "00000", "11111"), 1.0),
        (("111--", "-000-", "1-1-1"), 1.0),  # three labels make a vote
        (("111--", "11---", "-----"), 1 / 3),
        (("x----", "xxxxx", "11xxx"), 2 / 3),  # the official parser's -1 is a label
    ],
)
def test_the_coverage_counts_votes_not_labels(labels, coverage):
    questions = [*(question("IC15", n, "exit") for n in (1, 2, 3)), question("VirtualHome", 1)]
    found = scoring.contributions(questions, ["?"] * 4, labelled(*labels, "-----"))
    assert found.coverage == pytest.approx(coverage)


def test_what_nobody_voted_on_or_rated_has_no_value(figures):
    assert set(figures) | set(board.BOARD.metric_names()) <= set(board.METRICS)
    assert figures["rated"].value is None
    assert board.METRICS["rated"].empty == "not rated on all five dimensions"
    assert not [name for name in figures_of({}, slice(0, 8)) if name.startswith("rat")]
    assert scoring.contributions(QUESTIONS[8:], ANSWERS[8:], {}).coverage == 0.0
    unvoted = figures_of(labelled("-----", "-----", *LABELS[2:]))
    names = ("cee@IC15", "cee@knowledge", "cee")
    assert [unvoted[name].value for name in names] == [None] * 3
    assert (unvoted["cee@IC15"].asked, unvoted["cee@IC15"].judged) == (2, 0)


def test_the_first_columns_that_tell_what_to_trust_are_these():
    (table,) = (table for table in board.BOARD.tables if table.slug == "diagnosis")
    assert [metric.name for metric in table.sets[0].metrics] == [
        *("no_vote", "cee_readable", "pope_accuracy", "pope_yes", "people_cee", "people_words")
    ]


def test_bug_items_count_as_wrong_and_apart_and_runs_are_averaged():
    """Without verdicts word matching still has its score."""
    figures = figures_of(labelled("xxx11", "11111"), slice(0, 2))
    names = ("cee@IC15", "no_vote", "cee_readable")
    assert [figures[name].value for name in names] == [0.5, 0.5, 1.0]
    verdicts = {**labelled("11111", "11111"), **labelled("00000", "11111", run=2)}
    found = figures_of(verdicts, slice(0, 2))["cee@IC15"]
    assert (found.value, found.spread) == (0.75, pytest.approx(np.std([0.5, 1.0], ddof=1)))
    figures = figures_of({})
    assert (figures["words@IC15"].value, figures["cee"].value) == (0.5, None)


def test_the_order_of_questions_changes_nothing():
    verdicts = labelled(*LABELS)
    turned = {key: column[::-1] for key, column in verdicts.items()}
    people = {slug: column[::-1] for slug, column in PEOPLE.items()}
    found = scoring.contributions(QUESTIONS[::-1], ANSWERS[::-1], turned, people)
    straight = figures_of(verdicts, ratings=PEOPLE)
    assert score_sheet(found, metrics=METRICS, ranking="cee", seed=1).figures == straight


def test_sequences_of_other_lengths_are_an_error():
    with pytest.raises(ValueError, match="9 questions"):
        scoring.contributions(QUESTIONS, ANSWERS, labelled("11111"))
    with pytest.raises(ValueError, match="shorter"):
        scoring.contributions(QUESTIONS, ANSWERS[:-1], labelled(*LABELS))


@each_case(
    "said, labels, values",
    [
        ("Yes", "11111", [0.5, 0.5, 1.0, pytest.approx(2 / 3), 1.0]),
        ("No", "00000", [0.5, None, 0.0, 0.0, 0.0]),
    ],
)
def test_always_yes_and_no_have_the_precision_and_recall_of_the_truth(said, labels, values):
    found = scoring.contributions(QUESTIONS[4:8], [said] * 4, labelled(*[labels] * 4))
    figures = score_sheet(found, metrics=METRICS, ranking="cee", seed=1).figures
    names = ("accuracy", "precision", "recall", "f1", "yes")
    assert [figures[f"pope_{name}@{RANDOM}"].value for name in names] == values


@each_case("said, expected", [((), None), ((1,), True), ((0, 1), None), ((0, 0, 1), False)])
def test_people_decide_by_majority(said, expected):
    assert scoring.vote_of_people(said) is expected


def test_kappa_of_a_known_table():
    # both right 20, both wrong 15, only CEE right 10, only people right 5: kappa is 0.4 (Cohen's
    # own kind of table)
    questions = [question("IC15", number, "exit") for number in range(50)]
    labels = ["11111"] * 20 + ["00000"] * 15 + ["11111"] * 10 + ["00000"] * 5
    people = [*[(1,)] * 20, *[(0,)] * 15, *[(0,)] * 10, *[(1,)] * 5]
    found = scoring.contributions(questions, ["?"] * 50, labelled(*labels), {"correct": people})
    figures = score_sheet(found, metrics=METRICS, ranking="cee", seed=1).figures
    assert figures["people_cee"].value == pytest.approx(0.7)
    assert figures["kappa_cee"].value == pytest.approx(0.4)
    assert figures["kappa_cee@IC15"] == figures["kappa_cee"]


def test_the_entry_page_tells_votes_word_matching_and_people():
    rows = scoring.explain(QUESTIONS, ANSWERS, labelled(*LABELS), PEOPLE)
    assert (rows[1].verdict, rows[1].is_right) == ("right, 4 to 1", True)
    assert rows[1].remark == "Word matching: wrong. People: right."
    assert (rows[3].verdict, rows[3].is_right) == ("wrong, 2 to 2", False)
    assert (rows[8].verdict, rows[8].is_right) == ("Conciseness 3.00 · Executability 4.50", None)
    assert [row.outcome for row in rows] == [""] * 8 + ["rated by people"]
    rows = scoring.explain(QUESTIONS, ANSWERS, {})
    assert (rows[0].verdict, rows[0].is_right) == ("no verdict", None)
    assert rows[8].verdict == rows[8].outcome == "not rated yet"
