"""What a provider can be told, on its command line and while it runs."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Options:
    """Milliseconds of latency, and up to `jitter` more; no limit where a limit is 0.

    Limits per minute count over any `window` seconds: 6,000 per minute are 600 in any 6 seconds.
    `faults` are shares of the requests, "429:20=0.04,hang=0.03" (tests/provider/faults.py). `reply`
    is a good verdict's text, or "auto" for one that suits the prompt (tests/provider/verdicts.py).
    """

    port: int = 0
    latency: float = 0.0
    jitter: float = 0.0
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    concurrent: int = 0
    window: float = 60.0
    faults: str = ""
    seed: int = 0
    reply: str = "8 6\nfine"
    model: str = "local-judge"
    fingerprint: str = "fp-1"


def read_arguments(arguments: Sequence[str] | None = None) -> Options:
    parser = argparse.ArgumentParser(prog="python -m tests.provider")
    for option in fields(Options):
        default = getattr(Options(), option.name)
        parser.add_argument(flag(option.name), type=type(default), default=default)
    return Options(**vars(parser.parse_args(arguments)))


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")
