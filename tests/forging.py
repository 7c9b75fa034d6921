"""Texts that look signed by this site: of another key, and of an earlier day."""

import time
from typing import Any

from django.core import signing


def forged(value: Any, salt: str) -> str:
    """As somebody makes it who knows how the site does, and not its key."""
    return signing.dumps(value, key="another key", salt=salt)


class Earlier(signing.TimestampSigner):
    seconds = 0

    def timestamp(self) -> str:
        return signing.b62_encode(int(time.time()) - self.seconds)


def signed_before(value: Any, salt: str, seconds: int) -> str:
    """By this site, so many seconds ago."""
    signer = Earlier(salt=salt)
    signer.seconds = seconds
    return str(signer.sign_object(value))
