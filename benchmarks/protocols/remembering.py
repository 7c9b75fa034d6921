"""Reading no text twice: judging, flags and scoring ask the same readers of the same answers, which
take milliseconds where an answer is long."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")
KEPT = 20_000
"""Findings of one reader, 3 MB: of all answers of the longest releases (10,290 are tried), so that
whoever goes through them a second time finds the first again and not the last."""


def remembering(read: Callable[Given, Found]) -> Callable[Given, Found]:
    """`read`, which depends on nothing but the texts it is given, without reading the same twice.

    What it finds is kept and has to be small; of the texts only a digest is, so that long ones
    cost as little as short ones. Arguments are told apart by their `repr`.
    """
    known: OrderedDict[bytes, Found] = OrderedDict()
    lock = Lock()

    @wraps(read)
    def reading(*texts: Given.args, **named: Given.kwargs) -> Found:
        key = hashlib.blake2b(repr((texts, named)).encode(), digest_size=16).digest()
        with lock:
            if key in known:
                known.move_to_end(key)
                return known[key]
        found = read(*texts, **named)
        with lock:
            known[key] = found
            if len(known) > KEPT:
                known.popitem(last=False)
        return found

    return reading
