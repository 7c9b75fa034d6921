"""Who handed an entry in, whether its name is another's, and the badge that staff grant and take
back, in public."""

import csv
import io

import pytest
from django.contrib.auth.models import Permission, User
from django.db import DatabaseError, transaction

from benchmarks.models import Benchmark
from benchmarks.submissions.immutability import install_decision_guards
from benchmarks.submissions.marks.flags import decide_verification
from benchmarks.submissions.models import EvaluatedModel, Submission, VerificationDecision
from benchmarks.submissions.naming.public_names import set_public_name
from leaderboard.caching.version import shown_version
from leaderboard.exports import export_csv
from leaderboard.selectors import BoardEntry, read_board
from tests.conftest import judged, submit

LIST = "/admin/submissions/submission/"
OTHER = b"1=two\n2=colour\n3=knight\n4=see\n"
ALIKE = "Sреller"  # two letters are Cyrillic


def board():
    return read_board(Benchmark.objects.get(slug="spelling"))


def entries() -> dict[str, BoardEntry]:
    return {entry.model: entry for entry in board().entries}


@pytest.fixture
def entry(submission: Submission) -> Submission:
    judged(submission)
    return submission


@pytest.fixture
def staff(db) -> User:
    user = User.objects.create_superuser("mod", "mod@example.org", "a long enough password")
    set_public_name(owner=user, name="Mo of the bench")
    return user


def verify(
    submission: Submission, staff: User, *, is_verified: bool = True, why="Seen <b>."
) -> None:
    decide_verification(submission=submission, is_verified=is_verified, reason=why, by=staff)


def test_board_entry_api_and_csv_say_who_handed_in(entry, owner, client):
    name = f"member {owner.pk}"
    # first in its line, which a narrow column cuts
    assert f'class="about" title="by {name}"' in client.get("/boards/spelling/").content.decode()
    page = client.get(f"/entries/{entry.pk}/").content.decode()
    assert f"handed in by {name}" in page
    assert owner.username not in page
    assert client.get("/api/v1/boards/spelling/").json()["entries"][0]["handed_in_by"] == name
    assert client.get(f"/api/v1/entries/{entry.pk}/").json()["handed_in_by"] == name
    (line,) = csv.DictReader(io.StringIO("".join(export_csv(board()))))
    assert line["handed in by"] == name


def test_the_badge_stands_everywhere_with_who_when_and_why(entry, staff, client):
    verify(entry, staff)
    decision = VerificationDecision.objects.get()
    sentence = f"verified {decision.decided:%Y-%m-%d} by Mo of the bench (staff): Seen <b>."
    escaped = sentence.replace("<b>", "&lt;b&gt;")
    assert f'class="verified" title="{escaped}"' in client.get("/boards/spelling/").content.decode()
    page = client.get(f"/entries/{entry.pk}/").content.decode()
    assert "✓ verified" in page
    assert "by Mo of the bench (staff): Seen &lt;b&gt;." in page
    assert client.get("/api/v1/boards/spelling/").json()["entries"][0]["verified"] == sentence
    assert client.get(f"/api/v1/entries/{entry.pk}/").json()["verified"] == sentence
    (line,) = csv.DictReader(io.StringIO("".join(export_csv(board()))))
    assert line["verified"] == sentence


def test_a_badge_taken_back_is_gone_and_its_history_stays(entry, staff, client):
    verify(entry, staff)
    verify(entry, staff, is_verified=False, why="The code was another.")
    assert entries()["Speller"].verified == ""
    assert 'class="verified"' not in client.get("/boards/spelling/").content.decode()
    page = client.get(f"/entries/{entry.pk}/").content.decode()
    assert "✓ verified" not in page
    assert page.index("No longer verified") < page.index("Seen &lt;b&gt;.")


def test_a_badge_and_a_name_make_another_version_of_the_board(committed, entry, staff, owner):
    versions = [shown_version()]
    for change in (
        lambda: verify(entry, staff),
        lambda: set_public_name(owner=owner, name="Rosa"),
        lambda: set_public_name(owner=staff, name="Mo"),
    ):
        change()
        versions.append(shown_version())
    assert len(set(versions)) == 4


