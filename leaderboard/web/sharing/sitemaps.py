"""Which pages search engines are told of."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.sitemaps import Sitemap
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocols
from benchmarks.submissions.models import EvaluatedModel, Submission
from leaderboard.web.guides import PUBLIC, slug_of


class FixedPages(Sitemap):  # type: ignore[type-arg]  # Django's takes none at run time
    def items(self) -> list[str]:
        return ["home", "releases", "guides", "status", "api-docs"]

    def location(self, item: str) -> str:
        return reverse(item)


class Guides(Sitemap):  # type: ignore[type-arg]  # Django's takes none at run time
    def items(self) -> list[str]:
        return [slug_of(document) for document in PUBLIC[1:]]

    def location(self, item: str) -> str:
        return reverse("public-guide", args=[item])


class Boards(Sitemap):  # type: ignore[type-arg]  # Django's takes none at run time
    """Boards and their methods."""

    def items(self) -> list[tuple[str, str]]:
        slugs = Benchmark.objects.filter(slug__in=protocols()).values_list("slug", flat=True)
        return [(name, slug) for slug in slugs.order_by("slug") for name in ("board", "method")]

    def location(self, item: tuple[str, str]) -> str:
        return reverse(item[0], args=[item[1]])


class Releases(Sitemap):  # type: ignore[type-arg]  # Django's takes none at run time
    def items(self) -> "QuerySet[Release]":
        return Release.objects.published().only("slug").order_by("pk")

    def location(self, item: Release) -> str:
        return reverse("release", args=[item.slug])


class Entries(Sitemap):  # type: ignore[type-arg]  # Django's takes none at run time
    limit = 5_000  # of one file: half a megabyte

    def items(self) -> "QuerySet[Submission]":
        public = Submission.objects.public().filter(scoresheets__isnull=False).distinct()
        return public.only("pk", "created").order_by("-created", "-pk")

    def location(self, item: Submission) -> str:
        return reverse("entry", args=[item.pk])

    def lastmod(self, item: Submission) -> datetime:
        return item.created


class Models(Sitemap):  # type: ignore[type-arg]  # Django's takes none at run time
    limit = 5_000

    def items(self) -> "QuerySet[EvaluatedModel]":
        entries = Submission.objects.public().filter(
            model=OuterRef("pk"), scoresheets__isnull=False
        )
        return EvaluatedModel.objects.filter(Exists(entries)).only("slug").order_by("pk")

    def location(self, item: EvaluatedModel) -> str:
        return reverse("model", args=[item.slug])


SITEMAPS: "Mapping[str, type[Sitemap[Any]]]" = {
    "site": FixedPages,
    "guides": Guides,
    "boards": Boards,
    "releases": Releases,
    "models": Models,
    "entries": Entries,
}
