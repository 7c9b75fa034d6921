"""Links of invitations: those in mailboxes open what they did, and a new one ends no other's."""

from datetime import timedelta

from django.utils import timezone

from benchmarks.submissions.team_models import Invitation
from benchmarks.submissions.teams.services import found_team, invitation_of, invite
from judging.panel.models import StudyRater
from judging.panel.studies.raters import rater_of_key
from leaderboard.models.invitations import PersonInvitation
from leaderboard.people.staff.invitations import invite_person
from tests.conftest import submit
from tests.judging.panel.study_world import study_of

KEY = "Zm9vYmFy-_0123456789"
DIGEST = "2ca67988cd1cbfd18aeeb93be72d1496c35c3ecad136a0cd8a47eb1bbe3953a1"  # SHA-256
WEEK = timedelta(days=7)


def test_a_link_of_an_earlier_release_opens_what_it_did(spelling, owner):
    ends = timezone.now() + WEEK
    kept = {"digest": DIGEST, "invited_by": owner, "expires": ends}
    to_team = Invitation.objects.create(team=found_team(name="Spellers", by=owner), **kept)
    to_groups = PersonInvitation.objects.create(email="nell@example.org", **kept)
    rater = study_of([submit(spelling, owner)], raters=1).raters.get()
    StudyRater.objects.filter(pk=rater.pk).update(digest=DIGEST)
    assert invitation_of(KEY) == to_team
    assert PersonInvitation.objects.of_key(KEY).get() == to_groups
    assert rater_of_key(KEY) == rater


def test_a_new_invitation_ends_no_invitation_of_another_address_or_team(owner):
    spellers = found_team(name="Spellers", by=owner)
    others = found_team(name="Weighers", by=owner)
    for email in ("ann@example.org", "nell@example.org"):
        invite(team=spellers, email=email, by=owner)
        invite_person(email=email, groups=["raters"], by=owner)
    invite(team=others, email="nell@example.org", by=owner)
    assert Invitation.objects.open().count() == 3
    assert PersonInvitation.objects.open().count() == 2