def test_staff_grant_it_in_the_admin_with_a_reason(client, entry, staff):
    client.force_login(staff)
    form = {"action": "verify", "_selected_action": [str(entry.pk)]}
    assert "your public name" in client.post(LIST, form).content.decode()
    assert not VerificationDecision.objects.exists()
    client.post(LIST, {**form, "confirmed": "yes", "reason": "Ran the code."})
    assert entries()["Speller"].verified.endswith("Ran the code.")
    client.post(LIST, {**form, "action": "revoke_badge", "confirmed": "yes", "reason": "Erred."})
    assert entries()["Speller"].verified == ""
    assert [d.decided_by for d in VerificationDecision.objects.all()] == [staff, staff]


def test_who_may_only_withdraw_may_not_verify(client, entry, stranger):
    stranger.is_staff = True
    stranger.save()
    stranger.user_permissions.add(
        *Permission.objects.filter(codename__in=["view_submission", "change_submission"])
    )
    client.force_login(stranger)
    chosen = {"_selected_action": [str(entry.pk)], "confirmed": "yes", "reason": "Mine."}
    client.post(LIST, {"action": "verify", **chosen})
    assert not VerificationDecision.objects.exists()


@pytest.mark.parametrize("change", [{"reason": "Else."}, {"is_verified": False}])
def test_the_database_refuses_to_change_a_decision(entry, staff, change):
    install_decision_guards()
    verify(entry, staff)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        VerificationDecision.objects.update(**change)
    assert entries()["Speller"].verified.endswith("Seen <b>.")


# --- names ----------------------------------------------------------------------------------------


def test_a_name_of_other_letters_is_marked_and_ranked(entry, spelling, stranger, client):
    copy = submit(spelling, stranger, OTHER, name=ALIKE)
    judged(copy)
    marked = entries()[ALIKE]
    assert marked.standing.codes == ("name",)
    assert marked.rank == 2
    assert entries()["Speller"].standing.codes == ()
    sentence = "marked: its name is easily taken for that of another account&#x27;s entry"
    assert sentence in client.get("/boards/spelling/").content.decode()
    assert "easily taken for “Speller”" in copy.reading_notes[0]["message"]


def test_the_same_name_by_another_account_is_marked_without_blame(entry, spelling, stranger):
    later = submit(spelling, stranger, OTHER, name="speller")
    judged(later)
    assert entries()["speller"].standing.sentence == "marked: another account's entry has this name"
    assert entries()["speller"].rank == 2
    assert entries()["Speller"].standing.codes == ()
    assert "Another account has a public entry under the name" in later.reading_notes[0]["message"]


def test_the_name_of_a_sample_is_marked(spelling, stranger):
    judged(submit(spelling, None, name="Lucid 9B", origin="sample"))
    judged(submit(spelling, stranger, OTHER, name="LUCID 9B"))
    assert entries()["LUCID 9B"].standing.codes == ("name",)
    assert entries()["Lucid 9B"].standing.codes == ()


def test_a_verified_name_is_not_to_be_borrowed_even_by_who_came_first(
    entry, spelling, stranger, staff
):
    later = submit(spelling, stranger, OTHER, name="SPELLER")
    judged(later)
    verify(later, staff)
    assert entries()["Speller"].standing.codes == ("name",)
    assert entries()["SPELLER"].standing.codes == ()


def test_own_variants_of_a_name_are_nobodys_business(entry, spelling, owner):
    again = submit(spelling, owner, OTHER, name=ALIKE)
    judged(again)
    assert entries()[ALIKE].standing.codes == ()
    assert again.reading_notes == []


def test_staff_find_names_in_the_admin(client, entry, spelling, stranger, staff):
    submit(spelling, stranger, OTHER, name=ALIKE)
    submit(spelling, stranger, OTHER, name="Quite another")
    found = EvaluatedModel.objects.named_as_others().values_list("name", flat=True)
    assert set(found) == {"Speller", ALIKE}
    client.force_login(staff)
    page = client.get("/admin/submissions/evaluatedmodel/?names=alike").content.decode()
    assert ALIKE in page
    assert "Quite another" not in page
