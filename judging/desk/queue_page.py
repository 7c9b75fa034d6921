"""What the pages of the queue show, as values: what is next for somebody, and the list of figures
with its filters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import QueryDict
from django.urls import reverse

from benchmarks.figure_names import Place
from benchmarks.forms.typed_text import number
from benchmarks.models import Description, UnsavedText
from benchmarks.services.assignments import PEOPLE_OFFERED, assignable
from judging.desk.doubt_page import may_work_on_doubts, open_doubts
from judging.desk.queue import (
    MISSING,
    AbilityRow,
    Filters,
    Item,
    Queue,
    Work,
    by_ability,
    items_of,
    matching,
    read_queue,
    work_of,
)
from judging.models import ReferenceProposal

State = Description.State
SHOWN = 50  # rows of a page
FIRST = 5  # of each kind on the first page of the admin
UNSAVED_SHOWN = 20  # a person leaves few texts open; the newest come first
LONGEST_WORDS = 100  # a question's id has at most twice as many, and nobody types one whole
STATES = {
    "open": "not approved",
    MISSING: "no text yet",
    State.DRAFT: "draft",
    State.IN_REVIEW: "in review",
    State.SENT_BACK: "sent back",
    State.APPROVED: "approved",
    "": "any",
}
"""What can be asked for, in the words of the list."""


@dataclass(frozen=True, slots=True)
class Count:
    """A kind of work; `about` says what it is. `url`: where it is listed."""

    title: str
    about: str
    count: int
    url: str


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    title: str
    chosen: bool


class Decision(NamedTuple):
    """About a version of the figure of this name."""

    figure: str
    version: Description


DECIDED_FOR = timedelta(days=7)  # who comes once a week reads of each decision
DECIDED_SHOWN = 10


@dataclass(frozen=True, slots=True)
class NextPage:
    """What is next for a person: by kind, by ability, and the first figures of it."""

    counts: tuple[Count, ...]
    abilities: tuple[AbilityRow, ...]
    first: tuple[Item, ...]
    writes: int
    reviews: int
    unsaved: tuple[UnsavedText, ...]
    decided: tuple[Decision, ...]

    @property
    def can_do(self) -> bool:
        return bool(self.writes or self.reviews)


@dataclass(frozen=True, slots=True)
class ListPage:
    """notes: what of the filters was left out, in sentences. kept: the filters that are set, by
    name."""

    next: NextPage
    items: tuple[Item, ...]
    count: int
    number: int
    pages: int
    start: int
    notes: tuple[str, ...]
    kept: Mapping[str, str]
    words: str
    choices: Mapping[str, tuple[Choice, ...]]
    people: tuple[User, ...]
    has_benchmarks: bool

    @property
    def query(self) -> str:
        """Of the filters, for the addresses of other pages."""
        query = QueryDict(mutable=True)
        query.update(dict(self.kept))
        return query.urlencode()


@dataclass(frozen=True, slots=True)
class Rights:
    writes: bool
    reviews: bool
    assigns: bool


def rights_of(user: User) -> Rights:
    return Rights(
        writes=user.has_perms(["benchmarks.add_description", "benchmarks.change_description"]),
        reviews=user.has_perm("benchmarks.approve_description"),
        assigns=user.has_perm("benchmarks.assign_figure"),
    )


# --- what is next ---------------------------------------------------------------------------------


def next_page(*, user: User) -> NextPage:
    queue = read_queue(user=user)
    return next_in(queue, work_of(queue, user), user, first=FIRST)


def next_in(queue: Queue, work: Work, user: User, *, first: int) -> NextPage:
    rights = rights_of(user)
    writing = list(work.to_write()) if rights.writes else []
    reviewing = list(work.to_review) if rights.reviews else []
    shown = [*reviewing[:first], *writing[:first]]
    return NextPage(
        counts=(*counts_of(work, user, rights), *other_counts(user)),
        abilities=tuple(by_ability(queue, work)),
        first=tuple(items_of(queue, shown)),
        writes=len(writing),
        reviews=len(reviewing),
        unsaved=tuple(UnsavedText.objects.filter(user=user).order_by("-typed")[:UNSAVED_SHOWN]),
        decided=decided_lately(queue, user) if rights.writes else (),
    )


def decided_lately(queue: Queue, user: User) -> tuple[Decision, ...]:
    """The person's versions about which reviewers decided within DECIDED_FOR, the newest first."""
    since = Now() - DECIDED_FOR
    mine = Description.objects.filter(author=user, reviewed_at__gt=since, copied_from=None)
    found = mine.exclude(reviewed_by=user).order_by("-reviewed_at")
    rows = found.defer("text").select_related("reviewed_by")[:DECIDED_SHOWN]
    return tuple(Decision(queue.figure(row.figure_id), row) for row in rows)


