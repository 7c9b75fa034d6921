"""What is next for a person, as values: by kind, by ability, and the first figures of it."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.http import QueryDict
from django.urls import reverse

from benchmarks.models import Description, UnsavedText
from judging.desk.labels.doubt_page import may_work_on_doubts, open_doubts
from judging.desk.queue.figures import (
    ASSIGNED,
    MISSING,
    TO_REVIEW,
    Figures,
    Work,
    by_ability,
    items_of,
    work_of,
)
from judging.models import ReferenceProposal

State = Description.State
FIRST = 5  # of each kind on the first page of the admin
UNSAVED_SHOWN = 20  # a person leaves few texts open; the newest come first
DECIDED_FOR = timedelta(days=7)  # who comes once a week reads of each decision
DECIDED_SHOWN = 10
Rights = dict[str, bool]


def rights_of(user: User) -> Rights:
    return {
        "writes": user.has_perms(["benchmarks.add_description", "benchmarks.change_description"]),
        "reviews": user.has_perm("benchmarks.approve_description"),
        "assigns": user.has_perm("benchmarks.assign_figure"),
    }


def next_page(*, user: User, figures: Figures, first: int = FIRST) -> dict[str, Any]:
    rights, work = rights_of(user), work_of(user, figures)
    writing = list(work.to_write()) if rights["writes"] else []
    reviewing = work.kinds[TO_REVIEW] if rights["reviews"] else []
    unsaved = UnsavedText.objects.filter(user=user).order_by("-typed")
    return {
        "counts": [*counts_of(work, user, rights), *other_counts(user)],
        "abilities": by_ability(figures, work),
        "first": items_of(figures, [*reviewing[:first], *writing[:first]], user) if first else (),
        "writes": len(writing),
        "reviews": len(reviewing),
        "unsaved": unsaved[:UNSAVED_SHOWN],
        "decided": decided_lately(figures, user) if rights["writes"] else (),
    }


def decided_lately(figures: Figures, user: User) -> list[tuple[str, Description]]:
    """The person's versions about which reviewers decided within DECIDED_FOR, the newest first,
    each with the name of its figure."""
    since = Now() - DECIDED_FOR
    mine = Description.objects.filter(author=user, reviewed_at__gt=since, copied_from=None)
    found = mine.exclude(reviewed_by=user).order_by("-reviewed_at")
    rows = found.defer("text").select_related("reviewed_by")[:DECIDED_SHOWN]
    return [(figures.name(row.figure_id), row) for row in rows]


def counts_of(work: Work, user: User, rights: Rights) -> list[dict[str, Any]]:
    def count(kind: str, title: str, about: str, **filters: str) -> dict[str, Any]:
        rows, url = len(work.kinds[kind]), listed(**filters)
        return {"title": title, "about": about, "count": rows, "url": url}

    me, found = str(user.pk), []
    if rights["reviews"]:
        text = "Written by others, waiting for a decision"
        found.append(count(TO_REVIEW, "To review", text, state=State.IN_REVIEW))
    if rights["writes"]:
        text = "A reviewer asked for another version"
        found += [
            count(ASSIGNED, "Assigned to me", "You were asked", assigned=me),
            count(State.SENT_BACK, "Sent back to me", text, state=State.SENT_BACK, author=me),
            count(
                State.DRAFT, "My drafts", "Saved, not yet submitted", state=State.DRAFT, author=me
            ),
            count(MISSING, "Missing", "Not started", state=MISSING),
        ]
    return found


def other_counts(user: User) -> list[dict[str, Any]]:
    """Of what has lists of its own, where there is anything that this person can do."""
    found = []
    if user.has_perm("benchmarks.add_reference"):
        waiting = ReferenceProposal.objects.filter(state=ReferenceProposal.State.IN_REVIEW).count()
        where = reverse("admin:judging_referenceproposal_changelist")
        about = "Proposed, not yet approved"
        found.append({"title": "References", "about": about, "count": waiting, "url": where})
    if may_work_on_doubts(user):
        where, count = reverse("admin:benchmarks_labeldoubt_changelist"), open_doubts().count()
        about = "Labels doubted by readers or statistics"
        found.append({"title": "Label doubts", "about": about, "count": count, "url": where})
    return found


def listed(**filters: str) -> str:
    query = QueryDict(mutable=True)
    query.update(filters)
    return f"{reverse('admin:benchmarks_description_changelist')}?{query.urlencode()}"
