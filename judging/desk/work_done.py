"""What annotators and reviewers did, by person and month, as values.

A version counts in the month in which it was written, a decision in the month in which it was
made: both are found by an index, and nothing outside of the month or year asked for is looked at.
Copies that an approval made of the same picture in another benchmark are nobody's work and count
nowhere.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

from django.contrib.auth.models import User
from django.db.models import (
    BigIntegerField,
    Count,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Window,
)
from django.db.models.functions import Coalesce, RowNumber, TruncMonth
from django.http import QueryDict

from benchmarks.models import Description

State = Description.State
DECIDED = (State.APPROVED, State.SENT_BACK)
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
Key = tuple[datetime, int]
"""The first moment of a month in UTC, and a person's primary key."""


@dataclass(frozen=True, slots=True)
class Period:
    """A month of a year, or all of it where month is 0."""

    year: int
    month: int

    @property
    def start(self) -> datetime:
        return datetime(self.year, self.month or 1, 1, tzinfo=UTC)

    @property
    def end(self) -> datetime:
        """The first moment that is not in it."""
        if self.month in (0, 12):
            return datetime(self.year + 1, 1, 1, tzinfo=UTC)
        return datetime(self.year, self.month + 1, 1, tzinfo=UTC)

    @property
    def title(self) -> str:
        return f"{MONTHS[self.month - 1]} {self.year}" if self.month else str(self.year)


@dataclass(frozen=True, slots=True)
class Written:
    """Of the versions that somebody wrote in a month, those that were submitted. They are approved
    (the first time, or later: after a version of the same person was sent back), sent back,
    superseded by the approval of a newer one, or waiting. words: of approved versions; uncounted:
    approved versions from before words were counted. hours: from submission to decision, the
    median; None where nothing was decided, or nobody noted when it was submitted."""

    month: datetime
    person: str
    submitted: int
    first_time: int
    later: int
    sent_back: int
    superseded: int
    waiting: int
    words: int
    uncounted: int
    hours: float | None


@dataclass(frozen=True, slots=True)
class Decided:
    """What somebody decided in a month. hours: as of `Written`."""

    month: datetime
    person: str
    decided: int
    approved: int
    sent_back: int
    hours: float | None


@dataclass(frozen=True, slots=True)
class WorkDone:
    """The newest month first, people by name."""

    period: Period
    years: tuple[int, ...]
    notes: tuple[str, ...]
    written: tuple[Written, ...]
    decided: tuple[Decided, ...]
    months = tuple(enumerate(("whole year", *MONTHS)))

    @property
    def has_uncounted(self) -> bool:
        return any(row.uncounted for row in self.written)


def work_done(*, query: QueryDict, now: datetime) -> WorkDone:
    """Of the month or year that the address names; of this month where it names none."""
    years = known_years(now)
    period, notes = read_period(query, years, now)
    written, decided = versions_written(period), versions_decided(period)
    counts = counts_of_written(written)
    hours = median_hours(written, "author")
    reviews = counts_of_decided(decided)
    waits = median_hours(decided, "reviewed_by")
    names = names_of({person for _, person in (*counts, *reviews)})
    authors = [
        Written(month=month, person=names[person], hours=hours.get((month, person)), **fields)
        for (month, person), fields in counts.items()
    ]
    reviewers = [
        Decided(month=month, person=names[person], hours=waits.get((month, person)), **fields)
        for (month, person), fields in reviews.items()
    ]
    return WorkDone(
        period=period,
        years=years,
        notes=notes,
        written=tuple(sorted(authors, key=in_order)),
        decided=tuple(sorted(reviewers, key=in_order)),
    )


def in_order(row: Written | Decided) -> tuple[float, str]:
    return -row.month.timestamp(), row.person


def names_of(keys: Iterable[int]) -> Mapping[int, str]:
    return dict(User.objects.filter(pk__in=set(keys)).values_list("pk", "username"))


# --- the period -----------------------------------------------------------------------------------


def known_years(now: datetime) -> tuple[int, ...]:
    """From the first version on, the newest first."""
    first = Description.objects.aggregate(first=Min("created"))["first"] or now
    return tuple(range(max(now.year, first.year), first.year - 1, -1))


def read_period(
    query: QueryDict, years: Sequence[int], now: datetime
) -> tuple[Period, tuple[str, ...]]:
    """What is not understood is this year or this month, and said."""
    notes = []
    offered = {str(year): year for year in years}
    year = offered.get(query.get("year", ""))
    if year is None and query.get("year"):
        notes.append(f"No version was written in such a year: this is {now.year}.")
    months = {str(number): number for number in range(13)}
    month = months.get(query.get("month", ""))
    if month is None and query.get("month"):
        notes.append(f"There is no such month: this is {MONTHS[now.month - 1]}.")
    return Period(year or now.year, now.month if month is None else month), tuple(notes)


