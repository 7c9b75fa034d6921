"""What each public page takes on a board of many entries: time without any cache, beside a trivial
view in the same run, queries, and size on the wire.

    python -m bench.pages [ENTRIES]

The entries are those of `bench.growth` (fixed seed), in a database of its own. A board that is
stored for visitors is measured as it is made.
"""

import os
import sys
import tempfile

FOLDER = tempfile.TemporaryDirectory(prefix="assay-pages-")
os.environ |= {
    "SECRET_KEY": "benchmarks-only-key-that-protects-nothing",
    "VAR_DIR": FOLDER.name,
    "BROKER_URL": "",
    "LOG_LEVEL": "ERROR",
    "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    "JUDGE_ENDPOINTS": "bench=http://127.0.0.1:9/v1",
}
os.environ.pop("DATABASE_URL", None)

import django  # noqa: E402 - the environment above comes first
from django.core.management import call_command  # noqa: E402 - the environment above comes first

django.setup()

from bench.growth.filling import PROTOCOL, fill  # noqa: E402 - the environment above comes first
from bench.pages.costs import costs, table  # noqa: E402 - the environment above comes first

ENTRIES = 1_000

entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
call_command("migrate", verbosity=0, interactive=False)
call_command("collectstatic", verbosity=0, interactive=False)
fill(entries)
before = os.getloadavg()[0]
found = costs(PROTOCOL)
print(f"{entries:,} entries; load {before:.1f} before, {os.getloadavg()[0]:.1f} after")
print(table(found))
FOLDER.cleanup()
