"""The client against a real server: from the list of releases to a published entry."""

import json

import pytest
from assay import FileRefusedError, NoPlaceError, NotAllowedError, Site, WrongRequestError
from django.contrib.auth.models import User

from benchmarks.submissions.models import Submission
from benchmarks.submissions.teams.services import found_team
from benchmarks.submissions.tokens import create_token
from leaderboard.results.services import replace_entries
from tests.conftest import judged, submit

pytestmark = [pytest.mark.slow]
ANSWERS = "1=two\n2=color\n3=night\n4=sea\n"


@pytest.fixture
def url(committed, live_server) -> str:
    return str(live_server.url)


@pytest.fixture
def site(url, owner):
    with site_of(url, owner, "publish") as found:
        yield found


def site_of(url: str, user: User, scope: str) -> Site:
    key = create_token(owner=user, name="client", scope=scope).key
    return Site(url, key, patience_seconds=0)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "answers.txt"
    found.write_text(ANSWERS)
    return found


def test_a_file_becomes_a_published_entry(spelling, site, path):
    assert [release["slug"] for release in site.releases()] == ["spelling-1"]
    assert site.question_ids("spelling-1") == ["1", "2", "3", "4"]
    assert [one["public_id"] for one in site.questions("spelling-1")] == ["1", "2", "3", "4"]
    checked = site.check(path, release="spelling-1")
    assert (checked["state"], checked["answers"]) == ("valid", 4)
    assert not Submission.objects.exists()

    handed_in = site.submit(path, model="Speller", release="spelling-1")
    again = site.submit(path, model="Speller", release="spelling-1")
    assert handed_in["id"] == again["id"]
    judged(Submission.objects.get())
    assert site.wait(handed_in["id"])["state"] == "judged"

    assert site.board("spelling")["entries"] == []
    assert site.publish(handed_in["id"])["visibility"] == "public"
    (entry,) = site.board("spelling")["entries"]
    assert entry["id"] == handed_in["id"]
    lines = [json.loads(line) for line in site.verdict_lines(handed_in["id"])]
    assert [line["question"] for line in lines] == ["1", "2", "3", "4"]
    assert site.withdraw(handed_in["id"])["state"] == "withdrawn"
    assert site.board("spelling")["entries"] == []


def test_a_file_is_handed_in_for_a_team(spelling, site, owner, path):
    team = found_team(name="The Spellers", by=owner)
    assert site.check(path, release="spelling-1", team="The Spellers")["team"] == "The Spellers"
    assert site.submit(path, model="S", team="The Spellers")["team"] == "The Spellers"
    assert Submission.objects.get().team == team
    with pytest.raises(WrongRequestError, match="You are in “The Spellers”"):
        site.submit(path, model="S", team="Readers")


def test_what_a_site_refuses_is_told(spelling, url, owner, site, path, settings):
    with site_of(url, owner, "read") as reader, pytest.raises(NotAllowedError):
        reader.submit(path, model="M", release="spelling-1")
    with pytest.raises(WrongRequestError, match="nowhere"):
        site.template("nowhere")
    settings.QUOTA_SUBMISSIONS_DAY = 1
    submit(spelling, owner, from_outside=True)
    with pytest.raises(NoPlaceError, match="submit the next one"):
        site.submit(path, model="M", release="spelling-1")
    path.write_text("1=two\n9=x\n")
    with pytest.raises(FileRefusedError) as raised:
        site.check(path, release="spelling-1")
    assert any("9" in problem for problem in raised.value.problems)


def test_a_board_is_read_to_its_end(spelling, owner, site):
    for number in range(3):
        judged(
            submit(spelling, owner, f"1=two\n2=x\n3={number}\n4=z\n".encode(), name=f"M{number}")
        )
    board = site.board("spelling", limit="1")
    assert sorted(entry["model"] for entry in board["entries"]) == ["M0", "M1", "M2"]


def test_a_new_version_takes_the_place_of_the_one_it_names(spelling, site, path):
    first = site.submit(path, model="Speller", release="spelling-1")
    judged(Submission.objects.get())
    site.publish(first["id"])
    path.write_text(ANSWERS.replace("color", "colour"))
    second = site.submit(path, replaces=first["id"], visibility="public")
    assert (second["model"], second["release"]) == ("Speller", "spelling-1")
    judged(Submission.objects.get(pk=second["id"]))
    assert replace_entries() == 1
    (entry,) = site.board("spelling")["entries"]
    assert entry["id"] == second["id"]
    assert site.watch(first["id"])["replaced_by"] == second["id"]
    with pytest.raises(WrongRequestError, match="Nothing of it"):
        site.retry(second["id"])
    gone = site.withdraw(second["id"], reason="Other weights.")
    assert (gone["state"], gone["withdrawal_reason"]) == ("withdrawn", "Other weights.")
