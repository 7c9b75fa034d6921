"""The API of studies: what there is, and whether judges may stand in for people."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.reverse import reverse

from benchmarks.api.asking import CONDITIONAL, ETAGS, StrictQuery, tagged
from benchmarks.api.problem_details import refusals
from judging.panel.models import RatingFile
from leaderboard.models import StudyAnswer, StudyReport


class StudyAnswerSerializer(serializers.Serializer[StudyAnswer]):
    judge = serializers.CharField(source="judge_spec.slug", help_text="Slug of the judge")
    release = serializers.CharField(source="release.slug", help_text="Slug of the release")
    dimension = serializers.CharField(help_text="What people were asked for")
    answer = serializers.ChoiceField(
        ["yes", "no", "not enough labels"],
        help_text="Whether the judge can replace a human rater, by the alternative annotator test",
    )
    labels_missing = serializers.IntegerField(source="missing")
    judge_agreement = serializers.SerializerMethodField(
        help_text="How often the judge says what most people say, 0 to 1"
    )
    people_agreement = serializers.SerializerMethodField(
        help_text="How often a single person does, 0 to 1"
    )

    def get_judge_agreement(self, answer: StudyAnswer) -> float | None:
        return first(answer.agreement)

    def get_people_agreement(self, answer: StudyAnswer) -> float | None:
        return first(answer.people)


def first(figure: list[float | None]) -> float | None:
    return figure[0]


class StudySerializer(serializers.Serializer[RatingFile]):
    id = serializers.UUIDField(source="report_id")
    created = serializers.DateTimeField(help_text="When it was closed, or its file taken in")
    is_made_up = serializers.BooleanField(
        source="report.is_made_up", help_text="Answers and votes ship with the site"
    )
    judges = StudyAnswerSerializer(source="report.answers", many=True)
    links = serializers.SerializerMethodField(
        help_text="`page` for people, `figures` with every coefficient and interval"
    )

    def get_links(self, file: RatingFile) -> dict[str, str]:
        request = self.context["request"]
        return {
            "page": reverse("study", args=[file.report_id], request=request),
            "figures": reverse("study-file", args=[file.report_id, "json"], request=request),
        }


@extend_schema_view(
    get=extend_schema(
        operation_id="studies_list",
        summary="List studies",
        description="Several people's ratings of the same answers, newest first, each with "
        "whether a judge could replace one of them.",
        parameters=[*ETAGS],
        responses={
            200: StudySerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 404, 406),
        },
    )
)
@tagged
class Studies(StrictQuery, generics.ListAPIView[RatingFile]):
    serializer_class = StudySerializer
    queryset = RatingFile.objects.not_withdrawn().filter(
        StudyReport.is_readable("report__"), report__is_shown=True
    )

    def get_queryset(self) -> QuerySet[RatingFile]:
        answers = StudyAnswer.objects.select_related("judge_spec", "release").order_by("pk")
        shown: QuerySet[RatingFile, Any] = super().get_queryset()
        return (
            shown.select_related("report")
            .defer("report__parts")
            .prefetch_related(Prefetch("report__answers", answers))
        )
