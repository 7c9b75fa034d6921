from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from benchmarks.submissions.team_models import Membership, Team

if TYPE_CHECKING:
    from benchmarks.submissions import models


NO_TEAM = 0  # keys begin at 1; NULL would be unlike nothing


def held_by(user: Any) -> Q:
    """Rows with an owner and a team that are the user's, or a team's of theirs. Which teams these
    are is asked at once: by their numbers a database finds the rows in an index."""
    if not user.is_authenticated:
        return Q(pk__in=[])
    own = Q(owner=user.pk, team__isnull=True)
    teams = list(Membership.objects.filter(user=user.pk).order_by().values_list("team", flat=True))
    return own | Q(team__in=teams) if teams else own


class SubmissionQuerySet(QuerySet["models.Submission"]):
    def confirmed(self) -> SubmissionQuerySet:
        return self.filter(confirmed__isnull=False)

    def not_withdrawn(self) -> SubmissionQuerySet:
        return self.filter(withdrawn__isnull=True)

    def handed_in(self) -> SubmissionQuerySet:
        """Not what was cancelled before it was confirmed."""
        return self.exclude(confirmed__isnull=True, withdrawn__isnull=False)

    def spending(self) -> SubmissionQuerySet:
        """Those that take one of their owner's places."""
        return self.handed_in().filter(is_spent=True)

    def held_by(self, user: Any) -> SubmissionQuerySet:
        """Those that the user may see and act on as their own: theirs, and their teams'."""
        return self.filter(held_by(user))

    def unfinished(self) -> SubmissionQuerySet:
        return self.not_withdrawn().filter(finished__isnull=True)

    def with_older_flags(self, version: int) -> SubmissionQuerySet:
        """Judged to their end, and told flags of by rules before this version."""
        return self.filter(finished__isnull=False, flags_version__lt=version)

    def due_to_replace(self) -> SubmissionQuerySet:
        """Public, judged to their end, and not yet in the place of what they replace."""
        waiting = self.filter(replaces__isnull=False, replacement_settled__isnull=True)
        return waiting.public().filter(finished__isnull=False)

    def mark_withdrawn(self, *, at: datetime, **more: Any) -> int:
        """Those that are not withdrawn leave every board; how many."""
        return self.not_withdrawn().update(
            withdrawn=at, visibility="private", was_public=Q(visibility="public"), **more
        )

    def public(self) -> SubmissionQuerySet:
        return self.not_withdrawn().filter(visibility="public")

    def visible_to(self, user: Any) -> SubmissionQuerySet:
        """Public ones, and those of `user` and their teams; everything for who may view submissions
        in the admin."""
        if user.has_perm("submissions.view_submission"):
            return self.all()
        return self.filter(held_by(user) | Q(visibility="public", withdrawn__isnull=True))


class EvaluatedModelQuerySet(QuerySet["models.EvaluatedModel"]):
    def held_by(self, user: Any) -> EvaluatedModelQuerySet:
        """Those whose facts the user may change: theirs, and their teams'."""
        return self.filter(held_by(user))

    def of(self, owner: Any, team: Team | None) -> EvaluatedModelQuerySet:
        """Those of the team, or of the person where there is none."""
        return self.filter(team=team) if team else self.filter(owner=owner, team=None)

    def named_alike(self, skeleton: str, owner: Any, team: Any = None) -> EvaluatedModelQuerySet:
        """Of other accounts and teams, and ours, with public entries."""
        others = self.filter(Q(owner__isnull=True) | ~Q(owner=owner), skeleton=skeleton)
        if team:
            others = others.filter(Q(team__isnull=True) | ~Q(team=team))
        public = {"submissions__visibility": "public", "submissions__withdrawn__isnull": True}
        return others.filter(**public).distinct()

    def named_as_others(self) -> EvaluatedModelQuerySet:
        """Those of an account whose name is that of another one's model, or ours, or is easily
        taken for it."""
        others = self.model._default_manager.filter(skeleton=OuterRef("skeleton")).filter(
            Q(owner__isnull=True) | ~Q(owner=OuterRef("owner")),
            Q(team__isnull=True) | ~Q(team=Coalesce(OuterRef("team"), NO_TEAM)),
        )
        return self.exclude(skeleton="").filter(Exists(others), owner__isnull=False)


class TokenQuerySet(QuerySet["models.AccessToken"]):
    def valid(self, now: datetime) -> TokenQuerySet:
        return self.filter(revoked__isnull=True, expires__gt=now, owner__is_active=True)
