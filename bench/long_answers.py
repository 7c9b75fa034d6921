"""What one upload of long answers costs, step by step: the largest file that is accepted, in which
every answer is about as long as one may be.

Processor time, which others on the machine hardly change. The kinds are honest ones and attacks:
what takes long in one reader of answers is another text than in the next.
"""

import io
import json
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from django.contrib.auth.models import User
from django.test import override_settings

from bench.accepting import processor_seconds
from bench.large_runs import DATASETS_OF, SEED, WORDS
from bench.measuring import Measured
from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.recognition import accept_from_outside
from benchmarks.submissions.samples.floor import jsonl_upload
from judging.engine.engine import judge_run
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.services import score_run

ANSWERS = 1_120
BYTES = 17_000
"""Of one answer; all of them are 19 MB, and a file may have 20 MiB."""
MOST_SECONDS = 20.0
"""For one upload in all: at commit b39b66b "it is not " took 524."""
FAMILY = "hallusionbench"
Answering = Callable[[np.random.Generator], Iterator[str]]

STEPS = (
    "First, I look at the figure and note what its {0} and its {1} show.",
    "The {0} does not seem to be larger than the {1}, although it is hard to tell.",
    "However, if the {0} were the {1}, the statement would not be correct.",
    "Let me check that again: the {0} is {1} 12.5, which is less than 14.",
    "Comparing both, it can't be said that the {0} has changed; the {1} indeed did.",
)
DENIALS = ("It is not {0}.", "There is no {0}, never.", "The {0} does not show a {1}, nor that.")
SIGNS = ("naïve {0} ﬁve", "是的，{0}", "\u200bthe \u0301{0}", "Ⅷ ½ {0} ﷺ", "👩‍🚀 {0}", "да {0}")


def repeated(rng: np.random.Generator) -> Iterator[str]:
    while True:
        yield "it is not "


def sentences(*patterns: str) -> Answering:
    def written(rng: np.random.Generator) -> Iterator[str]:
        while True:
            yield f"{rng.choice(patterns).format(*rng.choice(WORDS, size=2))} "

    return written


def one_word(rng: np.random.Generator) -> Iterator[str]:
    """No blank from end to end, and another one in each answer."""
    while True:
        yield f"{rng.choice(WORDS)}{rng.integers(10)}" if rng.integers(40) else "-_=.'"


def guesses(rng: np.random.Generator) -> Iterator[str]:
    while True:
        yield f"{rng.choice(('yes', 'no', *WORDS))}, "


KINDS: Mapping[str, tuple[Answering, str]] = {
    '"it is not "': (repeated, ""),
    "chains of thought": (sentences(*STEPS), "So, the answer is {}."),
    "many negations": (sentences(*DENIALS), ""),
    "one long word": (one_word, ""),
    "mixed scripts": (sentences(*SIGNS), ""),
    "list of guesses": (guesses, ""),
}


def measure() -> Iterator[Measured]:
    release = made_release()
    owner = User.objects.create_user("long-answers")
    with override_settings(QUOTA_SUBMISSIONS_DAY=0, QUOTA_UNFINISHED=0, QUOTA_FILES=0):
        for kind in KINDS:
            steps = seconds_of(release, owner, upload_of(release, kind))
            told = ", ".join(f"{name} {spent:.1f}" for name, spent in steps.items())
            yield Measured(
                f"{ANSWERS:,} answers, {kind} ({told})",
                sum(steps.values()),
                "s of processor",
                MOST_SECONDS,
            )


def made_release() -> Release:
    rows = json.loads(DATASETS_OF[FAMILY]())[:ANSWERS]
    stream = io.BytesIO(json.dumps(rows).encode())
    release: Release = import_release(
        protocol=protocol(FAMILY), stream=stream, slug="long-answers"
    ).release
    return release


def upload_of(release: Release, kind: str) -> Upload:
    """Every answer has nearly BYTES bytes."""
    written, end = KINDS[kind]
    rng = np.random.default_rng(SEED)

    def answer() -> str:
        closing = end.format(("yes", "no")[rng.integers(2)])
        pieces: list[str] = []
        room = BYTES - len(closing)
        for piece in written(rng):
            room -= len(piece.encode())
            if room < 0:
                return "".join(pieces) + closing
            pieces.append(piece)
        raise AssertionError("they go on for ever")

    answers = {view.public_id: answer() for view in question_views(release)}
    return jsonl_upload("answers.jsonl", answers)


def seconds_of(release: Release, owner: User, upload: Upload) -> dict[str, float]:
    """Processor seconds of each step, from the bytes to the scoresheet."""
    spent: dict[str, float] = {}
    model = EvaluatedModel(name="long")

    def timed(name: str, work: Callable[[], object]) -> None:
        before = processor_seconds()
        work()
        spent[name] = processor_seconds() - before

    timed(
        "accept",
        lambda: accept_from_outside(
            release=release, upload=upload, model=model, owner=owner, client_token=None
        ),
    )
    submission = release.submissions.latest("created")
    spec = ensure_spec(of=protocol(FAMILY), kind="rules")
    run = request_run(submission=submission, spec=spec)
    timed("plan", lambda: plan_run(run_id=run.pk))
    timed("judge", lambda: judge_run(run_id=run.pk))
    run.refresh_from_db()
    timed("score", lambda: score_run(run=run))
    return spent
