"""What several do at once with stored pages, and what they see of each other's commits."""

import threading
from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from benchmarks.submissions.models import EvaluatedModel
from leaderboard.web.caching.middleware import SharedPagesMiddleware
from leaderboard.web.caching.version import shown_version


def test_what_many_wait_for_is_made_once(committed, spelling):
    """The first is held until all others have asked."""
    made, begun, go_on = [], threading.Event(), threading.Event()

    def slow(request: HttpRequest) -> HttpResponse:
        made.append(request)
        begun.set()
        assert go_on.wait(10)
        return HttpResponse(b"a page")

    texts: list[bytes] = []

    def ask() -> None:
        texts.append(b"".join(SharedPagesMiddleware(slow)(RequestFactory().get("/"))))
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(5)]
    threads[0].start()
    assert begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert texts == [b"a page"] * 5
    assert len(made) == 1


def elsewhere(work: Callable[[], object]) -> None:
    """`work`, done by another thread with a connection of its own."""

    def run() -> None:
        work()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def test_a_commit_by_anyone_is_seen_at_once_by_one_query(committed, submission):
    with CaptureQueriesContext(connection) as queries:
        first = shown_version()
    assert len(queries) == 1
    assert shown_version() == first
    elsewhere(lambda: EvaluatedModel.objects.update(name="Renamed"))
    second = shown_version()
    EvaluatedModel.objects.update(name="Speller")
    assert len({first, second, shown_version()}) == 3
