"""All that was wrong with a refused file, for the program that sent it."""

from typing import Any
from uuid import UUID

from django.http import Http404
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchmarks.api.asking import StrictQuery
from benchmarks.api.problem_details import (
    FileProblemSerializer,
    ProblemGroupSerializer,
    refusals,
)
from benchmarks.submissions.intake.problem_groups import grouped
from benchmarks.submissions.intake.refusals import own_refusal

ID = OpenApiParameter(
    "refused_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="Named by the refusal"
)


class RefusedFileSerializer(serializers.Serializer[Any]):
    file_name = serializers.CharField()
    problem_count = serializers.IntegerField()
    groups = ProblemGroupSerializer(many=True)
    problems = FileProblemSerializer(many=True, help_text="All of them, by line")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of questions that the file does not name"
    )


@method_decorator(never_cache, name="dispatch")
class RefusedFileDetail(StrictQuery, APIView):
    permission_classes = [IsAuthenticated]

    @extend_schema(
        operation_id="refused_file",
        summary="Read all problems of a refused file",
        description="Every problem of one of your last three refused files, and every id it "
        "misses. Kept for a day.",
        parameters=[ID],
        responses={200: RefusedFileSerializer, **refusals(400, 401, 404, 406)},
    )
    def get(self, request: Request, refused_id: UUID) -> Response:
        assert request.user.is_authenticated
        try:
            refusal = own_refusal(request.user, refused_id)
        except Http404:
            raise NotFound(
                f"There is no refused file “{refused_id}” of yours now: each is kept for a day."
            ) from None
        document = {
            "file_name": refusal.file_name,
            "problem_count": len(refusal.problems),
            "groups": grouped(refusal.problems),
            "problems": refusal.problems,
            "missing": refusal.missing,
        }
        return Response(RefusedFileSerializer(document).data)
