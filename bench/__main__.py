"""Each figure beside a reference measured in the same run: only ratios mean anything on a shared
machine.

`python -m bench accepting` measures that part alone. The questions are the official file where it
lies beside the project, else as many made here with a fixed seed.
"""

import os
import sys
import tempfile

FOLDER = tempfile.TemporaryDirectory(prefix="assay-bench-")
os.environ |= {
    "SECRET_KEY": "benchmarks-only-key-that-protects-nothing",
    "VAR_DIR": FOLDER.name,
    "BROKER_URL": "",
    "LOG_LEVEL": "ERROR",
    "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
}
os.environ.pop("DATABASE_URL", None)

import django  # noqa: E402 - the environment above comes first
from django.core.management import call_command  # noqa: E402 - the environment above comes first

django.setup()
call_command("migrate", verbosity=0, interactive=False)
call_command("collectstatic", verbosity=0, interactive=False)

from bench import (  # noqa: E402 - the environment above comes first
    accepting,
    hallusionbench,
    long_answers,
    memory,
    tiny_lvlm_ehub,
    touchstone,
)
from bench.measuring import table  # noqa: E402 - the environment above comes first

PARTS = {
    "hallusionbench": hallusionbench,
    "touchstone": touchstone,
    "tiny_lvlm_ehub": tiny_lvlm_ehub,
    "accepting": accepting,
    "long_answers": long_answers,
    "memory": memory,
}

chosen = sys.argv[1:] or list(PARTS)
if unknown := set(chosen) - set(PARTS):
    sys.exit(f"There is no {', '.join(sorted(unknown))}. There are: {', '.join(PARTS)}.")
print(table([line for name in chosen for line in PARTS[name].measure()]))
FOLDER.cleanup()
sys.exit(0)
