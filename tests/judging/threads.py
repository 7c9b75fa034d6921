"""Work that several do at the same moment."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection, transaction

BEGIN_SECONDS = 10
JOIN_SECONDS = 60
WAIT_SECONDS = 0.5  # whatever does not wait is done by then


def at_once(*works: Callable[[], object]) -> None:
    """Each in a thread and on a connection of its own, all begun together; what one of them raises
    is raised."""
    failures: list[BaseException] = []
    begin = threading.Barrier(len(works))

    def work(do: Callable[[], object]) -> None:
        try:
            begin.wait(timeout=BEGIN_SECONDS)
            do()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(do,)) for do in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=JOIN_SECONDS)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


@contextmanager
def waiting_for_commit(work: Callable[[], object]) -> Iterator[None]:
    """What the block does is not committed before its end; the work, begun after it in a thread of
    its own, waits for that, and is done afterwards."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    with transaction.atomic():
        yield
        thread.start()
        thread.join(timeout=WAIT_SECONDS)
        assert thread.is_alive()
    thread.join(timeout=JOIN_SECONDS)
    assert not thread.is_alive()
