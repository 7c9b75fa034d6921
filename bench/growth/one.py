"""One site of one size, in a process of its own: filled if its database is empty, then measured.

Prints JSON.

    python -m bench.growth.one SIZE [--small]

DATABASE_URL names the database, VAR_DIR the folder of its files.
"""

import json
import os
import sys
import time

os.environ |= {
    "SECRET_KEY": "benchmarks-only-key-that-protects-nothing",
    "BROKER_URL": "",
    "LOG_LEVEL": "ERROR",
    "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    "STAFF_SECOND_FACTOR": "false",
    "OPERATOR_EMAILS": "operator@example.org",
    "JUDGE_ENDPOINTS": "bench=http://127.0.0.1:9/v1",
}

import django
from django.core.management import call_command
from django.db import connection

django.setup()

from bench.growth.bulk import wait_for_ever  # noqa: E402 - the environment above comes first
from bench.growth.filling import fill, filled, say  # noqa: E402 - the environment above comes first
from bench.growth.lines import measure  # noqa: E402 - the environment above comes first


def main(size: int, *, is_small: bool) -> None:
    start = time.perf_counter()
    wait_for_ever()
    call_command("migrate", verbosity=0, interactive=False)
    migrated = time.perf_counter() - start
    say("migrated", start)
    call_command("collectstatic", verbosity=0, interactive=False)
    connection.close()  # and with it the patience
    site = filled(size, is_small=is_small)
    if site is None:
        fill(size, is_small=is_small)
        # Measured by a process that has no memory left from the filling, and no tables in it.
        connection.close()
        os.execv(sys.executable, [sys.executable, "-m", "bench.growth.one", *sys.argv[1:]])
    print(json.dumps(measure(site, migrated).as_json()))


if __name__ == "__main__":
    main(int(sys.argv[1]), is_small="--small" in sys.argv[2:])
