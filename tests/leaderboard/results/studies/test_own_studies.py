"""Reports of studies that were drawn and rated here: their address and name, late and withdrawn
votes, raters who failed attention checks, and one rater alone."""

import io
import re
import uuid
from collections.abc import Callable, Iterable
from datetime import timedelta
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from judging.panel.models import Assignment, RatingFile, Study, StudyItem, StudyRater, Vote
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import LATE_TIME, close_study, settle_late_votes
from judging.panel.studies.raters import remove_rater, withdraw_votes
from leaderboard.models import StudyReport
from leaderboard.results.studies.stored import refresh_reports
from tests.conftest import judged, submit
from tests.judging.panel.files import imported, ratings
from tests.judging.panel.study_world import raters_of, study_of, vote, words
from tests.leaderboard.results.studies import plain
from tests.leaderboard.results.studies.simulated import answers_to

NOW = timezone.now()
COUNT = 40
Says = Callable[[StudyItem], int]


@pytest.fixture(scope="module")
def made(module_rows):
    """Every third word is wrong; judged by the offline rules."""
    owner = User.objects.create_user("rosa", "rosa@example.org")
    submission = submit(words(COUNT), owner, answers_to(COUNT), "Speller")
    judged(submission)
    return submission.pk


@pytest.fixture
def entry(made, db):
    return Submission.objects.get(pk=made)


def truth(item: StudyItem) -> int:
    return int(item.is_check or item.shown_answer != "other")


def wrong(item: StudyItem) -> int:
    return 1 - truth(item)


def now_and_then_wrong(every: int) -> Says:
    """Checks are answered as they should be."""
    return lambda item: wrong(item) if not item.is_check and item.pk % every == 0 else truth(item)


SOMETIMES = now_and_then_wrong(5)


def rate_all(rater: StudyRater, says: Says, asked: Iterable[StudyItem] | None = None) -> None:
    """These items, or all there are, as if they had been handed out and voted on."""
    items = list(rater.study.items.all() if asked is None else asked)
    Assignment.objects.bulk_create(
        Assignment(item=item, rater=rater, turn=turn, lease_until=NOW, voted=NOW)
        for turn, item in enumerate(items, 1)
    )
    of_counted = [item.pk for item in items if not item.is_check]
    StudyItem.objects.filter(pk__in=of_counted).update(taken=F("taken") + 1)
    Vote.objects.bulk_create(
        Vote(
            item=item, rater=rater, dimension="correct", value=says(item), at=NOW, key=uuid.uuid4()
        )
        for item in items
    )


def reported(entry, *says: Says, **kinds) -> Study:
    """A study that everybody rated to its end, closed, with its report."""
    study = study_of([entry], raters=len(says), raters_per_item=len(says), **kinds)
    for rater, one in zip(raters_of(study), says, strict=True):
        rate_all(rater, one)
    close_study(study=study)
    refresh_reports()
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


def test_a_study_is_called_by_its_own_name_and_two_people_are_said_to_have_no_majority(
    entry, client
):
    """Its votes are not made up, and nobody failed a check. Two who disagree have no majority."""
    Submission.objects.filter(pk=entry.pk).update(origin=Submission.Origin.SAMPLE)
    kinds = {"title": "Do judges spell?", "check_every": 5, "failing": "marked"}
    study = reported(entry, truth, now_and_then_wrong(2), **kinds)
    page = client.get(address(study))
    assert "<h1>Do judges spell?</h1>" in page.text
    assert "<title>Do judges spell?" in page.text
    said = text_of(page)
    assert "made up" not in said.lower()
    assert "their answers ship with the site. The votes were given here." in said
    assert "failed attention checks" not in said
    assert "checks" not in figures(client, study)
    assert "needs three people per answer" in said.partition("Votes with the majority")[2][:250]
    assert "Offline rules, version 1 agrees with most people in" in said.partition("collected")[0]
    shown = client.get(reverse("studies"))
    assert f'href="{address(study)}">Do judges spell?</a>' in shown.text
    said = text_of(shown)
    assert ("needs three people per answer" in said, "100.0 %" in said) == (True, False)
    assert "made up" not in said
    (listed,) = client.get(reverse("api-studies")).json()["results"]
    assert (listed["id"], listed["is_made_up"]) == (str(study.pk), False)
    assert listed["judges"][0]["people_agreement"] is None
    assert client.get(listed["links"]["page"]).status_code == 200


# --- late and withdrawn votes ---------------------------------------------------------------------