def counts_of(work: Work, user: User, rights: Rights) -> list[Count]:
    mine = {"author": str(user.pk)}
    found = []
    if rights.reviews:
        text = "Written by others, waiting for a decision"
        found.append(Count("To review", text, len(work.to_review), listed(state=State.IN_REVIEW)))
    if rights.writes:
        asked = {"assigned": str(user.pk), "state": "open"}
        found += [
            Count("Assigned to me", "You were asked", len(work.assigned), listed(**asked)),
            Count(
                "Sent back to me",
                "A reviewer wants another version",
                len(work.sent_back),
                listed(state=State.SENT_BACK, **mine),
            ),
            Count(
                "My drafts",
                "Saved, not yet submitted",
                len(work.drafts),
                listed(state=State.DRAFT, **mine),
            ),
            Count("Missing", "Nobody has begun", len(work.missing), listed(state=MISSING)),
        ]
    return found


def other_counts(user: User) -> list[Count]:
    """Of what has lists of its own, where there is anything that this person can do."""
    found = []
    if user.has_perm("benchmarks.add_reference"):
        waiting = ReferenceProposal.objects.filter(state=ReferenceProposal.State.IN_REVIEW).count()
        where = reverse("admin:judging_referenceproposal_changelist")
        found.append(Count("References", "Proposed, not yet approved", waiting, where))
    if may_work_on_doubts(user):
        where = reverse("admin:benchmarks_labeldoubt_changelist")
        about = "Readers or statistics doubt a label"
        found.append(Count("Label doubts", about, open_doubts().count(), where))
    return found


def listed(**filters: str) -> str:
    query = QueryDict(mutable=True)
    query.update(filters)
    return f"{reverse('admin:benchmarks_description_changelist')}?{query.urlencode()}"


# --- the list -------------------------------------------------------------------------------------


