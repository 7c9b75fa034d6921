"""Releases in the admin: title and terms are a form; their state, and how much of their labels is
public, are steps that ask first."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from benchmarks.models import Release
from benchmarks.protocols.base import Terms
from benchmarks.releases.states import FOLLOWING, ReleaseStateError, move_release
from benchmarks.services.next_release import next_of
from benchmarks.submissions.staff_steps import Step, StepRefusedError, StepsAdmin
from judging.desk.labels.corrections import follow_labels, outdated_labels
from judging.desk.releases.admin import ReleaseTextsPages
from leaderboard.people.staff.next_release_step import MAKE_NEXT
from leaderboard.people.staff.release_sentences import (
    after_closing,
    after_hiding,
    after_hiding_verdicts,
    after_opening,
    after_publishing,
    after_publishing_verdicts,
)
from leaderboard.results.services import score_again

TERMS = [field.name for field in fields(Terms)]
CHANGE = "benchmarks.change_release"
State, Level = Release.State, Release.Disclosure


# --- the steps ------------------------------------------------------------------------------------


def state_of(release: Release) -> dict[str, Any]:
    return {"state": release.state, "disclosure": release.disclosure}


def moving_to(state: str) -> Callable[[Release, str, User], bool]:
    def change(release: Release, reason: str, by: User) -> bool:
        outdated = outdated_labels(release) if state == State.OPEN else []
        try:
            move_release(release=release, found=release.state, to=state)
        except ReleaseStateError as error:
            raise StepRefusedError(str(error)) from None
        follow_labels(release=release, questions=outdated)
        return True

    return change


def that_may_become(state: str, found: "QuerySet[Release]") -> "QuerySet[Release]":
    return found.filter(state__in=[before for before, after in FOLLOWING.items() if state in after])


def saying(level: str) -> Callable[[Release, str, User], bool]:
    def change(release: Release, reason: str, by: User) -> bool:
        found = Release.objects.filter(pk=release.pk).exclude(disclosure=level)
        if not found.update(disclosure=level):
            return False
        if not release.verdicts_are_public:  # as it was
            score_again(release)
        return True

    return change


OPEN = Step(
    slug="open",
    title="Open",
    done="Opened",
    permission=CHANGE,
    explained="An open release accepts submissions. Once opened, a draft is public, its content "
    "is fixed, and it can never become a draft again.",
    way_back="Freeze or Retire, which stop submissions; it can never become a draft again.",
    fits=lambda found: that_may_become(State.OPEN, found),
    follows=after_opening,
    state=state_of,
    change=moving_to(State.OPEN),
)
FREEZE = Step(
    slug="freeze",
    title="Freeze",
    done="Frozen",
    permission=CHANGE,
    explained="A frozen release accepts no submissions; its boards stay as they are.",
    way_back="Open.",
    fits=lambda found: that_may_become(State.FROZEN, found),
    follows=after_closing,
    state=state_of,
    change=moving_to(State.FROZEN),
)
RETIRE = Step(
    slug="retire",
    title="Retire",
    done="Retired",
    permission=CHANGE,
    explained="A retired release is history: it accepts no submissions, and its boards stay "
    "readable.",
    way_back="Open or Freeze.",
    fits=lambda found: that_may_become(State.RETIRED, found),
    follows=after_closing,
    state=state_of,
    change=moving_to(State.RETIRED),
)
PUBLISH = Step(
    slug="publish_references",
    title="Publish the references",
    done="References published",
    permission=CHANGE,
    explained="Everyone can read what answers are compared with.",
    way_back="Not fully possible: they can be hidden again, but not from people who have read "
    "them.",
    fits=lambda found: found.exclude(disclosure=Level.OPEN),
    follows=after_publishing,
    state=state_of,
    change=saying(Level.OPEN),
)
HIDE = Step(
    slug="hide_references",
    title="Hide the references",
    done="References hidden",
    permission=CHANGE,
    explained="Pages, API and exports no longer show references, or anything that may repeat them."
    " Verdicts on answers stay public, and labels can be worked out from them.",
    way_back="Publish the references.",
    fits=lambda found: found.filter(disclosure=Level.OPEN),
    follows=after_hiding,
    state=state_of,
    change=saying(Level.HIDDEN_REFERENCES),
)
PUBLISH_VERDICTS = Step(
    slug="publish_verdicts",
    title="Publish the verdicts",
    done="Verdicts published",
    permission=CHANGE,
    explained="A hidden test ends: everybody may read how each answer was judged, and entries are"
    " scored again with all their figures. References stay hidden, but labels can be worked out.",
    way_back="Not possible: what was shown is known.",
    fits=lambda found: found.filter(disclosure=Level.HIDDEN_TEST),
    follows=after_publishing_verdicts,
    state=state_of,
    change=saying(Level.HIDDEN_REFERENCES),
)
HIDE_VERDICTS = Step(
    slug="make_hidden_test",
    title="Make it a hidden test",
    done="Made a hidden test",
    permission=CHANGE,
    explained="Of a draft alone: nobody has seen a verdict of it yet. Entries get one rounded"
    " score, and accounts a few of these.",
    way_back="Publish the verdicts.",
    fits=lambda found: found.filter(state=State.DRAFT).exclude(disclosure=Level.HIDDEN_TEST),
    follows=after_hiding_verdicts,
    state=state_of,
    change=saying(Level.HIDDEN_TEST),
)


class ReleaseAdmin(StepsAdmin, ReleaseTextsPages):
    """Title and what is said of its licence may change; the database refuses the rest."""

    list_display = ["title", "slug", "state", "question_count", "opened"]
    list_filter = ["benchmark", "state"]
    fields = [
        "benchmark",
        "slug",
        "title",
        "state",
        "disclosure",
        *TERMS,
        "checksum",
        "question_count",
        "anomalies",
        "opened",
        "closed",
        "follows",
        "next_release",
    ]
    readonly_fields = [
        "benchmark",
        "slug",
        "state",
        "disclosure",
        "checksum",
        "question_count",
        "anomalies",
        "opened",
        "closed",
        "follows",
        "next_release",
    ]
    steps = [OPEN, FREEZE, RETIRE, MAKE_NEXT, PUBLISH, HIDE, PUBLISH_VERDICTS, HIDE_VERDICTS]

    @admin.display(description="Corrected in")
    def next_release(self, release: Release) -> str:
        following = next_of(release)
        if following is None:
            return "No release follows it."
        url = reverse("admin:benchmarks_release_change", args=[following.pk])
        return format_html('<a href="{}">{}</a> ({})', url, following, following.state)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Release, form: Any, change: bool) -> None:
        """What the form shows alone: somebody may have moved the state meanwhile."""
        obj.save(update_fields=["title", *TERMS])


admin.site.register(Release, ReleaseAdmin)
