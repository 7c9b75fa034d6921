"""HallusionBench's figures: import, reading a file, scoring, judging by rules, and a board of 100
entries."""

import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from django.conf import settings

from bench.boards import board_time, fill_board
from bench.measuring import Measured, seconds
from benchmarks.models import Question, Release
from benchmarks.protocols.base import Contributions, Upload
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.statistics.resampling import RESAMPLES
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.services import accept_submission, read_submission_file
from judging.engine.engine import judge_run
from judging.models import JudgeRun
from judging.selectors import verdicts_of
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.services import score_run

OFFICIAL = (
    Path(settings.BASE_DIR).parent / "shared" / "data" / "hallusionbench" / "HallusionBench.json"
)
ENTRIES = 100
SEED = 7


def measure() -> Iterator[Measured]:
    content = dataset_bytes()
    start = time.perf_counter()
    release = import_release(
        protocol=protocol("hallusionbench"), stream=io.BytesIO(content), slug="bench"
    ).release
    imported = time.perf_counter() - start
    yield Measured(
        "import",
        imported,
        "s",
        5.0,
        reference_name="save() per row",
        reference=saving_rows(release),
    )

    upload = coin_upload(release, SEED)
    reading = seconds(lambda: read_submission_file(release=release, upload=upload))
    plain = seconds(lambda: [json.loads(line) for line in upload.content.splitlines()])
    yield Measured(
        "validate a file", reading, "s", 0.3, reference_name="json.loads alone", reference=plain
    )

    run, rate = judged_rate(release, upload)
    yield Measured("judge by rules through the queue", rate, "judgements/s", 500, is_rate=True)
    contributions, scoring = scored(run)
    loop = looped_resamples(contributions)
    yield Measured(
        "score with 1,000 resamples",
        scoring,
        "s",
        0.5,
        reference_name="Python loop",
        reference=loop,
    )

    first_board, queries_few = board_time("hallusionbench")
    fill_board(run, ENTRIES - 1)
    board, queries = board_time("hallusionbench")
    yield Measured(
        f"board of {ENTRIES} entries",
        board * 1000,
        "ms",
        60,
        reference_name="of 1 entry",
        reference=first_board * 1000,
    )
    yield Measured(
        "queries of the board",
        queries,
        "queries",
        15,
        reference_name="of 1 entry",
        reference=queries_few,
    )


def dataset_bytes() -> bytes:
    if OFFICIAL.exists():
        return OFFICIAL.read_bytes()
    rows = [
        {
            "category": "VD",
            "subcategory": "math",
            "visual_input": str(1 + (figure > 0)),
            "set_id": str(number),
            "figure_id": str(figure),
            "sample_note": "made",
            "question_id": str(question),
            "question": f"Is figure {figure} of set {number} number {question}?",
            "gt_answer_details": f"It is number {question}.",
            "gt_answer": str((number + figure + question) % 2),
            "filename": f"./VD/math/{number}_{figure}.png",
        }
        for number in range(188)
        for figure in range(2)
        for question in range(3)
    ]
    return json.dumps(rows).encode()


def saving_rows(release: Release) -> float:
    """Seconds to save() as many rows one by one, the plainest way to import."""
    questions = list(Question.objects.of_release(release))[:100]
    start = time.perf_counter()
    for question in questions:
        question.pk, question.content_hash = None, f"copy of {question.content_hash}"[:64]
        question.save()
    elapsed = time.perf_counter() - start
    Question.objects.filter(content_hash__startswith="copy of").delete()
    return elapsed / len(questions) * release.question_count


def coin_upload(release: Release, seed: int) -> Upload:
    rng = np.random.default_rng(seed)
    views = question_views(release)
    return jsonl_upload(
        "coin.jsonl", {v.public_id: ("Yes.", "No.")[rng.integers(2)] for v in views}
    )


def submit(release: Release, upload: Upload, name: str) -> Submission:
    return accept_submission(
        release=release,
        upload=upload,
        model=EvaluatedModel(name=name),
        owner=None,
        visibility="public",
    )


def judged_rate(release: Release, upload: Upload) -> tuple[JudgeRun, float]:
    spec = ensure_spec(of=protocol("hallusionbench"), kind="rules")
    run = request_run(submission=submit(release, upload, "coin"), spec=spec)
    start = time.perf_counter()
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    elapsed = time.perf_counter() - start
    return run, run.judgements.count() / elapsed


def scored(run: JudgeRun) -> tuple[Contributions, float]:
    """Contributions of the run, and the seconds from stored verdicts to a stored scoresheet."""
    elapsed = seconds(lambda: score_run(run=run))
    answers = list(run.submission.answers.order_by("pk").values_list("text", flat=True))
    views = question_views(run.submission.release)
    verdicts = verdicts_of(run, [view.public_id for view in views])
    return protocol("hallusionbench").scoring.contributions(views, answers, verdicts), elapsed


def looped_resamples(contributions: Contributions) -> float:
    """Seconds for the same resampling with a Python loop over resamples; a twentieth of it is
    measured."""
    rng = np.random.default_rng(SEED)
    groups = len(contributions.groups)
    part = RESAMPLES // 20
    start = time.perf_counter()
    for _ in range(part):
        drawn = rng.integers(groups, size=groups)
        numerator = contributions.numerator[0][drawn].sum(axis=0)
        denominator = contributions.denominator[0][drawn].sum(axis=0)
        np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
    return (time.perf_counter() - start) * 20
