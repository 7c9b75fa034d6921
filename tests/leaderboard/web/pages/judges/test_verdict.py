"""What a judge's page says first: how reliable it is, and on what that was seen."""

from dataclasses import replace
from uuid import UUID

from django.utils import timezone

from benchmarks.protocols.base import Metric
from benchmarks.registry import protocol
from leaderboard.results.judges.comparisons import MeanOver
from leaderboard.results.judges.seals import worth_table
from leaderboard.web.pages.judges.record import CanaryLine
from leaderboard.web.pages.judges.studies import PeopleComparison
from leaderboard.web.pages.judges.verdict import UNKNOWN, Verdict, reliability_verdict
from leaderboard.web.pages.studies.cells import Cell

METRICS = (
    Metric("kappa", "Kappa", "Beyond chance.", unit="ratio"),
    Metric("people", "People", "The same as people.", digits=1),
)
RATED = {"people": MeanOver(0.91, 0.88, 0.94, 240, 3), "kappa": MeanOver(0.7, None, None, 240, 3)}
AGREES = Cell("59.4 %", "± 7.3", n="180")
STUDY = PeopleComparison("Spelling", "yes", 0, UUID(int=1), agreement=AGREES, share=0.594)


def canary(same: str) -> CanaryLine:
    return CanaryLine(timezone.now(), same, "0", "–", "m", "")


def test_ratings_of_its_entries_come_first_with_interval_and_number_of_answers():
    shown = reliability_verdict(METRICS, RATED, [STUDY], None, canary("49 of 50"))
    assert shown == Verdict(
        "Agrees with people in 91.0 % (95 % CI ± 3.0) of 240 rated answers. "
        "When last asked again, it gave the same verdict in 49 of 50 cases.",
        0.91,
    )


def test_without_an_interval_none_is_printed():
    rated = {"people": MeanOver(0.5, None, None, 4, 1)}
    shown = reliability_verdict(METRICS, rated, [], None, None)
    assert shown == Verdict("Agrees with people in 50.0 % of 4 rated answers.", 0.5)


def test_else_a_study_of_this_very_judge_which_says_if_it_is_made_up():
    other = replace(STUDY, judge="another", agreement=Cell("1.0 %", n="9"), share=0.01)
    shown = reliability_verdict(METRICS, {}, [other, STUDY], None, None)
    sentence = "Agrees with most people in 59.4 % (95 % CI ± 7.3) of 180 rated answers."
    assert shown == Verdict(sentence, 0.594)
    made_up = replace(STUDY, is_made_up=True)
    shown = reliability_verdict(METRICS, {}, [made_up], None, None)
    assert shown == Verdict(
        "Not checked by people yet. In made-up sample ratings it agrees with most people in 59.4 % "
        "(95 % CI ± 7.3) of 180 rated answers."
    )


def test_else_what_was_measured_of_this_version_of_the_rules():
    board = protocol("hallusionbench").board.BOARD
    now = worth_table(board, board.worth.version)
    made_up = replace(STUDY, is_made_up=True)
    found = reliability_verdict((), {}, [made_up], now, None)
    assert found == Verdict(now.sentence, board.worth.lines[0].rules)
    assert reliability_verdict((), {}, [], worth_table(board, "older"), None) == Verdict(UNKNOWN)


def test_a_judge_of_which_nothing_is_known_says_so():
    nothing = replace(STUDY, agreement=Cell("–"), share=None)
    assert reliability_verdict(METRICS, {}, [nothing], None, canary("–")) == Verdict(UNKNOWN)
