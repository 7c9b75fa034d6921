#!/usr/bin/env python
"""Run a management command of Assay; `make help` lists the everyday ones."""

import os
import signal
import sys
from typing import Any

from django.core.management import execute_from_command_line


def interrupt_again(unraisable: Any) -> None:
    """Ctrl-C while Python does away with an object is printed and forgotten: it comes again."""
    if unraisable.exc_type is KeyboardInterrupt:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.1)  # seconds, in which a finaliser has ended
    else:
        sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    sys.unraisablehook = interrupt_again
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
