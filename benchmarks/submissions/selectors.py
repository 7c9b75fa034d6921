"""Reading what was answered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from sys import intern
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Min, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from benchmarks.models import Release
from benchmarks.protocols.base import QuestionView
from benchmarks.selectors import truth_in
from benchmarks.submissions.intake.quota import (
    DayPlaces,
    attempts_left,
    days_of_teams,
    limits_of,
    places_left_by_release,
    places_taken,
)
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.naming.public_names import team_name
from benchmarks.submissions.pages import Places, ReleaseChoice, ReleasePlaces, UnfinishedFile
from benchmarks.submissions.team_models import Membership, Team


def release_choices(owner: User | None) -> tuple[ReleaseChoice, ...]:
    """Releases that take submissions, main ones first, each with the address of its template file,
    one id, and whether this person has a place. owner: None for a visitor without an account."""
    releases = tuple(Release.objects.accepting().main_first())
    taken = places_taken(owner, [release.pk for release in releases]) if owner else {}
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
            attempts_left=attempts_left(owner, release),
        )
        for release in releases
    )


def places_of_day(owner: User) -> Places | None:
    """What is left of the person's day, told before a file is chosen; None where there is no
    limit."""
    limit = limits_of(owner=owner).submissions_day
    if not limit:
        return None
    releases = tuple(Release.objects.accepting().main_first())
    return Places(
        limit, release_places(releases, places_left_by_release(owner, keys_of(releases), limit))
    )


def places_of_teams(member: Any, teams: Sequence[Team] | None = None) -> tuple[Places, ...]:
    """What is left to the person who hands in for a team of theirs, by team; of `teams` where they
    are named."""
    teams = list(teams_of(member)) if teams is None else teams
    if not teams:
        return ()
    releases = tuple(Release.objects.accepting().main_first())
    days = days_of_teams(member, teams, keys_of(releases))
    return tuple(
        Places(
            days[one.pk].limit,
            release_places(releases, days[one.pk].left_by_release),
            team_name(one),
            tuple(
                f"{release.title}: {days[one.pk].stopped[release.pk]}"
                for release in releases
                if release.pk in days[one.pk].stopped
            ),
        )
        for one in teams
    )


def keys_of(releases: Iterable[Release]) -> list[int]:
    return [release.pk for release in releases]


def release_places(
    releases: Iterable[Release], left_by_release: Mapping[int, DayPlaces]
) -> tuple[ReleasePlaces, ...]:
    return tuple(
        ReleasePlaces(
            release.title, left_by_release[release.pk].left, left_by_release[release.pk].next_place
        )
        for release in releases
        if release.pk in left_by_release
    )


MOST_UNFINISHED = 10
"""Who has more looks at their entries: beside a form nobody reads a longer list."""


def unfinished_files(owner: Any) -> tuple[UnfinishedFile, ...]:
    """The newest of the person's and their teams' that keep a place until something is done."""
    found = Submission.objects.held_by(owner).unfinished().order_by("-created")
    return tuple(
        UnfinishedFile(one.pk, one.model.name, one.release.title, one.confirmed is None)
        for one in found.select_related("model", "release")[:MOST_UNFINISHED]
    )


def model_names(owner: Any) -> tuple[str, ...]:
    """Of the person's models and their teams'."""
    found = EvaluatedModel.objects.held_by(owner).values_list("name", flat=True)
    return tuple(dict.fromkeys(found))


def teams_of(user: Any) -> QuerySet[Team]:
    """The teams of the user, by name, each with its name."""
    return (
        Team.objects.filter(
            closed__isnull=True, memberships__user=user.pk, public_name__isnull=False
        )
        .select_related("public_name")
        .order_by("public_name__name")
    )


def is_held_by(user: Any, row: Submission | EvaluatedModel) -> bool:
    """Whether the row is the user's, or of a team of theirs; as `held_by` of its queryset."""
    if row.team_id is None:
        return row.owner_id is not None and row.owner_id == user.pk
    return Membership.objects.filter(team=row.team_id, user=user.pk).exists()


AT_ONCE = 1_000
"""Rows that are in memory twice while they are read."""

VIEW, CHANGE = "submissions.view_submission", "submissions.change_submission"


def own_submission(user: Any, submission_id: UUID, permission: str = VIEW) -> Submission:
    """A submission of the user's or their teams', or any for who has `permission`. Raises Http404
    for everything else.

    Being staff is not enough: annotators enter the admin and must not see submissions.
    """
    found = Submission.objects.select_related("model", "release__benchmark")
    submission: Submission = get_object_or_404(found, pk=submission_id)
    if not (is_held_by(user, submission) or user.has_perm(permission)):
        raise Http404("There is no such submission, or it is not yours.")
    return submission


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """What a submission answered: columns of one length, in the order of its answers.

    figures: primary keys, None where a question has no figure.
    """

    answers: Sequence[int]
    texts: Sequence[str]
    views: Sequence[QuestionView]
    figures: Sequence[int | None]


def answer_sheet(submission: Submission) -> AnswerSheet:
    """Read as values, not as rows of models: of 10,290 answers those were 60 MB."""
    columns = (
        "pk",
        "text",
        "question__figure",
        "question__public_id",
        "question__subtask__ability__slug",
        "question__subtask__slug",
        "question__figure__key",
        "question__group",
        "question__text",
        "question__facts",
        truth_in(submission.release, "question__"),
    )
    answers, texts, views, figures = [], [], [], []
    for answer, text, figure, public_id, ability, subtask, key, *rest in (
        submission.answers.order_by("pk").values_list(*columns).iterator(chunk_size=AT_ONCE)
    ):
        answers.append(answer)
        texts.append(text)
        figures.append(figure)
        views.append(QuestionView(public_id, intern(ability), intern(subtask), key or "", *rest))
    return AnswerSheet(answers, texts, views, figures)
