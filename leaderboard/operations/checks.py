"""What `manage.py check --deploy` says of a site beside what Django says: settings that start, and
should be meant."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

EXAMPLES = re.compile(r"(^|[@./])(example(\.(com|net|org))?|invalid|test)(:\d+)?[>/.]*$")
"""Hosts that nobody can have (RFC 2606), as the example files name them."""


@register(Tags.security, deploy=True)
def check_site(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return list(site_warnings())


def site_warnings() -> Iterator[CheckMessage]:
    mode = stat.S_IMODE(Path(settings.VAR_DIR).stat().st_mode)
    if mode & (stat.S_IROTH | stat.S_IWOTH | stat.S_IXOTH):
        yield Warning(
            f"VAR_DIR {settings.VAR_DIR} can be entered by everybody on this machine ({mode:o}).",
            hint="Say chmod 700: uploads are in it, and on SQLite the database.",
            id="leaderboard.W001",
        )
    if not settings.STAFF_SECOND_FACTOR:
        yield Warning(
            "STAFF_SECOND_FACTOR is off: whoever learns a password of staff enters the admin.",
            id="leaderboard.W002",
        )
    if settings.HTTPS and not settings.TRUSTED_PROXIES:
        yield Warning(
            "HTTPS is on and TRUSTED_PROXIES is 0: all visitors share the address of the proxy, and"
            " one of them locks out all.",
            hint="Say how many proxies write X-Forwarded-For; deploy/Caddyfile is one.",
            id="leaderboard.W003",
        )
    named = [name for name, values in addresses().items() if any(map(is_example, values))]
    if named:
        yield Warning(
            f"{', '.join(named)}: an address of the examples, as example.org, stands there still.",
            hint="Name your own, or leave the variable empty where it may be.",
            id="leaderboard.W004",
        )


def addresses() -> dict[str, list[str]]:
    """Hosts, origins and mail addresses by the variable that says them."""
    return {
        "ALLOWED_HOSTS": settings.ALLOWED_HOSTS,
        "CSRF_TRUSTED_ORIGINS": settings.CSRF_TRUSTED_ORIGINS,
        "EMAIL_URL": [settings.EMAIL_HOST],
        "DEFAULT_FROM_EMAIL": [settings.DEFAULT_FROM_EMAIL],
        "OPERATOR_EMAILS": settings.OPERATOR_EMAILS,
        "CONTACT_EMAIL": [settings.CONTACT_EMAIL],
        "JUDGE_ENDPOINTS": [judge["url"] for judge in settings.JUDGE_ENDPOINTS.values()],
    }


def is_example(address: str) -> bool:
    host = urlsplit(address).netloc or address
    return bool(EXAMPLES.search(host.strip().lower()))
