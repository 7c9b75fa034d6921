"""Which answer a prompt is about, and a good verdict on it in the form its prompt asks for."""

import hashlib
import json
import re
import zlib
from typing import Any

AUTO = "auto"
MARKER = re.compile(rb"#[0-9]+#")
DELIMITER = re.compile(r"\b[0-9a-f]{12,64}\b")
SCORE_KEY = re.compile(r"(Most Likely Score|Final Assessment Score|Final Score):")


def answer_key(body: bytes) -> str:
    """The first "#12#" of a request, else a hash of its messages without delimiters, which differ
    from call to call."""
    marker = MARKER.search(body)
    return (
        marker[0].decode() if marker else hashlib.sha256(shown_text(body).encode()).hexdigest()[:16]
    )


def shown_text(body: bytes) -> str:
    """All messages, one after the other, without delimiters. Raises ValueError where the body has
    none."""
    try:
        request: dict[str, Any] = json.loads(body)
        text = "\n".join(str(message["content"]) for message in request["messages"])
    except (KeyError, TypeError) as error:
        raise ValueError("a request without messages") from error
    return DELIMITER.sub("", text)


def verdict_on(text: str, key: str) -> str:
    """A verdict that differs from answer to answer and is the same whenever the same answer is
    asked about."""
    number = zlib.crc32(key.encode())
    if text.endswith("right or wrong?"):
        return ("right", "wrong")[number % 2]
    if "correct, incorrect or unclear" in text:
        return ("correct", "incorrect", "unclear")[number % 3]
    if "same or different" in text:
        return ("same", "different")[number % 2]
    if keys := SCORE_KEY.findall(text):
        return f"Analysis: compared with the correct answer.\n{keys[-1]}: {number % 2}"
    if "exactly one number" in text:
        return f"{number % 11}\nfine"
    return f"{1 + number % 10} {1 + number // 10 % 10}\nfine"
