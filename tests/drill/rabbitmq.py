"""A private RabbitMQ: own node, own folders, own port mapper, loopback only. Of Debian's package
`rabbitmq-server`, whose programs run without root."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from deploy.private_services import HOST, ServiceError, free_port, last_lines

PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")  # the one in PATH insists on its own user
START_SECONDS = 90  # fifteen on two quiet cores


class RabbitMQ:
    """It answers at `url` while it is started, and keeps its messages over a `stop`, which is a
    loss of power."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.distribution, self.mapper_port = free_port(), free_port()
        self._mapper: subprocess.Popen[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{HOST}:{self.port}//"

    def environment(self) -> dict[str, str]:
        return os.environ | {
            "HOME": str(self.folder),  # where Erlang keeps its cookie
            "ERL_EPMD_PORT": str(self.mapper_port),
            "ERL_EPMD_ADDRESS": HOST,
            "RABBITMQ_NODENAME": f"drill{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": HOST,
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.distribution),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "none"),
        }

    def start(self, port: int = 0) -> None:
        """On the port it has: a broker that comes back is found where it was."""
        if self._mapper is None:
            self._mapper = self._begin("epmd", "-port", str(self.mapper_port), "-address", HOST)
        self._process = self._begin(str(PROGRAM))
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection((HOST, self.port), timeout=1) as asked:
                asked.sendall(b"AMQP\x00\x00\x09\x01")
                if asked.recv(1):
                    return
            time.sleep(0.2)
        self.stop()
        said = last_lines((self.folder / "output.log").read_bytes())
        raise ServiceError(f"rabbitmq-server does not start: {said}")

    def stop(self) -> None:
        end_group_of(self._process)
        self._process = None

    def end(self) -> None:
        self.stop()
        end_group_of(self._mapper)

    def _begin(self, *command: str) -> "subprocess.Popen[bytes]":
        with (self.folder / "output.log").open("ab") as output:
            return subprocess.Popen(
                command,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )


def end_group_of(process: "subprocess.Popen[bytes] | None") -> None:
    if process is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def running_rabbitmq(folder: Path) -> Iterator[RabbitMQ]:
    if not PROGRAM.exists() or shutil.which("epmd") is None:
        raise ServiceError("missing RabbitMQ: on Debian install the package rabbitmq-server.")
    folder.mkdir()
    server = RabbitMQ(folder)
    try:
        server.start()
        yield server
    finally:
        server.end()
