"""A thread has a connection while it works; threads that take turns have one between them."""

import io
import threading

import pytest
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import connection, connections

from leaderboard.operations.processes import lent_connections
from leaderboard.operations.processes.lent_connections import IDLE, lent_connection
from tests.processes import close_idle_connections, comes_true


@pytest.fixture(autouse=True)
def soon(monkeypatch, committed):
    close_idle_connections()  # those of tests before
    monkeypatch.setattr(lent_connections, "IDLE_SECONDS", 0.2)
    yield
    assert comes_true(lambda: not IDLE.since)


def in_thread(work) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)


def test_threads_that_take_turns_use_one_connection(monkeypatch):
    monkeypatch.setattr(lent_connections, "IDLE_SECONDS", 30.0)
    used = []

    def look() -> None:
        with lent_connection():
            User.objects.exists()
            used.append(connections["default"].connection)
        assert not connections.all(initialized_only=True)

    for _ in range(4):
        in_thread(look)
    assert len({id(one) for one in used}) == 1
    assert len(IDLE.since) == 1
    close_idle_connections()


def test_what_nobody_wants_any_more_is_closed():
    kept = []
    both = threading.Barrier(2)

    def look() -> None:
        with lent_connection():
            User.objects.exists()
            kept.append(connections["default"])
            both.wait(60)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(kept) == 2
    assert comes_true(lambda: all(wrapper.connection is None for wrapper in kept))


@pytest.mark.skipif(connection.vendor == "sqlite", reason="a file breaks no connection")
def test_a_connection_that_broke_is_made_anew_for_the_next():
    def break_it() -> None:
        with lent_connection():
            User.objects.exists()
            connections["default"].errors_occurred = True
            connections["default"].connection.close()

    found = []

    def look() -> None:
        with lent_connection():
            found.append(User.objects.count())

    in_thread(break_it)
    in_thread(look)
    assert found == [0]


def test_a_request_gives_its_connection_back():
    from leaderboard import wsgi

    assert isinstance(wsgi.handler, WSGIHandler)
    before = []

    def visit() -> None:
        environ = {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": "/health/ready",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "wsgi.input": io.BytesIO(),
            "wsgi.url_scheme": "http",
        }
        response = wsgi.handler(environ, lambda *_: lambda _: None)
        before.append(len(connections.all(initialized_only=True)))
        response.close()
        before.append(len(connections.all(initialized_only=True)))

    try:
        in_thread(visit)
        assert before == [1, 0]
    finally:
        request_started.disconnect(dispatch_uid="borrow a connection")
        request_finished.disconnect(dispatch_uid="give it back")
