"""The step that makes the next release of a closed one: a draft in which it is corrected."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import Count
from django.urls import reverse

from benchmarks.models import Release, ReleaseQuestion
from benchmarks.releases.readiness import lacking_texts
from benchmarks.services.next_release import (
    NextReleaseError,
    corrected_since_closed,
    make_next_release,
    next_of,
    proposed_names,
    taken_sentence,
    without_next,
)
from benchmarks.submissions.staff_steps import ReasonForm, Step, StepRefusedError, counted
from leaderboard.people.staff.release_sentences import Chosen, boards_sentence, entries_sentence

WIDE = {"class": "vLargeTextField"}  # as the admin has it: what is proposed is read whole


class NextReleaseForm(ReasonForm):
    slug = forms.SlugField(
        max_length=50,
        label="Name in addresses",
        widget=forms.TextInput(attrs=WIDE),
        help_text="Letters, digits, hyphens; it stays from the moment the release is opened",
    )
    title = forms.CharField(
        max_length=200, widget=forms.TextInput(attrs=WIDE), help_text="Can be changed later"
    )

    field_order = ("slug", "title", "reason")

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        names = proposed_names(self.rows[0])
        self.initial = {"slug": names.slug, "title": names.title}

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if Release.objects.filter(slug=slug).exists():
            raise forms.ValidationError(taken_sentence(slug))
        return slug


# --- what follows ---------------------------------------------------------------------------------


def after_making(chosen: Chosen) -> list[str]:
    return [
        content_sentence(chosen),
        *(sentence for release in chosen for sentence in texts_sentences(release)),
        "Descriptions, references and labels of these questions can be corrected again, while the"
        " next release is a draft or open.",
        "Nothing of the closed release changes. " + entries_sentence(chosen),
        boards_sentence(chosen),
        "Entries are not carried over: to appear in the next release, submit again."
        " Verdicts on the same answers whose question, texts and label are unchanged are taken"
        " over and cost nothing; the others are asked for and paid.",
    ]


def content_sentence(chosen: Chosen) -> str:
    members = ReleaseQuestion.objects.filter(release__in=chosen)
    found = members.aggregate(
        questions=Count("question", distinct=True),
        figures=Count("question__figure", distinct=True),
    )
    return (
        f"A draft with {counted(found['questions'], 'question')} about"
        f" {counted(found['figures'], 'figure')}, the same ones in the same order, which staff"
        " alone see until it is opened."
    )


def texts_sentences(release: Release) -> Iterator[str]:
    found = corrected_since_closed(release)
    since = "the release was closed" if release.closed else "they were imported"
    yield (
        f"Its texts and labels are those of today. Corrected since {since}:"
        f" {counted(found.descriptions, 'description')}, {counted(found.references, 'reference')}"
        f" and {counted(found.labels, 'label')}."
    )
    lacking = " and ".join(one.what for one in lacking_texts(release))
    yield f"Before it can be opened it lacks {lacking or 'nothing: 0 texts are empty'}."
    if release.references_are_public:
        yield "Its references are public once it is opened, as those of the closed one are."


# --- the step -------------------------------------------------------------------------------------


def state_of(release: Release) -> dict[str, Any]:
    following = next_of(release)
    return {"next_release": following.slug if following else ""}


def make(release: Release, reason: str, by: User, *, slug: str, title: str) -> bool:
    try:
        make_next_release(of=release, slug=slug, title=title)
    except NextReleaseError as error:
        raise StepRefusedError(str(error)) from None
    return True


def place_of_next(release: Release) -> str:
    """The page that says what it lacks, from which it is opened; empty where there is none."""
    following = next_of(release)
    return reverse("admin:benchmarks_release_lacking", args=[following.pk]) if following else ""


MAKE_NEXT = Step(
    slug="make_next",
    title="Make the next release",
    done="Next release made",
    permission="benchmarks.add_release",
    explained="A closed release keeps its questions, texts, labels and boards permanently. It is"
    " corrected by a next release, which has the same questions and goes on from there.",
    way_back="Not needed: only staff see a draft that is never opened. An open one can be retired.",
    fits=without_next,
    follows=after_making,
    state=state_of,
    change=make,
    form=NextReleaseForm,
    leads_to=place_of_next,
)
