"""The API of judges: what each is, to the last letter of its prompts."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers

from benchmarks.api.asking import CONDITIONAL, ETAGS, StrictQuery, named_or_404, tagged
from benchmarks.api.problem_details import refusals
from judging.models import JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import public_sheets
from leaderboard.web.api.documents import CAUTION_HELP
from leaderboard.web.api.views import known_slug
from leaderboard.web.pages.judges.judge import judge_title


class JudgeLinksSerializer(serializers.Serializer[JudgeSpec]):
    self = serializers.HyperlinkedIdentityField(view_name="api-judge", lookup_field="slug")
    page = serializers.HyperlinkedIdentityField(
        view_name="judge", lookup_field="slug", help_text="The same for people, and its record"
    )


class JudgeSummarySerializer(serializers.Serializer[JudgeSpec]):
    slug = serializers.CharField()
    title = serializers.SerializerMethodField()
    benchmark = serializers.CharField(source="protocol")
    kind = serializers.CharField(
        help_text="rules, or by which interface a model is asked, such as openai"
    )
    model = serializers.CharField(help_text="That is asked; of rules their version")
    caution = serializers.CharField(help_text=CAUTION_HELP)
    hash = serializers.CharField(
        source="content_hash", help_text="Of everything that decides how it decides"
    )
    created = serializers.DateTimeField()
    links = JudgeLinksSerializer(source="*")

    def get_title(self, spec: JudgeSpec) -> str:
        return judge_title(spec)


class JudgeSerializer(JudgeSummarySerializer):
    parameters = serializers.DictField(help_text="Sent with every request")
    answers_as = serializers.CharField(
        help_text="The model that the endpoint must say it is; empty for any"
    )
    repeats = serializers.IntegerField(help_text="How often it is asked the same")
    parser = serializers.CharField(help_text="Of its replies")
    parser_version = serializers.CharField()
    prompts = serializers.SerializerMethodField(help_text="Texts by name; none of rules")
    prompts_hash = serializers.CharField(
        source="prompt_set.content_hash", default=None, allow_null=True, read_only=True
    )
    entries = serializers.SerializerMethodField(help_text="Public ones that it judged")

    def get_prompts(self, spec: JudgeSpec) -> dict[str, str]:
        return dict(spec.prompt_set.texts) if spec.prompt_set else {}

    def get_entries(self, spec: JudgeSpec) -> int:
        return Scoresheet.objects.filter(public_sheets(), judge_spec=spec).count()


class JudgesQuery(serializers.Serializer[Any]):
    benchmark = serializers.SlugField(
        max_length=50, default="", allow_blank=True, help_text="Only of this benchmark"
    )

    def validate_benchmark(self, slug: str) -> str:
        return known_slug(slug)


@extend_schema_view(
    get=extend_schema(
        operation_id="judges_list",
        summary="List judges",
        description="Those that judged a public entry, newest first.",
        parameters=[JudgesQuery, *ETAGS],
        responses={
            200: JudgeSummarySerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 404, 406),
        },
    )
)
@tagged
class Judges(StrictQuery, generics.ListAPIView[JudgeSpec]):
    query = JudgesQuery
    serializer_class = JudgeSummarySerializer
    queryset = JudgeSpec.objects.select_related("prompt_set")

    def get_queryset(self) -> QuerySet[JudgeSpec]:
        judged = Scoresheet.objects.filter(public_sheets(), judge_spec=OuterRef("pk"))
        shown = super().get_queryset().filter(Exists(judged))
        benchmark = self.asked(self.request)["benchmark"]
        return shown.filter(protocol=benchmark) if benchmark else shown


@extend_schema_view(
    get=extend_schema(
        operation_id="judge",
        summary="Read a judge",
        description="Everything that decides how it decides: a change of any of it is another "
        "judge.",
        parameters=[
            OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of a judge"),
            *ETAGS,
        ],
        responses={200: JudgeSerializer, **CONDITIONAL, **refusals(400, 401, 404, 406)},
    )
)
@tagged
class JudgeDetail(StrictQuery, generics.RetrieveAPIView[JudgeSpec]):
    queryset = JudgeSpec.objects.select_related("prompt_set")
    serializer_class = JudgeSerializer
    pagination_class = None

    def get_object(self) -> JudgeSpec:
        return named_or_404(self.get_queryset(), "judge", "judges", slug=self.kwargs["slug"])
