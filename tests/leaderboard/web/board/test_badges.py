"""Who handed an entry in, whether its name is another's, and the badge that staff grant and take
back, in public."""

import csv
import io
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User
from django.db import DatabaseError, transaction

from benchmarks.models import Benchmark
from benchmarks.submissions.marks.flags import decide_verification
from benchmarks.submissions.models import Submission, VerificationDecision
from benchmarks.submissions.naming.public_names import set_public_name
from leaderboard.results.selectors import BoardEntry, read_board
from leaderboard.web.caching.version import shown_version
from tests.conftest import import_spelling, judged, submit

PAGE = "/boards/spelling/"
LIST = "/admin/submissions/submission/"
OTHER = b"1=two\n2=colour\n3=knight\n4=see\n"
ALIKE = "Sреller"  # two letters are Cyrillic


@pytest.fixture(scope="module")
def made(module_rows) -> tuple[UUID, int]:
    """An entry, and somebody of the staff."""
    owner = User.objects.create_user("rosa", "rosa@example.org")
    submission = submit(import_spelling(), owner)
    judged(submission)
    staff = User.objects.create_superuser("mod", "mod@example.org", "a long enough password")
    set_public_name(owner=staff, name="Mo of the bench")
    return submission.pk, staff.pk


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("release", "owner").get(pk=made[0])


@pytest.fixture
def staff(made, db) -> User:
    return User.objects.get(pk=made[1])


def entries() -> dict[str, BoardEntry]:
    found = read_board(Benchmark.objects.get(slug="spelling")).entries
    return {entry.model: entry for entry in found}


def verify(submission: Submission, staff: User, *, is_verified: bool = True) -> None:
    why = "Seen <b>." if is_verified else "The code was another."
    decide_verification(submission=submission, is_verified=is_verified, reason=why, by=staff)


def told(client, entry: Submission, field: str, head: str) -> list[str]:
    """What the API of board and entry, and the table of the board say."""
    (line,) = csv.DictReader(io.StringIO(client.get(f"{PAGE}export.csv").getvalue().decode()))
    return [
        client.get("/api/v1/boards/spelling/").json()["entries"][0][field],
        client.get(f"/api/v1/entries/{entry.pk}/").json()[field],
        line[head],
    ]


def test_board_entry_api_and_csv_say_who_handed_in(entry, client):
    name = f"member {entry.owner.pk}"
    # first in its line, which a narrow column cuts
    assert f'class="about" title="by {name}"' in client.get(PAGE).text
    page = client.get(f"/entries/{entry.pk}/").text
    assert f"submitted by {name}" in page
    assert entry.owner.username not in page
    assert told(client, entry, "handed_in_by", "handed in by") == [name] * 3


def test_the_badge_stands_everywhere_with_who_when_and_why_until_it_is_taken_back(
    entry, staff, client
):
    """And each step, as a name of either does, makes another version of the board."""
    versions = [shown_version()]
    verify(entry, staff)
    versions.append(shown_version())
    decision = VerificationDecision.objects.get()
    sentence = f"verified {decision.decided:%Y-%m-%d} by Mo of the bench (staff): Seen <b>."
    escaped = sentence.replace("<b>", "&lt;b&gt;")
    assert f'class="verified" title="{escaped}"' in client.get(PAGE).text
    page = client.get(f"/entries/{entry.pk}/").text
    assert "✓ verified" in page
    assert "by Mo of the bench (staff): Seen &lt;b&gt;." in page
    assert told(client, entry, "verified", "verified") == [sentence] * 3
    verify(entry, staff, is_verified=False)
    versions.append(shown_version())
    assert told(client, entry, "verified", "verified") == [""] * 3
    assert 'class="verified"' not in client.get(PAGE).text
    page = client.get(f"/entries/{entry.pk}/").text
    assert "✓ verified" not in page
    assert page.index("No longer verified") < page.index("Seen &lt;b&gt;.")
    for owner in (entry.owner, staff):
        set_public_name(owner=owner, name=f"New {owner.pk}")
        versions.append(shown_version())
    assert len(set(versions)) == 5


