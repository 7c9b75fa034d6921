"""Judging against other ways of sending the same requests, at the same local provider in one run:
`make bench-judging`.

    python -m bench.judging [--quick] [--postgres]

On SQLite in a temporary folder; on PostgreSQL as well where DATABASE_URL names one, or with
--postgres on a private server. Targets are those of performance.md; what each line means is told in
docs/developer/judging_benchmark.md.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from bench.contenders import PROJECT, Contender, Sample, Work
from bench.measuring import Measured, table
from tests.provider import RunningProvider, running_provider

IN_FLIGHT = 64
PAIR_IN_FLIGHT = 128
THREADS = 32
LATENCIES = (500, 50)
PER_MINUTE = 6_000
PER_SECOND = PER_MINUTE / 60
LIMIT_LATENCY = 500
LIMIT_WINDOW_SECONDS = 10.0
PART_CALLS = 2_000
FIRST_CALLS = 200
NEW = "new-500"  # the run at an endpoint of which nothing is known
OWN_SETTINGS = ("JUDGE_", "BUDGET_", "DATABASE_URL", "VAR_DIR")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Calls of each measurement. A run of judging has questions × 2 rounds × repeats."""

    questions: int = 908
    few_questions: int = 100
    many_questions: int = 1_000
    many_repeats: int = 5
    pair_repeats: int = 2
    sequential: int = 40
    threads: int = 480

    @property
    def calls(self) -> int:
        return 2 * self.questions


QUICK = Sizes(192, 64, 256, many_repeats=3, pair_repeats=2, sequential=6, threads=96)


@dataclass(frozen=True, slots=True)
class Heat:
    """One contender at one provider: what it did, and what the provider saw. `calls` is what it was
    to do."""

    title: str
    calls: int
    works: Sequence[Work]
    seen: Mapping[str, Any]
    samples: Sequence[Sample] = ()

    @property
    def seconds(self) -> float:
        return max(work.end for work in self.works) - min(work.start for work in self.works)

    @property
    def done(self) -> int:
        return max(work.calls for work in self.works)

    @property
    def rate(self) -> float:
        return self.done / self.seconds

    @property
    def cpu_ms(self) -> float:
        return sum(work.cpu_seconds for work in self.works) / max(self.done, 1) * 1000

    @property
    def refused(self) -> int:
        return int(self.seen["outcomes"].get("limited", 0))


@dataclass(slots=True)
class Bench:
    """A database with planned runs, and how to let contenders at a provider."""

    title: str
    folder: Path
    environment: dict[str, str]
    runs: dict[str, int] = field(default_factory=dict)

    def prepare(self, sizes: Sizes) -> None:
        plans = {
            **{f"at-{latency}": (sizes.questions, 1) for latency in LATENCIES},
            NEW: (sizes.questions, 1),
            **{f"limited-{workers}": (sizes.questions, 1) for workers in (1, 3)},
            "few": (sizes.few_questions, 1),
            "many": (sizes.many_questions, sizes.many_repeats),
            **{f"pair-{workers}": (sizes.many_questions, sizes.pair_repeats) for workers in (1, 2)},
        }
        (self.folder / "plans.json").write_text(json.dumps(plans))
        command = [sys.executable, "-m", "bench.judging_worker", "plan", str(self.folder)]
        subprocess.run(command, cwd=PROJECT, env=self.environment, check=True)
        self.runs = json.loads((self.folder / "runs.json").read_text())

    def client(self, name: str, calls: int, concurrency: int, title: str, **provider: Any) -> Heat:
        with running_provider(**provider) as endpoint:
            requests = self.folder / "requests.json"
            arguments = (name, endpoint.url, requests, calls, concurrency)
            contender = Contender("bench.judging_clients", *arguments, environment=self.environment)
            contender.wait_until_ready()
            contender.go()
            return Heat(title, calls, [contender.work()], endpoint.stats(with_answers=False))

    def engine(
        self,
        name: str,
        calls: int,
        *,
        workers: int = 1,
        in_flight: int = IN_FLIGHT,
        limits: str = "",
        **provider: Any,
    ) -> Heat:
        """The run planned as `name`, judged by so many processes that start together; its endpoint
        is known to bear as many calls as they send, unless it is NEW."""
        with running_provider(**provider) as endpoint:
            environment = self.environment | {
                "JUDGE_ENDPOINTS": f"{name}={endpoint.url}",
                "JUDGE_CONCURRENCY": str(in_flight),
                f"JUDGE_LIMITS_{name.upper().replace('-', '_')}": limits,
            }
            known = 0 if name == NEW else in_flight
            arguments = ("bench.judging_worker", "judge", self.runs[name], known)
            contenders = [Contender(*arguments, environment=environment) for _ in range(workers)]
            for contender in contenders:
                contender.wait_until_ready()
            for contender in contenders:
                contender.go()
            samples = watch(contenders[0], endpoint) if name == "many" else ()
            works = [contender.work() for contender in contenders]
            title = f"Assay on {self.title}" + (f", {workers} workers" if workers > 1 else "")
            title += ", new endpoint" if name == NEW else ""
            return Heat(title, calls, works, endpoint.stats(with_answers=False), samples)


