"""Every command that starts the web server starts one that takes nobody's word for where the site
lies: gunicorn itself runs here, and serves what it makes of a request."""

import http.client
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

import pytest
from django.core.management import call_command

from leaderboard.management.commands import serve
from leaderboard.operations.processes.supervisor import HOST, free_port, site_processes
from tests.deploy.host import DEPLOY, unit_command
from tests.site import PROJECT

START_SECONDS = 60
PATH = "/accounts/admin/auth/user/"
CLAIMS = [
    {"SCRIPT_NAME": "/accounts"},
    {"script_name": "/accounts"},
    {"Script-Name": "/accounts"},
    {"SCRIPT_NAME": PATH},
    {"SCRIPT_NAME": "/x"},
    {"PATH_INFO": "/admin/"},
    {"Path-Info": "/admin/"},
]


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps([environ["SCRIPT_NAME"], environ["PATH_INFO"]]).encode()]


def of_unit(port: int) -> list[str]:
    return unit_command("assay-web.service", port=port)


def of_image(port: int) -> list[str]:
    command = re.search(r"^CMD (\[.*?\])$", (DEPLOY / "Containerfile").read_text(), re.M | re.S)
    assert command
    words = [
        word.replace("0.0.0.0:8000", f"{HOST}:{port}")
        for word in json.loads(command[1].replace("\\\n", ""))
    ]
    return [sys.executable, "-m", *words]


def of_demo(port: int) -> list[str]:
    return shlex.split(site_processes(port=port, broker_url="")["web"][0])


def of_serve(port: int) -> list[str]:
    started: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serve, "call_command", lambda *_, **__: None)
        patch.setattr(serve, "supervise", lambda commands, **_: started.append(commands["web"][0]))
        with pytest.raises(SystemExit):
            call_command("serve", port=port)
    return shlex.split(started[0])


@pytest.mark.parametrize("command", [of_unit, of_image, of_demo, of_serve])
def test_no_header_says_where_the_site_lies(db, command):
    port = free_port()
    words = [word.replace("leaderboard.wsgi", f"{__name__}:application") for word in command(port)]
    assert "--no-control-socket" in words
    process = subprocess.Popen(words, cwd=PROJECT)
    try:
        wait_for(port)
        assert [made_of(port, claim) for claim in CLAIMS] == [["", PATH]] * len(CLAIMS)
    finally:
        process.terminate()
        process.wait()


def wait_for(port: int) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            made_of(port, {})
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("gunicorn did not start")


def made_of(port: int, headers: dict[str, str]) -> Any:
    with closing(http.client.HTTPConnection(HOST, port, timeout=10)) as connection:
        connection.request("GET", PATH, headers=headers)
        return json.loads(connection.getresponse().read() or "null")
