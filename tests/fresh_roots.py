"""README's two commands in bare roots of Debian: every Python that is promised, by a user who has
Python and make, in a folder whose name has a space and an accent, at the far end of the time zones
and in the C locale.

    python -m tests.fresh_roots [bookworm trixie sid] [--install-only]

`make fresh-roots` runs it, a quarter of an hour for a root. It prints a table, and ends with 1
where anything failed.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.deploy.bare_root import (
    copy_of_the_code,
    entering,
    lead_to_registries,
    make_root,
    missing,
)
from tests.site import STOP_SECONDS, answers

SUITES = ("bookworm", "trixie", "sid")  # Python 3.11, 3.13 and the newest: 3.14 in 2026
PACKAGES = ("python3", "python3-venv", "make")
USER = "newcomer"
FOLDER = f"/home/{USER}/a folder é/assay"
PLACE = {"TZ": "<+14>-14", "LC_ALL": "C"}
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": f"/home/{USER}",
}
FIRST_PAGE_SECONDS = 1200
"""Eight times what the slowest machine took: only a demo that hangs is ended by it."""
INTERRUPTED = {2, 130}  # the demo's own status, and what make says of it
SAID_LAST = 3000  # characters: the end of a traceback or of pytest's summary
COLUMNS = ("root", "Python", "install s", "first page s", "tests")


class StepError(Exception):
    """What failed, and what was said last."""


@dataclass
class Root:
    """A bare root with the code, and what was found there, by column."""

    suite: str
    path: Path
    environment: dict[str, str] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)

    def command(self, *words: str) -> list[str]:
        """Run by the newcomer in the folder of the code."""
        become = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups")
        return entering(self.path, *become, "sh", "-ec", 'cd "$0" && exec "$@"', FOLDER, *words)

    def run(self, *words: str) -> str:
        """What it says. StepError if it fails."""
        ended = subprocess.run(
            self.command(*words),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        if ended.returncode:
            raise StepError(f"{' '.join(words)}: status {ended.returncode}\n{ended.stdout}")
        return ended.stdout


@contextmanager
def bare_root(suite: str) -> Iterator[Root]:
    """Made anew, and removed at the end. RuntimeError if debootstrap cannot make it."""
    with tempfile.TemporaryDirectory(prefix=f"assay-{suite}-") as folder:
        path = Path(folder, "root")
        make_root(path, suite, *PACKAGES)
        root = Root(suite, path, lead_to_registries(path) | ENVIRONMENT | PLACE)
        copy_of_the_code(path / FOLDER.lstrip("/"))
        for words in (("useradd", USER), ("chown", "-R", f"{USER}:", f"/home/{USER}")):
            subprocess.run(entering(path, *words), env=root.environment, check=True)
        yield root


def install(root: Root) -> None:
    root.found["Python"] = root.run("python3", "--version").split()[1]
    begun = time.monotonic()
    root.run("make", "setup")
    root.found["install s"] = f"{time.monotonic() - begun:.0f}"
    root.run(".venv/bin/python", "manage.py", "check")


def first_page(root: Root) -> None:
    """`make demo` until a page is there, ended by Ctrl-C."""
    log = root.path / "demo.log"
    begun = time.monotonic()
    with log.open("w") as out:
        demo = subprocess.Popen(
            root.command("make", "demo"),
            env=root.environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        while not (is_there := shows_a_page(log)) and demo.poll() is None:
            if time.monotonic() - begun > FIRST_PAGE_SECONDS:
                break
            time.sleep(0.2)
        if not is_there:
            raise StepError(f"make demo: no page\n{log.read_text(errors='replace')}")
        root.found["first page s"] = f"{time.monotonic() - begun:.0f}"
        os.killpg(demo.pid, signal.SIGINT)
        if (status := demo.wait(timeout=STOP_SECONDS)) not in INTERRUPTED:
            raise StepError(f"make demo: status {status} after Ctrl-C\n{log.read_text()}")
    except subprocess.TimeoutExpired:
        raise StepError(f"make demo: not ended by Ctrl-C\n{log.read_text()}") from None
    finally:
        demo.kill()  # and with it everything in the root
        demo.wait()


def shows_a_page(log: Path) -> bool:
    url = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text(errors="replace"))
    return url is not None and answers(url[0])


def tests(root: Root) -> None:
    root.found["tests"] = last_line(root.run("make", "test"))


def last_line(said: str) -> str:
    """pytest's last: how many passed, failed and were skipped, and how long it took."""
    counts = re.findall(r"^(?:=+ )?(\d+ (?:passed|failed|error).*?)(?: =+)?$", said, re.MULTILINE)
    return counts[-1] if counts else "none"


def try_root(suite: str, steps: Sequence[Callable[[Root], None]]) -> tuple[dict[str, str], bool]:
    """What was found, by column, and whether every step held; what failed is printed."""
    with bare_root(suite) as root:
        for step in steps:
            print(f"{suite}: {step.__name__.replace('_', ' ')}", flush=True)
            try:
                step(root)
            except StepError as error:
                what, _, said = str(error).partition("\n")
                print(f"{suite}: {what} FAILED\n{said[-SAID_LAST:]}", flush=True)
                if step is tests:
                    root.found["tests"] = last_line(said)
                return {"root": suite, **root.found}, False
        return {"root": suite, **root.found}, True


def table(rows: Sequence[dict[str, str]]) -> str:
    lines = [COLUMNS, *(tuple(row.get(name, "-") for name in COLUMNS) for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="fresh_roots", description="README in bare roots")
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=SUITES)
    parser.add_argument("--install-only", action="store_true", help="make setup, manage.py check")
    asked = parser.parse_args(arguments)
    if why := missing():
        print(f"fresh_roots: {why}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # roots are removed then as well
    # A shell starts what is in its background with Ctrl-C ignored, and the demo would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    steps = (install,) if asked.install_only else (install, first_page, tests)
    rows, held = zip(*(try_root(suite, steps) for suite in asked.suites), strict=True)
    print(table(rows))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
