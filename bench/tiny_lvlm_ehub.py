"""Tiny LVLM-eHub's figures: word matching, scoring the 2,056 records with five labels each, and its
board."""

import io
import json
from collections.abc import Iterator

import numpy as np

from bench.boards import board_time, fill_board, serving
from bench.measuring import Measured, seconds
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.suite import DATASETS, EMBODIED, POPE
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.services import accept_submission
from judging.engine.engine import judge_run
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.services import score_run

ENTRIES = 100
SEED = 7
WORDS = (
    "exit",
    "taxi",
    "bank",
    "two",
    "red",
    "a",
    "the",
    "of",
    "on",
    "12",
    "sign",
    "with",
    "blue",
    "dog",
    "left",
)


def measure() -> Iterator[Measured]:
    rng = np.random.default_rng(SEED)
    content = json.dumps(suite(rng)).encode()
    family = protocol("tiny_lvlm_ehub")
    release = import_release(protocol=family, stream=io.BytesIO(content), slug="bench-ehub").release
    views = question_views(release)
    answers = {view.public_id: phrase(rng, 1, 25) for view in views}

    cases = [(answers[view.public_id], references_of(view)) for view in views]
    matching = len(cases) / seconds(
        lambda: [matches(a, references) for a, references in cases], repeats=1
    )  # nothing cached
    contains = len(cases) / seconds(
        lambda: [any(r in a.lower() for r in references) for a, references in cases]
    )
    yield Measured(
        "word matching", matching, "answers/s", 20_000, True, "lower() and `in`", contains
    )

    submission = accept_submission(
        release=release,
        upload=jsonl_upload("answers.jsonl", answers),
        model=EvaluatedModel(name="bench"),
        owner=None,
        visibility=Submission.Visibility.PUBLIC,
    )
    run = request_run(submission=submission, spec=ensure_spec(of=family, kind="rules"))
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    yield Measured(
        "score 2,056 × 5 with 1,000 resamples", seconds(lambda: score_run(run=run)), "s", 0.5
    )

    first, few = board_time("tiny_lvlm_ehub")
    fill_board(run, ENTRIES - 1)
    board, queries = board_time("tiny_lvlm_ehub")
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
    both, _ = board_time("tiny_lvlm_ehub", "?measure=both")
    yield Measured("its board of 100 by both measures", both * 1000, "ms", 80)
    yield from serving(["hallusionbench", "tiny_lvlm_ehub"])


def suite(rng: np.random.Generator) -> dict[str, list[dict[str, object]]]:
    """The official number of records of every dataset, with references of one to ten answers."""
    return {
        dataset.slug: [
            {
                "question_id": f"{number:06}",
                "question": f"What is number {number}?",
                "gt_answers": references(
                    rng, dataset.group == POPE, dataset.capability == EMBODIED
                ),
            }
            for number in range(dataset.records)
        ]
        for dataset in DATASETS
    }


def references(rng: np.random.Generator, is_yes_no: bool, is_plan: bool) -> str | list[str]:
    if is_yes_no or is_plan:
        return "BLANK" if is_plan else ("yes", "no")[rng.integers(2)]
    return [phrase(rng, 1, 3) for _ in range(rng.integers(1, 11))]


def phrase(rng: np.random.Generator, fewest: int, most: int) -> str:
    return " ".join(rng.choice(WORDS, size=rng.integers(fewest, most + 1)))
