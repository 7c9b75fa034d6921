"""The pages of teams: founding, joining and leaving one, and what everybody sees of it."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks.common.invitations import INVITATION_DAYS, InvitationRefusedError, mail_link
from benchmarks.submissions.intake.quota import Limits, limits_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import (
    NameTakenError,
    public_name,
    set_team_name,
    team_name,
)
from benchmarks.submissions.selectors import places_of_teams
from benchmarks.submissions.team_models import (
    Invitation,
    LimitRaise,
    Membership,
    Team,
    TeamVerification,
)
from benchmarks.submissions.teams import services
from benchmarks.submissions.teams.forms import InvitationForm, TeamForm
from benchmarks.submissions.teams.services import TeamRefusedError
from leaderboard.models import Scoresheet

MOST_ENTRIES = 50
"""Of a team's page; a board has them all."""

LARGEST_ID = 2**31 - 1  # more members than any site has; a database refuses longer numbers


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def teams(request: HttpRequest) -> HttpResponse:
    """Those of the reader, and a form that founds one."""
    assert request.user.is_authenticated
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            team = services.found_team(name=form.cleaned_data["name"], by=request.user)
            return redirect("team", team.pk)
        except (NameTakenError, TeamRefusedError) as error:
            form.add_error("name", str(error))
    shown = {"teams": team_lines(request.user), "form": form}
    return render(request, "teams/teams.html", shown, status=422 if form.errors else 200)


@require_safe
def team(request: HttpRequest, team_id: int) -> HttpResponse:
    """For everybody its name, badge and entries; for its members who they are."""
    return shown_team(request, open_team(team_id))


def shown_team(
    request: HttpRequest,
    team: Team,
    *,
    invitation: InvitationForm | None = None,
    name: TeamForm | None = None,
) -> HttpResponse:
    page = team_page(team, request.user)
    forms = {
        "invitation_form": invitation or InvitationForm(),
        "name_form": name or TeamForm(initial={"name": page["name"]}),
    }
    return render(
        request,
        "teams/team.html",
        {"page": page, **forms},
        status=422 if invitation or name else 200,
    )


def open_team(team_id: int) -> Team:
    """Raises Http404 of one that is closed too."""
    found = Team.objects.filter(closed__isnull=True).select_related(
        "public_name", "verification__decided_by__public_name"
    )
    if team_id > LARGEST_ID:
        raise Http404("There is no such team.")
    return get_object_or_404(found, pk=team_id)


def team_of_owner(request: HttpRequest, team_id: int) -> Team:
    """Raises Http404 for everybody but its owners."""
    membership = Membership.objects.filter(
        team=open_team(team_id), user=request.user.pk, role=Membership.Role.OWNER
    )
    return get_object_or_404(membership.select_related("team__public_name")).team


@login_required
@require_POST
def rename(request: HttpRequest, team_id: int) -> HttpResponse:
    team = team_of_owner(request, team_id)
    form = TeamForm(request.POST)
    if form.is_valid():
        try:
            set_team_name(team=team, name=form.cleaned_data["name"])
            messages.success(request, "Saved. Boards show it within a minute.")
            return redirect("team", team.pk)
        except NameTakenError as error:
            form.add_error("name", str(error))
    return shown_team(request, team, name=form)


@login_required
@require_POST
def invite(request: HttpRequest, team_id: int) -> HttpResponse:
    """The answer is the same whether the address has an account or not."""
    assert request.user.is_authenticated
    team = team_of_owner(request, team_id)
    form = InvitationForm(request.POST)
    if form.is_valid():
        try:
            with transaction.atomic():
                made = services.invite(team=team, email=form.cleaned_data["email"], by=request.user)
                mail_link(
                    request,
                    made,
                    to=made.email,
                    subject=f"Join the team {team_name(team)}",
                    template="teams/invitation_mail.txt",
                    team=team_name(team),
                    by=public_name(request.user),
                )
            messages.success(request, f"Invited: {made.email}.")
            return redirect("team", team.pk)
        except InvitationRefusedError as error:
            form.add_error("email", str(error))
    return shown_team(request, team, invitation=form)


@login_required
@require_POST
def end_invitation(request: HttpRequest, team_id: int, invitation_id: int) -> HttpResponse:
    team = team_of_owner(request, team_id)
    if invitation_id <= LARGEST_ID:
        services.end_invitation(team=team, invitation_id=invitation_id)
    return redirect("team", team.pk)


@login_required
@require_POST
def change_member(request: HttpRequest, team_id: int, user_id: int) -> HttpResponse:
    """Makes somebody an owner or a member, or removes them."""
    team = team_of_owner(request, team_id)
    role = request.POST.get("role", "")
    members = Membership.objects.filter(team=team)
    member = get_object_or_404(members, user=min(user_id, LARGEST_ID))
    try:
        if role in Membership.Role.values:
            services.set_role(team=team, user_id=member.user_id, role=role)
        elif role == "remove":
            services.remove_member(team=team, user_id=member.user_id)
    except TeamRefusedError as error:
        messages.error(request, str(error))
    return redirect("team", team.pk)


@login_required
@require_POST
def leave(request: HttpRequest, team_id: int) -> HttpResponse:
    assert request.user.is_authenticated
    mine = Membership.objects.filter(team=open_team(team_id), user=request.user)
    membership = get_object_or_404(mine.select_related("team"))
    try:
        services.remove_member(team=membership.team, user_id=request.user.pk)
    except TeamRefusedError as error:
        messages.error(request, str(error))
        return redirect("team", team_id)
    messages.success(request, "You left the team.")
    return redirect("teams")


@login_required
@require_POST
def close(request: HttpRequest, team_id: int) -> HttpResponse:
    services.close_team(team=team_of_owner(request, team_id))
    messages.success(request, "The team is closed.")
    return redirect("teams")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, key: str) -> HttpResponse:
    """What the link of an invitation opens. Whoever may not join learns no more than that."""
    assert request.user.is_authenticated
    invitation = services.invitation_of(key)
    if invitation is None:
        raise Http404("This invitation was already accepted, was revoked, or is older than a week.")
    if request.method == "POST":
        try:
            return redirect("team", services.join(key=key, user=request.user).pk)
        except (InvitationRefusedError, TeamRefusedError) as error:
            messages.error(request, str(error))
    shown = {
        "team": team_name(invitation.team),
        "by": public_name(invitation.invited_by),
        "invitation": invitation,
        "is_invited": services.is_invited(request.user, invitation),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "teams/join.html", shown, status=status)


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
