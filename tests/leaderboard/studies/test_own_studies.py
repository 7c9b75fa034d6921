"""Reports of studies that were drawn and rated here: their address and name, late and withdrawn
votes, raters who failed attention checks, and one rater alone."""

import io
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_floor_version
from judging.panel.models import RatingFile, Study, StudyItem, StudyRater
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import LATE_TIME, close_study, settle_late_votes
from judging.panel.studies.raters import remove_rater, withdraw_votes
from leaderboard.models import StudyReport
from leaderboard.services import score_finished_runs
from leaderboard.studies.stored import refresh_reports
from tests.conftest import judged, submit
from tests.judging.panel.files import imported, ratings
from tests.judging.panel.study_world import raters_of, study_of, vote, words
from tests.leaderboard.studies import plain
from tests.leaderboard.studies.simulated import answers_to

NOW = timezone.now()
COUNT = 40
Says = Callable[[StudyItem], int]


@pytest.fixture
def entry(db, owner):
    """Every third word is wrong; judged by the offline rules."""
    submission = submit(words(COUNT), owner, answers_to(COUNT), "Speller")
    judged(submission)
    score_finished_runs()
    return submission


def truth(item: StudyItem) -> int:
    return int(item.is_check or item.shown_answer != "other")


def wrong(item: StudyItem) -> int:
    return 1 - truth(item)


def now_and_then_wrong(every: int) -> Says:
    """Checks are answered as they should be."""
    return lambda item: wrong(item) if not item.is_check and item.pk % every == 0 else truth(item)


def rate_all(rater: StudyRater, says: Says, most: int = 1000) -> None:
    count = 0
    while count < most and (given := give_out(rater, NOW)):
        vote(rater, given[0].item, says(given[0].item), now=NOW)
        count += 1


def voted(entry, *says: Says, **kinds) -> Study:
    study = study_of([entry], raters=len(says), raters_per_item=len(says), **kinds)
    for rater, one in zip(raters_of(study), says, strict=True):
        rate_all(rater, one)
    return study


def address(study: Study) -> str:
    return reverse("study", args=[study.pk])


def figures(client, study: Study) -> dict[str, Any]:
    part: dict[str, Any]
    (part,) = client.get(reverse("study-file", args=[study.pk, "json"])).json()["parts"]
    return part


def text_of(page) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


# --- name and address -----------------------------------------------------------------------------


def test_a_study_is_called_by_its_own_name_and_its_votes_are_not_made_up(entry, client):
    Submission.objects.filter(pk=entry.pk).update(origin=Submission.Origin.SAMPLE)
    study = voted(entry, truth, truth, title="Do judges spell?")
    close_study(study=study)
    refresh_reports()
    page = client.get(address(study)).text
    assert "<h1>Do judges spell?</h1>" in page
    assert "<title>Do judges spell?" in page
    assert "made up" not in page.lower()
    assert "their answers ship with the site. The votes were given here." in page
    shown = client.get(reverse("studies")).text
    assert f'href="{address(study)}">Do judges spell?</a>' in shown
    assert "made up" not in shown
    (listed,) = client.get(reverse("api-studies")).json()["results"]
    assert (listed["id"], listed["is_made_up"]) == (str(study.pk), False)
    assert client.get(listed["links"]["page"]).status_code == 200


def test_the_address_of_its_file_leads_to_the_study_also_once_it_was_replaced(entry, client):
    study = voted(entry, truth, truth, truth)
    (file,) = close_study(study=study)
    refresh_reports()
    assert client.get(reverse("study", args=[file.pk]))["Location"] == address(study)
    withdraw_votes(rater=raters_of(study)[0])
    refresh_reports()
    file.refresh_from_db()
    assert file.withdrawn
    assert client.get(reverse("study", args=[file.pk]))["Location"] == address(study)
    assert client.get(address(study)).status_code == 200


# --- late and withdrawn votes ---------------------------------------------------------------------


def test_late_votes_reach_the_report_which_says_so(entry, client):
    study = study_of([entry], raters=2, raters_per_item=2)
    first, second = raters_of(study)
    rate_all(first, truth)
    rate_all(second, truth, most=COUNT - 2)
    late = [given.item for given in give_out(second, NOW)]
    close_study(study=study)
    refresh_reports()
    assert figures(client, study)["votes"] == 2 * COUNT - 2
    study.refresh_from_db()
    page = text_of(client.get(address(study)))
    assert f"are taken until {study.late_until:%Y-%m-%d %H:%M} UTC" in page
    assert "came after" not in page
    for item in late:
        vote(second, item, truth(item))
    page = text_of(client.get(address(study)))
    assert "are not in these figures yet" in page
    assert "came after" not in page
    assert settle_late_votes(timezone.now() + timedelta(hours=1)) == 1
    assert refresh_reports() == 1
    assert figures(client, study)["votes"] == 2 * COUNT
    page = text_of(client.get(address(study)))
    assert "2 votes in these figures came after the study was closed." in page
    assert "not in these figures yet" not in page
    assert StudyReport.objects.count() == 1
    assert RatingFile.objects.not_withdrawn().count() == 2
    Study.objects.update(late_until=timezone.now() - LATE_TIME)
    assert "are taken until" not in text_of(client.get(address(study)))


