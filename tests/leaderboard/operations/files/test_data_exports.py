"""What the site holds of a person, as a file: all of it, of nobody else, and no key."""

import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.storage import storages
from django.utils import timezone

from benchmarks.submissions.models import AccessToken
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team, remove_member
from benchmarks.submissions.tokens import create_token
from leaderboard.models import DataExport
from leaderboard.operations.files import data_exports
from leaderboard.operations.files.data_exports import (
    KEPT,
    LEASE,
    MOST_TRIES,
    claim,
    forget_old,
    make_exports,
    write_export,
)
from tests.api_clients import session_client
from tests.conftest import ANSWERS, submit

PAGE, FILE = "/accounts/data/", "/accounts/data/file/"
ELSEWHERE = {
    "benchmarks.LabelDoubt": "who ended a doubt is told by its reports and corrections",
    "panel.Study": "who made a study is part of the study",
    "panel.StudyRater": "what a person said of answers is told by the study alone",
    "submissions.PublicName": "in account",
    "benchmarks.Description": "counted: it belongs to the benchmark",
    "benchmarks.UnsavedText": "counted: it may quote what is hidden",
    "benchmarks.Claim": "gone after half an hour",
    "benchmarks.Assignment": "staff",
    "admin.LogEntry": "counted",
    "leaderboard.DataExport": "the file itself",
    "panel.RatingFile": "staff",
    "judging.ReviewNote": "staff",
    "judging.ReferenceRequest": "staff",
    "judging.ReferenceProposal": "staff",
    "submissions.TeamVerification": "staff",
    "submissions.RankingDecision": "staff",
    "submissions.VerificationDecision": "staff",
    "benchmarks.QuestionReportChange": "staff",
    "benchmarks.StaffAction": "staff",
    "leaderboard.PersonInvitation": "staff",
}


def kept() -> list[str]:
    folder = Path(storages["exports"].path(""))
    return [path.name for path in folder.glob("*.zip")]


def document(user: User) -> tuple[dict[str, Any], zipfile.ZipFile]:
    file = io.BytesIO()
    write_export(user, file)
    archive = zipfile.ZipFile(file)
    return json.loads(archive.read("account.json")), archive


def test_from_the_page_to_the_file_and_nobody_elses(spelling, owner, stranger):
    entry = submit(spelling, owner, name="Mine")
    submit(spelling, stranger, name="Strangers")
    key = create_token(owner=owner, name="laptop", scope="read").key
    create_token(owner=stranger, name="desk", scope="read")
    found_team(name="The Spellers", by=owner)
    found_team(name="The Readers", by=stranger)
    client = session_client(owner)
    assert client.get(FILE).status_code == 404
    client.post(PAGE)
    assert "a few minutes" in client.get(PAGE).content.decode()
    assert [make_exports(), make_exports()] == [True, False]
    assert session_client(stranger).get(FILE).status_code == 404
    reply: Any = client.get(FILE)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(reply)))
    for close in reply._resource_closers:  # and leave the connection of the test open
        close()
    assert archive.namelist() == ["account.json", f"files/{entry.file.name}"]
    assert archive.read(f"files/{entry.file.name}") == ANSWERS
    text = archive.read("account.json").decode()
    found = json.loads(text)
    assert found["account"]["email"] == "rosa@example.org"
    assert [row["name"] for row in found["tokens"]] == ["laptop"]
    assert [row["team"] for row in found["teams"]] == ["The Spellers"]
    assert [row["model"] for row in found["submissions"]] == ["Mine"]
    digests = AccessToken.objects.values_list("digest", flat=True)
    hidden = (key, *digests, owner.password, "Strangers", "sam@example.org", "The Readers")
    assert [one for one in hidden if one in text] == []
    assert client.post(PAGE).status_code == 302
    assert DataExport.objects.get().made is None


def test_what_a_team_holds_stays_with_it_when_somebody_left(spelling, owner, stranger):
    team = found_team(name="The Spellers", by=owner)
    Membership.objects.create(team=team, user=stranger)
    submit(spelling, stranger, name="Theirs", team=team, visibility="private")
    submit(spelling, owner, ANSWERS, name="Their colleague's", team=team)
    assert [row["model"] for row in document(stranger)[0]["submissions"]] == ["Theirs"]
    remove_member(team=team, user_id=stranger.pk)
    found, archive = document(stranger)
    assert "Theirs" not in json.dumps(found)
    assert archive.namelist() == ["account.json"]


def test_every_table_that_names_a_person_is_in_it_or_is_said_not_to_be(owner):
    """Whoever adds a table with a person gives it a section, or a reason here."""
    named = {
        model._meta.label
        for model in apps.get_models()
        for field in model._meta.fields
        if field.is_relation and field.related_model is User
    }
    told = {
        "account.EmailAddress",
        "mfa.Authenticator",
        "usersessions.UserSession",
        "socialaccount.SocialAccount",
        "submissions.AccessToken",
        "submissions.Membership",
        "submissions.Invitation",
        "submissions.LimitRaise",
        "submissions.EvaluatedModel",
        "submissions.FactChange",
        "submissions.Submission",
        "submissions.RefusedFile",
        "submissions.IncomingFile",
        "benchmarks.QuestionReport",
        "benchmarks.LabelCorrection",
        "leaderboard.Notice",
        "leaderboard.NoticeChoice",
        "leaderboard.Webhook",
    }
    assert named == told | set(ELSEWHERE)
    assert len(data_exports.SECTIONS) == len(told)


def test_no_copy_is_kept_longer_than_a_week_or_its_account(owner, stranger):
    before = len(kept())
    for user in (owner, stranger):
        session_client(user).post(PAGE)
        make_exports()
    assert len(kept()) == before + 2
    User.objects.filter(pk=owner.pk).update(is_active=False)
    forget_old()
    assert DataExport.objects.get().owner == stranger
    forget_old(now=timezone.now() + KEPT + timedelta(hours=1))
    assert len(kept()) == before


def test_two_workers_do_not_make_one_copy_and_a_dead_one_is_followed(owner):
    DataExport.objects.create(owner=owner)
    now = timezone.now()
    assert claim(now)
    assert claim(now) is None
    for tries in range(2, MOST_TRIES + 1):
        now += LEASE + timedelta(seconds=1)
        taken = claim(now)
        assert taken
        assert taken.tries == tries
    assert claim(now + LEASE * 2) is None
    forget_old(now=now + LEASE * 2)
    assert not DataExport.objects.exists()
