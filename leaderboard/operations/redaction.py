"""What of a reason may be told to everybody: no address and no key."""

import re
from urllib.parse import urlsplit

from django.conf import settings

# From where a run of a scheme's characters begins, and nowhere inside it: each is looked at once.
ADDRESS = re.compile(r"(?<![a-z0-9+.-])[a-z0-9+.-]++://\S+|\bsk-\S+", re.IGNORECASE)


def publishable(reason: str) -> str:
    """The text of an endpoint without addresses and keys, for pages that everybody may read."""
    for endpoint in settings.JUDGE_ENDPOINTS.values():
        for secret in filter(None, (endpoint["key"], urlsplit(endpoint["url"]).hostname)):
            reason = reason.replace(secret, "…")
    return ADDRESS.sub("…", reason)
