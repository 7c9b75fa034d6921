"""Reads `EMAIL_URL`: where mail goes, how the connection is protected, and who signs in there."""

import re
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from leaderboard.project.environment import is_this_machine, stop

EXAMPLE = "Example: smtp+tls://user:password@mail.example.org:587, or console:"
BACKENDS = "django.core.mail.backends"
# What a server listens on by custom: unprotected, STARTTLS, TLS from the first byte.
PORTS = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}
WITHOUT_SERVER = {"console": "console", "memory": "locmem", "file": "filebased"}
HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*|[0-9A-Fa-f:.]+")
# For each answer of the server. Mail is sent beside requests and judging, so nobody waits for this;
# a server that needs longer than ten seconds for a line is tried again later.
TIMEOUT_SECONDS = 10


def read_mail_address(url: str) -> dict[str, Any]:
    """Django's settings of the address. No part of it is repeated: a password may stand in it."""
    url = url.strip()
    scheme = url.partition(":")[0].lower()
    if ":" not in url or scheme not in {*PORTS, *WITHOUT_SERVER}:
        stop(
            "EMAIL_URL must begin with "
            f"{', '.join(f'{name}:' for name in [*PORTS, *WITHOUT_SERVER])}. {EXAMPLE}"
        )
    parts = split(url)
    if scheme in WITHOUT_SERVER:
        return read_without_server(scheme, parts)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if user and scheme == "smtp" and not is_this_machine(parts.hostname or ""):
        stop(
            "EMAIL_URL would send a password without protection; say smtp+tls:// (STARTTLS) or "
            f"smtp+ssl:// (TLS from the first byte), or leave user and password out. {EXAMPLE}"
        )
    return {
        "EMAIL_BACKEND": f"{BACKENDS}.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or PORTS[scheme],
        "EMAIL_HOST_USER": user,
        "EMAIL_HOST_PASSWORD": password,
        "EMAIL_USE_TLS": scheme == "smtp+tls",
        "EMAIL_USE_SSL": scheme == "smtp+ssl",
    }


def split(url: str) -> SplitResult:
    """A `#`, `/` or `?` of a password, not written as %23, %2F or %3F, would cut the address
    short."""
    try:
        parts = urlsplit(url)
        is_plain = parts.port != 0 and not (parts.query or parts.fragment)
    except ValueError:
        is_plain = False
    if not is_plain or (parts.scheme in PORTS and not names_a_server(parts)):
        stop(
            "EMAIL_URL must be a scheme, user and password or neither, a host and a port; in a"
            f" password %23 stands for #, %2F for /, %3F for ?, %40 for @. {EXAMPLE}"
        )
    return parts


def names_a_server(parts: SplitResult) -> bool:
    return (
        bool(HOST.fullmatch(parts.hostname or ""))
        and parts.path in ("", "/")
        and bool(parts.username) == bool(parts.password)
    )


def read_without_server(scheme: str, parts: SplitResult) -> dict[str, Any]:
    """`file:///folder` writes a file per mail; nothing follows `console:` and `memory:`."""
    if bool(parts.path.strip("/")) != (scheme == "file") or parts.netloc:
        stop(f"EMAIL_URL must be console:, memory: or file:///folder. {EXAMPLE}")
    return {
        "EMAIL_BACKEND": f"{BACKENDS}.{WITHOUT_SERVER[scheme]}.EmailBackend",
        "EMAIL_FILE_PATH": parts.path,
    }
