"""What starting costs beside a bare project: one whose settings, addresses and Celery application
name the same libraries and nothing of ours, written here into a folder of its own.

Processor time, the best of four; the two take turns, so that both meet the same machine. Then a web
server and a worker as `manage.py demo` starts them, until they wait for work: the processor time
until then, and the memory of all their processes (Linux only).
"""

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from bench.measuring import Measured, table

PROJECT = Path(__file__).parents[1]
OURS = ("leaderboard", "judging", "benchmarks")
ROUNDS = 4
COMMANDS = {
    "django.setup()": (["-c", "import django; django.setup()"], 1.3),
    "manage.py check": (["-m", "django", "check"], 1.8),
}
"""What starts, and how many times the bare project it may take."""
IDLE_MB, IDLE_CPU = {"web": 200.0, "worker": 300.0}, {"web": 6.0, "worker": 6.0}
QUIET_SECONDS, QUIET_SHARE = 3.0, 0.02
"""A process that uses less of a processor for so long waits for work: sweeps are put off."""

BARE = {
    "bare/__init__.py": "from bare.celery import app as celery_app\n",
    "bare/celery.py": """
from celery import Celery

app = Celery("bare")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
""",
    "bare/settings.py": """
import dj_database_url
from csp.constants import NONE, SELF
from environs import env

SECRET_KEY = env.str("SECRET_KEY")
DATABASES = {{"default": dj_database_url.parse("sqlite:///:memory:")}}
INSTALLED_APPS = {apps}
MIDDLEWARE = {middleware}
ROOT_URLCONF = "bare.urls"
TEMPLATES = [
    {{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {{
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        }},
    }}
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_LOGIN_METHODS = {{"email"}}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
REST_FRAMEWORK = {{"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema"}}
CONTENT_SECURITY_POLICY = {{"DIRECTIVES": {{"default-src": [NONE], "script-src": [SELF]}}}}
CELERY_BROKER_URL = "memory://"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"
USE_TZ = True
""",
    "bare/urls.py": """
from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("schema/", SpectacularAPIView.as_view()),
]
""",
}


def write_bare_project(folder: Path) -> None:
    from leaderboard import settings  # noqa: PLC0415 - reads the environment that main sets

    # The admin as `startproject` names it.
    apps = (app.removesuffix(".apps.SimpleAdminConfig") for app in settings.INSTALLED_APPS)
    third_party = {
        "apps": [app for app in apps if not app.startswith(OURS)],
        "middleware": [name for name in settings.MIDDLEWARE if not name.startswith(OURS)],
    }
    for name, text in BARE.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.format(**third_party) if name.endswith("settings.py") else text)


def cpu_seconds(command: Sequence[str], folder: Path, package: str) -> float:
    """Processor time of one run, its system's included."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": f"{package}.settings"},
        stderr=subprocess.DEVNULL,  # "no issues"
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def best_of_both(bare: Path, command: Sequence[str]) -> tuple[float, float]:
    """Of ours and of the bare project; the first run of each writes bytecode and is not counted."""
    rounds = [
        (cpu_seconds(command, PROJECT, "leaderboard"), cpu_seconds(command, bare, "bare"))
        for _ in range(ROUNDS + 1)
    ]
    ours, theirs = zip(*rounds[1:], strict=True)
    return min(ours), min(theirs)


def processes_of(pid: int) -> list[int]:
    """It and all that it started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [pid, *(found for child in children for found in processes_of(child))]


def cpu_so_far(pids: Sequence[int]) -> float:
    """Seconds, of the ended children they waited for too."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(ticks) for each in fields for ticks in each[11:15]) / os.sysconf("SC_CLK_TCK")


def pss_megabytes(pid: int) -> float:
    """Memory of a process; what n processes share counts an n-th in each."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024


def until_idle(command: str, variables: Mapping[str, str], address: str) -> tuple[float, float]:
    """Seconds of processor time until it has nothing more to do, and its megabytes then. Who
    listens at an address is asked for it first, which loads the code of every page."""
    process = subprocess.Popen(shlex.split(command), cwd=PROJECT, env=os.environ | variables)
    used, before = 0.0, -1.0
    try:
        while address or used - before > QUIET_SHARE * QUIET_SECONDS:
            time.sleep(QUIET_SECONDS)
            if process.poll() is not None:
                raise RuntimeError(f"It ended by itself: {command}")
            with suppress(URLError, ValueError):  # not listening yet; no address
                urlopen(address).close()
                address = ""
            before, used = used, cpu_so_far(processes_of(process.pid))
        return used, sum(map(pss_megabytes, processes_of(process.pid)))
    finally:
        process.terminate()
        process.wait()


def measure() -> Iterator[Measured]:
    with tempfile.TemporaryDirectory(prefix="assay-bare-") as folder:
        write_bare_project(Path(folder))
        for name, (arguments, most) in COMMANDS.items():
            ours, bare = best_of_both(Path(folder), [sys.executable, *arguments])
            yield Measured(f"{name}: {ours:.2f} s, bare {bare:.2f} s", ours / bare, "times", most)
    from leaderboard.operations.processes import supervisor  # noqa: PLC0415 - Django, and it waits for settings

    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=PROJECT, check=True)
    port = supervisor.free_port()
    for name, (command, variables) in supervisor.site_processes(port=port, broker_url="").items():
        address = f"http://{supervisor.HOST}:{port}/health/live" if name == "web" else ""
        cpu, memory = until_idle(command, variables, address)
        yield Measured(f"{name}: until it waits for work", cpu, "s CPU", IDLE_CPU[name])
        yield Measured(f"{name}: all its processes, waiting", memory, "MB", IDLE_MB[name])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as variable:
        os.environ |= {
            "SECRET_KEY": "benchmarks-only-key-that-protects-nothing",
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "VAR_DIR": variable,
            "SWEEP_SECONDS": "3600",
        }
        os.environ.pop("DATABASE_URL", None)
        load = os.getloadavg()[0]
        print(table(list(measure())))
        print(f"Load when this began: {load:.1f}")
