"""What stands in deploy/ fits the code: the reference of settings, the compose file, the units."""

import http.server
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from leaderboard.celery import app
from tests.site import PROJECT

DEPLOY = PROJECT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
OURS = ("migrate", "web", "worker", "beat")
LONGEST_STOP = "40s"
HARDENING = (
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "CapabilityBoundingSet=",
    "RestrictNamespaces=yes",
    "SystemCallFilter=@system-service",
)


def describe(
    *arguments: str, script: Path = DEPLOY / "describe_environment.py"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"])


# --- the reference of settings --------------------------------------------------------------------


def test_the_reference_of_settings_is_up_to_date():
    ended = describe("--check")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_variable_without_a_sentence_is_refused(tmp_path):
    (tmp_path / "leaderboard/project").mkdir(parents=True)
    for name in ("settings.py", "project/environment.py"):
        source = (PROJECT / "leaderboard" / name).read_text()
        (tmp_path / "leaderboard" / name).write_text(f'{source}\nNEW = env.int("NEW_THING", 1)\n')
    (tmp_path / "deploy").mkdir()
    copy = shutil.copy(DEPLOY / "describe_environment.py", tmp_path / "deploy")
    ended = describe(script=Path(copy))
    assert ended.returncode == 1
    assert "NEW_THING" in ended.stderr


def test_examples_name_only_variables_that_are_read():
    reference = (PROJECT / "docs/operator/settings.md").read_text().replace("<ALIAS>", "MAIN")
    texts = ((DEPLOY / f"{name}.env.example").read_text() for name in ("site", "judge"))
    named = [name for text in texts for name in re.findall(r"^(\w+)=", text, re.MULTILINE)]
    assert named
    assert [variable for variable in named if f"`{variable}`" not in reference] == []


# --- containers -----------------------------------------------------------------------------------


def test_no_secret_stands_in_the_compose_file_and_only_the_worker_knows_keys_of_judges(services):
    assert set(services) == {*OURS, "postgres", "redis", "proxy"}
    assert not any("environment" in service for service in services.values())
    assert not re.search(
        r"(password|secret|key|token)\w*['\"]?\s*[:=]\s*\S",
        (DEPLOY / "compose.yaml").read_text(),
        re.I,
    )
    files = {name: service.get("env_file", []) for name, service in services.items()}
    assert [name for name, read in files.items() if "judge.env" in read] == ["worker"]
    named = {file for read in files.values() for file in read}
    assert {file for file in named if not (DEPLOY / f"{file}.example").exists()} == set()


def test_services_write_only_their_files_and_have_time_to_stop(services):
    for name, service in services.items():
        if name != "migrate":
            assert service["healthcheck"]["test"], name
            assert service["stop_grace_period"] == LONGEST_STOP, name
        if name in OURS:
            assert service["read_only"], name
            assert service["cap_drop"] == ["ALL"], name
            assert service["volumes"] == ["files:/srv/var"], name
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]


def test_volumes_and_networks_that_are_used_are_declared(services):
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    mounted = {
        volume.partition(":")[0]
        for s in services.values()
        for volume in s["volumes"]
        if volume[0] != "."
    }
    assert mounted == set(compose["volumes"])
    assert {network for s in services.values() for network in s["networks"]} == set(
        compose["networks"]
    )


def test_the_image_copies_folders_that_exist_and_no_secret():
    text = (DEPLOY / "Containerfile").read_text()
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE)
    sources = [source for line in copied for source in line.split()]
    assert [source for source in sources if not (PROJECT / source).exists()] == []
    kept = re.findall(r"^!(.+)$", (DEPLOY / "Containerfile.dockerignore").read_text(), re.MULTILINE)
    assert set(kept) == set(sources)
    assert "--require-hashes" in text
    assert text.index("USER 10001") < text.index("CMD")


# --- a host ---------------------------------------------------------------------------------------


def test_a_host_installs_what_a_site_needs_and_writes_no_env():
    said = subprocess.run(
        ["make", "--dry-run", "install"], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout
    assert "--require-hashes requirements.txt" in said
    assert "requirements-dev" not in said
    assert "SECRET_KEY" not in said


def test_the_commands_for_a_host_make_nothing_for_developers():
    text = (PROJECT / "docs/operator/updating.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    assert any("make install" in block for block in blocks)
    assert not any("make setup" in block for block in blocks)
    assert "git checkout v1.0.0 && make install" in text  # as a site is updated


# --- units ----------------------------------------------------------------------------------------


def test_units_are_hardened_and_stop_their_children_last():
    assert [unit.name for unit in UNITS] == [
        "assay-beat.service",
        "assay-web.service",
        "assay-worker@.service",
    ]
    ends = {"KillMode=mixed", "TimeoutStopSec=40", "Restart=always", "User=assay"}
    for unit in UNITS:
        assert {*HARDENING, *ends} - set(unit.read_text().splitlines()) == set(), unit


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_systemd_understands_a_unit(unit, tmp_path):
    """With a program and a folder that exist: those it names are on the host."""
    copy = tmp_path / unit.name
    python = "/opt/assay/.venv/bin/python"
    copy.write_text(unit.read_text().replace(python, "/bin/true").replace("/opt/assay", "/"))
    ended = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True
    )
    complaints = [line for line in ended.stderr.splitlines() if "assay-" in line]
    assert complaints == []


# --- health and beat ------------------------------------------------------------------------------


def test_beat_sends_a_message_that_workers_know():
    app.loader.import_default_modules()
    schedule = settings.CELERY_BEAT_SCHEDULE
    times = [(entry["task"], entry["schedule"]) for entry in schedule.values()]
    assert times == [("assay.sweep", 30.0)]
    assert all(entry["task"] in app.tasks for entry in schedule.values())


class Named(http.server.BaseHTTPRequestHandler):
    """Ready for one name, and for no other."""

    def do_GET(self) -> None:
        self.send_response(
            200
            if (self.path, self.headers["Host"]) == ("/health/ready", "assay.example.org")
            else 503
        )
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Named) as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        yield server.server_port
        server.shutdown()


def test_the_health_check_asks_under_a_name_of_the_site(port):
    asked = (("assay.example.org,other", port), (".assay.example.org", port), ("*", port), ("*", 1))
    assert [ask("ready", at, ALLOWED_HOSTS=allowed) for allowed, at in asked] == [0, 0, 1, 1]


def ask(what: str, port: int, **environment: str) -> int:
    command = [sys.executable, str(DEPLOY / "ask_health.py"), what, str(port)]
    return subprocess.run(command, env=environment, capture_output=True).returncode