def watch(contender: Contender, endpoint: RunningProvider) -> list[Sample]:
    return contender.watched(lambda: int(endpoint.stats(with_answers=False)["requests"]))


# --- what is measured -----------------------------------------------------------------------------


def references(bench: Bench, sizes: Sizes) -> dict[str, Heat]:
    """By "NAME-LATENCY"; and aiohttp with retries under the rate limit."""
    heats: dict[str, Heat] = {}
    for latency in LATENCIES:
        for name, calls, concurrency, title in (
            ("sequential", sizes.sequential, 1, "openai client, one after the other"),
            ("threads", sizes.threads, THREADS, f"openai client, {THREADS} threads"),
            ("kit", sizes.threads, THREADS, "the same, pausing as a common kit does"),
            (
                "aiohttp",
                sizes.calls,
                IN_FLIGHT,
                f"bare aiohttp, {IN_FLIGHT} in flight, nothing stored",
            ),
        ):
            heats[f"{name}-{latency}"] = bench.client(
                name, calls, concurrency, title, latency=latency
            )
    title = "bare aiohttp that retries after a 429"
    heats["limited"] = bench.client("aiohttp", sizes.calls, 2 * IN_FLIGHT, title, **limited())
    return heats


def limited() -> dict[str, Any]:
    return {
        "latency": LIMIT_LATENCY,
        "requests_per_minute": PER_MINUTE,
        "window": LIMIT_WINDOW_SECONDS,
    }


def engine_heats(bench: Bench, sizes: Sizes) -> dict[str, Heat]:
    heats = {
        f"at-{latency}": bench.engine(f"at-{latency}", sizes.calls, latency=latency)
        for latency in LATENCIES
    }
    heats[NEW] = bench.engine(NEW, sizes.calls, latency=500)
    for workers in (1, 3):
        name, limits = f"limited-{workers}", f"requests={PER_MINUTE}"
        heats[name] = bench.engine(
            name, sizes.calls, workers=workers, in_flight=2 * IN_FLIGHT, limits=limits, **limited()
        )
    heats["few"] = bench.engine("few", 2 * sizes.few_questions, latency=50)
    heats["many"] = bench.engine("many", 2 * sizes.many_questions * sizes.many_repeats, latency=50)
    pair_calls = 2 * sizes.many_questions * sizes.pair_repeats
    for workers in (1, 2):
        heats[f"pair-{workers}"] = bench.engine(
            f"pair-{workers}", pair_calls, workers=workers, in_flight=PAIR_IN_FLIGHT, latency=50
        )
    return heats


# --- what it comes to -----------------------------------------------------------------------------


def speed_lines(heats: Mapping[str, Heat], others: Mapping[str, Heat]) -> Iterator[Measured]:
    ours, bare = heats["at-500"], others["aiohttp-500"]
    sequential, threads, kit = (others[f"{name}-500"] for name in ("sequential", "threads", "kit"))
    ideal = IN_FLIGHT / 0.5
    yield Measured(
        "500 ms: of concurrency ÷ latency",
        ours.rate / ideal,
        "",
        0.95,
        True,
        "aiohttp",
        bare.rate / ideal,
    )
    yield Measured("500 ms: of bare aiohttp's rate", ours.rate / bare.rate, "", 0.97, True)
    new = heats[NEW]
    yield Measured("the same, at an endpoint nobody knows", new.rate / ideal, "", 0.8, True)
    yield Measured("500 ms: × the sequential loop", ours.rate / sequential.rate, "x", 55, True)
    yield Measured("500 ms: × a kit of 32 threads", ours.rate / kit.rate, "x", 2.8, True)
    yield Measured("500 ms: CPU, of 32 threads'", ours.cpu_ms / threads.cpu_ms, "", 0.75)
    yield Measured(
        "500 ms: CPU per verdict", ours.cpu_ms, "ms", 1.2, False, "threads", threads.cpu_ms
    )
    fast = heats["at-50"]
    yield Measured(
        "50 ms: CPU per verdict",
        fast.cpu_ms,
        "ms",
        1.2,
        False,
        "threads",
        others["threads-50"].cpu_ms,
    )


def limit_lines(heats: Mapping[str, Heat], other: Heat) -> Iterator[Measured]:
    for workers in (1, 3):
        ours, name = heats[f"limited-{workers}"], f"limit, {workers} worker{'s' * (workers > 1)}"
        yield Measured(f"{name}: of the limit", ours.rate / PER_SECOND, "", 0.97, True)
        yield Measured(
            f"{name}: of n/R + latency", best_seconds(ours) / ours.seconds, "", 0.99, True
        )
        yield Measured(
            f"{name}: not refused", not_refused(ours), "", 1, True, "retrying", not_refused(other)
        )
        done = ours.done / ours.calls
        yield Measured(
            f"{name}: with a verdict", done, "", 1, True, "retrying", other.done / other.calls
        )


def not_refused(heat: Heat) -> float:
    return 1 - heat.refused / int(heat.seen["requests"])


