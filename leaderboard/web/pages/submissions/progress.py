"""The moving part of a submission's own page: how far each of its runs is, and what came of it. It
is looked at again and again, or told as it moves.

A stream (server-sent events) holds a thread of the web server for as long as it lasts, and pages
need those: few are open at once in a process, none lasts longer than STREAM_SECONDS, and whoever
finds no place looks again by itself, which says the same.
"""

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import connections
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from judging.progress import RunPace
from leaderboard.results.entries.submission_states import MOVING, PLACING, SENTENCES, why_unranked
from leaderboard.results.formatting import print_rank
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors.progress import Watched, WatchedRun, own_watched
from leaderboard.web.pages.entries.retry_offer import offer_of
from leaderboard.web.pages.submissions.cost import (
    cost_sentence,
    pause_words,
    print_duration,
    run_money,
)

SOONEST, LATEST = 2, 10
"""Seconds until the next look: a page that stands still for longer than ten seems to have ended."""

MOST_POLLS = 60
"""Of what is left to wait: a bar of sixty steps seems to move, and hours cost no look every two
seconds."""

STREAM_SECONDS = 25.0
"""Then the browser asks anew and another may have the place. Shorter than what a stop of the web
server waits for (30 s), and than proxies wait for an answer that pauses (60 s)."""

RETRY_MS = 1_000  # until the browser asks anew: whoever waits for the place may come before

PING_SECONDS = 5.0
"""A browser that went is noticed when something is sent to it, and its place is free then."""

TEMPLATE = "submissions/progress.html"


class Places:
    """How many streams are open in this process."""

    def __init__(self) -> None:
        self.lock, self.taken = threading.Lock(), 0

    def take(self) -> bool:
        with self.lock:
            is_free = self.taken < settings.PROGRESS_STREAMS
            self.taken += is_free
        return is_free

    def leave(self) -> None:
        with self.lock:
            self.taken -= 1


PLACES = Places()


