"""Releases in the admin: title and terms are a form; their state, and whether their references are
public, are steps that ask first."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet, Sum
from django.http import HttpRequest

from benchmarks.models import Release
from benchmarks.protocols.base import Terms
from benchmarks.release_states import FOLLOWING, ReleaseStateError, move_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.steps import Step, StepRefusedError, StepsAdmin, counted
from judging.desk.release_admin import ReleaseTextsPages
from leaderboard.models import BoardEdition

TERMS = [field.name for field in fields(Terms)]
CHANGE = "benchmarks.change_release"
State = Release.State
Chosen = Sequence[Release]


# --- what follows, in counts ----------------------------------------------------------------------


def entries_sentence(chosen: Chosen) -> str:
    handed_in = Submission.objects.not_withdrawn().filter(release__in=chosen)
    public = handed_in.filter(visibility="public").count()
    private = handed_in.filter(visibility="private").count()
    return f"{counted(public, 'public entry', 'public entries')} and {private:,} private ones stay."


def boards_sentence(chosen: Chosen) -> str:
    boards = BoardEdition.objects.filter(release__in=chosen, replaced__isnull=True).count()
    return f"Boards that stay as they are, in menus and by their addresses: {boards:,}."


def drafts_sentence(chosen: Chosen) -> str:
    drafts = Submission.objects.not_withdrawn().filter(release__in=chosen, confirmed__isnull=True)
    return f"{counted(drafts.count(), 'file')} handed in and not confirmed can be sent no more."


def texts_sentence(chosen: Chosen) -> str:
    questions = sum(release.question_count for release in chosen)
    return (
        f"Descriptions and references of {counted(questions, 'question')} get no new versions,"
        " where no other open release has the question."
    )


def after_closing(chosen: Chosen) -> list[str]:
    return [
        "Nothing can be handed in to it any more, by page or API.",
        drafts_sentence(chosen),
        texts_sentence(chosen),
        entries_sentence(chosen),
        boards_sentence(chosen),
    ]


def after_opening(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"{counted(questions, 'question')} with their figures become public, if they were a draft,"
        " and can never change again.",
        "Files can be handed in, and are judged and paid for.",
        entries_sentence(chosen),
    ]


def after_publishing(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"References of {counted(questions, 'question')} become public, with every version of them,"
        " and what models and judges say about them.",
        judged_sentence(chosen, "are told to everybody"),
        "Whoever hands in later may have read them: think of another release instead.",
    ]


def after_hiding(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"References of {counted(questions, 'question')} are shown to nobody but staff from now on."
        " Who read or copied them keeps them.",
        judged_sentence(chosen, "are hidden"),
    ]


def judged_sentence(chosen: Chosen, what: str) -> str:
    """Of stored boards: what their entries have is not counted while a page is made."""
    boards = BoardEdition.objects.filter(release__in=chosen, replaced__isnull=True)
    entries = boards.aggregate(total=Sum("entries"))["total"] or 0
    return f"Replies of judges about {counted(entries, 'scored entry', 'scored entries')} {what}."


# --- the steps ------------------------------------------------------------------------------------


def standing(release: Release) -> dict[str, Any]:
    return {"state": release.state, "references_are_public": release.references_are_public}


def moving_to(state: str) -> Callable[[Release, str, User], bool]:
    def change(release: Release, reason: str, by: User) -> bool:
        try:
            move_release(release=release, found=release.state, to=state)
        except ReleaseStateError as error:
            raise StepRefusedError(str(error)) from None
        return True

    return change


def that_may_become(state: str, found: "QuerySet[Release]") -> "QuerySet[Release]":
    return found.filter(state__in=[before for before, after in FOLLOWING.items() if state in after])


def telling(is_public: bool) -> Callable[[Release, str, User], bool]:
    def change(release: Release, reason: str, by: User) -> bool:
        found = Release.objects.filter(pk=release.pk, references_are_public=not is_public)
        return bool(found.update(references_are_public=is_public))

    return change


OPEN = Step(
    slug="open",
    title="Open",
    done="Opened",
    permission=CHANGE,
    explained="An open release takes what people hand in. A draft that is opened is public, its"
    " content is fixed, and it never becomes a draft again.",
    way_back="Freeze or Retire, which stop what is handed in; a draft it is never again.",
    fits=lambda found: that_may_become(State.OPEN, found),
    follows=after_opening,
    state=standing,
    change=moving_to(State.OPEN),
)
FREEZE = Step(
    slug="freeze",
    title="Freeze",
    done="Frozen",
    permission=CHANGE,
    explained="A frozen release takes nothing; its boards stay as they are.",
    way_back="Open.",
    fits=lambda found: that_may_become(State.FROZEN, found),
    follows=after_closing,
    state=standing,
    change=moving_to(State.FROZEN),
)
RETIRE = Step(
    slug="retire",
    title="Retire",
    done="Retired",
    permission=CHANGE,
    explained="A retired release is history: it takes nothing, and its boards stay to be read.",
    way_back="Open or Freeze.",
    fits=lambda found: that_may_become(State.RETIRED, found),
    follows=after_closing,
    state=standing,
    change=moving_to(State.RETIRED),
)
PUBLISH = Step(
    slug="publish_references",
    title="Publish the references",
    done="References published",
    permission=CHANGE,
    explained="Everybody may read what answers are compared with.",
    way_back="None that counts: they can be hidden again, but not from who read them.",
    fits=lambda found: found.filter(references_are_public=False),
    follows=after_publishing,
    state=standing,
    change=telling(is_public=True),
)
HIDE = Step(
    slug="hide_references",
    title="Hide the references",
    done="References hidden",
    permission=CHANGE,
    explained="Pages, API and exports tell the references no more, nor what may repeat them.",
    way_back="Publish the references.",
    fits=lambda found: found.filter(references_are_public=True),
    follows=after_hiding,
    state=standing,
    change=telling(is_public=False),
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
        "references_are_public",
        *TERMS,
        "checksum",
        "question_count",
        "anomalies",
        "opened",
    ]
    readonly_fields = [
        "benchmark",
        "slug",
        "state",
        "references_are_public",
        "checksum",
        "question_count",
        "anomalies",
        "opened",
    ]
    steps = [OPEN, FREEZE, RETIRE, PUBLISH, HIDE]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Release, form: Any, change: bool) -> None:
        """What the form shows alone: somebody may have moved the state meanwhile."""
        obj.save(update_fields=["title", *TERMS])


admin.site.register(Release, ReleaseAdmin)
