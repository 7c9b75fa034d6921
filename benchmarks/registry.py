"""Which protocols this site runs: the packages named in settings.PROTOCOLS, by their slug."""

from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from benchmarks.protocols.base import BenchmarkProtocol


class UnknownProtocolError(LookupError):
    pass


@cache
def protocols() -> dict[str, BenchmarkProtocol]:
    found: list[BenchmarkProtocol] = [
        import_string(f"{path}.PROTOCOL") for path in settings.PROTOCOLS
    ]
    return {protocol.slug: protocol for protocol in found}


def protocol(slug: str) -> BenchmarkProtocol:
    try:
        return protocols()[slug]
    except KeyError:
        known = ", ".join(sorted(protocols()))
        raise UnknownProtocolError(f"There is no protocol {slug!r}. Known: {known}.") from None


def package_of(slug: str) -> str:
    """Where the protocol stands: "benchmarks.protocols.hallusionbench"."""
    family = protocol(slug)
    return next(path for path in settings.PROTOCOLS if import_string(f"{path}.PROTOCOL") is family)