@login_required
@never_cache
@require_safe
def submission_progress(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The moving part of a submission's page. Once nothing moves, the browser loads the whole page
    anew."""
    page = progress_page(own_watched(request.user, submission_id))
    response = render(request, TEMPLATE, {"page": page})
    if not page["is_moving"]:
        response["HX-Refresh"] = "true"
    return response


@login_required
@never_cache
@require_safe
def submission_events(request: HttpRequest, submission_id: UUID) -> HttpResponseBase:
    """The progress each time it changes, as a stream; 204, which ends a browser's asking, where no
    place is free."""
    page = progress_page(own_watched(request.user, submission_id))
    if request.method == "HEAD" or not PLACES.take():
        return HttpResponse(status=204)
    response = StreamingHttpResponse(Stream(request, page), content_type="text/event-stream")
    response["X-Accel-Buffering"] = "no"  # nginx would keep what is said until there is more of it
    response["Cache-Control"] = "private, no-store, no-transform"
    return response


class Stream:
    """What is sent, part by part. Holds its place until it is closed, which a server does however
    it ends. Between two looks it holds no connection of the database."""

    def __init__(self, request: HttpRequest, page: Mapping[str, Any]) -> None:
        self.request, self.page = request, page
        self.has_place = True
        self.parts = self.all_parts()

    def __iter__(self) -> Iterator[str]:
        return self.parts

    def close(self) -> None:
        if self.has_place:
            self.has_place = False
            PLACES.leave()

    def all_parts(self) -> Iterator[str]:
        end = time.monotonic() + STREAM_SECONDS
        last_id = self.request.headers.get("Last-Event-ID", "")
        page: Mapping[str, Any] | None = self.page
        yield f"retry: {RETRY_MS}\n\n"
        while page is not None:
            if (name := event_id(page)) != last_id:
                yield event(name, self.shown(page))
                last_id = name
            if not page["is_moving"]:
                break
            yield from self.pings(min(page["look_again"], max(0.0, end - time.monotonic())))
            if time.monotonic() >= end:
                return
            page = self.look()
        yield "event: end\ndata:\n\n"

    def pings(self, seconds: float) -> Iterator[str]:
        """So long nothing is looked at."""
        release_connections()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, PING_SECONDS))
            yield ":\n\n"

    def look(self) -> Mapping[str, Any] | None:
        """None for who may not look any more: signed out, made inactive, or left the team."""
        key = self.request.session.session_key
        user = User.objects.filter(pk=self.request.user.pk or 0, is_active=True).first()
        if user is None or not key or not self.request.session.exists(key):
            return None
        try:
            return progress_page(own_watched(user, self.page["id"]))
        except Http404:
            return None

    def shown(self, page: Mapping[str, Any]) -> str:
        return render_to_string(TEMPLATE, {"page": page}, request=self.request)


def release_connections() -> None:
    """Nothing of a database is held while nothing is asked of it. What a test has begun stays."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def event_id(page: Mapping[str, Any]) -> str:
    """An id that is equal for what reads the same."""
    return hashlib.sha256(repr(page).encode()).hexdigest()[:16]


def event(name: str, text: str) -> str:
    lines = "".join(f"data: {line}\n" for line in map(str.strip, text.splitlines()) if line)
    return f"id: {name}\nevent: progress\n{lines}\n"


def progress_page(found: Watched) -> dict[str, Any]:
    """`state` is one of those of submission_states.SENTENCES. is_moving: it is to be looked at
    again, in so many seconds."""
    runs = [run_line(found, run) for run in found.runs]
    is_being_placed = any(run["result"] and run["result"]["unplaced"] == PLACING for run in runs)
    return {
        "id": found.id,
        "benchmark": found.benchmark,
        "state": found.state,
        "sentence": SENTENCES[found.state],
        "runs": runs,
        "is_moving": found.state in MOVING or is_being_placed,
        "look_again": LATEST if is_being_placed else seconds_until_look(runs),
    }


def seconds_until_look(runs: Sequence[Mapping[str, Any]]) -> int:
    paces = [run["pace"] for run in runs]
    left = [pace.seconds_left for pace in paces if pace and pace.seconds_left]
    return min(LATEST, max(SOONEST, min(left, default=0) // MOST_POLLS))


def run_line(found: Watched, watched: WatchedRun) -> dict[str, Any]:
    """`money` is None where rules decide and for a hidden test, `cost` the same as a sentence;
    `pace` is None once nothing is open, and `moving` says it in words. `result` is None before
    there is a score."""
    progress = watched.progress
    run, counts, pace = progress.run, progress.counts, progress.pace
    money = run_money(progress.calls, counts.open)
    may_retry = found.is_held and not found.withdrawn
    return {
        "judge": judge_seal(run.judge_spec),
        "counts": counts,
        "reasons": progress.reasons,
        "is_scored": watched.is_scored,
        "retry": offer_of(run, progress.states) if may_retry else None,
        "money": money,
        "cost": "" if money is None and not run.judge_spec.is_offline else cost_sentence(money),
        "pause": pause_words(run),
        "pace": pace,
        "moving": pace_sentence(pace) if pace and run.paused is None else "",
        "result": run_result(found, watched) if watched.is_scored else None,
        "is_hidden_test": progress.is_hidden_test,
    }


def pace_sentence(pace: RunPace) -> str:
    """How fast it moves, what is left, and what stands ahead of it."""
    if pace.per_minute and pace.seconds_left is not None:
        rate = f"{pace.per_minute:,.0f}" if pace.per_minute >= 1 else f"{pace.per_minute:.1f}"
        return f"{rate} a minute; about {print_duration(pace.seconds_left)} left."
    if pace.ahead:
        runs = "1 run" if pace.ahead == 1 else f"{pace.ahead:,} runs"
        return f"Nothing judged in the last few minutes; {runs} before it in the queue."
    return "Nothing judged in the last few minutes; it is next in the queue."


def run_result(found: Watched, run: WatchedRun) -> dict[str, Any]:
    """place: its rank range on the board as it is stored; empty where it has none, which `unplaced`
    explains."""
    port = protocol(found.benchmark).board
    metric = port.METRICS[port.BOARD.ranking]
    packed = run.figures.get(metric.name)
    unplaced = why_unranked(found, run.place)
    return {
        "metric": metric,
        "figure": MetricValue.unpacked(packed) if packed else None,
        "place": print_rank(run.place.best, run.place.worst) if run.place and not unplaced else "",
        "unplaced": unplaced,
    }
