"""What the words of a search are found in: public models, their entries, and questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, QuerySet, When

from benchmarks.common.text_search import MODELS, QUESTIONS, containing
from benchmarks.models import Question, Release, ReleaseQuestion
from benchmarks.submissions.models import EvaluatedModel, Submission

MOST_FOUND = 20
"""Of each kind: who finds more has searched for too little."""
MOST_ENTRIES = 60
"""Of all models that were found together; of a model with more than a few, its page has all."""


@dataclass(frozen=True, slots=True)
class FoundQuestion:
    question: Question
    release: Release
    number: int


def found_models(words: Sequence[str], count: int = MOST_FOUND) -> "QuerySet[EvaluatedModel]":
    """Models with public entries, those first whose name begins with the first word."""
    entries = Submission.objects.public().filter(model=OuterRef("pk"), scoresheets__isnull=False)
    begins = Case(When(name__istartswith=words[0], then=0), default=1)
    models = containing(EvaluatedModel.objects.all(), MODELS, words).filter(Exists(entries))
    return models.order_by(begins, "name", "pk")[:count]


def entries_of(models: Sequence[EvaluatedModel]) -> dict[int, list[Submission]]:
    """By model, the newest first."""
    entries = (
        Submission.objects.public()
        .filter(model__in=models, scoresheets__isnull=False)
        .select_related("release__benchmark")
        .distinct()
        .order_by("-created")
    )
    found: dict[int, list[Submission]] = {model.pk: [] for model in models}
    for entry in entries[:MOST_ENTRIES]:
        found[entry.model_id].append(entry)
    return found


def found_entry(text: str) -> Submission | None:
    """The public entry of this id, which people copy from addresses."""
    try:
        key = UUID(text)
    except ValueError:
        return None
    entries = Submission.objects.public().filter(pk=key, scoresheets__isnull=False)
    return entries.select_related("model", "release__benchmark").first()


def found_questions(words: Sequence[str], count: int = MOST_FOUND) -> list[FoundQuestion]:
    """Questions of releases that were opened, each in the newest of them."""
    opened = ReleaseQuestion.objects.filter(release__in=Release.objects.published())
    questions = containing(Question.objects.all(), QUESTIONS, words).filter(
        Exists(opened.filter(question=OuterRef("pk")))
    )
    chosen = list(questions.select_related("subtask__ability").order_by("-pk")[:count])
    places = opened.filter(question__in=chosen).select_related("release__benchmark")
    newest = {place.question_id: place for place in places.order_by("release")}
    return [
        FoundQuestion(question, newest[question.pk].release, newest[question.pk].position + 1)
        for question in chosen
    ]
