"""Work that several do at the same moment."""

import threading
from collections.abc import Callable

from django.db import connection

BEGIN_SECONDS = 10
JOIN_SECONDS = 60


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
