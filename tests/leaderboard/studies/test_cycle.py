"""A study of sixty items from its draw to the printed figures, by what browsers send: staff draw it
and invite, three people who err in 5, 10 and 25 % vote by their links, staff close it, and every
coefficient is that of a computation written plainly."""

import random
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judging.panel.models import RatingFile, Study, Vote
from leaderboard.services import score_finished_runs
from leaderboard.studies.stored import refresh_reports
from tests.conftest import judged, submit
from tests.judging.panel.study_world import words
from tests.leaderboard.studies import plain
from tests.leaderboard.studies.simulated import (
    ERRORS,
    answers_to,
    columns_of,
    is_right,
    rate_everything,
)

DRAWN = {
    "title": "Does the judge spell?",
    "questionnaire": "correct",
    "size": "60",
    "raters_per_item": "3",
    "check_every": "10",
    "least_passed": "75",
    "failing": "marked",
    "seed": "7",
    "note": "",
}
pytestmark = pytest.mark.slow


@pytest.fixture
def entry(db, owner):
    """Judged by the offline rules."""
    submission = submit(words(60), owner, answers_to(60), "Speller")
    judged(submission)
    return submission


@pytest.fixture
def staff(db) -> Client:
    client = Client()
    client.force_login(
        User.objects.create_superuser("ada", "ada@example.org", "a long enough password")
    )
    return client


def opened_study(staff: Client, entry) -> tuple[Study, list[str]]:
    """By the wizard, and the links of its raters as the page shows them once."""
    address = f"{reverse('admin:panel_study_add')}?release={entry.release.slug}"
    staff.post(address, {**DRAWN, "entries": [str(entry.pk)], "create": "Draw the study"})
    study = Study.objects.get()
    page = staff.post(
        reverse("admin:panel_study_invite", args=[study.pk]), {"people": "Bo\nCy\nDi"}
    )
    links = re.findall(r"<code>(http://testserver/rate/join/[^<]+)</code>", page.text)
    assert len(links) == len(ERRORS)
    staff.post(reverse("admin:panel_study_move", args=[study.pk, "open"]))
    return study, links


def test_votes_become_the_printed_figures(entry, staff, client):
    study, links = opened_study(staff, entry)
    rng = random.Random(14)
    said = []
    for link, error in zip(links, ERRORS, strict=True):
        browser = Client()
        assert browser.get(link).status_code == 302
        said.append(rate_everything(browser, study, error, rng))
    assert Vote.objects.filter(item__is_check=False).count() == 180
    assert Vote.objects.filter(item__is_check=True).count() > 0
    assert refresh_reports() == 0  # an open study counts nowhere
    staff.post(reverse("admin:panel_study_move", args=[study.pk, "close"]))
    score_finished_runs()
    assert refresh_reports() == 1
    file = RatingFile.objects.get()
    document = client.get(reverse("study-file", args=[file.pk, "json"])).json()
    (part,) = document["parts"]
    assert (part["items"], part["raters"], part["votes"]) == (60, 3, 180)
    questions = sorted(said[0])
    items: plain.Votes = [[of_rater[text] for of_rater in said] for text in questions]
    judge: list[int | None] = [is_right(text) for text in questions]
    columns = columns_of(part, items)
    plain.assert_figures(part, [[row[c] for c in columns] for row in items], judge)
    shown = client.get(reverse("study", args=[file.pk]), follow=True).text
    assert "rated on this site" in shown
    plain.assert_printed(shown, items, judge)
    assert not any(f">{name}<" in shown for name in ("Bo", "Cy", "Di"))
