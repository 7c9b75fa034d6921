#!/usr/bin/env python3
"""Asks the web server of this machine whether it lives or is ready, and ends with 1 if not: for
health checks.

    python deploy/ask_health.py [live|ready] [PORT]        PORT is 8000 by default

Standard library only. The request names the first of ALLOWED_HOSTS, because the site answers to no
other name.
"""

import http.client
import os
import sys

TIMEOUT_SECONDS = 8


def host() -> str:
    """A name that the site answers to; `.example.org` allows `example.org`, and `*` anything."""
    first = os.environ.get("ALLOWED_HOSTS", "").partition(",")[0].strip().removeprefix(".")
    return first if first not in ("", "*") else "localhost"


def main(what: str = "ready", port: str = "8000") -> int:
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", f"/health/{what}", headers={"Host": host()})
        reply = connection.getresponse()
        print(reply.read().decode(errors="replace"))
    except (OSError, http.client.HTTPException) as error:
        print(f"Port {port} does not answer: {error}.", file=sys.stderr)
        return 1
    finally:
        connection.close()
    return 0 if reply.status == http.client.OK else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