def test_what_a_rater_withdraws_is_in_no_figure_of_the_report(entry, client):
    study = voted(entry, truth, wrong, now_and_then_wrong(4))
    close_study(study=study)
    refresh_reports()
    before = figures(client, study)
    withdraw_votes(rater=raters_of(study)[1])
    assert client.get(address(study)).status_code == 404  # until it is computed anew
    assert refresh_reports() == 1
    after = figures(client, study)
    assert (before["raters"], after["raters"], after["votes"]) == (3, 2, 2 * COUNT)
    other = voted(entry, truth, now_and_then_wrong(4))
    close_study(study=other)
    refresh_reports()
    assert after["people"]["pairs"] == figures(client, other)["people"]["pairs"]


def test_a_report_calls_raters_as_their_study_does(entry, client, admin_client):
    """The third voted first, and the second is heard no more."""
    study = study_of([entry], raters=3, raters_per_item=2)
    one, two, three = raters_of(study)
    rate_all(three, now_and_then_wrong(2), most=25)
    rate_all(two, truth, most=5)
    remove_rater(rater=two, reason="Did not look.")
    rate_all(one, truth)
    close_study(study=study)
    refresh_reports()
    page = text_of(client.get(address(study))).rpartition("Each person")[2]
    assert re.findall(r"rater (\d) (\d+) ", page)[:2] == [("1", str(COUNT)), ("3", "25")]
    rows = client.get(reverse("study-file", args=[study.pk, "csv"])).text
    assert (",raters,rater 3,," in rows, ",rater 2," in rows) == (True, False)
    assert ",pairs,rater 1 and rater 3,," in rows
    owner_page = reverse("admin:panel_study_change", args=[study.pk])
    assert re.search(r"rater 3 Person 3 25 ", text_of(admin_client.get(owner_page)))


# --- attention checks -----------------------------------------------------------------------------


SOMETIMES = now_and_then_wrong(5)


@pytest.fixture
def three(entry):
    """Of three raters the last one fails every check and errs in everything."""

    def made(failing: str) -> Study:
        study = voted(entry, truth, SOMETIMES, wrong, check_every=5, failing=failing)
        close_study(study=study)
        refresh_reports()
        return study

    return made


def plain_pairs(study: Study, *says: Says) -> float:
    items = study.items.filter(is_check=False)
    return plain.pairs_that_agree([[one(item) for one in says] for item in items])


@pytest.mark.parametrize("failing", ["kept", "marked"])
def test_votes_of_who_fails_checks_count_and_the_report_has_both_results(three, client, failing):
    study = three(failing)
    part = figures(client, study)
    assert (part["raters"], part["checks"]["failing"], part["checks"]["rule"]) == (3, 1, failing)
    with_them = plain_pairs(study, truth, SOMETIMES, wrong)
    without = plain_pairs(study, truth, SOMETIMES)
    beside = part["checks"]["beside"]
    assert part["people"]["pairs"]["value"] == plain.near(with_them)
    assert beside["people"]["pairs"]["value"] == plain.near(without)
    assert (beside["raters"], beside["votes"]) == (2, 2 * COUNT)
    page = text_of(client.get(address(study)))
    assert "1 rater passed fewer than 75 % of the attention checks they met" in page
    line = page.partition("Both results")[2].partition("Pairs that agree")[2][:80]
    assert f"{100 * with_them:.1f} %" in line.partition(f"{100 * without:.1f} %")[0]
    assert ("failed attention checks" in page.rpartition("Each person")[2]) is (failing == "marked")


def test_votes_of_who_fails_checks_are_left_out_and_the_report_has_both_results(three, client):
    study = three("left out")
    part = figures(client, study)
    assert (part["raters"], part["votes"]) == (2, 2 * COUNT)
    beside = part["checks"]["beside"]
    assert (beside["raters"], beside["votes"]) == (3, 3 * COUNT)
    assert part["people"]["pairs"]["value"] == plain.near(plain_pairs(study, truth, SOMETIMES))
    assert beside["people"]["pairs"]["value"] == plain.near(
        plain_pairs(study, truth, SOMETIMES, wrong)
    )
    assert "their votes are left out of every other figure" in text_of(client.get(address(study)))
    rows = client.get(reverse("study-file", args=[study.pk, "csv"])).text
    assert ",other raters,,,pairs," in rows


def test_where_nobody_fails_there_is_one_result(entry, client):
    study = voted(entry, truth, truth, check_every=5, failing="marked")
    close_study(study=study)
    refresh_reports()
    assert "checks" not in figures(client, study)
    assert "failed attention checks" not in text_of(client.get(address(study)))


