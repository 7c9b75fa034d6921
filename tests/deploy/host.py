"""A host made of the files in deploy/: example settings, units, the shipped proxy, and servers as
installed."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dotenv import dotenv_values

from deploy.private_services import (
    AS_INSTALLED,
    find_programs,
    free_port,
    running_postgres,
    running_redis,
)
from tests.site import PROJECT, STOP_SECONDS

DEPLOY = PROJECT / "deploy"
HOST = "127.0.0.1"
OLD_CADDY = (2, 6)  # and before: Debian 12's; the Caddyfile says what it needs
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONWARNINGS")


@dataclass(frozen=True)
class Host:
    url: str
    environment: Mapping[str, str]
    folder: Path

    def manage(self, *arguments: str) -> str:
        """What a management command prints, run as the operators' guide runs it."""
        ended = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env=dict(self.environment),
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def logs(self) -> str:
        return "\n".join(
            f"== {log.name}\n{log.read_text()[-3000:]}" for log in self.folder.glob("*.log")
        )


def example(name: str) -> dict[str, str]:
    """The variables of an example file as it is shipped."""
    return {key: value or "" for key, value in dotenv_values(DEPLOY / name).items()}


def unit(name: str) -> dict[str, list[str]]:
    """The values of a unit's settings, each as often as it is given."""
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "systemd" / name).read_text().splitlines():
        key, is_setting, value = line.partition("=")
        if is_setting and not key.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def unit_environment(name: str, files: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """What systemd would set: `Environment` and then the files, which come later and win."""
    settings = unit(name)
    pairs = [pair.partition("=") for line in settings["Environment"] for pair in line.split()]
    environment = {key: value for key, _, value in pairs}
    for file in settings["EnvironmentFile"]:
        environment |= files[Path(file.lstrip("-")).name]
    return environment


def unit_command(name: str, *, port: int, instance: str = "1") -> list[str]:
    """The program and its arguments with systemd's marks filled in; another port, because 8000 may
    be taken."""
    (line,) = unit(name)["ExecStart"]
    line = line.replace("%%", "\0").replace("%i", instance).replace("\0", "%")
    words = shlex.split(line.replace("/opt/assay/.venv/bin/python", sys.executable))
    return [word.replace(f"{HOST}:8000", f"{HOST}:{port}") for word in words]


def caddy_version() -> tuple[int, ...]:
    said = subprocess.run(["caddy", "version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", said)[:2]))


def proxy_environment(site_address: str, web: str) -> dict[str, str]:
    environment = example("proxy.env.example") | {"SITE_ADDRESS": site_address, "WEB": web}
    if caddy_version() <= OLD_CADDY:
        environment["BUFFERING"] = "buffer_requests"
    return environment


@contextmanager
def running_host(**settings: str) -> Iterator[Host]:
    """Migrated, and with every process of a host running behind the proxy; `settings` are lines of
    site.env."""
    programs = find_programs()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-host-")))
        (folder / "postgres").mkdir()
        folder.chmod(0o755)  # the user that PostgreSQL runs as looks through it
        postgres = stack.enter_context(
            running_postgres(programs.postgres_folder, folder / "postgres", AS_INSTALLED)
        )
        redis = stack.enter_context(running_redis(programs.redis_server, folder))
        web, proxy = free_port(), free_port()
        url = f"http://{HOST}:{proxy}"
        site = example("site.env.example") | {
            "SECRET_KEY": "a-key-of-a-test-that-protects-nothing-at-all",
            "ALLOWED_HOSTS": HOST,
            "CSRF_TRUSTED_ORIGINS": url,
            "HTTPS": "false",  # a certificate is all that is missing
            "DATABASE_URL": postgres.url,
            "BROKER_URL": redis.url,
            **settings,
        }
        files = {"site.env": site, "judge.env": example("judge.env.example")}
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        here = {"VAR_DIR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "leaderboard.settings"}
        host = Host(url, inherited | site | here, folder)
        host.manage("migrate", "--no-input", "-v", "0")
        host.manage("collectstatic", "--no-input", "-v", "0")
        for name in ("assay-web", "assay-worker@", "assay-beat"):
            environment = inherited | unit_environment(f"{name}.service", files) | here
            command = unit_command(f"{name}.service", port=web)
            stack.enter_context(running(name, command, environment, folder))
        stack.enter_context(running_proxy(proxy, f"{HOST}:{web}", inherited, folder))
        yield host


@contextmanager
def running_proxy(port: int, web: str, inherited: Mapping[str, str], folder: Path) -> Iterator[str]:
    """The shipped proxy, started; the address of its site."""
    url = f"http://{HOST}:{port}"
    caddy = shutil.which("caddy") or "caddy"
    command = [caddy, "run", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"]
    environment = dict(inherited) | {
        **proxy_environment(url, web),
        "XDG_DATA_HOME": str(folder / "caddy"),
        "XDG_CONFIG_HOME": str(folder / "caddy"),
        "CADDY_ADMIN": f"{HOST}:{free_port()}",
    }
    with running("proxy", command, environment, folder):
        yield url


@contextmanager
def running(
    name: str, command: list[str], environment: Mapping[str, str], folder: Path
) -> Iterator[None]:
    """The process, from the root of the repository, ended by SIGTERM as systemd ends it."""
    with (folder / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=PROJECT, env=dict(environment), stdout=log, stderr=log
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(timeout=STOP_SECONDS)
            finally:
                process.kill()


def answers(url: str, seconds: float) -> bool:
    """Whether a page comes with 200 before time is up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                return bool(reply.status == 200)
        except OSError:
            time.sleep(0.2)
    return False
