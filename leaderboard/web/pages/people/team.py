"""The pages of teams: those somebody is in, and one of them."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef
from django.utils import timezone

from benchmarks.common.invitations import INVITATION_DAYS
from benchmarks.submissions.intake.quota import Limits, limits_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import public_name, team_name
from benchmarks.submissions.selectors import places_of_teams
from benchmarks.submissions.team_models import (
    Invitation,
    LimitRaise,
    Membership,
    Team,
    TeamVerification,
)
from leaderboard.models import Scoresheet

MOST_ENTRIES = 50
"""Of a team's page; a board has them all."""


def team_lines(user: User) -> tuple[dict[str, Any], ...]:
    """The teams of the user, the newest membership last."""
    mine = Membership.objects.filter(user=user).select_related(
        "team__public_name", "team__verification"
    )
    counts = dict(
        Membership.objects.filter(team__in=[m.team_id for m in mine])
        .order_by()
        .values_list("team")
        .annotate(members=Count("pk"))
    )
    return tuple(
        {
            "id": m.team_id,
            "name": team_name(m.team),
            "role": m.role,
            "members": counts.get(m.team_id, 0),
            "is_verified": badge_of(m.team) is not None,
        }
        for m in mine
    )


def badge_of(team: Team) -> TeamVerification | None:
    """The decision of staff by which the team is verified now."""
    decision = team.verification
    return decision if decision and decision.is_verified else None


def team_page(team: Team, user: Any) -> dict[str, Any]:
    """What everybody may see of the team. `members`, each with a name, is empty for who is none,
    `invitations` for who is no owner; `places`: what is left of the day to a member;
    `raised_until`: how long the limits that staff raised hold."""
    own = Membership.objects.filter(team=team, user=user.pk).first()
    is_owner = own is not None and own.is_owner
    scored = Exists(Scoresheet.objects.filter(submission=OuterRef("pk")))
    public = Submission.objects.public().filter(scored, team=team)
    newest = public.select_related("model", "release")[:MOST_ENTRIES]
    open_ones = Invitation.objects.open().filter(team=team)
    members = Membership.objects.filter(team=team).select_related("user__public_name")
    badge = badge_of(team)
    raised = LimitRaise.objects.filter(team=team).first() if own else None
    return {
        "id": team.pk,
        "name": team_name(team),
        "created": team.created,
        "badge": badge,
        "badge_by": public_name(badge.decided_by) if badge else "",
        "entries": list(newest),
        "entry_count": public.count(),
        "members": [(one, public_name(one.user)) for one in members] if own else [],
        "invitations": tuple(open_ones) if is_owner else (),
        "is_member": own is not None,
        "is_owner": is_owner,
        "limits": limits_of(team=team) if own else usual_limits(),
        "places": places_of_teams(user, [team])[0] if own else None,
        "raised_until": raised.until if raised and raised.until > timezone.now() else None,
        "invitation_days": INVITATION_DAYS,
    }


def usual_limits() -> Limits:
    return Limits(settings.QUOTA_SUBMISSIONS_DAY, settings.QUOTA_UNFINISHED, settings.QUOTA_FILES)
