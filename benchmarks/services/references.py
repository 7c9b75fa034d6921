"""Reference answers: versions, never changed in place."""

from django.db import transaction

from benchmarks.models import Description, Question, Reference, Release
from benchmarks.services.proposals import ProposalError


def closed_reason(question: Question) -> str:
    """Why its reference and its label stay as they are; empty where some release with the question
    still takes new versions."""
    if question.releases.filter(state__in=Release.TAKES_TEXTS).exists():
        return ""
    return "Every release with this question is closed."


def check_open(question: Question) -> None:
    """Raises ProposalError where every release with the question is closed."""
    if reason := closed_reason(question):
        raise ProposalError(f"{reason} Its reference and its label stay as they are.")


def live_reference(question: Question) -> Reference | None:
    """The version that is judged against."""
    return question.references.order_by("-version").first()


def check_base(question: Question, base: int) -> None:
    """Raises ProposalError where another version is live by now than `base`, 0 for none."""
    live = live_reference(question)
    version = live.version if live else 0
    if version != base:
        written = f"version {base}" if base else "none"
        raise ProposalError(
            f"Version {version} of the reference went live since this was written, when {written}"
            " was. Compare the two and propose yours again."
        )


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
    now on. Raises ProposalError where it is closed."""
    check_open(question)
    Question.objects.select_for_update().get(pk=question.pk)
    newest = live_reference(question)
    return Reference.objects.create(
        question=question,
        version=(newest.version if newest else 0) + 1,
        text=text,
        origin=origin,
        maker=maker,
        description=description,
    )
