#!/usr/bin/env python3
"""Runs a command beside a PostgreSQL and a Redis of its own, and takes both away afterwards.

    python deploy/private_services.py COMMAND [ARG...]
    python deploy/private_services.py pytest -n 2 tests/judging

COMMAND finds DATABASE_URL=postgres://... (a superuser, so tests can create databases) and
BROKER_URL=redis://127.0.0.1:PORT/0 in its environment. Both servers listen on free loopback ports,
keep their files in one temporary folder and trade safety for speed: never keep anything of value in
them.

Exit status: that of COMMAND (128 + N if signal N ended it); 2 if a server is missing or does not
start; 126 or 127 if COMMAND cannot be run. SIGTERM, SIGINT, SIGHUP and SIGQUIT are passed on to
COMMAND and everything it started; what has not ended after GRACE_SECONDS is killed. Only SIGKILL
leaves servers behind.

Standard library only, so that it also runs where no requirement is installed yet. As root,
PostgreSQL runs as the user `postgres`, because it refuses to run as root.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

HOST = "127.0.0.1"
START_ATTEMPTS = 5
START_SECONDS = 30
GRACE_SECONDS = 10

DEBIAN_POSTGRES = Path("/usr/lib/postgresql")  # holds VERSION/bin, which Debian keeps out of PATH
SYSTEM_USER = "postgres"
DATABASE_USER = "assay"
POSTGRES_SETTINGS = f"""
listen_addresses = '{HOST}'
unix_socket_directories = ''
max_connections = 200
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
jit = off
timezone = 'UTC'
"""
# What PostgreSQL has without us, durability and JIT included: for tests of a site as its host has
# it.
AS_INSTALLED = """
max_connections = 100
fsync = on
synchronous_commit = on
full_page_writes = on
wal_level = replica
max_wal_senders = 10
jit = on
"""
REPLICATED = "wal_level = replica\nmax_wal_senders = 4\n"  # of a cluster that has a standby


class ServiceError(Exception):
    """A server cannot be had; the message is a sentence for the person who asked."""


class Interrupted(Exception):
    """A signal came before the command was started."""


# --- signals ---


class StopSignals:
    """Remembers the first signal that asks us to stop and passes every one on to the running
    command.

    The handlers never raise: an exception could land between the start of a server and the line
    that notes it has to be stopped. Between two steps the script calls `raise_if_received`.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._group: int | None = None

    def install(self) -> None:
        signal.signal(signal.SIGALRM, self._lose_patience)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, self._receive)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # ignored under nohup
            signal.signal(signal.SIGHUP, self._receive)

    def raise_if_received(self) -> None:
        if self.received is not None:
            raise Interrupted

    @contextmanager
    def passed_on_to(self, group: int) -> Iterator[None]:
        self._group = group
        if self.received is not None:  # came while the command was being started
            self._pass_on(self.received)
        try:
            yield
        finally:
            self._group = None
            signal.alarm(0)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self.received = self.received or number
        self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        if self._group is None:
            return
        send_to_group(self._group, number)
        if number != signal.SIGINT or not os.isatty(0):  # a prompt may outlive Ctrl-C
            signal.alarm(GRACE_SECONDS)

    def _lose_patience(self, _number: int, _frame: FrameType | None) -> None:
        if self._group is not None:
            send_to_group(self._group, signal.SIGKILL)


def send_to_group(group: int, number: int) -> bool:
    """False if the process group has no member left that we may signal."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


# --- programs ---


@dataclass(frozen=True)
class Programs:
    postgres_folder: Path
    redis_server: str


def find_programs() -> Programs:
    postgres_folder, redis_server = find_postgres_folder(), find_redis_server()
    missing = []
    if postgres_folder is None:
        missing.append("the PostgreSQL server programs (initdb, pg_ctl)")
    if redis_server is None:
        missing.append("redis-server or valkey-server")
    if os.geteuid() == 0 and not can_become_system_user():
        missing.append(
            f"the user `{SYSTEM_USER}` or the program runuser (PostgreSQL refuses to run as root)"
        )
    if postgres_folder is None or redis_server is None or missing:
        remedy = (
            "on Debian run `deploy/install_debian.sh services`, elsewhere install PostgreSQL and "
            "Redis"
        )
        raise ServiceError(f"missing {' and '.join(missing)}: {remedy}.")
    return Programs(postgres_folder, redis_server)


def find_postgres_folder() -> Path | None:
    """PATH first, because it is what the user chose; then Debian's newest version."""
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    found = [initdb.parent for initdb in DEBIAN_POSTGRES.glob("[0-9]*/bin/initdb")]
    return max(found, key=lambda folder: float(folder.parent.name), default=None)


