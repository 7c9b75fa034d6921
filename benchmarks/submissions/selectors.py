"""Reading what was answered."""

from typing import Any
from uuid import UUID

from django.db.models import Min
from django.shortcuts import get_object_or_404
from django.urls import reverse

from benchmarks.models import Release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.pages import ReleaseChoice
from benchmarks.submissions.quota import places_taken


def release_choices(owner: Any) -> tuple[ReleaseChoice, ...]:
    """Releases that take submissions, main ones first, each with the address of its template file, one id, and whether
    this person has a place."""
    releases = tuple(Release.objects.accepting().main_first())
    taken = places_taken(owner, [release.pk for release in releases])
    examples = dict(
        Release.objects.accepting()
        .values_list("pk")
        .annotate(Min("questions__public_id"))
        .order_by()
    )
    return tuple(
        ReleaseChoice(
            slug=release.slug,
            title=release.title,
            question_count=release.question_count,
            template_url=reverse("release-template", args=[release.slug]),
            example_id=examples.get(release.pk, ""),
            no_place=taken[release.pk].sentence if release.pk in taken else "",
        )
        for release in releases
    )


def model_names(owner: Any) -> tuple[str, ...]:
    return tuple(EvaluatedModel.objects.filter(owner=owner).values_list("name", flat=True))


VIEW, CHANGE = "submissions.view_submission", "submissions.change_submission"


def own_submission(user: Any, submission_id: UUID, permission: str = VIEW) -> Submission:
    """A submission of the user's, or any for who has `permission`. Raises Http404 for everything else.

    Being staff is not enough: annotators enter the admin and must not see submissions.
    """
    mine = (
        Submission.objects.all()
        if user.has_perm(permission)
        else Submission.objects.filter(owner=user)
    )
    submission: Submission = get_object_or_404(
        mine.select_related("model", "release__benchmark"), pk=submission_id
    )
    return submission
