"""A site from the files that are shipped: every process, PostgreSQL with its own defaults, the
proxy, mail.

What is in the example files, the units, the compose file and the Caddyfile is what runs here.
"""

import http
import http.client
import http.cookiejar
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
import yaml

from deploy.private_services import ServiceError, find_programs, free_port
from tests.deploy.host import (
    DEPLOY,
    HOST,
    Host,
    answers,
    proxy_environment,
    running_host,
    running_proxy,
    unit,
    unit_command,
)
from tests.site import PROJECT
from tests.smtp_server import MailServer, running_mail_server


def missing() -> str:
    try:
        find_programs()
    except ServiceError as error:
        return str(error)
    return "" if shutil.which("caddy") else "needs Caddy: deploy/install_debian.sh services"


pytestmark = [pytest.mark.services, pytest.mark.skipif(bool(missing()), reason=missing())]
# On a quiet machine all is there within ten seconds; many times that on a busy one.
START_SECONDS = 120.0
WAIT_SECONDS = 120.0
PASSWORD = "a long enough password 7"
EMAIL = "new@example.org"
ANSWERS = PROJECT / "benchmarks/bundled/hallusionbench/answers"
# In one process: loading Django takes longer than what is done here.
PREPARE = f"""
import json
from django.contrib.auth.models import User
from django.db import connection
from benchmarks.registry import protocol
from benchmarks.submissions.samples.bundled import ensure_release
from benchmarks.submissions.tokens import create_token
family = protocol("hallusionbench")
cursor = connection.cursor()
cursor.execute("SHOW jit")
print(json.dumps({{
    "release": ensure_release(family, family.bundled[0]).slug,
    "token": create_token(owner=User.objects.get(email="{EMAIL}"), name="boot", scope="submit").key,
    "jit": cursor.fetchone()[0],
}}))
"""


@pytest.fixture(scope="module")
def mail_server() -> Iterator[MailServer]:
    with running_mail_server() as server:
        yield server


@pytest.fixture(scope="module")
def host(mail_server) -> Iterator[Host]:
    settings = {"EMAIL_URL": mail_server.url, "OPERATOR_EMAILS": "ops@example.org"}
    with running_host(**settings) as host:
        assert answers(f"{host.url}/", START_SECONDS), host.logs()
        yield host


class Visitor:
    """A browser without a screen."""

    def __init__(self, url: str) -> None:
        self.url, self.cookies = url, http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> str:
        with self.opener.open(f"{self.url}{path}", timeout=20) as reply:
            return str(reply.read().decode())

    def post(self, path: str, to: str = "", **fields: str) -> str:
        """A form of the page at `path`, filled in and sent, to that page or to another address."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path))
        assert token, path
        body = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], **fields}).encode()
        with self.opener.open(f"{self.url}{to or path}", body, timeout=20) as reply:
            return str(reply.read().decode())


def wait_for(condition: Callable[[], Any], host: Host) -> Any:
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.2)
    raise AssertionError(host.logs())


def call(host: Host, path: str, token: str, body: bytes | None = None, kind: str = "") -> Any:
    headers = {"Authorization": f"Bearer {token}"} | ({"Content-Type": kind} if kind else {})
    request = urllib.request.Request(f"{host.url}/api/v1/{path}", body, headers)
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.load(reply)


def upload(host: Host, token: str, release: str) -> str:
    boundary = uuid.uuid4().hex
    file = next(ANSWERS.glob("*.jsonl"))
    fields = {"release": release, "model": "Boot test model"}
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = (
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="file"; filename="{file.name}"\r\n'
        "\r\n"
    )
    body = (
        "".join(parts).encode()
        + head.encode()
        + file.read_bytes()
        + f"\r\n--{boundary}--\r\n".encode()
    )
    reply = call(host, "submissions/", token, body, f"multipart/form-data; boundary={boundary}")
    return str(reply["id"])


# --- the whole way --------------------------------------------------------------------------------


def test_a_site_from_the_shipped_files_serves_mails_and_judges(host, mail_server):
    """One site, one way through it: each step needs the one before."""
    ready = json.loads(Visitor(host.url).get("/health/ready"))
    assert ready == {"status": "ready", "wrong": {}}

    visitor = Visitor(host.url)
    page = visitor.post("/accounts/signup/", email=EMAIL, password1=PASSWORD, password2=PASSWORD)
    assert "We have sent you an email" in page
    (message,) = wait_for(lambda: mail_server.to(EMAIL), host)
    link = re.search(rf"{host.url}(/accounts/confirm-email/\S+)", str(message.get_payload()))
    assert link, message
    visitor.post(link[1])
    visitor.post("/accounts/login/", login=EMAIL, password=PASSWORD)
    assert "My entries" in visitor.get("/submissions/")

    prepared = json.loads(host.manage("shell", "-v", "0", "-c", PREPARE))
    submission = upload(host, prepared["token"], prepared["release"])
    page = f"/submissions/{submission}/"
    visitor.post(f"{page}visibility/?visibility=public", visibility="public")
    wait_for(lambda: "Boot test model" in Visitor(host.url).get("/boards/hallusionbench/"), host)
    assert prepared["jit"] == "off"  # of our connections, on a server that compiles


def test_limits_count_against_the_visitor_and_neither_the_proxy_nor_a_claim(host):
    """From a loopback address of its own, so that it differs from the proxy's."""
    proxy = urllib.parse.urlsplit(host.url).netloc
    connection = http.client.HTTPConnection(proxy, source_address=("127.0.0.2", 0), timeout=20)
    with closing(connection) as visitor:
        fail_to_sign_in(visitor, {"X-Forwarded-For": "6.6.6.6"})
    with psycopg.connect(host.environment["DATABASE_URL"]) as database:
        keys = [key for (key,) in database.execute("SELECT cache_key FROM shared_cache")]
    counted = {
        key.rpartition(":ip:")[2] for key in keys if ":login_failed:" in key and ":ip:" in key
    }
    assert "127.0.0.2" in counted
    assert "6.6.6.6" not in counted