def find_redis_server() -> str | None:
    return shutil.which("redis-server") or shutil.which("valkey-server")


def can_become_system_user() -> bool:
    with suppress(KeyError):
        return pwd.getpwnam(SYSTEM_USER) is not None and shutil.which("runuser") is not None
    return False


# --- PostgreSQL ---


class Postgres:
    """A cluster of its own that answers at `url` while it is started. It keeps the port of its
    first start.

    It has a password, because whoever reaches a superuser of PostgreSQL can run programs as its
    owner, and other users of the machine reach the loopback port. With a `primary`, which runs and
    is REPLICATED, it is a streaming standby of that one until it is promoted.
    """

    def __init__(
        self, programs: Path, folder: Path, settings: str = "", *, primary: Postgres | None = None
    ) -> None:
        self.folder, self.data, self.log = folder, folder / "data", folder / "postgres.log"
        self.password: str = primary.password if primary else secrets.token_hex(16)
        self.port = 0
        self._pg_ctl = [
            str(programs / "pg_ctl"),
            "-D",
            str(self.data),
            "-w",
            "-t",
            str(START_SECONDS),
        ]
        if primary:
            copy_cluster(programs, self.data, primary.url)
        else:
            create_cluster(programs, self.data, self.password, settings)

    @property
    def url(self) -> str:
        return f"postgres://{DATABASE_USER}:{self.password}@{HOST}:{self.port}/postgres"

    def start(self, port: int) -> None:
        self.port = port
        call_for_postgres(
            [*self._pg_ctl, "-l", str(self.log), "-o", f"-p {port}", "start"], self.folder, self.log
        )

    def stop(self) -> None:
        """As a crash: nothing is written out, the next start recovers. Also after a start that only
        took too long."""
        if (self.data / "postmaster.pid").exists():
            call_for_postgres([*self._pg_ctl, "-m", "immediate", "stop"], self.folder, self.log)

    def promote(self) -> None:
        """It is a standby no longer and takes writes."""
        call_for_postgres([*self._pg_ctl, "promote"], self.folder, self.log)


@contextmanager
def running_postgres(
    programs: Path, folder: Path, settings: str = "", *, primary: Postgres | None = None
) -> Iterator[Postgres]:
    """A new cluster, started; `settings` are lines of postgresql.conf beyond ours. A standby has
    its primary's."""
    server = Postgres(programs, folder, settings, primary=primary)
    try:
        start_on_free_port(server.start)
        yield server
    finally:
        server.stop()


def create_cluster(programs: Path, data: Path, password: str, settings: str) -> None:
    password_file = data.with_name("password")
    password_file.write_text(password)
    if os.geteuid() == 0:
        shutil.chown(data.parent, SYSTEM_USER)
        shutil.chown(password_file, SYSTEM_USER)
    login = ["-U", DATABASE_USER, "-A", "scram-sha-256", f"--pwfile={password_file}"]
    shape = ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
    call_for_postgres([str(programs / "initdb"), "-D", str(data), *login, *shape], data.parent)
    with (data / "postgresql.conf").open("a") as file:
        file.write(POSTGRES_SETTINGS + settings)


def copy_cluster(programs: Path, data: Path, primary_url: str) -> None:
    if os.geteuid() == 0:
        shutil.chown(data.parent, SYSTEM_USER)
    how = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
    call_for_postgres(
        [str(programs / "pg_basebackup"), "-d", primary_url, "-D", str(data), *how], data.parent
    )


