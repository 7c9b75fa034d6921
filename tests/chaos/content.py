"""What is judged: a release, submissions whose answers carry the numbers the provider counts by,
and their runs."""

import io
import time
import uuid
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Exists, OuterRef, Q

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import accept_submission
from benchmarks.wake import wake
from judging.engine.engine import judge_run
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.querysets import FOR_REVIEW
from judging.services import ensure_spec, plan_run, request_run, retry_judgements
from leaderboard.results.services import score_run

FAULTY, PLAIN, MODEL = "faulty", "plain", "judge"
SUBMISSIONS = 6
QUESTIONS = 100
ANSWERS = SUBMISSIONS * QUESTIONS
UNKNOWN = (JudgeCall.Outcome.OPEN, JudgeCall.Outcome.UNKNOWN)
PATIENCE_SECONDS = 30
Result = TypeVar("Result")
NAMES = uuid.uuid5(uuid.NAMESPACE_URL, "chaos")


def patiently(work: Callable[[], Result]) -> Result:
    """The result of `work`, tried again while the database is away. It must be safe to do twice."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return work()
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            connection.close()
            time.sleep(0.1)


def make_release() -> Release:
    lines = "".join(f"{number}|word{number}|word{number}\n" for number in range(QUESTIONS))
    return import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(lines.encode()), slug="chaos"
    ).release


def spec_at(endpoint: str) -> JudgeSpec:
    """One call for each answer."""
    return ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint=endpoint, model=MODEL, repeats=1
    )


def texts_of(number: int) -> dict[str, str]:
    """The answers of a submission by question; no two answers of all submissions are alike."""
    return {
        str(question): f"#{number * QUESTIONS + question}# word" for question in range(QUESTIONS)
    }


def upload(number: int, release: Release) -> None:
    """The submission of that number is accepted and its judge asked for; doing it again changes
    nothing."""
    content = "".join(f"{question}={text}\n" for question, text in texts_of(number).items())
    with transaction.atomic():
        submission = accept_submission(
            release=release,
            upload=Upload("answers.txt", content.encode()),
            model=EvaluatedModel(name=f"Model {number}"),
            owner=None,
            visibility=Submission.Visibility.PUBLIC,
            client_token=uuid.uuid5(NAMES, str(number)),
        )
        request_run(submission=submission, spec=spec_at(FAULTY))
    wake()


def runs_at(endpoint: str) -> list[JudgeRun]:
    """In the order of their submissions' numbers."""
    runs = JudgeRun.objects.filter(judge_spec__endpoint=endpoint).select_related(
        "submission__model", "judge_spec"
    )
    return sorted(runs, key=lambda run: run.submission.model.name)


def count_unfinished() -> int:
    """Runs with a judgement that still moves, or whose scores are not those of their verdicts."""
    moving = Judgement.objects.filter(run=OuterRef("pk"), state__in=["waiting", "leased"])
    parked = Judgement.objects.filter(run=OuterRef("pk"), state="paused")
    newer = Judgement.objects.filter(
        run=OuterRef("pk"), settled__gt=OuterRef("scoresheet__computed")
    )
    unscored = ~Exists(parked) & (Q(scoresheet__isnull=True) | Exists(newer))
    runs = JudgeRun.objects.filter(Q(planned__isnull=True) | Exists(moving) | unscored)
    return runs.count()


def ask_again() -> int:
    """A person has everything that ended without a verdict, or was paused for one, asked again; how
    many."""
    keys = Judgement.objects.filter(judge_spec__endpoint=FAULTY, state__in=FOR_REVIEW).values_list(
        "pk", flat=True
    )
    asked = retry_judgements(keys=list(keys), by=None)
    wake()
    return asked


def count_early_scores() -> int:
    """Scoresheets of runs that are not judged to the end: a board must not show these."""
    runs = JudgeRun.objects.filter(
        scoresheet__isnull=False, judgements__state__in=["waiting", "leased"]
    )
    return runs.distinct().count()


def most_unknown() -> int:
    """The most calls of one answer that may have been carried out without anybody knowing."""
    calls = JudgeCall.objects.filter(judgement__judge_spec__endpoint=FAULTY, outcome__in=UNKNOWN)
    return max(Counter(calls.values_list("judgement", flat=True)).values(), default=0)


def causes(limit: int = 8) -> list[str]:
    """Why judgements have no verdict, the most frequent first."""
    rows = Judgement.objects.filter(judge_spec__endpoint=FAULTY).exclude(
        state=Judgement.State.JUDGED
    )
    found = Counter(f"{state}: {reason}" for state, reason in rows.values_list("state", "reason"))
    return [f"{count} × {cause}" for cause, count in found.most_common(limit)]


def count_judged() -> int:
    return Judgement.objects.filter(state="judged", judge_spec__endpoint=FAULTY).count()


def judge_plainly() -> None:
    """The same answers are judged, by the same verdicts, at an endpoint without faults, and
    scored."""
    for run in runs_at(FAULTY):
        again = request_run(submission=run.submission, spec=spec_at(PLAIN))
        plan_run(run_id=again.pk)
        judge_run(run_id=again.pk, wait=True)
        score_run(run=again)
