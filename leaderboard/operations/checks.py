"""What `manage.py check --deploy` says of a site beside what Django says: settings that start, and
should be meant."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register


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
