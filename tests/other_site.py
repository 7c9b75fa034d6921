"""A site on this machine by which people sign in: GitHub, ORCID and OpenID Connect at once, with as
little of each as allauth asks for. What it says of people is set by the test."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.test import Client

CODE = "a code of the other site"
KEYS = ("an id", "a secret")
ROSA = "rosa@example.org"
OPENID = {"sub": "7f", "preferred_username": "rosa-l", "email": ROSA, "email_verified": True}
LOGINS = {
    "github": "/accounts/github/login/",
    "openid": "/accounts/oidc/huggingface/login/",
    "orcid": "/accounts/orcid/login/",
}


class OtherSite(ThreadingHTTPServer):
    """`person` is what it tells of whoever signs in; `raw` is sent instead of every document;
    `asked` are the tokens' forms it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.person: dict[str, Any] = {}
        self.emails: list[dict[str, Any]] = []
        self.raw: bytes | None = None
        self.asked: list[dict[str, list[str]]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def document(self, path: str) -> Any:
        if path.startswith("/.well-known/"):
            return {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.address}/token",
                "userinfo_endpoint": f"{self.address}/user",
                "jwks_uri": f"{self.address}/keys",
            }
        return self.emails if path == "/emails" else self.person


class Handler(BaseHTTPRequestHandler):
    server: OtherSite

    def do_GET(self) -> None:
        self.send(self.server.document(self.path))

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.asked.append(form)
        is_known = form["code"] == [CODE]
        orcid = self.server.person.get("orcid-identifier", {}).get("path")
        token = {"access_token": "a token", "orcid": orcid}
        self.send(token if is_known else {"error": "bad_verification_code"})

    def send(self, document: Any) -> None:
        body = self.server.raw or json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Nothing on the terminal."""


@contextmanager
def running() -> Iterator[OtherSite]:
    site = OtherSite()
    Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield site
    finally:
        site.shutdown()
        site.server_close()


# --- there and back -------------------------------------------------------------------------------


def leave(client: Client, by: str = "openid", query: str = "", **options):
    return client.post(f"{LOGINS[by]}{query}", **options)


def come_back(client: Client, gone, by: str = "openid", **changed: str):
    """From the other site, as it sends people back who agreed."""
    state = parse_qs(urlsplit(gone["Location"]).query)["state"][0]
    sent = {"code": CODE, "state": state, **changed}
    return client.get(f"{LOGINS[by]}callback/", {name: text for name, text in sent.items() if text})


def through(client: Client, by: str = "openid", query: str = ""):
    return come_back(client, leave(client, by, query), by)