def test_what_is_said_of_checks_follows_late_ones_and_who_withdraws(entry, client):
    """Neither changes a rating: the checks count nowhere, and the failing rater was left out."""
    study = study_of([entry], raters=2, raters_per_item=2, check_every=5, failing="left out")
    first, second = raters_of(study)
    rate_all(first, truth)
    while items := [given.item for given in give_out(second, NOW) if not given.item.is_check]:
        for item in items:
            vote(second, item, wrong(item), now=NOW)
    checks = [given.item for given in give_out(second, NOW)]
    close_study(study=study)
    refresh_reports()
    assert "checks" not in figures(client, study)
    for item in checks:
        vote(second, item, wrong(item))
    settle_late_votes(timezone.now() + timedelta(hours=1))
    refresh_reports()
    assert figures(client, study)["checks"]["beside"]["votes"] == 2 * COUNT
    withdraw_votes(rater=second)
    assert refresh_reports() == 1
    assert "checks" not in figures(client, study)
    assert refresh_reports() == 0


def test_where_one_rater_is_left_both_results_are_told(entry, client):
    study = voted(entry, truth, wrong, check_every=5, failing="left out")
    close_study(study=study)
    refresh_reports()
    page = text_of(client.get(address(study)))
    assert "The votes of one person count." in page
    assert "With them: 2 people, 80 votes." in page
    assert "0.0 %" in page.partition("Pairs that agree")[2][:80]


def test_where_everybody_fails_that_is_said(entry, client):
    study = voted(entry, wrong, wrong, check_every=5, failing="marked")
    close_study(study=study)
    refresh_reports()
    page = text_of(client.get(address(study)))
    assert "2 raters passed fewer than 75 % of the attention checks" in page
    assert "Without them no vote is left to compare with." in page
    assert "Both results" not in page


# --- few raters, and names of coefficients --------------------------------------------------------


def test_a_study_of_one_rater_has_a_report_that_says_what_it_cannot_tell(entry, client):
    study = voted(entry, now_and_then_wrong(5))
    close_study(study=study)
    refresh_reports()
    page = text_of(client.get(address(study)))
    assert "One person rated these answers. This study cannot tell how far people agree" in page
    assert "How far people agree" not in page
    assert "Each person" not in page
    said = np.mean([now_and_then_wrong(5)(item) == truth(item) for item in study.items.all()])
    assert f"{100 * said:.1f} %" in page.partition("Says what this person says")[2]


@pytest.mark.parametrize("raters", [1, 2])
def test_one_or_two_people_are_not_said_to_agree_with_the_majority(entry, client, raters):
    """Each vote of one is its own majority, and two who disagree have none."""
    study = voted(entry, *[truth, now_and_then_wrong(2)][:raters])
    close_study(study=study)
    refresh_reports()
    shown = text_of(client.get(reverse("studies")))
    assert ("takes three people an answer" in shown, "100.0 %" in shown) == (True, False)
    if raters == 2:
        page = text_of(client.get(address(study))).partition("Votes like the majority")[2]
        assert "takes three people an answer" in page[:250]
    (judge,) = client.get(reverse("api-studies")).json()["results"][0]["judges"]
    assert judge["people_agreement"] is None


def test_a_weighted_kappa_is_called_so_and_the_unweighted_stands_beside(owner, client, db):
    lines = "".join(f"{n}|w {n}|w{n}\n" for n in range(1, COUNT + 1))
    kind = protocol("spelling")
    release = import_release(protocol=kind, stream=io.BytesIO(lines.encode()), slug="w").release
    set_floor_version(release)
    answers = "".join(f"{n}=w{n}\n" for n in range(1, COUNT + 1))
    entry = submit(release, owner, answers.encode(), "Speller")
    one = [1 + n % 5 for n in range(1, COUNT + 1)]
    other = [min(5, value + (n % 3 == 0)) for n, value in enumerate(one)]
    rows = [
        f"{n},{name},neatness,{value}"
        for name, said in (("ann", one), ("bo", other))
        for n, value in enumerate(said, 1)
    ]
    file = imported(ratings(entry, *rows)).file
    refresh_reports()
    page = text_of(client.get(reverse("study", args=[file.pk])))
    weighted, unweighted = (kappa_of(one, other, weights) for weights in (abs, bool))
    assert weighted != pytest.approx(unweighted, abs=0.01)
    assert (
        "Linearly weighted Cohen's kappa, agreement of two people beyond chance: "
        f"{weighted:.2f} of one pair of raters"
    ) in page
    assert f"Unweighted, where only the same answer agrees: {unweighted:.2f}" in page
    assert "Krippendorff's alpha, ordinal" in page
    assert "Fleiss' kappa, unweighted" in page


def kappa_of(one: list[int], other: list[int], weight: Callable[[int], float]) -> float:
    """1 less the mean weight of a pair by that of any two votes."""
    seen = np.mean([weight(a - b) for a, b in zip(one, other, strict=True)])
    return float(1 - seen / np.mean([weight(a - b) for a in one for b in other]))


def test_figures_that_have_no_order_are_called_nominal(entry, client):
    study = voted(entry, truth, truth, now_and_then_wrong(5))
    close_study(study=study)
    refresh_reports()
    page = text_of(client.get(address(study)))
    assert "Krippendorff's alpha, nominal" in page
    assert "weighted Cohen" not in page
