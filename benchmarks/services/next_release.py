"""A closed release stays as it is, and so it is corrected by another one of the same questions.

Questions, figures, and the versions of their texts and labels are rows that both have: what is
approved or corrected in the next release is today's there, and a case that is unchanged has the
verdict that it has.
"""

import re
from dataclasses import dataclass, fields

from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.db.models import Q, QuerySet

from benchmarks.models import (
    Description,
    LabelCorrection,
    Question,
    Reference,
    Release,
)
from benchmarks.protocols.base import Terms

State = Release.State
WORKED_ON = (State.DRAFT, State.OPEN)
"""States of a next release in which it takes what is corrected: no other one is needed."""
NAMES = ("slug", "title")
LONGEST_SLUG, LONGEST_TITLE = 50, 200  # as the columns have it
NUMBERED_SLUG, NUMBERED_TITLE = re.compile(r"-[1-9]\d{0,2}$"), re.compile(r", release \d{1,3}$")

COPY_QUESTIONS = """
INSERT INTO benchmarks_releasequestion (release_id, question_id, position)
SELECT %s, question_id, position FROM benchmarks_releasequestion WHERE release_id = %s
ORDER BY position
"""
"""One statement: of ten thousand questions nothing has to come here and go back."""


class NextReleaseError(Exception):
    """Nothing was made; the message says why."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """What became of a release's texts and labels since it was closed; since they were imported,
    where nobody noted when that was."""

    descriptions: int
    references: int
    labels: int


@dataclass(frozen=True, slots=True)
class Names:
    slug: str
    title: str


def without_next(found: "QuerySet[Release]") -> "QuerySet[Release]":
    """Closed releases of which none follows that is worked on."""
    followed = Release.objects.filter(state__in=WORKED_ON, follows__isnull=False)
    return found.filter(state__in=Release.CLOSED).exclude(pk__in=followed.values("follows"))


def next_of(release: Release) -> Release | None:
    """The one in which the release is corrected, the newest where there are several."""
    return release.next_releases.filter(state__in=WORKED_ON).order_by("-pk").first()


def proposed_names(release: Release) -> Names:
    """Free ones: the release's own with the next number behind them. A number at the end of a slug
    counts only where this made it: touchstone-908 has so many questions."""
    stem, title = release.slug, NUMBERED_TITLE.sub("", release.title)
    if release.follows_id:
        stem = NUMBERED_SLUG.sub("", stem)
    stem = stem[: LONGEST_SLUG - len("-999")]
    taken = Release.objects.filter(slug__startswith=f"{stem}-").values_list("slug", flat=True)
    known = {slug.removeprefix(f"{stem}-") for slug in taken}
    number = next(number for number in range(2, len(known) + 3) if str(number) not in known)
    suffix = f", release {number}"
    return Names(f"{stem}-{number}", title[: LONGEST_TITLE - len(suffix)] + suffix)


def corrected_since_closed(release: Release) -> Corrected:
    """Three queries, whatever there is."""
    reviewed, made = Q(), Q()
    if release.closed:
        reviewed = Q(reviewed_at__gt=release.closed)
        made = Q(created__gt=release.closed)
    figures = Question.objects.filter(releases=release).exclude(figure=None).order_by()
    descriptions = Description.objects.filter(
        reviewed,
        figure__in=figures.values("figure"),
        language=release.language,
        state=Description.State.APPROVED,
        reviewed_by__isnull=False,
    )
    references = Reference.objects.filter(made, question__releases=release)
    labels = LabelCorrection.objects.filter(
        reviewed, question__releases=release, state=LabelCorrection.State.APPROVED
    )
    return Corrected(
        descriptions.count(),
        references.exclude(version=1, origin=Reference.Origin.DATASET).count(),
        labels.count(),
    )


@transaction.atomic
def make_next_release(*, of: Release, slug: str, title: str) -> Release:
    """A draft of the same questions in the same order, under names of its own. What is told of the
    dataset and its licence is copied; entries are not.

    Raises NextReleaseError where `of` takes corrections itself or has a next release already, and
    where the slug is taken or fits into no address.
    """
    # Whoever presses at the same moment, or opens it again, waits for this one.
    closed = Release.objects.select_for_update(no_key=True).get(pk=of.pk)
    if closed.state not in Release.CLOSED:
        raise NextReleaseError(f"It is {closed.state}, and takes corrections itself.")
    if found := next_of(closed):
        raise NextReleaseError(f"Its next release is here already: {found.slug}.")
    terms = {field.name: getattr(closed, field.name) for field in fields(Terms)}
    draft = Release(
        benchmark_id=closed.benchmark_id,
        slug=slug,
        title=title,
        language=closed.language,
        checksum=closed.checksum,
        question_count=closed.question_count,
        disclosure=closed.disclosure,
        # The same answers get the same score: another secret would be another look at each label.
        rounding_secret=closed.rounding_secret,
        rounding_share=closed.rounding_share,
        anomalies=closed.anomalies,
        follows=closed,
        **terms,
    )
    store(draft)
    with connection.cursor() as cursor:
        cursor.execute(COPY_QUESTIONS, [draft.pk, closed.pk])
    return draft


def store(draft: Release) -> None:
    """Raises NextReleaseError for names that cannot be its own."""
    others = [field.name for field in Release._meta.fields if field.name not in NAMES]
    try:
        draft.clean_fields(exclude=others)
    except ValidationError as error:
        messages = [
            f"{name}: {' '.join(sentences)}" for name, sentences in error.message_dict.items()
        ]
        raise NextReleaseError(" ".join(messages)) from None
    try:
        with transaction.atomic():
            draft.save()
    except IntegrityError:
        raise NextReleaseError(taken_sentence(draft.slug)) from None


def taken_sentence(slug: str) -> str:
    return f"There is a release {slug!r} already; choose another name."