def test_late_votes_reach_the_report_which_says_so(entry, client):
    study = study_of([entry], raters=2, raters_per_item=2)
    first, second = raters_of(study)
    rate_all(first, truth)
    rate_all(second, truth, study.items.all()[: COUNT - 2])
    late = [given.item for given in give_out(second, NOW)]
    assert refresh_reports() == 0  # an open study counts nowhere
    close_study(study=study)
    refresh_reports()
    assert figures(client, study)["votes"] == 2 * COUNT - 2
    study.refresh_from_db()
    page = text_of(client.get(address(study)))
    assert f"are accepted until {study.late_until:%Y-%m-%d %H:%M} UTC" in page
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
    assert "are accepted until" not in text_of(client.get(address(study)))


def test_what_a_rater_withdraws_is_in_no_figure_and_the_study_keeps_its_address(entry, client):
    study = reported(entry, truth, wrong, now_and_then_wrong(4))
    file = RatingFile.objects.get()
    assert client.get(reverse("study", args=[file.pk]))["Location"] == address(study)
    page = text_of(client.get(address(study)))
    assert "Krippendorff's alpha, nominal" in page  # the answers have no order
    assert "weighted Cohen" not in page
    before = figures(client, study)
    withdraw_votes(rater=raters_of(study)[1])
    assert client.get(address(study)).status_code == 404  # until it is computed anew
    assert refresh_reports() == 1
    after = figures(client, study)
    assert (before["raters"], after["raters"], after["votes"]) == (3, 2, 2 * COUNT)
    assert after["people"]["pairs"]["value"] == plain.near(
        plain_pairs(study, truth, now_and_then_wrong(4))
    )
    file.refresh_from_db()
    assert file.withdrawn
    assert client.get(reverse("study", args=[file.pk]))["Location"] == address(study)


def test_a_report_calls_raters_as_their_study_does(entry, client, admin_client):
    """The third voted first, and the second is heard no more."""
    study = study_of([entry], raters=3, raters_per_item=2)
    one, two, three = raters_of(study)
    rate_all(three, now_and_then_wrong(2), study.items.all()[:25])
    rate_all(two, truth, study.items.all()[:5])
    remove_rater(rater=two, reason="Did not look.")
    rate_all(one, truth)
    close_study(study=study)
    refresh_reports()
    whole = text_of(client.get(address(study)))
    assert ("collected on this site" in whole, "Person 3" in whole) == (True, False)
    page = whole.rpartition("Each person")[2]
    assert re.findall(r"rater (\d) (\d+) ", page)[:2] == [("1", str(COUNT)), ("3", "25")]
    rows = client.get(reverse("study-file", args=[study.pk, "csv"])).text
    assert (",raters,rater 3,," in rows, ",rater 2," in rows) == (True, False)
    assert ",pairs,rater 1 and rater 3,," in rows
    owner_page = reverse("admin:panel_study_change", args=[study.pk])
    assert re.search(r"rater 3 Person 3 25 ", text_of(admin_client.get(owner_page)))


# --- attention checks -----------------------------------------------------------------------------


def plain_pairs(study: Study, *says: Says) -> float:
    items = study.items.filter(is_check=False)
    return plain.pairs_that_agree([[one(item) for one in says] for item in items])


@pytest.mark.parametrize("failing", ["kept", "marked", "left out"])
def test_a_study_with_a_rater_who_fails_checks_has_both_results(entry, client, failing):
    """The last of three fails every check and errs in everything; the first result is that of the
    study's rule."""
    study = reported(entry, truth, SOMETIMES, wrong, check_every=5, failing=failing)
    part = figures(client, study)
    results = [(3, plain_pairs(study, truth, SOMETIMES, wrong))]
    results.append((2, plain_pairs(study, truth, SOMETIMES)))
    if failing == "left out":
        results.reverse()
    (raters, pairs), (others, pairs_of_others) = results
    beside = part["checks"]["beside"]
    assert (part["checks"]["failing"], part["checks"]["rule"]) == (1, failing)
    assert (part["raters"], part["votes"]) == (raters, raters * COUNT)
    assert (beside["raters"], beside["votes"]) == (others, others * COUNT)
    assert part["people"]["pairs"]["value"] == plain.near(pairs)
    assert beside["people"]["pairs"]["value"] == plain.near(pairs_of_others)
    page = text_of(client.get(address(study)))
    assert "1 rater passed fewer than 75 % of the attention checks they met" in page
    line = page.partition("Both results")[2].partition("Pairs that agree")[2][:80]
    assert f"{100 * pairs_of_others:.1f} %" in line.partition(f"{100 * pairs:.1f} %")[2]
    assert ("failed attention checks" in page.rpartition("Each person")[2]) is (failing == "marked")
    left_out = "their votes are left out of every other figure" in page
    assert left_out is (failing == "left out")
    rows = client.get(reverse("study-file", args=[study.pk, "csv"])).text
    assert ",other raters,,,pairs," in rows


