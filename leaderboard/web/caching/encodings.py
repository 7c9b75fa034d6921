"""How pages are compressed for whom."""

import gzip
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import brotli  # type: ignore[import-untyped]  # it has no types


class Encoding(NamedTuple):
    compress: Callable[[bytes], bytes]
    decompress: Callable[[bytes], bytes]


ENCODINGS = {
    "br": Encoding(partial(brotli.compress, quality=5), brotli.decompress),
    "gzip": Encoding(partial(gzip.compress, compresslevel=6, mtime=0), gzip.decompress),
    "": Encoding(bytes, bytes),
}
"""The better ones first. Higher qualities take longer than the page does."""
REFUSED = {"q=0", "q=0.0", "q=0.00", "q=0.000"}


def encoding_for(accepted: str) -> str:
    """The first of ENCODINGS that an Accept-Encoding header names and does not refuse; empty where
    there is none."""
    parts = (part.replace(" ", "").partition(";") for part in accepted.lower().split(","))
    names = {name for name, _, weight in parts if weight not in REFUSED}
    return next((encoding for encoding in ENCODINGS if encoding in names), "")
