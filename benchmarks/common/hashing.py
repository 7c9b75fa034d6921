"""One digest for what must be told apart by content (questions, prompts, judge specs, cases), and
one of secret keys."""

import hashlib
import json


def digest_of(value: object) -> str:
    """SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()


def key_digest(key: str) -> str:
    """SHA-256 in hex of a secret key, which is all that is kept of it: tokens and links."""
    return hashlib.sha256(key.encode()).hexdigest()