def test_what_is_said_of_checks_follows_late_ones_and_who_withdraws(entry, client):
    """Neither changes a rating: the checks count nowhere, and the failing rater was left out."""
    study = study_of([entry], raters=2, raters_per_item=2, check_every=5, failing="left out")
    first, second = raters_of(study)
    rate_all(first, truth)
    rate_all(second, wrong, study.items.filter(is_check=False))
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


def test_where_one_rater_is_left_both_results_are_told_and_where_nobody_is_that_is(entry, client):
    study = reported(entry, truth, wrong, check_every=5, failing="left out")
    page = text_of(client.get(address(study)))
    assert "The votes of one person count." in page
    assert "With them: 2 people, 80 votes." in page
    assert "0.0 %" in page.partition("Pairs that agree")[2][:80]
    study = reported(entry, wrong, wrong, check_every=5, failing="marked")
    page = text_of(client.get(address(study)))
    assert "2 raters passed fewer than 75 % of the attention checks" in page
    assert "Without them no vote is left to compare with." in page
    assert "Both results" not in page


# --- few raters, and names of coefficients --------------------------------------------------------


def test_a_study_of_one_rater_has_a_report_that_says_what_it_cannot_tell(entry, client):
    """Each of one person's votes is its own majority."""
    study = reported(entry, SOMETIMES)
    page = text_of(client.get(address(study)))
    assert "One person rated these answers. This study cannot show how far people agree" in page
    assert "How far people agree" not in page
    assert "Offline rules, version 1 agrees with the one person who rated in" in page
    assert "most people" not in page.partition("One person’s ratings")[0]
    assert "Each person" not in page
    said = np.mean([SOMETIMES(item) == truth(item) for item in study.items.all()])
    assert f"{100 * said:.1f} %" in page.partition("Agrees with this person")[2]
    shown = text_of(client.get(reverse("studies")))
    assert ("needs three people per answer" in shown, "100.0 %" in shown) == (True, False)
    (judge,) = client.get(reverse("api-studies")).json()["results"][0]["judges"]
    assert judge["people_agreement"] is None


def test_a_weighted_kappa_is_called_so_and_the_unweighted_stands_beside(entry, client):
    """Of short words, whose neatness is rated."""
    lines = "".join(f"{n}|w {n}|w{n}\n" for n in range(1, COUNT + 1)).encode()
    kind = protocol("spelling")
    release = import_release(protocol=kind, stream=io.BytesIO(lines), slug="w").release
    of_short = submit(release, entry.owner, answers_to(COUNT), "Speller")
    one = [1 + n % 5 for n in range(1, COUNT + 1)]
    other = [min(5, value + (n % 3 == 0)) for n, value in enumerate(one)]
    rows = [
        f"{n},{name},neatness,{value}"
        for name, said in (("ann", one), ("bo", other))
        for n, value in enumerate(said, 1)
    ]
    file = imported(ratings(of_short, *rows)).file
    refresh_reports()
    page = text_of(client.get(reverse("study", args=[file.pk])))
    few = "Too few people rated the same answers to say how far they agree. No judge has judged"
    assert few in page.partition("imported from a file")[0]
    weighted, unweighted = (kappa_of(one, other, weights) for weights in (abs, bool))
    assert weighted != pytest.approx(unweighted, abs=0.01)
    assert (
        "Linearly weighted Cohen's kappa, agreement of two people beyond chance: "
        f"{weighted:.2f} of one pair of raters"
    ) in page
    assert f"Unweighted, where only identical ratings agree: {unweighted:.2f}" in page
    assert "Krippendorff's alpha, ordinal" in page
    assert "Fleiss' kappa, unweighted" in page


def kappa_of(one: list[int], other: list[int], weight: Callable[[int], float]) -> float:
    """1 less the mean weight of a pair by that of any two votes."""
    seen = np.mean([weight(a - b) for a, b in zip(one, other, strict=True)])
    return float(1 - seen / np.mean([weight(a - b) for a in one for b in other]))