# --- counting -------------------------------------------------------------------------------------


def without_copies() -> "QuerySet[Description]":
    """No plain IS NULL: SQLite would find nearly every version there is by the index of copies,
    and not the few of a month by theirs."""
    source = Coalesce("copied_from", 0, output_field=BigIntegerField())
    return Description.objects.alias(source=source).filter(source=0)


def versions_written(period: Period) -> "QuerySet[Description]":
    """By a person, and submitted. Before it was noted when that was, whatever left the drafts and
    was not superseded."""
    was_submitted = Q(submitted_at__isnull=False) | Q(state__in=(*DECIDED, State.IN_REVIEW))
    found = without_copies().filter(
        was_submitted,
        created__gte=period.start,
        created__lt=period.end,
        author__isnull=False,
    )
    return found.annotate(at=TruncMonth("created", tzinfo=UTC)).order_by()


def versions_decided(period: Period) -> "QuerySet[Description]":
    found = without_copies().filter(
        reviewed_at__gte=period.start, reviewed_at__lt=period.end, reviewed_by__isnull=False
    )
    return found.annotate(at=TruncMonth("reviewed_at", tzinfo=UTC)).order_by()


def with_tries(versions: "QuerySet[Any]") -> "QuerySet[Any]":
    """Each with whether one of the same person was sent back since the approval before it: an
    approval begins anew."""
    before = Description.objects.filter(
        figure=OuterRef("figure"), language=OuterRef("language"), version__lt=OuterRef("version")
    )
    approved = before.filter(state=State.APPROVED).order_by("-version").values("version")
    since = before.filter(
        state=State.SENT_BACK, author=OuterRef("author"), version__gt=OuterRef("last_approved")
    )
    last = Coalesce(Subquery(approved[:1]), 0)
    found: QuerySet[Any] = versions.annotate(last_approved=last, is_later=Exists(since))
    return found


def counts_of_written(versions: "QuerySet[Any]") -> dict[Key, dict[str, int]]:
    """By month and author."""

    def count(**fields: Any) -> Count:
        return Count("pk", filter=Q(**fields))

    found = (
        with_tries(versions)
        .values("at", "author")
        .annotate(
            submitted=Count("pk"),
            first_time=count(state=State.APPROVED, is_later=False),
            later=count(state=State.APPROVED, is_later=True),
            sent_back=count(state=State.SENT_BACK),
            superseded=count(state=State.SUPERSEDED),
            waiting=count(state=State.IN_REVIEW),
            counted=Coalesce(Sum("words", filter=Q(state=State.APPROVED)), 0),
            uncounted=count(state=State.APPROVED, words__isnull=True),
        )
    )
    return keyed(found, "author")


def counts_of_decided(versions: "QuerySet[Any]") -> dict[Key, dict[str, int]]:
    """By month and reviewer."""
    found = versions.values("at", "reviewed_by").annotate(
        decided=Count("pk"),
        approved=Count("pk", filter=Q(state=State.APPROVED)),
        sent_back=Count("pk", filter=Q(state=State.SENT_BACK)),
    )
    return keyed(found, "reviewed_by")


def keyed(rows: "QuerySet[Description, dict[str, Any]]", person: str) -> dict[Key, dict[str, int]]:
    """Without the two columns of the key; `words` is one of the model, and counted by another
    name."""
    return {
        (row.pop("at"), row.pop(person)): {
            "words" if name == "counted" else name: value for name, value in row.items()
        }
        for row in rows
    }


def median_hours(versions: "QuerySet[Description]", person: str) -> dict[Key, float]:
    """By month and person, from submission to decision. The database sorts, and hands out the one
    or two in the middle."""
    took = ExpressionWrapper(F("reviewed_at") - F("submitted_at"), output_field=DurationField())
    among = [F("at"), F(person)]
    timed = versions.filter(submitted_at__isnull=False, reviewed_at__isnull=False)
    ranked = timed.annotate(took=took).annotate(
        place=Window(RowNumber(), partition_by=among, order_by=F("took").asc()),
        count=Window(Count("pk"), partition_by=among),
    )
    # Of n in order, the middle is what stands from n/2 to n/2 + 1.
    middle = ranked.filter(place__gte=F("count") / 2.0, place__lte=F("count") / 2.0 + 1)
    found: defaultdict[Key, list[float]] = defaultdict(list)
    for month, key, took_so_long in middle.values_list("at", person, "took"):
        found[month, key].append(took_so_long.total_seconds() / 3600)
    return {key: fmean(hours) for key, hours in found.items()}
