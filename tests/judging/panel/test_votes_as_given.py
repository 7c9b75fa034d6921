"""The files of votes as they were given: what is in them, and what is not."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions.models import Submission
from judging.panel.models import Study
from judging.panel.studies.as_given import COLUMNS
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import close_study
from judging.panel.studies.raters import withdraw_votes
from judging.panel.studies.voting import take_back
from tests.judging.panel.study_world import raters_of, study_of, vote
from tests.judging.room import says

NOW = timezone.now()


@pytest.fixture(scope="module")
def module_study(module_entry: Submission) -> Study:
    """Of two raters; the first took a vote back, and voted once after the close."""
    made = study_of([module_entry], raters=2, raters_per_item=2, check_every=4)
    made.raters.filter(number=1).update(name="=Tellingname", email="telling@example.org")
    first, second = raters_of(made)
    items = [given.item for given in give_out(first, NOW)]
    for minute, item in enumerate(items[:4]):
        vote(first, item, 1, now=NOW + timedelta(minutes=minute))
    take_back(rater=first, now=NOW + timedelta(minutes=10))
    vote(second, give_out(second, NOW)[0].item, 0, now=NOW + timedelta(minutes=11))
    close_study(study=made, now=NOW + timedelta(hours=1))
    vote(first, items[4], 2, now=NOW + timedelta(hours=2))
    return made


@pytest.fixture
def study(module_study, db) -> Study:
    return Study.objects.get(pk=module_study.pk)


def address(study: Study, kind: str) -> str:
    return reverse("admin:panel_study_votes", args=[study.pk, kind])


def content_of(response) -> str:
    return b"".join(response.streaming_content).decode()


def test_every_vote_is_in_both_files_as_it_was_given(staff, study, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        lines = content_of(staff.get(address(study, "jsonl"))).splitlines()
    votes = [json.loads(line) for line in lines]
    table = csv.DictReader(io.StringIO(content_of(staff.get(address(study, "csv"))), newline=""))
    rows = list(table)
    assert tuple(table.fieldnames or ()) == tuple(votes[0]) == COLUMNS
    as_text = [{k: "" if v is None else str(v) for k, v in one.items()} for one in votes]
    assert rows == as_text
    told = [
        (one["rater"][-1], one["value"], one["is_late"], one["taken_back"] is not None)
        for one in votes
    ]
    assert told == [
        *[("1", 1, False, False)] * 3,
        ("1", 1, False, True),
        ("2", 0, False, False),
        ("1", 2, True, False),
    ]
    items = {item.position: item for item in study.items.select_related("answer__question")}
    for one in votes:
        item = items[one["item"]]
        assert one["question"] == item.answer.question.public_id
        assert one["entry"] == str(item.answer.submission_id)
        expected = one["value"] == 1 if item.is_check else None
        assert (one["is_check"], one["is_passed"]) == (item.is_check, expected)
    assert votes[0]["given"] == NOW.isoformat()


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_no_file_names_anybody_or_holds_what_was_withdrawn(staff, study, kind):
    text = content_of(staff.get(address(study, kind)))
    assert f"study {study.code}, rater 1" in text
    withdraw_votes(rater=raters_of(study)[1])
    after = content_of(staff.get(address(study, kind)))
    assert ("rater 2" in text, "rater 2" in after) == (True, False)
    for word in ("Tellingname", "telling@", "Person", "ada"):
        assert word not in text


def test_a_download_is_offered_to_staff_who_may_and_to_nobody_else(staff, study, owner):
    page = staff.get(reverse("admin:panel_study_change", args=[study.pk])).text
    says(page, address(study, "csv"), address(study, "jsonl"))
    assert staff.get(address(study, "xlsx")).status_code == 404
    cy = User.objects.create_user("cy", is_staff=True)
    for user, status in ((cy, 403), (owner, 302)):
        client = Client()
        client.force_login(user)
        assert client.get(address(study, "csv")).status_code == status