def call_for_postgres(arguments: list[str], folder: Path, log: Path | None = None) -> None:
    """The program ended well; otherwise ServiceError with the end of what it, or the log, says.

    It has a session of its own, so that Ctrl-C does not cut it short and the server outlives it.
    """
    as_owner = ["runuser", "-u", SYSTEM_USER, "--"] if os.geteuid() == 0 else []
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    finished = subprocess.run(
        [*as_owner, *arguments],
        cwd=folder,
        env=environment | {"LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        check=False,
    )
    if finished.returncode:
        output = finished.stdout + (log.read_bytes() if log and log.exists() else b"")
        raise ServiceError(f"{Path(arguments[0]).name} failed: {last_lines(output)}")


# --- Redis ---


class Redis:
    """An empty server that never writes to disk; it answers at `url` while it is started."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder, self.port = program, folder, 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}/0"

    def start(self, port: int) -> None:
        self.port = port
        self._process = start_redis(self.program, port, self.folder)

    def stop(self) -> None:
        if self._process is not None:
            end_process(self._process)
            self._process = None


@contextmanager
def running_redis(program: str, folder: Path) -> Iterator[Redis]:
    server = Redis(program, folder)
    try:
        start_on_free_port(server.start)
        yield server
    finally:
        server.stop()


def start_redis(server: str, port: int, folder: Path) -> subprocess.Popen[bytes]:
    log = folder / "redis.log"
    settings = [
        "--bind",
        HOST,
        "--port",
        str(port),
        "--dir",
        str(folder),
        "--save",
        "",
        "--appendonly",
        "no",
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [server, *settings],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if redis_answers(port, process.pid):
            return process
        time.sleep(0.02)
    end_process(process)
    raise ServiceError(f"{Path(server).name} does not start: {last_lines(log.read_bytes())}")


def redis_answers(port: int, pid: int) -> bool:
    """The pid matters: the port may have gone to the server of another run meanwhile."""
    with suppress(OSError), socket.create_connection((HOST, port), timeout=1) as connection:
        connection.sendall(b"INFO server\r\n")
        return f"process_id:{pid}\r\n".encode() in connection.recv(65536)
    return False


def end_process(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# --- both ---


def start_on_free_port(start: Callable[[int], None]) -> int:
    """`start` succeeded on the port that is returned.

    Another process can take a port between our look and the server's, hence several attempts.
    """
    for _ in range(START_ATTEMPTS - 1):
        port = free_port()
        with suppress(ServiceError):
            start(port)
            return port
    port = free_port()
    start(port)
    return port


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def last_lines(output: bytes) -> str:
    return " | ".join(output.decode(errors="replace").split("\n")[-8:]).strip(" |")


# --- the command ---


def run_with_services(command: list[str], programs: Programs, signals: StopSignals) -> int:
    with tempfile.TemporaryDirectory(prefix="assay-services-") as name:
        folder = Path(name)
        signals.raise_if_received()
        with running_postgres(programs.postgres_folder, folder) as postgres:
            signals.raise_if_received()
            with running_redis(programs.redis_server, folder) as redis:
                signals.raise_if_received()
                return run_command(
                    command, {"DATABASE_URL": postgres.url, "BROKER_URL": redis.url}, signals
                )


def run_command(command: list[str], urls: dict[str, str], signals: StopSignals) -> int:
    """The exit status a shell would report; no process of the command's group is left.

    In a session of its own the command gets Ctrl-C once, from us, and not from the terminal as
    well.
    """
    try:
        process = subprocess.Popen(command, env=os.environ | urls, start_new_session=True)
    except OSError as error:
        complain(f"cannot run {command[0]}: {error.strerror}.")
        return 127 if isinstance(error, FileNotFoundError) else 126
    with signals.passed_on_to(process.pid):
        status = process.wait()
    end_group(process.pid)
    return status if status >= 0 else 128 - status


def end_group(group: int) -> None:
    deadline = time.monotonic() + GRACE_SECONDS
    alive = send_to_group(group, signal.SIGTERM)
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = send_to_group(group, 0)
    send_to_group(group, signal.SIGKILL)


def complain(sentence: str) -> None:
    print(f"private_services: {sentence}", file=sys.stderr)


def main(command: list[str]) -> int:
    if not command or command[0] in ("-h", "--help"):
        print(__doc__, file=sys.stdout if command else sys.stderr)
        return 0 if command else 2
    signals = StopSignals()
    signals.install()
    try:
        return run_with_services(command, find_programs(), signals)
    except ServiceError as error:
        complain(str(error))
        return 2
    except Interrupted:
        return 128 + (signals.received or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
