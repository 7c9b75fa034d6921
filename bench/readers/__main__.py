"""What readers get of a whole site, beside the cheapest page there is.

    make bench-readers

Starts web, workers and beat beside a private PostgreSQL and Redis (deploy/run_site.py) with the
small demo, and prints for each public page and document: requests a second over eight connections
as a ratio to /health/live in the same run (goal 0.3), and the processor time of the web processes
to make it anew (goal 60 ms). Then how long 30 readers wait who pause a second between pages, at
rest and while three submissions are judged (goal: p95 of 300 ms). It ends by itself.
"""

import asyncio
import csv
import http.client
import io
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parents[2]
CONNECTIONS, SECONDS = 8, 2.0
MADE = 5
"""Times each page is made anew."""
READERS, PAUSE_SECONDS, READING_SECONDS = 30, 1.0, 30.0
START_SECONDS = 300
TICKS = os.sysconf("SC_CLK_TCK")
FOR_ONE = "Cookie: messages=\r\n"
"""A message cookie: the page is made for this reader alone."""
FIXED = (
    "/",
    "/models/",
    "/compare/",
    "/releases/",
    "/judges/",
    "/studies/",
    "/search/?q=a",
    "/status/",
    "/api/v1/boards/",
    "/api/v1/entries/",
    "/api/v1/models/",
    "/api/v1/judges/",
    "/api/v1/releases/",
    "/api/v1/benchmarks/",
    "/api/v1/schema/",
    "/api/v1/docs/",
)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def site(port: int, folder: str) -> Iterator[subprocess.Popen[bytes]]:
    """Readers of one machine are one visitor, so there is no limit."""
    command = [sys.executable, "deploy/run_site.py", "--demo", "--port", str(port)]
    environment = os.environ | {"VISITOR_SHARE": "0", "VAR_DIR": folder}
    running = subprocess.Popen(
        command, cwd=PROJECT, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        wait_for(port, running)
        yield running
    finally:
        running.terminate()
        running.wait(60)


def wait_for(port: int, running: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and running.poll() is None:
        try:
            body_of(port, "/health/live")
        except OSError:
            time.sleep(0.5)
        else:
            return
    sys.exit("The site did not start.")


def body_of(port: int, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    return connection.getresponse().read().decode()


def addresses(port: int) -> list[str]:
    """One of each kind, of what the home page and a board link to."""
    home = body_of(port, "/")
    board = re.findall(r'href="(/boards/[a-z_]+/)"', home)[0]
    pages = home + body_of(port, board) + body_of(port, "/releases/")
    kinds = ("entries/[0-9a-f-]{36}/", 'models/[^/"]+/', "questions/[0-9]+/", 'releases/[^/"]+/')
    found = [re.search(rf'"(/{kind})["?]', pages) for kind in kinds]
    entries = list(dict.fromkeys(re.findall(r"/entries/([0-9a-f-]{36})/", pages)))[:3]
    slug = board.split("/")[2]
    return [
        *FIXED,
        board,
        f"{board}?columns=all",
        *(f"{board}{page}/" for page in ("history", "questions", "matrix")),
        f"/embed{board}",
        f"/method/{slug}/",
        f"/api/v1/boards/{slug}/",
        f"/api/v1/entries/{entries[0]}/",
        "/compare/?" + "&".join(f"m={entry}" for entry in entries),
        *(match[1] for match in found if match),
    ]


async def ask(port: int, path: str, header: str = "") -> float:
    """Seconds until all of it is there, over a connection of its own."""
    start = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    accept = "Accept-Encoding: br\r\nConnection: close\r\n"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{accept}{header}\r\n".encode())
    answer = await reader.read()
    writer.close()
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"{path}: {answer[:60]!r}")
    return time.perf_counter() - start


async def rate(port: int, path: str) -> float:
    """Requests a second over CONNECTIONS at once."""
    await ask(port, path)
    done, start = 0, time.perf_counter()

    async def one() -> None:
        nonlocal done
        while time.perf_counter() - start < SECONDS:
            await ask(port, path)
            done += 1

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
    return done / (time.perf_counter() - start)


def web_processes(port: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if "gunicorn" in line and f":{port} " in line:
                found.append(int(folder.name))
    return found


def processor_seconds(processes: Sequence[int]) -> float:
    """Of what these processes have done so far."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in processes]
    return sum(int(of[11]) + int(of[12]) for of in fields) / TICKS


async def made_anew(port: int, path: str, processes: Sequence[int]) -> float:
    """Milliseconds of a processor, web processes alone."""
    for _ in range(4):  # both processes have loaded what it needs
        await ask(port, path, FOR_ONE)
    before = processor_seconds(processes)
    for _ in range(MADE):
        await ask(port, path, FOR_ONE)
    return (processor_seconds(processes) - before) / MADE * 1_000


async def read_pages(port: int, paths: Sequence[str]) -> list[float]:
    """Seconds that each page took of READERS, who begin one after the other."""
    end = time.monotonic() + READING_SECONDS

    async def one(number: int) -> list[float]:
        chosen, took = random.Random(number), []
        await asyncio.sleep(number * PAUSE_SECONDS / READERS)
        while time.monotonic() < end:
            took.append(await ask(port, chosen.choice(paths)))
            await asyncio.sleep(PAUSE_SECONDS)
        return took

    found = await asyncio.gather(*map(one, range(READERS)))
    return [seconds for took in found for seconds in took]


def hand_in(port: int, folder: str) -> None:
    """Three whole files of answers, for the workers to judge."""
    slugs = re.findall(r'"/releases/([^/"]+)/"', body_of(port, "/releases/"))
    for number, slug in enumerate(list(dict.fromkeys(slugs))[:3]):
        rows = list(csv.DictReader(io.StringIO(body_of(port, f"/releases/{slug}/template.csv"))))
        out = io.StringIO()
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "prediction": f"yes, number {number}"} for row in rows)
        file = Path(folder, f"answers-{number}.csv")
        file.write_text(out.getvalue())
        command = ["manage.py", "submit", slug, str(file), "--model", f"Bench {number}"]
        owner = ["--owner", "researcher@assay.example", "--public"]
        subprocess.run(
            [sys.executable, *command, *owner],
            cwd=PROJECT,
            check=True,
            env=os.environ | {"VAR_DIR": folder},
            stdout=subprocess.DEVNULL,
        )


def print_waits(name: str, took: Sequence[float]) -> None:
    p50, p95 = np.percentile(took, [50, 95]) * 1_000
    pages = len(took) / READING_SECONDS
    print(f"{name:44} {pages:6.1f} pages/s   p50 {p50:6.0f} ms   p95 {p95:6.0f} ms", flush=True)


async def measure(port: int, folder: str) -> None:
    processes, paths = web_processes(port), addresses(port)
    print(f"load {os.getloadavg()[0]:.1f}; {len(processes) - 1} web processes", flush=True)
    live = await rate(port, "/health/live")
    print(f"{'/health/live':44} {live:8.0f}/s", flush=True)
    for path in paths:
        found, cost = await rate(port, path), await made_anew(port, path, processes)
        name = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", path)
        ratio = f"{found:8.0f}/s   ratio {found / live:5.2f}"
        print(f"{name[:44]:44} {ratio}   made anew {cost:6.0f} ms", flush=True)
    print_waits("30 readers, at rest", await read_pages(port, paths))
    await asyncio.to_thread(hand_in, port, folder)
    print_waits("30 readers, while three files are judged", await read_pages(port, paths))
    print(f"load {os.getloadavg()[0]:.1f}")


def main() -> None:
    if not os.environ.get("DATABASE_URL"):
        script = str(PROJECT / "deploy" / "private_services.py")
        command = [sys.executable, script, sys.executable, "-m", "bench.readers"]
        os.execv(sys.executable, command)
    with tempfile.TemporaryDirectory(prefix="assay-readers-") as folder:
        port = free_port()
        with site(port, folder):
            asyncio.run(measure(port, folder))


if __name__ == "__main__":
    main()
