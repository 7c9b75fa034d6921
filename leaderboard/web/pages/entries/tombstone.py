"""What is left at the address of an entry that was public and is withdrawn: which one it was, since
when and why it is gone, and what stands in its place."""

from typing import Any
from uuid import UUID

from benchmarks.submissions.models import Submission
from benchmarks.submissions.selectors import is_held_by


def tombstone_page(submission_id: UUID, user: Any) -> dict[str, Any] | None:
    """None of what was never public, and of what is not withdrawn. `model_slug` is empty where
    nothing of the model is public; `replaced_by`: the entry in its place, while that is public;
    `is_owner`: whether its own page is open to the reader."""
    submission = (
        Submission.objects.filter(pk=submission_id, withdrawn__isnull=False, was_public=True)
        .select_related("model", "release__benchmark")
        .first()
    )
    if submission is None:
        return None
    public = Submission.objects.public()
    newer = submission.replaced_by_id
    return {
        "submission": submission,
        "model_slug": (submission.model.slug or "")
        if public.filter(model=submission.model_id).exists()
        else "",
        "replaced_by": newer if newer and public.filter(pk=newer).exists() else None,
        "is_owner": is_held_by(user, submission),
    }
