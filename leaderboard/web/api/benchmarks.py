"""The API of benchmarks: what is measured, by which metrics, on which releases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchmarks.api.asking import CONDITIONAL, ETAGS, StrictQuery, tagged
from benchmarks.api.problem_details import refusals
from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Measure, Metric
from benchmarks.registry import protocol, protocols
from leaderboard.web.api.documents import MeasureSerializer, MetricSerializer
from leaderboard.web.api.views import SLUG, known_benchmark


@dataclass(frozen=True, slots=True)
class BenchmarkDocument:
    """releases: slugs of those that are published, the main one first."""

    slug: str
    title: str
    summary: str
    ranking: str
    metrics: tuple[Metric, ...]
    measures: tuple[Measure, ...]
    releases: tuple[str, ...]


class BenchmarkLinksSerializer(serializers.Serializer[BenchmarkDocument]):
    self = serializers.HyperlinkedIdentityField(view_name="api-benchmark", lookup_field="slug")
    board = serializers.HyperlinkedIdentityField(view_name="api-board", lookup_field="slug")
    method = serializers.HyperlinkedIdentityField(
        view_name="method", lookup_field="slug", help_text="For people: how it is scored, and why"
    )


class BenchmarkSerializer(serializers.Serializer[BenchmarkDocument]):
    slug = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    ranking = serializers.CharField(help_text="Name of the metric that ranks")
    metrics = MetricSerializer(many=True, help_text="Each that its boards show")
    measures = MeasureSerializer(
        many=True, help_text="Ways to read its board, the default first; none where there is one"
    )
    releases = serializers.ListField(
        child=serializers.CharField(),
        help_text="Slugs of its published releases, the main one first",
    )
    links = BenchmarkLinksSerializer(source="*")


def benchmark_document(benchmark: Benchmark, releases: tuple[str, ...]) -> BenchmarkDocument:
    family = protocol(benchmark.slug).board
    return BenchmarkDocument(
        slug=benchmark.slug,
        title=benchmark.title,
        summary=family.BOARD.summary,
        ranking=family.BOARD.ranking,
        metrics=tuple(family.METRICS.values()),
        measures=family.BOARD.measures,
        releases=releases,
    )


def published_slugs() -> Mapping[int, tuple[str, ...]]:
    """By benchmark; a site has a few dozen releases."""
    found: dict[int, tuple[str, ...]] = {}
    rows = Release.objects.published().main_first().values_list("benchmark", "slug")
    for benchmark, slug in rows:
        found[benchmark] = (*found.get(benchmark, ()), slug)
    return found


@tagged
class Benchmarks(StrictQuery, APIView):
    @extend_schema(
        operation_id="benchmarks_list",
        summary="List benchmarks",
        description="What this site measures: each benchmark with its metrics and releases.",
        parameters=ETAGS,
        responses={
            200: BenchmarkSerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 406),
        },
    )
    def get(self, request: Request) -> Response:
        releases = published_slugs()
        documents = [
            benchmark_document(benchmark, releases.get(benchmark.pk, ()))
            for benchmark in Benchmark.objects.filter(slug__in=protocols())
        ]
        return Response(described(documents, request, many=True))


@tagged
class BenchmarkDetail(StrictQuery, APIView):
    @extend_schema(
        operation_id="benchmark",
        summary="Read a benchmark",
        description="What it measures, its metrics and its releases.",
        parameters=[SLUG, *ETAGS],
        responses={200: BenchmarkSerializer, **CONDITIONAL, **refusals(400, 401, 404, 406)},
    )
    def get(self, request: Request, slug: str) -> Response:
        benchmark = known_benchmark(slug)
        releases = published_slugs().get(benchmark.pk, ())
        return Response(described(benchmark_document(benchmark, releases), request))


def described(found: Any, request: Request, *, many: bool = False) -> Any:
    return BenchmarkSerializer(found, many=many, context={"request": request}).data
