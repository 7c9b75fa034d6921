"""How much one person may hand in to one release: files a day, files not judged yet, files kept.
Zero is no limit.

It holds for what comes over the network, whoever sends it, staff too; an operator at the terminal
is not limited. A file that was refused, or cancelled before it was confirmed, or that the site
failed to judge, takes no place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count
from django.utils import timezone
from django.utils.formats import date_format

from benchmarks.submissions.models import Submission
from benchmarks.submissions.querysets import SubmissionQuerySet

DAY = timedelta(hours=24)
SHORTEST_WAIT = timedelta(minutes=1)  # where the next place comes with an event, not at a time


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why a person may hand in nothing now. `next_place`: the instant from which they may; None
    where it is not known, because they, or a judge, must do something first."""

    sentence: str
    next_place: datetime | None = None

    def wait_seconds(self, now: datetime) -> int:
        """What a program is told to wait before it tries again."""
        end = self.next_place or now + SHORTEST_WAIT
        return max(1, int((end - now).total_seconds()) + 1)


def no_place(owner: User, release_id: int, *, now: datetime | None = None) -> NoPlace | None:
    """None where a file is welcome."""
    return places_taken(owner, [release_id], now=now).get(release_id)


def places_taken(
    owner: User, release_ids: Iterable[int], *, now: datetime | None = None
) -> Mapping[int, NoPlace]:
    """By release, those of `release_ids` to which the person may hand in nothing now. Three
    queries."""
    now = now or timezone.now()
    mine = Submission.objects.filter(owner=owner, release__in=list(release_ids))
    found: dict[int, NoPlace] = {}
    # The last word is the one that tells an instant.
    for refusals in (_kept(mine), _unfinished(mine), _of_day(mine, now)):
        found |= refusals
    return found


def _of_day(mine: SubmissionQuerySet, now: datetime) -> dict[int, NoPlace]:
    limit: int = settings.QUOTA_SUBMISSIONS_DAY
    instants: dict[int, list[datetime]] = {}
    recent = mine.spending().filter(created__gt=now - DAY).order_by("created")
    for release_id, created in recent.values_list("release", "created") if limit else ():
        instants.setdefault(release_id, []).append(created)
    return {
        release_id: _full_day(limit, found[-limit] + DAY)
        for release_id, found in instants.items()
        if len(found) >= limit
    }


def _full_day(limit: int, next_place: datetime) -> NoPlace:
    when = date_format(next_place, "Y-m-d H:i:s")
    sentence = (
        f"It takes {_files(limit)} of yours within 24 hours. The next place is free at {when} UTC."
    )
    return NoPlace(sentence, next_place)


def _unfinished(mine: SubmissionQuerySet) -> dict[int, NoPlace]:
    limit: int = settings.QUOTA_UNFINISHED
    which = "That one is" if limit == 1 else "Those are"
    sentence = (
        f"It takes {_files(limit)} of yours at a time. {which} not finished: the next place is"
        " free once one is judged, or cancelled or withdrawn by you."
    )
    return _where_reached(mine.spending().unfinished(), limit, sentence)


def _kept(mine: SubmissionQuerySet) -> dict[int, NoPlace]:
    limit: int = settings.QUOTA_FILES
    sentence = (
        f"It keeps {_files(limit)} of yours, and has them. Withdraw one of them to have a place."
    )
    uploads = mine.not_withdrawn().filter(origin=Submission.Origin.UPLOAD)
    return _where_reached(uploads, limit, sentence)


def _where_reached(found: SubmissionQuerySet, limit: int, sentence: str) -> dict[int, NoPlace]:
    if not limit:
        return {}
    counts = found.order_by().values_list("release").annotate(count=Count("pk"))
    return {release_id: NoPlace(sentence) for release_id, count in counts if count >= limit}


def _files(count: int) -> str:
    return "one file" if count == 1 else f"{count} files"
