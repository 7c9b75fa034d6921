"""Which addresses of other people's programs this site talks to: public ones, by TLS.

A name is looked up when it is delivered to, once, and the connection goes to the address that was
looked at, so that a name cannot point at one address while it is checked and at another while it is
asked.
"""

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)
from urllib.parse import urlsplit

from django.conf import settings

URL_LENGTH = 500
HOST_LENGTH = 253  # of a name, with its dots: RFC 1035, 2.3.4, as people write it
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"  # 63 at most: RFC 1035; no "_": RFC 1123, 2.1
NAME = re.compile(rf"{LABEL}(?:\.{LABEL})*+")
NUMERIC = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)")
"""The last label of what is read as a number, and never looked up, by getaddrinfo and by browsers
(URL standard, 3.5): 127.1, 2130706433, 0x7f.1, 0177.0.0.1."""
NETLOC = re.compile(
    r"(?:\[(?P<ipv6>[0-9a-f:.]{2,45})\]|(?P<host>[a-z0-9.-]+))(?::(?P<port>[0-9]+))?"
)
"""All that may stand between https:// and the path. `urlsplit` takes more, and not every version of
Python the same: text beside the brackets, zone ids, IPvFuture, digits of other scripts."""
PRINTABLE = re.compile(r"[!-~]+")
FIRST_FREE_PORT = 1024
"""Below it are servers of other protocols: mail, files, name service. Only 443 is for us."""
LAST_PORT = 65_535

