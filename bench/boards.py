"""Boards of many entries, made of copies of one whose figures are moved a little."""

import numpy as np
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench.measuring import seconds
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import ModelDetails, ensure_model
from judging.models import JudgeRun
from judging.services import request_run
from leaderboard.models import Scoresheet

SEED = 7


def fill_board(run: JudgeRun, copies: int) -> None:
    """As many more entries as `copies`, each with a scoresheet like the run's and its own figures."""
    rng = np.random.default_rng(SEED)
    original = Scoresheet.objects.get(run=run)
    for number in range(copies):
        submission = copy_of(run.submission, number)
        copied = request_run(submission=submission, spec=run.judge_spec)
        sheet = Scoresheet.objects.get(pk=original.pk)
        draws = np.frombuffer(sheet.draws, dtype="<f8") + rng.normal(scale=0.02)
        sheet.pk, sheet.run, sheet.submission = None, copied, submission
        sheet.ranking, sheet.draws = float(draws.mean()), draws.tobytes()
        sheet.board_figures = {name: moved(packed, rng) for name, packed in original.board_figures.items()}
        sheet.save(force_insert=True)


def moved(packed: list[float | None], rng: np.random.Generator) -> list[float | None]:
    """A packed figure (leaderboard.models) with its value and the ends of its interval moved alike."""
    step = float(rng.normal(scale=0.02))
    return [*(end if end is None else end + step for end in packed[:3]), *packed[3:]]


def copy_of(submission: Submission, number: int) -> Submission:
    return Submission.objects.create(
        owner=None,
        model=ensure_model(owner=None, details=ModelDetails(f"copy {number}")),
        release=submission.release,
        visibility="public",
        file=submission.file.name,
        file_name=submission.file_name,
        sha256=submission.sha256,
        confirmed=submission.confirmed,
    )


def board_time(benchmark: str) -> tuple[float, float]:
    """Seconds of the board page, uncached, and its number of queries."""
    client = Client(SERVER_NAME="localhost")
    url = f"/boards/{benchmark}/"
    assert client.get(url).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    count = float(len(queries))
    return seconds(lambda: client.get(url), repeats=5), count
