from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import OuterRef, QuerySet, Subquery

if TYPE_CHECKING:
    from benchmarks import models


class ReleaseQuerySet(QuerySet["models.Release"]):
    def published(self) -> ReleaseQuerySet:
        return self.exclude(state="draft")

    def accepting(self) -> ReleaseQuerySet:
        return self.filter(state="open")


class QuestionQuerySet(QuerySet["models.Question"]):
    def of_release(self, release: models.Release) -> QuestionQuerySet:
        """The questions of a release in file order, with what a `QuestionView` needs."""
        return (
            self.filter(memberships__release=release)
            .order_by("memberships__position")
            .select_related("subtask__ability", "figure")
        )


class ReferenceQuerySet(QuerySet["models.Reference"]):
    def newest(self) -> ReferenceQuerySet:
        newest = self.model._default_manager.filter(question=OuterRef("question")).order_by("-version")
        return self.filter(pk=Subquery(newest.values("pk")[:1]))
