from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef, Q, QuerySet

if TYPE_CHECKING:
    from benchmarks.submissions import models


class SubmissionQuerySet(QuerySet["models.Submission"]):
    def confirmed(self) -> SubmissionQuerySet:
        return self.filter(confirmed__isnull=False)

    def not_withdrawn(self) -> SubmissionQuerySet:
        return self.filter(withdrawn__isnull=True)

    def spending(self) -> SubmissionQuerySet:
        """Those that take one of their owner's places: not what was cancelled before it was
        confirmed."""
        cancelled = Q(confirmed__isnull=True, withdrawn__isnull=False)
        return self.filter(is_spent=True).exclude(cancelled)

    def unfinished(self) -> SubmissionQuerySet:
        return self.not_withdrawn().filter(finished__isnull=True)

    def with_older_flags(self, version: int) -> SubmissionQuerySet:
        """Judged to their end, and told flags of by rules before this version."""
        return self.filter(finished__isnull=False, flags_version__lt=version)

    def public(self) -> SubmissionQuerySet:
        return self.not_withdrawn().filter(visibility="public")

    def visible_to(self, user: Any) -> SubmissionQuerySet:
        """Public ones, and those of `user`; everything for who may view submissions in the
        admin."""
        if user.has_perm("submissions.view_submission"):
            return self.all()
        mine = Q(owner=user) if user.is_authenticated else Q(pk__in=[])
        return self.filter(mine | Q(visibility="public", withdrawn__isnull=True))


class EvaluatedModelQuerySet(QuerySet["models.EvaluatedModel"]):
    def named_alike(self, skeleton: str, owner: Any) -> EvaluatedModelQuerySet:
        """Of other accounts, and ours, with public entries."""
        others = self.filter(Q(owner__isnull=True) | ~Q(owner=owner), skeleton=skeleton)
        public = {"submissions__visibility": "public", "submissions__withdrawn__isnull": True}
        return others.filter(**public).distinct()

    def named_as_others(self) -> EvaluatedModelQuerySet:
        """Those of an account whose name is that of another one's model, or ours, or is easily
        taken for it."""
        others = self.model._default_manager.filter(skeleton=OuterRef("skeleton")).filter(
            Q(owner__isnull=True) | ~Q(owner=OuterRef("owner"))
        )
        return self.exclude(skeleton="").filter(Exists(others), owner__isnull=False)


class TokenQuerySet(QuerySet["models.AccessToken"]):
    def valid(self, now: datetime) -> TokenQuerySet:
        return self.filter(revoked__isnull=True, expires__gt=now, owner__is_active=True)
