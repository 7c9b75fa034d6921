"""The API of models: what is said of each by who handed it in, and where its entries are."""

from typing import Any

from django.db import models
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.reverse import reverse
from rest_framework.utils.urls import replace_query_param

from benchmarks.api.asking import CONDITIONAL, ETAGS, StrictQuery, named_or_404, tagged
from benchmarks.api.problem_details import refusals
from benchmarks.submissions.facts import BY_API_NAME, RENAMED
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.naming.public_names import public_name
from leaderboard.web.board.asked import MOST_LETTERS, plain
from leaderboard.web.pages.models.model_list import matching


class ModelLinksSerializer(serializers.Serializer[EvaluatedModel]):
    self = serializers.HyperlinkedIdentityField(view_name="api-model", lookup_field="slug")
    page = serializers.HyperlinkedIdentityField(
        view_name="model", lookup_field="slug", help_text="The same for people"
    )
    entries = serializers.SerializerMethodField(help_text="Its public entries")

    def get_entries(self, model: EvaluatedModel) -> str:
        entries = reverse("api-entries", request=self.context["request"])
        return str(replace_query_param(entries, "model", model.slug))


class ModelSerializer(serializers.ModelSerializer[EvaluatedModel]):
    """A model as who handed it in describes it; empty is what was left open."""

    # What nobody said is an empty text, which is no address.
    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.URLField: serializers.CharField,
    }
    slug = serializers.CharField(read_only=True)
    handed_in_by = serializers.SerializerMethodField(help_text="Public name of who handed it in")
    links = ModelLinksSerializer(source="*")

    class Meta:
        model = EvaluatedModel
        fields = (
            *("slug", "name", *BY_API_NAME),
            *("handed_in_by", "created", "facts_changed", "links"),
        )
        read_only_fields = fields
        extra_kwargs = RENAMED

    def get_handed_in_by(self, model: EvaluatedModel) -> str:
        return public_name(model.owner) if model.owner else "the operators of this site"


class ModelsQuery(serializers.Serializer[Any]):
    q = serializers.CharField(
        max_length=MOST_LETTERS,
        default="",
        allow_blank=True,
        help_text="Only with each of these words in name or organisation",
    )


@extend_schema_view(
    get=extend_schema(
        operation_id="models_list",
        summary="List models",
        description="Models with a public entry, newest first; baselines are none.",
        parameters=[ModelsQuery, *ETAGS],
        responses={
            200: ModelSerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 404, 406),
        },
    )
)
@tagged
class Models(StrictQuery, generics.ListAPIView[EvaluatedModel]):
    query = ModelsQuery
    serializer_class = ModelSerializer
    queryset = EvaluatedModel.objects.none()

    def get_queryset(self) -> QuerySet[EvaluatedModel]:
        found = matching(plain(self.asked(self.request)["q"]))
        return found.select_related("owner__public_name")


@extend_schema_view(
    get=extend_schema(
        operation_id="model",
        summary="Read a model",
        description="A model with a public entry.",
        parameters=[
            OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of a model"),
            *ETAGS,
        ],
        responses={200: ModelSerializer, **CONDITIONAL, **refusals(400, 401, 404, 406)},
    )
)
@tagged
class ModelDetail(StrictQuery, generics.RetrieveAPIView[EvaluatedModel]):
    queryset = EvaluatedModel.objects.select_related("owner__public_name")
    serializer_class = ModelSerializer
    pagination_class = None

    def get_object(self) -> EvaluatedModel:
        public = self.get_queryset().filter(
            submissions__visibility=Submission.Visibility.PUBLIC,
            submissions__withdrawn__isnull=True,
        )
        slug = self.kwargs["slug"]
        return named_or_404(public.distinct(), "public model", "models", slug=slug)
