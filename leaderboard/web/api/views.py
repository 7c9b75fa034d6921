"""The API of what is shown: boards and entries. The figures are those of page and export."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import Http404, HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from benchmarks.api.asking import (
    CONDITIONAL,
    ETAGS,
    ChoiceField,
    StrictQuery,
    as_shown,
    named_or_404,
    not_yours,
    tagged,
)
from benchmarks.api.problem_details import refusals
from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import Board
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.slugs import SLUG_LENGTH
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import (
    EACH,
    SIZES,
    TOGETHER,
    BoardReading,
    NoSuchEraError,
    NoSuchSnapshotError,
    eras_of,
    read_board,
    read_by_measure,
    visible_sheet,
)
from leaderboard.web.api.documents import (
    BoardSerializer,
    BoardSummary,
    BoardSummarySerializer,
    EntrySerializer,
    EntrySummarySerializer,
)
from leaderboard.web.board.asked import MOST_LETTERS, plain
from leaderboard.web.board.choices import BoardChoices, MomentAsked
from leaderboard.web.board.columns import ALL
from leaderboard.web.board.page import part_of, published_of
from leaderboard.web.board.tables import of_one_table, with_printed_figures
from leaderboard.web.exports import board_document

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of a benchmark")
ID = OpenApiParameter(
    "submission_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="Id of a submission"
)
ENTRIES, MOST_ENTRIES = 100, 200
"""Of one answer: with every figure of the widest board an entry has 25 kB of JSON."""
MOST_SKIPPED = 1_000_000
"""More entries than a board will have; a number of any length is nothing a database reads."""
MAIN_RELEASE = (
    "Slug of a release; unless given, the main one: in English, of the most questions, the newest "
    "of these"
)


MOST_TEAMS = 2**31 - 1
"""What every database takes as a number."""


class JudgeQuery(serializers.Serializer[Any]):
    judge = serializers.CharField(
        max_length=50,
        default="",
        allow_blank=True,
        help_text="Slug of a judge; unless given, the first that judged",
    )


def known_slug(slug: str) -> str:
    """The slug of a benchmark, or none."""
    if slug and slug not in protocols():
        raise serializers.ValidationError(
            f"There is no benchmark “{slug}”. There are: {', '.join(protocols())}."
        )
    return slug


ENTRIES_BY = {
    "benchmark": "release__benchmark__slug",
    "release": "release__slug",
    "model": "model__slug",
    "org": "model__organisation",
    "team": "team",
}


class EntriesQuery(serializers.Serializer[Any]):
    benchmark = serializers.SlugField(
        max_length=50, default="", allow_blank=True, help_text="Only on its board"
    )
    release = serializers.SlugField(
        max_length=50, default="", allow_blank=True, help_text="Only of its questions"
    )
    model = serializers.SlugField(
        max_length=SLUG_LENGTH, default="", allow_blank=True, help_text="Only of this model"
    )
    org = serializers.CharField(
        max_length=MOST_LETTERS,
        default="",
        allow_blank=True,
        help_text="Only models of this organisation, by its whole name",
    )
    team = serializers.IntegerField(
        min_value=1,
        max_value=MOST_TEAMS,
        default=None,
        allow_null=True,
        help_text="Only of this team: the number in the address of its page",
    )

    def validate_benchmark(self, slug: str) -> str:
        return known_slug(slug)

    def validate_release(self, slug: str) -> str:
        known = Release.objects.published().filter(slug=slug)
        return self.of_something(slug, known, "release", "releases")

    def validate_model(self, slug: str) -> str:
        known = Submission.objects.public().filter(model__slug=slug)
        return self.of_something(slug, known, "model with a public entry", "models")

    @staticmethod
    def of_something(slug: str, known: QuerySet[Any], what: str, listed_at: str) -> str:
        if slug and not known.exists():
            raise serializers.ValidationError(
                f"There is no {what} “{slug}”; /api/v1/{listed_at}/ lists those there are."
            )
        return slug


class BoardQuery(serializers.Serializer[Any]):
    release = serializers.CharField(
        max_length=50, default="", allow_blank=True, help_text=MAIN_RELEASE
    )
    judge = serializers.CharField(
        max_length=50,
        default="",
        allow_blank=True,
        help_text="Slug of a judge; unless given, the one of most entries",
    )
    measure = serializers.CharField(
        max_length=50,
        default="",
        allow_blank=True,
        help_text="Slug of a measure of the board; the first one unless given",
    )
    table = serializers.CharField(
        max_length=50,
        default="",
        allow_blank=True,
        help_text="Slug of a table of the board: only its figures are included. Without it, or if "
        "the measure has no such table, those of all tables are",
    )
    ranges = ChoiceField(
        (EACH, TOGETHER),
        default=EACH,
        help_text="Whether rank ranges hold each by itself with 95 %, or all at once",
    )
    q = serializers.CharField(
        max_length=MOST_LETTERS,
        default="",
        allow_blank=True,
        help_text="Only entries with each of these words in model or organisation",
    )
    open_weights = serializers.BooleanField(
        default=False, help_text="Only entries of models with open weights"
    )
    verified = serializers.BooleanField(default=False, help_text="Only verified entries")
    size = ChoiceField(
        [(size.slug, size.title) for size in SIZES.values()],
        default="",
        allow_blank=True,
        help_text="Only models of so many parameters",
    )
    org = serializers.CharField(
        max_length=MOST_LETTERS,
        default="",
        allow_blank=True,
        help_text="Only models of this organisation, by its whole name",
    )
    as_of = serializers.CharField(
        max_length=40,
        default="",
        allow_blank=True,
        help_text="The board as it stood at the end of a day (2026-11-20) or at an instant, in UTC "
        "unless it says otherwise; 404 where nothing was kept of it yet",
    )
    snapshot = serializers.CharField(
        max_length=64,
        default="",
        allow_blank=True,
        help_text="Name or digest of a snapshot, whose figures never change; it decides release "
        "and judge too",
    )
    limit = serializers.IntegerField(
        min_value=1,
        max_value=MOST_ENTRIES,
        default=ENTRIES,
        help_text="Entries of one answer; `next` leads to those after them",
    )
    offset = serializers.IntegerField(
        min_value=0,
        max_value=MOST_SKIPPED,
        default=0,
        help_text="From which entry on, counted from 0, in the order of the board",
    )

    def validate_as_of(self, text: str) -> datetime | None:
        asked = MomentAsked.of(plain(text), timezone.now())
        if asked.fault:
            raise serializers.ValidationError(asked.fault)
        return asked.moment


def conditional_response(request: Request, document: Mapping[str, Any]) -> HttpResponseBase:
    """The document with an ETag of its bytes, or 304 where the client has them."""
    etag = f'"{hashlib.sha256(JSONRenderer().render(document)).hexdigest()}"'
    response = Response(document, headers={"ETag": etag})
    return get_conditional_response(request._request, etag=etag, response=response) or response


@tagged
class Boards(StrictQuery, APIView):
    @extend_schema(
        operation_id="boards_list",
        summary="List boards",
        description="Every benchmark of this site with its eras: a release and the judge of its "
        "scores.",
        parameters=ETAGS,
        responses={
            200: BoardSummarySerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 406),
        },
    )
    def get(self, request: Request) -> Response:
        benchmarks = Benchmark.objects.filter(slug__in=protocols())
        return Response([board_link(benchmark, request) for benchmark in benchmarks])


def board_link(benchmark: Benchmark, request: Request) -> dict[str, Any]:
    board = protocol(benchmark.slug).board.BOARD
    summary = BoardSummary(
        benchmark.slug,
        benchmark.title,
        board.summary,
        board.ranking,
        board.measures,
        eras_of(benchmark),
    )
    return BoardSummarySerializer(summary, context={"request": request}).data


@method_decorator(cache_control(no_cache=True), name="dispatch")
class BoardDetail(StrictQuery, APIView):
    query = BoardQuery

    @extend_schema(
        operation_id="board",
        summary="Read a board",
        description="Entries with their figures, in ranking order or in that of the measure, then "
        "published rows. It is the JSON export in pages, with the same figures as the web page. "
        "Published rows come only with the first entries, that is without `offset`.",
        parameters=[SLUG, BoardQuery, *ETAGS],
        responses={200: BoardSerializer, **CONDITIONAL, **refusals(400, 401, 404, 406, 503)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        benchmark = known_benchmark(slug)
        query = self.asked(request)
        choices = choices_asked(query, protocol(slug).board.BOARD)
        family = protocol(slug).board
        page = part_of(choices, family.BOARD, family.METRICS)
        part = replace(
            page,
            page=0,
            first=query["offset"],
            count=query["limit"],
            fold=False,
            baselines=False,
        )
        try:
            reading = read_board(
                benchmark,
                release=query["release"],
                judge=query["judge"],
                ranges=query["ranges"],
                part=part,
                moment=query["as_of"],
                snapshot=query["snapshot"].casefold(),
            )
        except NoSuchEraError as error:
            raise NotFound(f"{error} /api/v1/boards/ lists what it has entries of.") from None
        except NoSuchSnapshotError as error:
            raise NotFound(str(error)) from None
        if reading.part.organisation != part.organisation:
            sentence = f"No model here is of the organisation “{as_shown(part.organisation)}”."
            raise ValidationError({"org": [sentence]})
        is_first = not query["offset"]
        printed = published_of(reading, choices) if is_first else ()
        reading = replace(reading, published=printed)
        shown = of_table(read_by_measure(reading, query["measure"]), query["table"])
        return conditional_response(request, page_document(shown, request))


def of_table(reading: BoardReading, slug: str) -> BoardReading:
    """With every column of that table and no other; all of it where this measure has none. Rows of
    papers are those with a figure there."""
    table = next((table for table in reading.shown.tables if table.slug == slug), None)
    return with_printed_figures(of_one_table(reading, table, (ALL,)) if table else reading)


def known_benchmark(slug: str) -> Benchmark:
    known = Benchmark.objects.filter(slug__in=protocols())
    return named_or_404(known, "benchmark", "benchmarks", slug=slug)


def choices_asked(query: Mapping[str, Any], board: Board) -> BoardChoices:
    """The query as a reader of the page would have chosen it."""
    measures = {measure.slug: measure for measure in board.measures}
    if query["measure"] and query["measure"] not in measures:
        there_are = ", ".join(measures) or "none: it is read in one way"
        sentence = f"There is no measure “{as_shown(query['measure'])}”. There are: {there_are}."
        raise ValidationError({"measure": [sentence]})
    tables = [table.slug for table in board.tables]
    if query["table"] and query["table"] not in tables:
        there_are = ", ".join(dict.fromkeys(tables))
        sentence = f"There is no table “{as_shown(query['table'])}”. There are: {there_are}."
        raise ValidationError({"table": [sentence]})
    return BoardChoices(
        table=board.tables[0],
        measure=measures.get(query["measure"], next(iter(board.measures), None)),
        search=plain(query["q"]),
        open_weights=query["open_weights"],
        verified=query["verified"],
        size=query["size"],
        organisation=plain(query["org"]),
    )


def page_document(reading: BoardReading, request: Request) -> dict[str, Any]:
    """The board's document with the entries of the reading's part, and where the others are."""
    count, address = reading.part.count or 0, request.build_absolute_uri()
    in_front = min(reading.part.first, reading.matching)
    following = reading.part.first + count

    def url(first: int) -> str:
        return replace_query_param(address, "offset", first)

    # The one before is as long as what is left: no entry is on both.
    before = replace_query_param(url(max(0, in_front - count)), "limit", min(count, in_front))
    return {
        **board_document(reading),
        "total": reading.matching,
        "next": url(following) if following < reading.matching else None,
        "previous": before if in_front else None,
    }


@extend_schema_view(
    get=extend_schema(
        operation_id="entries_list",
        summary="List entries",
        description="Public submissions that are judged, on any board, newest first.",
        parameters=[EntriesQuery, *ETAGS],
        responses={
            200: EntrySummarySerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 404, 406),
        },
    )
)
@tagged
class Entries(StrictQuery, generics.ListAPIView[Submission]):
    query = EntriesQuery
    queryset = Submission.objects.public().select_related("model", "release__benchmark")
    serializer_class = EntrySummarySerializer

    def get_queryset(self) -> QuerySet[Submission]:
        sheets = Scoresheet.objects.defer(
            "figures", "board_figures", "draws", "lengths", "item_scores", "ability_moves"
        ).select_related("judge_spec")
        judged = Exists(Scoresheet.objects.filter(submission=OuterRef("pk")))
        shown = super().get_queryset().filter(judged, release__benchmark__slug__in=protocols())
        wanted = self.asked(self.request)
        shown = shown.filter(**{ENTRIES_BY[name]: what for name, what in wanted.items() if what})
        return shown.prefetch_related(Prefetch("scoresheets", sheets.order_by("pk")))


def sheet_asked(request: Request, submission_id: UUID, judge: str) -> Scoresheet:
    """Raises NotFound, which repeats what was asked for."""
    try:
        return visible_sheet(request.user, submission_id, judge)
    except Http404:
        what = f"entry judged by “{as_shown(judge)}” with the id" if judge else "judged entry"
        raise not_yours(what, submission_id, "entries") from None


@method_decorator(cache_control(private=True, no_cache=True), name="dispatch")
class EntryDetail(StrictQuery, APIView):
    query = JudgeQuery

    @extend_schema(
        operation_id="entry",
        summary="Read an entry",
        description="A judged submission with every figure of its scoresheet: a public one, or "
        "one of yours.",
        parameters=[ID, JudgeQuery, *ETAGS],
        responses={200: EntrySerializer, **CONDITIONAL, **refusals(400, 401, 404, 406)},
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponseBase:
        sheet = sheet_asked(request, submission_id, **self.asked(request))
        return conditional_response(
            request, EntrySerializer(sheet, context={"request": request}).data
        )


@extend_schema(exclude=True)
@api_view(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
@permission_classes([AllowAny])
def no_such_address(request: Request) -> Response:
    raise NotFound(
        f"The API has no address “{as_shown(request.path)}”; /api/v1/docs/ lists those it has."
    )
