"""Which addresses of other people's programs this site talks to: public ones, by TLS.

A name is looked up once and the connection goes to the address that was looked at, so that a name
cannot point at one address while it is checked and at another while it is asked.
"""

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

URL_LENGTH = 500
HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
PRINTABLE = re.compile(r"[!-~]+")
FIRST_FREE_PORT = 1024
"""Below it are servers of other protocols: mail, files, name service. Only 443 is for us."""
CARRIERS = (
    ipaddress.ip_network("64:ff9b::/96"),  # NAT64: IPv4 in the last four bytes
    ipaddress.ip_network("2002::/16"),  # 6to4: IPv4 behind the prefix
)


class AddressRefusedError(Exception):
    """The text is a sentence for whoever wrote the address."""


@dataclass(frozen=True, slots=True)
class Target:
    """path: with its query. is_plain: without TLS, on this machine, in tests alone."""

    host: str
    port: int
    path: str
    is_plain: bool


def target_of(url: str) -> Target:
    """What an address says, looked up nowhere. Raises AddressRefusedError."""
    if len(url) > URL_LENGTH or not PRINTABLE.fullmatch(url):
        raise AddressRefusedError(
            f"Write an address of at most {URL_LENGTH} letters, digits and signs, without spaces."
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefusedError("This is not an address.") from None
    is_plain = parts.scheme == "http" and settings.WEBHOOKS_TO_LOOPBACK
    if parts.scheme != "https" and not is_plain:
        raise AddressRefusedError("The address must begin with https://.")
    host = parts.hostname or ""
    if parts.username is not None or parts.fragment or not is_host(host):
        raise AddressRefusedError(
            "Write https://, the name of a host and a path: no user, password or fragment."
        )
    port = port or (80 if is_plain else 443)
    if port != 443 and port < FIRST_FREE_PORT:
        raise AddressRefusedError("The port must be 443, or 1024 and above.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(host, port, path, is_plain)


def is_host(host: str) -> bool:
    if ":" in host:
        return is_ip(host)
    return bool(HOST.fullmatch(host))


def is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def resolve(target: Target) -> str:
    """One address of the host, as text, where all it has are public. Raises AddressRefusedError,
    and OSError where the name is not known."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    require_public(addresses)
    return addresses[0]


def require_public(addresses: Sequence[str]) -> None:
    if not addresses or not all(is_allowed(address) for address in addresses):
        raise AddressRefusedError(
            "The host is not on the public internet: private, local and reserved addresses are "
            "never asked."
        )


def is_allowed(text: str) -> bool:
    """Whether a numeric address is public, or this machine's own in tests."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if address.is_loopback and settings.WEBHOOKS_TO_LOOPBACK:
        return True
    if isinstance(address, ipaddress.IPv6Address):
        inner = carried(address)
        if inner is not None:
            return is_public(inner)
    return is_public(address)


def carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one leads to."""
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address in CARRIERS[0]:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.sixtofour


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    is_special = (
        address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or address.is_link_local
        or address.is_loopback
        or address.is_private
    )
    return address.is_global and not is_special
