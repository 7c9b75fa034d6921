"""The limits of an endpoint hold over all workers: rows say when its next calls may start, and who
may have how many.

Only the database's clock counts. A worker asks for the starts of its next calls and sends each at
its time. A start that is missed by more than SLACK_SECONDS is better given up than made up for.

Requests are spaced evenly, by the generic cell rate algorithm without a burst. That is not enough
for tokens: calls of different sizes, evenly spaced, exceed the limit of a minute by up to the size
of one. So tokens are also counted over the last minute, and spacing only keeps them from coming all
at once.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from judging.models import Endpoint, JudgeRun, JudgeSpec, Seat

log = logging.getLogger(__name__)
# Half a percent of a minute, lost so that calls may leave a little late, and not all equally late.
SLACK_SECONDS = 0.3
WINDOW_SECONDS = 60 + SLACK_SECONDS
GRAIN_SECONDS = 0.5  # tokens are counted by starts rounded to this, so that a row stays small
# Tokens of a minute are spaced over less, or what a big call had to wait for would be lost.
PACE_SECONDS = 57.0
BURST_SECONDS = 1.0  # of tokens; without it, what calls use less than estimated would be lost
AFTER_HOLD_SECONDS = 1.0  # starts given out before a hold are kept, all at once, when it ends
FAULTS_IN_ROW = 20  # of an endpoint that fails every second call one in a million is so long
TIMEOUT_WEIGHT = 4  # of these faults: it may have to be paid, at what ten replies cost
UNTIL_SEEN_SECONDS = 5.0  # that a process sends nothing to what it halted: it reads the row by then
NOTED_SECONDS = 2  # an endpoint that answers writes its row once in so long, not with every reply
# What an endpoint bore is believed for a day as it was, and half as much for each day more: a site
# that judges daily loses no time, and after a week without calls the number is found out anew, for
# a machine that bore 64 may have become one that bears two, and each late call may be paid for. Of
# another address nothing is known. That a judge can be read is believed for a day, and no more.
BELIEVED_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class EndpointStatus:
    """Reasons are empty, and `held_seconds` is zero, where the endpoint is open for business.

    is_silent: it replied to nothing since it was held for that.
    """

    held_seconds: float = 0.0
    hold_reason: str = ""
    halt_reason: str = ""
    is_paused_by_person: bool = False
    is_silent: bool = False


@dataclass(slots=True)
class Pace:
    """What is known of the starts at an endpoint, in seconds of one clock. A limit of `None` does
    not limit.

    `recent`: tokens by the grain in which their calls start. They count until a window after the
    grain's end.
    """

    request_limit: int | None
    token_limit: int | None
    next_request: float = 0.0
    next_tokens: float = 0.0
    recent: dict[int, int] = field(default_factory=dict)

    def take(self, tokens: Sequence[int], *, earliest: float, latest: float) -> list[float]:
        """Book the first calls and return their start times, in order; calls that could not start
        by `latest` are left out."""
        starts: list[float] = []
        for count in tokens:
            start = self.next_start(count, earliest)
            if start > latest:
                break
            self.book(start, count)
            starts.append(start)
        return starts

    def next_start(self, tokens: int, earliest: float) -> float:
        """The first time at which the limit has room for the call. A call above the limit waits
        until the window is empty."""
        start = max(earliest, self.next_request, self.next_tokens)
        if self.token_limit is None:
            return start
        used = sum(self.recent.values())
        for grain in sorted(self.recent):
            if leaving(grain) > start and used + tokens <= self.token_limit:
                break
            start = max(start, leaving(grain))
            used -= self.recent[grain]
        return start

    def book(self, start: float, tokens: int) -> None:
        if self.request_limit is not None:
            self.next_request = start + WINDOW_SECONDS / self.request_limit
        if self.token_limit is not None:
            self.next_tokens = (
                max(self.next_tokens, start - BURST_SECONDS)
                + tokens * PACE_SECONDS / self.token_limit
            )
            grain = grain_of(start)
            self.recent[grain] = self.recent.get(grain, 0) + tokens

    def correct(self, now: float, started: float, tokens: int) -> None:
        """A call that was booked for `started` used so many tokens more than estimated, or
        fewer."""
        assert self.token_limit is not None
        earliest = now - BURST_SECONDS
        self.next_tokens = max(
            earliest, max(earliest, self.next_tokens) + tokens * PACE_SECONDS / self.token_limit
        )
        grain = grain_of(started)
        if tokens > 0 and leaving(grain) > now:
            self.recent[grain] = self.recent.get(grain, 0) + tokens
        for known in sorted((g for g in self.recent if g <= grain), reverse=True):
            returned = min(self.recent[known], max(0, -tokens))
            self.recent[known] -= returned
            tokens += returned

    def forget(self, now: float) -> None:
        self.recent = {
            grain: tokens for grain, tokens in self.recent.items() if leaving(grain) > now
        }


def grain_of(seconds: float) -> int:
    return int(seconds // GRAIN_SECONDS)


def leaving(grain: int) -> float:
    return (grain + 1) * GRAIN_SECONDS + WINDOW_SECONDS


# --- starts ---------------------------------------------------------------------------------------


def reserve(alias: str, tokens: Sequence[int], *, within: float = 1.0) -> tuple[float, ...]:
    """Seconds from now at which the first calls may start, for calls estimated at that many tokens
    each, in order.

    These starts are taken, used or not. The other calls would start later than `within` and took
    nothing. A call above the tokens of a minute starts when nothing else did in the minute before,
    and nothing starts in the minute after. A big call may never find room while others take it:
    with `within` above a minute its start is booked ahead.
    """
    limits = limits_of(alias)
    if not limits.keys() & {"requests", "tokens"}:
        return starts_without_rates(alias, len(tokens), within)
    with transaction.atomic():
        row, now = locked(alias)
        if row.halted:
            return ()
        pace = read_pace(row, limits, now)
        starts = pace.take(tokens, earliest=max(now, start_after_hold(row)), latest=now + within)
        if starts:
            save_pace(row, pace)
    return tuple(start - now for start in starts)


def starts_without_rates(alias: str, count: int, within: float) -> tuple[float, ...]:
    found = endpoint_status(alias)
    is_open = not found.halt_reason and found.held_seconds <= within
    return (found.held_seconds,) * count if is_open else ()


def charge_each(alias: str, differences: Iterable[tuple[int, float]]) -> None:
    """Calls used so many tokens beyond their estimates, or fewer; beside it, how many seconds ago
    they started.

    Only so the tokens of any minute stay below the limit whatever calls return: what is returned
    counts for the minute that it was taken from.
    """
    limits = limits_of(alias)
    unequal = [(tokens, ago) for tokens, ago in differences if tokens]
    if not unequal or "tokens" not in limits:
        return
    with transaction.atomic():
        row, now = locked(alias)
        pace = read_pace(row, limits, now)
        for tokens, ago in unequal:
            pace.correct(now, now - ago, tokens)
        save_pace(row, pace)


def limits_of(alias: str) -> dict[str, int]:
    endpoint = settings.JUDGE_ENDPOINTS.get(alias, {})
    limits: dict[str, int] = endpoint.get("limits", {})
    return limits


def locked(alias: str) -> tuple[Endpoint, float]:
    """Lock the endpoint's row until the transaction ends; return it and the database's time after
    the wait for the lock."""
    row, _ = Endpoint.objects.select_for_update().get_or_create(alias=alias)
    now: datetime = (
        Endpoint.objects.annotate(now=Now()).values_list("now", flat=True).get(pk=row.pk)
    )
    return row, now.timestamp()


def read_pace(row: Endpoint, limits: dict[str, int], now: float) -> Pace:
    pace = Pace(
        request_limit=limits.get("requests"),
        token_limit=limits.get("tokens"),
        next_request=seconds_of(row.next_request),
        next_tokens=seconds_of(row.next_tokens),
        recent={int(grain): tokens for grain, tokens in row.recent_tokens.items()},
    )
    pace.forget(now)
    return pace


def save_pace(row: Endpoint, pace: Pace) -> None:
    row.next_request, row.next_tokens = moment_of(pace.next_request), moment_of(pace.next_tokens)
    row.recent_tokens = pace.recent
    row.save(update_fields=["next_request", "next_tokens", "recent_tokens"])


def start_after_hold(row: Endpoint) -> float:
    return seconds_of(row.held_until) + AFTER_HOLD_SECONDS


def seconds_of(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


def moment_of(seconds: float) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


# --- open, held, halted ---------------------------------------------------------------------------


def endpoint_status(alias: str) -> EndpointStatus:
    row = Endpoint.objects.filter(alias=alias).annotate(now=Now()).first()
    if row is None:
        return EndpointStatus()
    held = max(0.0, seconds_of(row.held_until) - row.now.timestamp())
    return EndpointStatus(
        held,
        row.hold_reason if held else "",
        row.halt_reason if row.halted else "",
        row.is_paused_by_person,
        row.strikes > 0,
    )


def hold(alias: str, *, seconds: float, reason: str) -> None:
    """Let no worker start a call to the endpoint for `seconds`. A hold that lasts longer is kept,
    with its reason."""
    Endpoint.objects.get_or_create(alias=alias)
    until = Now() + timedelta(seconds=seconds)
    sooner = Q(held_until__isnull=True) | Q(held_until__lt=until)
    Endpoint.objects.filter(sooner, alias=alias).update(held_until=until, hold_reason=reason[:300])


def halt(alias: str, *, reason: str) -> None:
    """Let no worker start a call until somebody reopens the endpoint. The first reason is kept."""
    Endpoint.objects.get_or_create(alias=alias)
    why = reason[:300] or "no reason was given"
    if Endpoint.objects.filter(alias=alias, halted__isnull=True).update(
        halted=Now(), halt_reason=why
    ):
        log.error("The endpoint %r is halted until someone reopens it: %s", alias, why)


@transaction.atomic
def note_failures(
    alias: str, *, timeouts: int, others: int, reason: str, seconds_ago: float = 0.0
) -> float:
    """So many more calls in a row came to nothing. From FAULTS_IN_ROW on, the endpoint is held each
    time it fails again after a hold, as long as JUDGE_RETRY_SECONDS says, and halted when these
    waits are used up; seconds of a new hold.

    Counted are rounds, not calls: what left before a hold was over says nothing about what came
    after it. seconds_ago: when the last of them left.
    """
    row, now = locked(alias)
    if row.halted:
        return UNTIL_SEEN_SECONDS
    row.failures += TIMEOUT_WEIGHT * timeouts + others
    row.save(update_fields=["failures"])
    if row.failures < FAULTS_IN_ROW or seconds_of(row.held_until) > now - seconds_ago:
        return 0.0
    waits = settings.JUDGE_RETRY_SECONDS
    if row.strikes >= len(waits):
        halt(
            alias, reason=f"no reply from it, {row.strikes + 1} times in a row; the last: {reason}"
        )
        return UNTIL_SEEN_SECONDS
    Endpoint.objects.filter(pk=row.pk).update(strikes=row.strikes + 1)
    hold(alias, seconds=waits[row.strikes], reason=reason)
    return float(waits[row.strikes])


def note_replies(alias: str, *, judge: JudgeSpec | None = None) -> None:
    """Reset the endpoint's counted failures, and record, at most once in NOTED_SECONDS, the judge
    whose reply could be read."""
    row = Endpoint.objects.filter(alias=alias)
    row.filter(Q(failures__gt=0) | Q(strikes__gt=0)).update(failures=0, strikes=0)
    if judge is not None:
        old = Now() - timedelta(seconds=NOTED_SECONDS)
        unnoted = row.filter(Q(answered__isnull=True) | Q(answered__lt=old))
        unnoted.update(answered=Now(), answered_by=judge)


def is_read(alias: str, judge: JudgeSpec) -> bool:
    """Whether the last verdict that was read from the endpoint, not long ago, was of this
    judge."""
    lately = Endpoint.objects.filter(alias=alias, answered__gte=Now() - BELIEVED_FOR)
    return lately.filter(answered_by=judge).exists()


def doubt(alias: str, judge: JudgeSpec) -> None:
    """Forget that a reply of the judge could be read."""
    Endpoint.objects.filter(alias=alias, answered_by=judge).update(answered_by=None)


def known_to_bear(alias: str) -> int:
    """With how many concurrent calls a process may begin at the endpoint; 0 where that is not
    known."""
    Endpoint.objects.get_or_create(alias=alias)
    row = Endpoint.objects.annotate(now=Now()).get(alias=alias)
    if row.at_once is None or row.bore is None or row.address != address_of(alias):
        return 0
    return row.at_once >> max(0, (row.now - row.bore) // BELIEVED_FOR)


def note_bearing(alias: str, at_once: int, *, was_cut: bool) -> None:
    """Less than is known only of one that was asked more than it bears: who had little to ask found
    out nothing."""
    if was_cut or at_once >= known_to_bear(alias):
        Endpoint.objects.filter(alias=alias).update(
            at_once=at_once, bore=Now(), address=address_of(alias)
        )


def address_of(alias: str) -> str:
    address: str = settings.JUDGE_ENDPOINTS.get(alias, {}).get("url", "")
    return address[:300]


def ensure_rows() -> None:
    """Store a row for every endpoint of the settings, so that it can be listed and paused before
    its first call."""
    known = set(Endpoint.objects.values_list("alias", flat=True))
    missing = [Endpoint(alias=alias) for alias in settings.JUDGE_ENDPOINTS if alias not in known]
    Endpoint.objects.bulk_create(missing, ignore_conflicts=True)


@transaction.atomic
def pause_by_person(alias: str, *, reason: str) -> None:
    """Let no worker start a call until a person reopens the endpoint. This replaces the reason of
    an earlier halt."""
    Endpoint.objects.get_or_create(alias=alias)
    Endpoint.objects.filter(alias=alias).update(
        halted=Now(), halt_reason=reason[:300], is_paused_by_person=True
    )


@transaction.atomic
def reopen(alias: str) -> int:
    """Neither halted nor held, and the runs there that were paused for it or for their judge go on;
    how many.

    An unknown model pauses its runs and halts no endpoint, but whoever sets it right says so in the
    same way.
    """
    Endpoint.objects.filter(alias=alias).update(
        halted=None,
        halt_reason="",
        held_until=None,
        hold_reason="",
        is_paused_by_person=False,
        failures=0,
        strikes=0,
    )
    kinds = [JudgeRun.Pause.ENDPOINT, JudgeRun.Pause.JUDGE]
    return JudgeRun.objects.filter(pause_kind__in=kinds, judge_spec__endpoint=alias).resume()


# --- calls at once --------------------------------------------------------------------------------


def take_seat(alias: str, *, holder: UUID, wanted: int, seconds: float, busy: int = 0) -> int:
    """How many calls at once `holder` may have until `seconds` from now; all it wants where nothing
    is limited.

    The seats that have not run out never exceed the limit together. A newcomer gets what is free,
    and its fair share once the others have renewed their seats. `busy`: calls under way, which a
    seat keeps although its share is smaller.
    """
    limit = limits_of(alias).get("concurrent")
    if limit is None:
        return wanted
    with transaction.atomic():
        row, now = locked(alias)
        row.seats.filter(until__lte=moment_of(now)).delete()
        others = list(row.seats.exclude(holder=holder).order_by("pk"))
        mine = row.seats.filter(holder=holder).first()
        share = share_among(limit, wanted, mine, others)
        granted = max(0, min(share, limit - sum(seat.calls for seat in others)))
        kept = min(busy, mine.calls) if mine else 0
        values = {
            "endpoint": row,
            "calls": max(granted, kept),
            "wanted": wanted,
            "until": moment_of(now + seconds),
        }
        Seat.objects.update_or_create(holder=holder, defaults=values)
    return granted


def share_among(limit: int, wanted: int, mine: Seat | None, others: Sequence[Seat]) -> int:
    """The fair share of one seat among those that want calls; earlier seats come first, a new one
    last."""
    before = [seat.wanted for seat in others if mine is None or seat.pk < mine.pk]
    after = [seat.wanted for seat in others if mine is not None and seat.pk > mine.pk]
    return fair_shares(limit, [*before, wanted, *after])[len(before)]


def fair_shares(limit: int, wishes: Sequence[int]) -> list[int]:
    """Nobody gets more than it wishes; what it leaves goes to the others, what does not divide to
    the first ones."""
    shares, left = [0] * len(wishes), limit
    smallest_first = sorted(range(len(wishes)), key=lambda i: (wishes[i], -i))
    for served, i in enumerate(smallest_first):
        shares[i] = min(wishes[i], left // (len(wishes) - served))
        left -= shares[i]
    return shares


def release_seat(*, holder: UUID) -> None:
    Seat.objects.filter(holder=holder).delete()