def fail_to_sign_in(visitor: http.client.HTTPConnection, claim: dict[str, str]) -> None:
    visitor.request("GET", "/accounts/login/", headers=claim)
    reply = visitor.getresponse()
    page, cookie = reply.read().decode(), str(reply.headers["Set-Cookie"]).partition(";")[0]
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    fields = {"csrfmiddlewaretoken": token[1], "login": "no@example.org", "password": "wrong"}
    form = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie}
    visitor.request("POST", "/accounts/login/", urllib.parse.urlencode(fields), claim | form)
    reply = visitor.getresponse()
    assert "not correct" in reply.read().decode()


def test_postgresql_runs_as_it_is_installed(host):
    with psycopg.connect(host.environment["DATABASE_URL"]) as connection:
        shown = [
            connection.execute(f"SHOW {name}").fetchone() for name in ("jit", "fsync", "wal_level")
        ]
    assert shown == [("on",), ("on",), ("replica",)]


# --- what runs in containers ----------------------------------------------------------------------


def test_the_image_starts_the_web_server_as_the_unit_does(host):
    """Gunicorn reads its whole command and loads the site, without serving it."""
    command = re.search(r"^CMD (\[.*?\])$", (DEPLOY / "Containerfile").read_text(), re.M | re.S)
    assert command
    words = json.loads(command[1].replace("\\\n", ""))
    assert words[0] == "gunicorn"
    ended = subprocess.run(
        [sys.executable, "-m", *words, "--check-config"],
        cwd=PROJECT,
        env=dict(host.environment),
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_a_container_starts_what_the_unit_starts(name):
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    (of_unit,) = (DEPLOY / "systemd").glob(f"assay-{name}*.service")
    words = unit_command(of_unit.name, port=8000)[2:]
    priority = unit(of_unit.name).get("Nice")
    if "-n" in words:  # each container has a host name of its own
        at = words.index("-n")
        words = words[:at] + words[at + 2 :]
    if priority:
        words = ["nice", "-n", *priority, *words]
    assert services[name]["command"] == words


@pytest.mark.parametrize("address", ["assay.example.org", "http://127.0.0.1:8080"])
def test_this_caddy_takes_the_shipped_file(address):
    ended = subprocess.run(
        ["caddy", "validate", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile"],
        env=os.environ | proxy_environment(address, "127.0.0.1:8000"),
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr


class Asked(http.server.BaseHTTPRequestHandler):
    """Answers with the names of the headers it was sent."""

    def do_GET(self) -> None:
        names = json.dumps([name.lower() for name in self.headers]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(names)))
        self.end_headers()
        self.wfile.write(names)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_the_proxy_hands_on_no_header_that_a_server_might_take_for_its_own(tmp_path):
    with http.server.ThreadingHTTPServer((HOST, 0), Asked) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        with running_proxy(free_port(), f"{HOST}:{web.server_port}", os.environ, tmp_path) as url:
            assert answers(url, START_SECONDS)
            claims = {"SCRIPT_NAME": "/x", "path_info": "/", "X_Forwarded_For": "6", "X-Ours": "1"}
            with urllib.request.urlopen(urllib.request.Request(url, headers=claims)) as reply:
                names = json.load(reply)
        web.shutdown()
    assert "x-ours" in names
    assert [name for name in names if "_" in name] == []
