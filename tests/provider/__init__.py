"""A chat-completions provider in a process of its own that limits, fails and counts: for fault
tests and benchmarks.

    python -m tests.provider --latency 500 --requests-per-minute 6000
        --faults 429:20=0.04,hang=0.03,html=0.01

The first line it prints is the address for a client. GET /stats says what it was asked; POST
/control changes any option while it runs, and knows two more, "hold" (refuse all for so many
seconds) and "away" (take no connection for so many). It ends on SIGTERM or with the process that
started it, and keeps nothing.
"""

from tests.provider.running import RunningProvider, running_provider

__all__ = ["RunningProvider", "running_provider"]