def list_page(*, user: User, query: QueryDict) -> ListPage:
    filters, notes = read_filters(query)
    queue = read_queue(user=user, benchmark=filters.benchmark)
    if filters.benchmark and not queue.indexes:
        notes.append("There is no such benchmark here: all are shown.")
        filters = replace(filters, benchmark="")
        queue = read_queue(user=user)
    found = matching(queue, filters)
    pages = max(1, -(-len(found) // SHOWN))
    page = min(number(query.get("page")) or 1, pages)
    start = (page - 1) * SHOWN
    people = tuple(assignable()[:PEOPLE_OFFERED]) if rights_of(user).assigns else ()
    return ListPage(
        next=next_in(queue, work_of(queue, user), user, first=0),
        items=tuple(items_of(queue, found[start : start + SHOWN])),
        count=len(found),
        number=page,
        pages=pages,
        start=start,
        notes=tuple(notes),
        kept=as_query(filters),
        words=filters.words,
        choices=choices_of(queue, filters, user),
        people=people,
        has_benchmarks=bool(queue.every_index),
    )


def as_values(filters: Filters) -> dict[str, str | int | None]:
    return {name: getattr(filters, name) for name in Filters.__slots__}


def as_query(filters: Filters) -> dict[str, str]:
    """Those that are not as they are by themselves."""
    plain = as_values(Filters())
    return {
        ("q" if name == "words" else name): str(value)
        for name, value in as_values(filters).items()
        if value != plain[name] and value is not None
    }


def read_filters(query: Mapping[str, str]) -> tuple[Filters, list[str]]:
    """What is not understood is left out, and said."""
    notes: list[str] = []
    numbers = {name: query.get(name, "") for name in ("ability", "subtask", "author", "assigned")}
    for name, text in numbers.items():
        if text and number(text) is None:
            notes.append(f"The filter “{name}” was left out: it takes a number.")
    state = query.get("state", "open")
    if state not in STATES:
        notes.append("The filter “state” was left out: there is no such state.")
        state = "open"
    words = " ".join(query.get("q", "").replace("\0", "").split())
    if len(words) > LONGEST_WORDS:
        notes.append(f"Only the first {LONGEST_WORDS} characters were searched for.")
    return Filters(
        benchmark=query.get("benchmark", ""),
        state=state,
        words=words[:LONGEST_WORDS],
        **{name: number(text) for name, text in numbers.items()},
    ), notes


def choices_of(queue: Queue, filters: Filters, user: User) -> dict[str, tuple[Choice, ...]]:
    """By the name of a filter: what can be chosen."""
    keys = {version.author for version in queue.newest.values() if version.author}
    authors = dict(User.objects.filter(pk__in=keys).values_list("pk", "username"))
    asked = {one.user: one.name for one in queue.assigned.values()}
    subtasks = {one.pk: one for index in queue.indexes.values() for one in index.subtasks}
    abilities = {one.ability: one.ability_title for one in subtasks.values()}
    if filters.ability is not None:
        subtasks = {pk: one for pk, one in subtasks.items() if one.ability == filters.ability}
    benchmarks = {index.benchmark: queue.benchmarks[index.benchmark] for index in queue.every_index}
    return {
        "benchmark": choices(
            {one.slug: one.title for one in benchmarks.values()}, filters.benchmark, "all"
        ),
        "ability": choices(abilities, filters.ability, "all"),
        "subtask": choices({pk: one.title for pk, one in subtasks.items()}, filters.subtask, "all"),
        "state": tuple(Choice(value, STATES[value], value == filters.state) for value in STATES),
        "author": choices({**authors, user.pk: "me"}, filters.author, "anybody"),
        "assigned": choices(
            {0: "nobody", **asked, user.pk: "me"}, filters.assigned, "anybody or nobody"
        ),
    }


def choices(
    offered: Mapping[int, str] | Mapping[str, str], chosen: int | str | None, every: str
) -> tuple[Choice, ...]:
    """`every`: what no filter is called, which stands first."""
    found = tuple(Choice(str(value), title, value == chosen) for value, title in offered.items())
    return (Choice("", every, not any(one.chosen for one in found)), *found)


def places_chosen(*, user: User, query: QueryDict, ticked: Sequence[str]) -> list[Place]:
    """Of a form of the list: all that match its filters, or the figures that were ticked, each as
    "12:en"; what is no figure of the queue is left out."""
    filters, _ = read_filters(query)
    queue = read_queue(user=user, benchmark=filters.benchmark)
    if "every" in query:
        return matching(queue, filters)
    keys = (read_key(text) for text in ticked)
    return [place for key in keys if key and (place := queue.place(key))]


def read_key(text: str) -> tuple[int, str] | None:
    """ "12:en"."""
    figure, _, language = text.partition(":")
    key = number(figure)
    return (key, language) if key and 0 < len(language) <= 10 else None


def people_by_key(people: "QuerySet[User]", text: str) -> User | None:
    key = number(text)
    return people.filter(pk=key).first() if key else None
