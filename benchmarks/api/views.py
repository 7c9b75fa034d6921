"""The API of what is asked: releases and their questions. Public fields only: nothing here knows an
answer."""

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.reverse import reverse

from benchmarks.api.asking import CONDITIONAL, ETAGS, StrictQuery, named_or_404, tagged
from benchmarks.api.pagination import FileOrder
from benchmarks.api.problem_details import refusals
from benchmarks.models import FigureImage, Release, ReleaseQuestion

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of a release")


class ReleaseLinksSerializer(serializers.Serializer[Release]):
    self = serializers.HyperlinkedIdentityField(view_name="api-release", lookup_field="slug")
    questions = serializers.HyperlinkedIdentityField(
        view_name="api-release-questions", lookup_field="slug"
    )
    template = serializers.HyperlinkedIdentityField(
        view_name="release-template",
        lookup_field="slug",
        help_text="CSV with every id, to be filled with predictions",
    )


class ReleaseSerializer(serializers.Serializer[Release]):
    slug = serializers.CharField()
    title = serializers.CharField()
    benchmark = serializers.CharField(source="benchmark.slug")
    language = serializers.CharField()
    state = serializers.ChoiceField(
        Release.State.choices, help_text="Only an open release takes submissions"
    )
    checksum = serializers.CharField(
        source="public_checksum",
        help_text="SHA-256 over the content hashes of its questions, in order; of a hidden test, "
        "whose labels are part of it, keyed by a secret of the site",
    )
    question_count = serializers.IntegerField()
    disclosure = serializers.ChoiceField(
        Release.Disclosure.choices,
        help_text="open: references and verdicts are public; hidden_references: verdicts are, and "
        "labels can be worked out from them; hidden_test: neither, entries have one rounded score",
    )
    disclosure_meaning = serializers.CharField(
        source="disclosure_sentence", help_text="What that means, in a few sentences"
    )
    opened = serializers.DateTimeField(allow_null=True)
    links = ReleaseLinksSerializer(source="*")


class QuestionSerializer(serializers.Serializer[ReleaseQuestion]):
    """A question as anyone may see it."""

    public_id = serializers.CharField(source="question.public_id")
    ability = serializers.CharField(source="question.subtask.ability.slug")
    subtask = serializers.CharField(source="question.subtask.slug")
    text = serializers.CharField(source="question.text")
    facts = serializers.DictField(
        source="question.facts", help_text="Public facts, meaning known to the protocol"
    )
    images = serializers.SerializerMethodField(help_text="Addresses of its pictures, in order")

    def get_images(self, member: ReleaseQuestion) -> list[str]:
        figure = member.question.figure
        shown = figure.images.all() if figure else ()
        return [
            reverse("figure-image", args=[image.pk], request=self.context["request"])
            for image in shown
        ]


@extend_schema_view(
    get=extend_schema(
        operation_id="releases_list",
        summary="List releases",
        description="The published releases of every benchmark, newest first.",
        parameters=ETAGS,
        responses={
            200: ReleaseSerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 404, 406),
        },
    )
)
@tagged
class Releases(StrictQuery, generics.ListAPIView[Release]):
    queryset = Release.objects.published().select_related("benchmark")
    serializer_class = ReleaseSerializer


@extend_schema_view(
    get=extend_schema(
        operation_id="release",
        summary="Read a release",
        description="One version of a benchmark's questions. Its content never changes: the "
        "checksum names it.",
        parameters=[SLUG, *ETAGS],
        responses={200: ReleaseSerializer, **CONDITIONAL, **refusals(400, 401, 404, 406)},
    )
)
@tagged
class ReleaseDetail(StrictQuery, generics.RetrieveAPIView[Release]):
    queryset = Release.objects.published().select_related("benchmark")
    serializer_class = ReleaseSerializer
    pagination_class = None

    def get_object(self) -> Release:
        return named_or_404(self.get_queryset(), "release", "releases", slug=self.kwargs["slug"])


@extend_schema_view(
    get=extend_schema(
        operation_id="release_questions",
        summary="List a release's questions",
        description="The questions in file order: what a model is asked, and nothing of what it "
        "should answer.",
        parameters=[SLUG, *ETAGS],
        responses={
            200: QuestionSerializer(many=True),
            **CONDITIONAL,
            **refusals(400, 401, 404, 406),
        },
    )
)
@tagged
class ReleaseQuestions(StrictQuery, generics.ListAPIView[ReleaseQuestion]):
    queryset = ReleaseQuestion.objects.select_related(
        "question__subtask__ability", "question__figure"
    )
    serializer_class = QuestionSerializer
    pagination_class = FileOrder

    def get_queryset(self) -> QuerySet[ReleaseQuestion]:
        published, slug = Release.objects.published(), self.kwargs["slug"]
        release = named_or_404(published, "release", "releases", slug=slug)
        pictures = Prefetch("question__figure__images", FigureImage.objects.exclude(sha256=""))
        return super().get_queryset().filter(release=release).prefetch_related(pictures)
