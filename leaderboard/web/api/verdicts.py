"""The API of what stands behind an entry: every verdict, a line each."""

from typing import Any
from uuid import UUID

from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from benchmarks.api.asking import StrictQuery
from benchmarks.api.problem_details import refusals
from leaderboard.results.disclosure import require_verdicts
from leaderboard.web.api.views import ID, JudgeQuery, sheet_asked
from leaderboard.web.exports import in_pieces
from leaderboard.web.sharing.answer_rows import answers_as_json_lines

MEDIA_TYPE = "application/x-ndjson"


class LinesRenderer(JSONRenderer):
    """Names the media type for whoever asks for it by `Accept`. The view writes the lines itself;
    what else it answers is one document."""

    media_type = MEDIA_TYPE
    format = "jsonl"
    charset = "utf-8"


class VerdictSerializer(serializers.Serializer[Any]):
    """What a judge said of one answer when it was asked one thing. Null is hidden, or there is
    none."""

    entry = serializers.UUIDField()
    model = serializers.CharField()
    benchmark = serializers.CharField()
    release = serializers.CharField()
    judge = serializers.CharField()
    question = serializers.CharField(help_text="Its id in the release")
    ability = serializers.CharField()
    subtask = serializers.CharField()
    question_text = serializers.CharField()
    answer = serializers.CharField(allow_null=True)
    reference = serializers.CharField(allow_null=True)
    slot = serializers.CharField(
        allow_null=True, help_text="What it was asked; null where nothing was"
    )
    state = serializers.CharField(
        allow_null=True, help_text="judged, unreadable, refused, too long, failed, excluded, …"
    )
    verdict = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True, help_text="Why there is no verdict")
    reply = serializers.CharField(allow_null=True)
    reply_sha256 = serializers.CharField(allow_null=True)
    answer_verdict = serializers.CharField(
        allow_null=True, help_text="What the benchmark makes of all verdicts on the answer"
    )
    decided = serializers.DateTimeField(
        allow_null=True, help_text="When there was a verdict, or the asking ended without one"
    )
    is_right = serializers.BooleanField(allow_null=True)
    score = serializers.FloatField(
        allow_null=True, help_text="What the judge gave the answer, where it gives numbers"
    )
    points = serializers.FloatField(
        allow_null=True, help_text="What the answer counts, 0 to 1, when questions are compared"
    )
    call = serializers.IntegerField(
        allow_null=True,
        help_text="Number, in the ledger of the site, of the call that decided; null where none "
        "was needed",
    )


@method_decorator(cache_control(private=True, no_cache=True), name="dispatch")
class EntryVerdicts(StrictQuery, APIView):
    query = JudgeQuery
    renderer_classes = [LinesRenderer, JSONRenderer]

    @extend_schema(
        operation_id="entry_verdicts",
        summary="Read every verdict of an entry",
        description="JSON lines, one for each thing that the judge was asked of each answer, in "
        "the order of the file. It is sent while it is read, however long it is.",
        parameters=[ID, JudgeQuery],
        responses={
            (200, MEDIA_TYPE): OpenApiResponse(
                VerdictSerializer, description="Such an object on every line."
            ),
            **refusals(400, 401, 404, 406),
        },
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponseBase:
        sheet = sheet_asked(request, submission_id, **self.asked(request))
        require_verdicts(sheet.submission.release)
        return StreamingHttpResponse(
            in_pieces(answers_as_json_lines(sheet.run)), content_type=f"{MEDIA_TYPE}; charset=utf-8"
        )