# Written out, since `is_global` of Python 3.11, 3.12 and 3.13 are three different lists, and none
# of them knows what clouds answer their own machines at.
NOT_PUBLIC_IPV4 = tuple(
    map(
        IPv4Network,
        (
            # IANA IPv4 Special-Purpose Address Registry
            "0.0.0.0/8",  # this network: RFC 791
            "10.0.0.0/8",  # private: RFC 1918
            "100.64.0.0/10",  # shared by carriers: RFC 6598; Alibaba's metadata 100.100.100.200
            "127.0.0.0/8",  # this machine: RFC 1122
            "169.254.0.0/16",  # link local: RFC 3927; metadata of most clouds 169.254.169.254
            "172.16.0.0/12",  # private: RFC 1918
            "192.0.0.0/24",  # protocol assignments: RFC 6890; Oracle's metadata 192.0.0.192
            "192.0.2.0/24",  # documentation: RFC 5737
            "192.88.99.0/24",  # relays of 6to4, which are no more: RFC 7526
            "192.168.0.0/16",  # private: RFC 1918
            "198.18.0.0/15",  # benchmarking: RFC 2544
            "198.51.100.0/24",  # documentation: RFC 5737
            "203.0.113.0/24",  # documentation: RFC 5737
            "224.0.0.0/4",  # multicast: RFC 5771
            "240.0.0.0/4",  # reserved, and the broadcast address: RFC 1112, RFC 919
            # what clouds answer their own machines at, in ranges that look public
            "168.63.129.16/32",  # Azure: the platform, its agent and its name service
        ),
    )
)
GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All that IANA gives out for the internet (IPv6 Address Space). Outside of it is what leads
elsewhere: ::/8 (this machine, IPv4 mapped and compatible, NAT64 64:ff9b::/96 and
64:ff9b:1::/48), 5f00::/16 (segment routing), fc00::/7 (unique local; AWS's metadata fd00:ec2::254),
fe80::/10 (link local), fec0::/10 (site local) and ff00::/8 (multicast)."""
NOT_PUBLIC_IPV6 = tuple(
    map(
        IPv6Network,
        (
            # Protocol assignments, RFC 2928: Teredo 2001::/32, benchmarking 2001:2::/48, ORCHID
            # 2001:10::/28 and 2001:20::/28, anycast of protocols
            "2001::/23",
            "2001:db8::/32",  # documentation: RFC 3849
            "2002::/16",  # 6to4, which leads to any IPv4 address: RFC 3056, RFC 7526
            "3ffe::/16",  # the test network 6bone, given back: RFC 3701
            "3fff::/20",  # documentation: RFC 9637
        ),
    )
)

LOCAL_NAMES = {"localhost", "local", "internal"}
"""The last labels of names that are no public host's (RFC 6761, RFC 6762, ICANN 2024)."""

LookUp = Callable[[str, int], list[str]]
"""From the name of a host and a port to numeric addresses. Raises OSError where there are none."""


class AddressRefusedError(Exception):
    """The text is a sentence for whoever wrote the address."""


@dataclass(frozen=True, slots=True)
class Target:
    """host: a name of ASCII letters, digits, hyphens and dots, or a numeric address, in lower
    case. path: with its query. is_plain: without TLS, on this machine, in tests alone."""

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
    except ValueError:
        raise AddressRefusedError("This is not an address.") from None
    is_plain = parts.scheme == "http" and settings.WEBHOOKS_TO_LOOPBACK
    if parts.scheme != "https" and not is_plain:
        raise AddressRefusedError("The address must begin with https://.")
    netloc = NETLOC.fullmatch(parts.netloc.lower())
    if netloc is None or parts.fragment:
        raise AddressRefusedError(
            "Write https://, the name of a host and a path: no user, password or fragment."
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    default = 80 if is_plain else 443
    return Target(host_of(netloc), port_of(netloc["port"], default), path, is_plain)


def host_of(netloc: re.Match[str]) -> str:
    """Raises AddressRefusedError of what is neither a name nor a numeric address written out."""
    name = netloc["host"]
    try:
        if name is None:
            return str(IPv6Address(netloc["ipv6"]))
        if NUMERIC.fullmatch(name.rpartition(".")[2]):
            return str(IPv4Address(name))
    except AddressValueError:
        raise AddressRefusedError(
            "Write a numeric address in full: four decimal numbers, or IPv6 in brackets."
        ) from None
    if len(name) > HOST_LENGTH or not NAME.fullmatch(name):
        raise AddressRefusedError(
            "This is not the name of a host: between its dots stand 1 to 63 letters, digits and "
            "hyphens each, and no dot at the end."
        )
    return name


def port_of(text: str | None, default: int) -> int:
    # of six digits at most: a longer text is no port, and int() refuses one of thousands
    port = default if text is None else int(text[:6])
    if port != default and not FIRST_FREE_PORT <= port <= LAST_PORT:
        raise AddressRefusedError("The port must be 443, or 1024 and above.")
    return port


def check_address(url: str) -> None:
    """Raises AddressRefusedError of an address that says itself that it is not public. What a name
    leads to is looked up with each delivery, and only then: a name server of somebody else's that
    says nothing would hold whoever serves pages."""
    host = target_of(url).host
    if NUMERIC.fullmatch(host.rpartition(".")[2]) or ":" in host:
        require_public([host])
    elif not settings.WEBHOOKS_TO_LOOPBACK and (
        "." not in host or host.rpartition(".")[2] in LOCAL_NAMES
    ):
        require_public([])


def look_up(host: str, port: int) -> list[str]:
    """What the system knows of a host."""
    # as bytes: a text goes through IDNA first, which has errors of its own
    found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def resolve(target: Target, look_up: LookUp = look_up) -> str:
    """One address of the host, as text, where all it has are public. Raises AddressRefusedError,
    and OSError where the name is not known."""
    addresses = look_up(target.host, target.port)
    require_public(addresses)
    return addresses[0]


def require_public(addresses: Sequence[str]) -> None:
    if not addresses or not all(is_allowed(address) for address in addresses):
        raise AddressRefusedError(
            "The host is not on the public internet: private, local and reserved addresses are "
            "never asked."
        )


def is_allowed(text: str) -> bool:
    """Whether a numeric address is public, or this machine's own in tests. One with a zone
    ("fe80::1%eth0") is of a link of this machine, whatever stands before it."""
    if "%" in text:
        return False
    address = ip_address(text)
    if settings.WEBHOOKS_TO_LOOPBACK and address.is_loopback:
        return True
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_IPV4)
    return address in GLOBAL_UNICAST and not any(address in net for net in NOT_PUBLIC_IPV6)
