from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Case, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

if TYPE_CHECKING:
    from benchmarks import models


class ReleaseQuerySet(QuerySet["models.Release"]):
    def published(self) -> ReleaseQuerySet:
        return self.exclude(state="draft")

    def accepting(self) -> ReleaseQuerySet:
        return self.filter(state="open")

    def hidden_tests(self) -> ReleaseQuerySet:
        return self.filter(disclosure="hidden_test")

    def without_floor(self, version: int) -> ReleaseQuerySet:
        """Open releases that lack baselines of this version."""
        return self.accepting().filter(floor_version__lt=version)

    def main_first(self) -> ReleaseQuerySet:
        """Benchmark by benchmark, each with its main release first: not retired, in English, with
        the most questions, the newest of these. So a release of a part of the questions never comes
        before the whole by being imported later."""
        is_retired = Case(When(state="retired", then=1), default=0)
        is_foreign = Case(When(language="en", then=0), default=1)
        newest = Coalesce("opened", "created").desc()
        return self.order_by(
            "benchmark__title",
            "benchmark",
            is_retired,
            is_foreign,
            "-question_count",
            newest,
            "-id",
        )


class QuestionQuerySet(QuerySet["models.Question"]):
    def of_release(self, release: models.Release) -> QuestionQuerySet:
        """The questions of a release in file order, with what a `QuestionView` needs."""
        return self.in_file_order(release).select_related("subtask__ability", "figure")

    def in_file_order(self, release: models.Release) -> QuestionQuerySet:
        return self.filter(memberships__release=release).order_by("memberships__position")


class ReferenceQuerySet(QuerySet["models.Reference"]):
    def newest(self) -> ReferenceQuerySet:
        newest = self.model._default_manager.filter(question=OuterRef("question")).order_by(
            "-version"
        )
        return self.filter(pk=Subquery(newest.values("pk")[:1]))


class QuestionReportQuerySet(QuerySet["models.QuestionReport"]):
    def confirmed(self) -> QuestionReportQuerySet:
        """What everybody may see."""
        return self.filter(state="confirmed")

    def of_release(self, release: models.Release) -> QuestionReportQuerySet:
        return self.filter(question__memberships__release=release)
