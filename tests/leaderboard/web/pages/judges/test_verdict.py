"""What a judge's page says first: how reliable it is, and on what that was seen."""

from benchmarks.protocols.base import Metric
from benchmarks.registry import protocol
from judging.models import CanaryRun
from leaderboard.models import StudyAnswer, StudyReport
from leaderboard.results.judges.comparisons import MeanOver
from leaderboard.results.judges.seals import worth_table
from leaderboard.web.pages.judges.verdict import UNKNOWN, Verdict, reliability_verdict

METRICS = (
    Metric("kappa", "Kappa", "Beyond chance.", unit="ratio"),
    Metric("people", "People", "The same as people.", digits=1),
)
RATED = {"people": MeanOver(0.91, 0.88, 0.94, 240, 3), "kappa": MeanOver(0.7, None, None, 240, 3)}


def study(share: float | None, *, is_made_up: bool = False) -> StudyAnswer:
    report = StudyReport(is_made_up=is_made_up)
    people = [0.837, 0.805, 0.869, 540]
    return StudyAnswer(report=report, agreement=[share, 0.521, 0.667, 180], people=people)


STUDY, MADE_UP = study(0.594), study(0.594, is_made_up=True)


def test_ratings_of_its_entries_come_first_with_interval_and_number_of_answers():
    shown = reliability_verdict(METRICS, RATED, [STUDY], None, CanaryRun(same=49, asked=50))
    assert shown == Verdict(
        "Agrees with people in 91.0 % (95 % interval 88.0 to 94.0) of 240 rated answers. "
        "When last asked again, it gave the same verdict in 49 of 50 cases.",
        0.91,
    )


def test_without_an_interval_none_is_printed():
    rated = {"people": MeanOver(0.5, None, None, 4, 1)}
    shown = reliability_verdict(METRICS, rated, [], None, None)
    assert shown == Verdict("Agrees with people in 50.0 % of 4 rated answers.", 0.5)


def test_else_a_study_which_says_if_it_is_made_up():
    shown = reliability_verdict(METRICS, {}, [STUDY], None, None)
    sentence = (
        "Agrees with most people in 59.4 % (95 % interval 52.1 to 66.7) of 180 rated answers."
    )
    assert shown == Verdict(sentence, 0.594)
    shown = reliability_verdict(METRICS, {}, [MADE_UP], None, None)
    assert shown == Verdict(
        "Not checked by people yet. In ratings invented to show a study, it agrees with most "
        "people in 59.4 % (95 % interval 52.1 to 66.7) of 180 rated answers."
    )


def test_what_one_person_said_is_no_majority():
    alone = study(0.222)
    alone.people = [None, None, None, 0]
    assert reliability_verdict(METRICS, {}, [alone], None, None) == Verdict(UNKNOWN)
    assert reliability_verdict(METRICS, {}, [alone, STUDY], None, None).share == 0.594


def test_else_what_was_measured_of_this_version_of_the_rules():
    board = protocol("hallusionbench").board.BOARD
    now = worth_table(board, board.worth.version)
    found = reliability_verdict((), {}, [MADE_UP], now, None)
    assert found == Verdict(now.sentence, board.worth.lines[0].rules)
    assert reliability_verdict((), {}, [], worth_table(board, "older"), None) == Verdict(UNKNOWN)


def test_a_judge_of_which_nothing_is_known_says_so():
    assert reliability_verdict(
        METRICS, {}, [study(None)], None, CanaryRun(same=0, asked=0)
    ) == Verdict(UNKNOWN)
