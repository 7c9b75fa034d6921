"""Reference answers: versions, never changed in place."""

from django.db import transaction
from django.db.models import Max

from benchmarks.models import Description, Question, Reference, Release
from benchmarks.services.proposals import ProposalError


class LockedContentError(ProposalError):
    """Every release with this question is frozen or retired: it gets no new versions."""


def may_change(question: Question) -> bool:
    """Whether some release with the question still takes new versions."""
    return question.releases.filter(state__in=Release.TAKES_TEXTS).exists()


@transaction.atomic
def add_reference(
    *,
    question: Question,
    text: str,
    origin: str,
    maker: str = "",
    description: Description | None = None,
) -> Reference:
    """The next version of a question's reference; what was judged with the one before is stale from
    now on."""
    if not may_change(question):
        raise LockedContentError(
            f"{question} belongs to no open release; its reference stays as it is."
        )
    Question.objects.select_for_update().get(pk=question.pk)
    newest = question.references.aggregate(last=Max("version"))
    return Reference.objects.create(
        question=question,
        version=(newest["last"] or 0) + 1,
        text=text,
        origin=origin,
        maker=maker,
        description=description,
    )