def test_staff_grant_it_in_the_admin_with_a_reason(client, entry, staff):
    client.force_login(staff)
    form = {"action": "verify", "_selected_action": [str(entry.pk)]}
    assert "your public name" in client.post(LIST, form).text
    assert not VerificationDecision.objects.exists()
    client.post(LIST, {**form, "confirmed": "yes", "reason": "Ran the code."})
    assert entries()["Speller"].verified.endswith("Ran the code.")
    client.post(LIST, {**form, "action": "revoke_badge", "confirmed": "yes", "reason": "Erred."})
    assert entries()["Speller"].verified == ""
    assert [d.decided_by for d in VerificationDecision.objects.all()] == [staff, staff]


def test_who_may_only_withdraw_may_not_verify(client, entry, stranger):
    User.objects.filter(pk=stranger.pk).update(is_staff=True)
    codes = ["view_submission", "change_submission"]
    stranger.user_permissions.add(*Permission.objects.filter(codename__in=codes))
    client.force_login(stranger)
    chosen = {"_selected_action": [str(entry.pk)], "confirmed": "yes", "reason": "Mine."}
    client.post(LIST, {"action": "verify", **chosen})
    assert not VerificationDecision.objects.exists()


def test_the_database_refuses_to_change_a_decision(entry, staff):
    verify(entry, staff)
    for change in ({"reason": "Else."}, {"is_verified": False}):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            VerificationDecision.objects.update(**change)
    assert entries()["Speller"].verified.endswith("Seen <b>.")


# --- names ----------------------------------------------------------------------------------------


def codes() -> dict[str, tuple[str, ...]]:
    return {name: entry.standing.codes for name, entry in entries().items()}


def test_a_name_of_other_letters_is_marked_and_ranked_and_staff_find_it(
    entry, stranger, staff, client
):
    copy = submit(entry.release, stranger, OTHER, name=ALIKE)
    judged(copy)
    submit(entry.release, stranger, OTHER, name="Quite another")
    assert codes() == {"Speller": (), ALIKE: ("name",)}
    assert entries()[ALIKE].rank == 2
    sentence = "marked: its name is easily taken for that of another account&#x27;s entry"
    assert sentence in client.get(PAGE).text
    assert "easily confused with “Speller”" in copy.reading_notes[0]["message"]
    client.force_login(staff)
    page = client.get("/admin/submissions/evaluatedmodel/?names=alike").text
    found = [name for name in ("Speller", ALIKE, "Quite another") if f">{name}<" in page]
    assert found == ["Speller", ALIKE]


def test_the_same_name_by_another_account_is_marked_without_blame_until_it_is_verified(
    entry, stranger, staff
):
    later = submit(entry.release, stranger, OTHER, name="speller")
    judged(later)
    assert entries()["speller"].standing.sentence == "marked: another account's entry has this name"
    assert entries()["speller"].rank == 2
    assert codes()["Speller"] == ()
    assert "Another account has a public entry under the name" in later.reading_notes[0]["message"]
    # a verified name is not to be borrowed even by who came first
    verify(later, staff)
    assert codes() == {"Speller": ("name",), "speller": ()}


def test_the_name_of_a_sample_is_marked_and_own_variants_are_nobodys_business(entry, stranger):
    again = submit(entry.release, entry.owner, OTHER, name=ALIKE)
    judged(again)
    sample = b"1=q\n2=r\n3=s\n4=t\n"
    judged(submit(entry.release, None, sample, name="Lucid 9B", origin="sample"))
    judged(submit(entry.release, stranger, b"1=x\n2=y\n3=night\n4=see\n", name="LUCID 9B"))
    assert again.reading_notes == []
    assert codes() == {"Speller": (), ALIKE: (), "Lucid 9B": (), "LUCID 9B": ("name",)}
