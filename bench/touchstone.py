"""TouchStone's figures: streaming an official table, scoring 908 questions in two rounds, and its
board."""

import base64
import io
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from django.conf import settings
from PIL import Image

from bench.boards import board_time, fill_board
from bench.measuring import Measured, seconds
from benchmarks.protocols.touchstone.dataset import COLUMNS, TAXONOMY, read
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.services import accept_submission
from judging.engine.engine import judge_run
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.services import score_run

QUESTIONS = 908
PICTURES = 200
SIDE = 800
SEED = 7


def measure() -> Iterator[Measured]:
    path = Path(settings.VAR_DIR) / "touchstone.tsv"
    megabytes = write_table(path)
    reading = seconds(lambda: drain(path), repeats=1)
    plain = seconds(path.read_bytes, repeats=1)
    yield Measured(
        "read the table",
        megabytes / reading,
        "MB/s",
        30,
        True,
        "read_bytes alone",
        megabytes / plain,
    )
    with path.open("rb") as stream, PeakMemory() as memory:
        start = time.perf_counter()
        release = import_release(
            protocol=protocol("touchstone"), stream=stream, slug="bench-touchstone"
        ).release
        rate = megabytes / (time.perf_counter() - start)
    yield Measured("import it, pictures verified", rate, "MB/s", 30, True)
    yield Measured(
        "memory above start",
        memory.megabytes,
        "MB",
        200,
        reference_name="the file",
        reference=megabytes,
    )

    views = question_views(release)
    answers = {view.public_id: f"{view.text} It is a plain picture." for view in views}
    submission = accept_submission(
        release=release,
        upload=jsonl_upload("answers.jsonl", answers),
        model=EvaluatedModel(name="bench"),
        owner=None,
        visibility=Submission.Visibility.PUBLIC,
    )
    run: JudgeRun = request_run(
        submission=submission, spec=ensure_spec(of=protocol("touchstone"), kind="rules")
    )
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    yield Measured(
        "score 908 × 2 with 1,000 resamples", seconds(lambda: score_run(run=run)), "s", 0.3
    )
    first, few = board_time("touchstone")
    fill_board(run, 99)
    board, queries = board_time("touchstone")
    yield Measured(
        "its board of 100",
        board * 1000,
        "ms",
        80,
        reference_name="of 1 entry",
        reference=first * 1000,
    )
    yield Measured(
        "its queries", queries, "queries", 15, reference_name="of 1 entry", reference=few
    )


class PeakMemory:
    """The highest resident memory above that at the start, in `megabytes` at the end; sampled,
    Linux only."""

    def __enter__(self) -> "PeakMemory":
        self.start = self.peak = resident_megabytes()
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()
        return self

    def sample(self) -> None:
        while not self.stopping.wait(0.01):
            self.peak = max(self.peak, resident_megabytes())

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.thread.join()
        self.megabytes = max(self.peak - self.start, 0.1)


def resident_megabytes() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def drain(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(1 for _ in read(stream))


def write_table(path: Path) -> float:
    """An official-format table with noisy JPEG pictures of a camera's size; its size in
    megabytes."""
    rng = np.random.default_rng(SEED)
    pictures = [picture(rng) for _ in range(PICTURES)]
    subtasks = [
        (ability.title, subtask.title) for ability in TAXONOMY for subtask in ability.subtasks
    ]
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write("\t".join(COLUMNS) + "\n")
        for number in range(QUESTIONS):
            category, task = subtasks[number % len(subtasks)]
            place = number % PICTURES
            texts = (
                f"What is in picture {number}?",
                f"Description {place}.",
                "Noise.",
                category,
                task,
            )
            out.write("\t".join((str(number), pictures[place], *texts)) + "\n")
    return path.stat().st_size / 1e6


def picture(rng: np.random.Generator) -> str:
    coarse = rng.integers(0, 256, size=(SIDE // 4, SIDE // 4, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(coarse).resize((SIDE, SIDE), Image.Resampling.BILINEAR).save(
        out, "JPEG", quality=95
    )
    return base64.b64encode(out.getvalue()).decode()
