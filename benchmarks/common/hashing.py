"""One digest for what must be told apart by content: questions, prompts, judge specs, cases."""

import hashlib
import json


def digest_of(value: object) -> str:
    """SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()