def best_seconds(heat: Heat) -> float:
    return heat.calls / PER_SECOND + LIMIT_LATENCY / 1000


def growth_lines(heats: Mapping[str, Heat]) -> Iterator[Measured]:
    few, many = heats["few"], heats["many"]
    name = f"CPU per call, {few.calls} to {many.calls:,} calls"
    yield Measured(name, many.cpu_ms / few.cpu_ms, "x", 1.1)
    part = min(PART_CALLS, many.calls // 4)
    early, late = (
        part_of(many.samples, FIRST_CALLS, part),
        part_of(many.samples, many.calls - part, part),
    )
    yield Measured(f"CPU of its last {part:,} calls, of the first", late[0] / early[0], "x", 1.1)
    yield Measured(f"memory over {many.calls:,} calls", many.works[0].peak_megabytes, "MB", 150)
    yield Measured("memory: last calls, of the first", late[1] / early[1], "x", 1.1)
    one, two = heats["pair-1"], heats["pair-2"]
    yield Measured("two workers, of one (50 ms, 128 each)", two.rate / one.rate, "x", 1.5, True)


def part_of(samples: Sequence[Sample], start: int, calls: int) -> tuple[float, float]:
    """CPU seconds per call, and megabytes at the end, of so many calls from `start`."""
    first = min(samples, key=lambda sample: abs(sample.calls - start))
    last = min(samples, key=lambda sample: abs(sample.calls - start - calls))
    return (last.cpu_seconds - first.cpu_seconds) / max(last.calls - first.calls, 1), last.megabytes


def heat_table(heats: Sequence[tuple[str, Heat]]) -> str:
    heads = (
        "at",
        "who",
        "calls",
        "done",
        "refused",
        "calls/s",
        "CPU ms/call",
        "MB",
        "provider busy",
    )
    rows = [heads]
    for at, heat in heats:
        busy = heat.seen["cpu_seconds"] / (heat.seen["last"] - heat.seen["first"] + 1e-9)
        megabytes = max(work.peak_megabytes for work in heat.works)
        counts = (f"{heat.calls:,}", f"{heat.done:,}", f"{heat.refused:,}")
        used = (f"{heat.cpu_ms:.2f}", f"{megabytes:.0f}", f"{busy:.0%}")
        rows.append((at, heat.title, *counts, f"{heat.rate:.4g}", *used))
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


# --- databases ------------------------------------------------------------------------------------


@contextmanager
def sqlite_bench() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        yield Bench("SQLite", Path(name), environment_of(Path(name)))


@contextmanager
def postgres_bench(url: str) -> Iterator[Bench]:
    """In a database of its own on the server of `url`, which is dropped afterwards."""
    name = f"assay_bench_{os.getpid()}"
    with (
        psycopg.connect(url, autocommit=True) as server,
        tempfile.TemporaryDirectory(prefix="assay-bench-") as folder,
    ):
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            own = f"{url.rpartition('/')[0]}/{name}"
            yield Bench(
                "PostgreSQL", Path(folder), environment_of(Path(folder)) | {"DATABASE_URL": own}
            )
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def environment_of(folder: Path) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(OWN_SETTINGS)
    }
    return inherited | {
        "SECRET_KEY": "benchmarks-only-key-that-protects-nothing",
        "VAR_DIR": str(folder),
        "BROKER_URL": "",
        "LOG_LEVEL": "ERROR",
    }


def main(arguments: Sequence[str]) -> None:
    if "--postgres" in arguments:
        kept = [argument for argument in arguments if argument != "--postgres"]
        script = str(PROJECT / "deploy" / "private_services.py")
        os.execv(
            sys.executable, [sys.executable, script, sys.executable, "-m", "bench.judging", *kept]
        )
    sizes = QUICK if "--quick" in arguments else Sizes()
    start = time.monotonic()
    with ExitStack() as stack:
        benches = [stack.enter_context(sqlite_bench())]
        if url := os.environ.get("DATABASE_URL", ""):
            benches.append(stack.enter_context(postgres_bench(url)))
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda bench: bench.prepare(sizes), benches))
        others = references(benches[0], sizes)
        print(heat_table([(at_of(name), heat) for name, heat in others.items()]))
        for bench in benches:
            heats = engine_heats(bench, sizes)
            print("\n" + heat_table([(at_of(name), heat) for name, heat in heats.items()]))
            lines = [
                *speed_lines(heats, others),
                *limit_lines(heats, others["limited"]),
                *growth_lines(heats),
            ]
            print(f"\n{bench.title}\n{table(lines)}", flush=True)
    print(
        "\n"
        f"{time.monotonic() - start:.0f} seconds; load average at the end {os.getloadavg()[0]:.1f}"
    )


def at_of(name: str) -> str:
    """What a heat's name says of its conditions."""
    kind, _, latency = name.rpartition("-")
    if "limited" in name:
        return f"{LIMIT_LATENCY} ms, {PER_MINUTE:,}/min"
    single = ("sequential", "threads", "kit", "aiohttp", "at", "new")
    return f"{latency} ms" if kind in single else "50 ms"


if __name__ == "__main__":
    main(sys.argv[1:])
