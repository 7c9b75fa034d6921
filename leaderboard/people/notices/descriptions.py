"""What became of somebody's description becomes a notice: approved, sent back, closed by the
approval of a newer one, or continued by somebody else while it was a draft.

Found by the time of the decision, as pauses are, so that the desk calls nothing here. A notice says
what happened and where to read more: no text of a figure and no comment leaves the site by mail.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from benchmarks.figures.names import read_index, release_marks
from benchmarks.models import Description
from leaderboard.models.notices import Notice, NoticeCursor
from leaderboard.people.notices.writing import add_new

State = Description.State
MOST = 2_000
"""Decisions of a look: more than reviewers take in a minute, some days' where a site was down."""


@dataclass(frozen=True, slots=True)
class Decision:
    """`people`: who wrote or submitted the version, without who did what is told."""

    key: str
    description: Description
    people: frozenset[int]
    sentence: str


def tell_writers(cursor: NoticeCursor, since: datetime | None, now: datetime) -> int:
    """Whoever wrote or submitted a description has a notice of what became of it after `since`; how
    many. None: the site has not looked before, and tells nothing of what was."""
    cursor.described = now
    if since is None:
        return 0
    decided = list(Description.objects.filter(reviewed_at__gt=since).order_by("reviewed_at")[:MOST])
    saved = list(Description.objects.filter(created__gt=since).order_by("created")[:MOST])
    if len(decided) == MOST and decided[-1].reviewed_at:
        cursor.described = min(cursor.described, decided[-1].reviewed_at)
    if len(saved) == MOST:
        cursor.described = min(cursor.described, saved[-1].created)
    return write([*of_decisions(decided), *of_closed(decided), *of_continued(saved)], now)


def of_decisions(decided: Iterable[Description]) -> Iterator[Decision]:
    for version in decided:
        if version.state == State.APPROVED:
            what = "is approved: from now on, answers are judged with it."
            more = " Its reviewer left a comment." if version.review_comment else ""
        elif version.state == State.SENT_BACK:
            what, more = "was sent back. Its page says what to change.", ""
        else:
            continue
        key = f"reviewed/{version.pk}/{version.reviewed_at:%Y%m%d%H%M%S}"
        sentence = f"Version {version.version} {what}{more}"
        yield Decision(key, version, people_of(version, but=version.reviewed_by_id), sentence)


def of_closed(decided: Iterable[Description]) -> Iterator[Decision]:
    approved = {version.pk: version for version in decided if version.state == State.APPROVED}
    for closed in Description.objects.filter(superseded_by__in=approved).order_by("pk"):
        by = approved[closed.superseded_by_id or 0]
        sentence = (
            f"Version {closed.version}, which was still in progress, is closed: version "
            f"{by.version} "
            "is approved. Your words are kept in its history."
        )
        people = people_of(closed, but=by.reviewed_by_id)
        yield Decision(f"closed/{closed.pk}", closed, people, sentence)


def of_continued(saved: Sequence[Description]) -> Iterator[Decision]:
    """A draft that somebody else wrote on from is not its writer's last word any more."""
    before = Description.objects.filter(
        figure__in={version.figure_id for version in saved}, state=State.DRAFT
    )
    drafts = {(draft.figure_id, draft.language, draft.version): draft for draft in before}
    for version in saved:
        draft = drafts.get((version.figure_id, version.language, version.version - 1))
        if draft is None or draft.author_id == version.author_id:
            continue
        sentence = (
            f"Somebody else saved version {version.version} after your draft, version "
            f"{draft.version}. Your words are kept in its history."
        )
        people = people_of(draft, but=version.author_id)
        yield Decision(f"continued/{draft.pk}", draft, people, sentence)


def people_of(version: Description, *, but: int | None) -> frozenset[int]:
    found = {version.author_id, version.submitted_by_id} - {but, None}
    return frozenset(person for person in found if person)


def write(decisions: Sequence[Decision], now: datetime) -> int:
    names = names_of(one.description.figure_id for one in decisions) if decisions else {}
    made = [
        Notice(
            owner_id=person,
            kind=Notice.Kind.REVIEWED,
            key=one.key,
            title=f"Description of {names.get(one.description.figure_id, 'a figure')}",
            sentence=one.sentence,
            path=page_of(one.description),
        )
        for one in decisions
        for person in sorted(one.people)
    ]
    return len(add_new(made, now))


def names_of(figures: Iterable[int]) -> dict[int, str]:
    """The names that people call them; every process keeps the names of a benchmark."""
    wanted = set(figures)
    return {
        figure: str(name)
        for mark in release_marks().values()
        for figure, name in read_index(mark).names.items()
        if figure in wanted
    }


def page_of(version: Description) -> str:
    args = [version.figure_id, version.language]
    return f"{reverse('admin:benchmarks_description_figure', args=args)}?version={version.version}"
