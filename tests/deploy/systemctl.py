#!/usr/bin/python3
"""Stands in for systemctl in a root without systemd: runs the ExecStart of a unit under its user
with its settings. Copied into the root by test_guide.py; servers of Debian go by their own scripts.

    systemctl daemon-reload | enable --now UNIT… | start UNIT… | stop UNIT… | restart UNIT…
"""

import fnmatch
import os
import pwd
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

PLACES = (Path("/etc/systemd/system"), Path("/lib/systemd/system"))
RUNNING = Path("/run/units")
SCRIPTS = ("postgresql", "redis-server")
OF_SYSTEMD = "systemd-journald"  # which needs systemd
START_SECONDS, STOP_SECONDS = 3, 40
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def settings_of(name: str) -> list[tuple[str, str]]:
    base, at, instance = name.partition("@")
    (file, *_) = [path for place in PLACES if (path := place / f"{base}{at}.service").exists()]
    drop_ins = sorted((PLACES[0] / f"{file.name}.d").glob("*.conf"))
    lines = [line for path in (file, *drop_ins) for line in path.read_text().splitlines()]
    pairs = [line.partition("=") for line in lines if "=" in line and line[0] not in "#;"]
    marks = {"%%": "\0", "%i": instance}
    found = []
    for key, _, value in pairs:
        for mark, meaning in marks.items():
            value = value.replace(mark, meaning)
        found.append((key, value.replace("\0", "%")))
    return found


def environment_of(settings: list[tuple[str, str]]) -> dict[str, str]:
    words = [word for key, value in settings if key == "Environment" for word in shlex.split(value)]
    for key, value in settings:
        path = Path(value.lstrip("-"))
        if key == "EnvironmentFile" and (path.exists() or not value.startswith("-")):
            lines = [line for line in path.read_text().splitlines() if line and line[0] not in "#;"]
            words += [word for line in lines for word in shlex.split(line)]
    return {"PATH": PATH} | {name: value for name, _, value in (w.partition("=") for w in words)}


def start(name: str) -> None:
    settings = settings_of(name)
    of = dict(settings)
    user = of["User"]  # not by runuser, which kills after two seconds what it is asked to end
    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
    command = [*become, *shlex.split(of["ExecStart"])]
    with (RUNNING / f"{name}.log").open("a") as log:
        process = subprocess.Popen(
            ["nice", "-n", of.get("Nice", "0"), *command],
            cwd=of.get("WorkingDirectory", "/"),
            env=environment_of(settings) | {"HOME": pwd.getpwnam(user).pw_dir, "USER": user},
            stdout=log,
            stderr=log,
            start_new_session=True,
            umask=int(of.get("UMask", "0022"), 8),
        )
    (RUNNING / name).write_text(str(process.pid))
    time.sleep(START_SECONDS)
    if process.poll() is not None:
        sys.exit(f"{name} ended: {(RUNNING / f'{name}.log').read_text()[-2000:]}")


def stop(name: str) -> None:
    file = RUNNING / name
    if not file.exists():
        return
    group = int(file.read_text())
    file.unlink()
    os.killpg(group, signal.SIGTERM)
    for _ in range(STOP_SECONDS * 10):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(group, signal.SIGKILL)


def main(action: str, *names: str) -> None:
    RUNNING.mkdir(parents=True, exist_ok=True)
    known = {path.name for path in RUNNING.iterdir() if not path.name.endswith(".log")}
    units = [unit for name in names if name != "--now" for unit in matching(name, known)]
    for unit in units:
        if unit in SCRIPTS:
            subprocess.run(["service", unit, action], check=True)
        elif unit != OF_SYSTEMD:
            if action in ("stop", "restart"):
                stop(unit)
            if action in ("start", "restart", "enable"):
                start(unit)


def matching(name: str, known: set[str]) -> list[str]:
    return sorted(fnmatch.filter(known, name)) if "*" in name else [name]


if __name__ == "__main__":
    main(*sys.argv[1:])
