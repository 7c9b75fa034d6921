"""A mail server on this machine that takes mail, refuses it, or misbehaves as it is told."""

import email
import email.message
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

SECONDS = 10.0  # no conversation of a test lasts longer


@dataclass
class MailServer:
    """`refusals` are the codes that the next recipients get; `hangs` says at which command it falls
    silent."""

    port: int = 0
    received: list[email.message.Message] = field(default_factory=list)
    connections: int = 0
    refusals: list[int] = field(default_factory=list)
    hangs: str = ""
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def to(self, address: str) -> list[email.message.Message]:
        return [message for message in self.received if address in str(message["To"])]


class Conversation(socketserver.StreamRequestHandler):
    timeout = SECONDS
    mail_server: MailServer

    def handle(self) -> None:
        server = self.mail_server
        server.connections += 1
        if self.falls_silent("CONNECT"):
            return
        self.say("220 ready")
        while line := self.rfile.readline():
            command = line.decode().split(":")[0].strip().upper().split(" ")[0]
            if self.falls_silent(command):
                return
            if command == "DATA":
                self.say("354 go on")
                server.received.append(email.message_from_bytes(self.read_text()))
                self.say("250 taken")
            elif command == "RCPT" and server.refusals:
                self.say(f"{server.refusals.pop(0)} not here")
            elif command == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 fine")

    def falls_silent(self, command: str) -> bool:
        if self.mail_server.hangs == command:
            self.mail_server.stopping.wait(SECONDS)
            return True
        return False

    def read_text(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line)
        return b"".join(lines)

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def running_mail_server(*, hangs: str = "") -> Iterator[MailServer]:
    mail_server = MailServer(hangs=hangs)
    handler = type("Handler", (Conversation,), {"mail_server": mail_server})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as listener:
        listener.daemon_threads = True
        mail_server.port = listener.server_address[1]
        thread = threading.Thread(
            target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        thread.start()
        try:
            yield mail_server
        finally:
            mail_server.stopping.set()
            listener.shutdown()
            thread.join(SECONDS)
