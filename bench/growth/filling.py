"""A site with many judged submissions.

The first twenty come the way every submission does, and are judged and scored by the real services;
the others are rows made after these (`copies`).
"""

import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO

import numpy as np
from django.contrib.auth.models import User

from bench.growth import bulk
from bench.growth.copies import FILLED, LARGE, Pattern, Slots, fill_in_bulk, slots_of
from bench.growth.people import ONE_OWNER, details, public_name, user_name
from bench.growth.release import (
    SEED,
    Answered,
    Made,
    abilities,
    answered,
    make_release,
    verdicts,
)
from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import PublicName, Submission
from benchmarks.submissions.naming.lookalike_names import skeleton
from benchmarks.submissions.samples.floor import jsonl_upload, set_floor_version
from benchmarks.submissions.services import accept_submission
from judging.coordination import queue
from judging.models import JudgedTexts, Judgement, JudgeRun, JudgeSpec
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import BoardVersion, Scoresheet
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results.selectors.eras import public_sheets
from leaderboard.results.services import score_run

PROTOCOL, SLUG = "hallusionbench", "growth"
ENDPOINT, MODEL = "bench", "judge-of-the-bench"
REAL = 20
"""Submissions that go the whole way: a minute of scoring, and enough for entries that differ."""
LEASE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Filled:
    """A site of `size` judged submissions to one release, baselines not counted."""

    size: int
    release: Release
    spec: JudgeSpec
    made: Made


def fill(size: int, *, real: int = REAL, is_small: bool = False) -> Filled:
    """The site of this database, which is empty, has `size` submissions, and nothing is left to do.

    real: how many at most go the whole way. is_small: of a release of a fifth of the questions and
    without baselines, for tests.
    """
    start = time.perf_counter()
    bulk.wait_for_ever()
    made = make_release(is_small=is_small)
    release = import_release(
        protocol=protocol(PROTOCOL), stream=BytesIO(made.dataset()), slug=SLUG
    ).release
    if is_small:
        set_floor_version(release)
    sweep_until_idle()
    spec = ensure_spec(
        of=protocol(PROTOCOL), kind="openai", endpoint=ENDPOINT, model=MODEL, repeats=1
    )
    strengths = abilities(size)
    real = min(size, real)
    for number in range(real):
        submit_and_judge(made, release, spec, number, float(strengths[number]))
    say(f"{real} submissions judged and scored", start)
    if size > real:
        pattern = Pattern.after(made, release, spec, strengths)
        with bulk.loading(LARGE):
            for done in fill_in_bulk(pattern, first=real):
                say(f"{done:,} of {size:,} submissions", start)
        bulk.leave_keys(FILLED)
    touch_board(spec)
    sweep_until_idle()
    check(size, release)
    say(f"a site of {size:,} submissions", start)
    return Filled(size, release, spec, made)


def filled(size: int, *, is_small: bool = False) -> Filled | None:
    """The site that an earlier call of `fill` left in this database."""
    release = Release.objects.filter(slug=SLUG).first()
    if release is None:
        return None
    sheets = Scoresheet.objects.filter(submission__release=release, judge_spec__kind="openai")
    spec = sheets.select_related("judge_spec")[0].judge_spec
    return Filled(size, release, spec, make_release(is_small=is_small))


def say(what: str, start: float) -> None:
    print(f"  {time.perf_counter() - start:7.1f} s  {what}", file=sys.stderr, flush=True)


def sweep_until_idle() -> None:
    """Baselines are made and judged, and whatever else sweeps find is done."""
    for _ in range(4):
        sweep_here(grace=timedelta(0))


def touch_board(spec: JudgeSpec) -> None:
    """Something that the judge's boards show is written as ever, and they may be stored at once: no
    trigger of PostgreSQL sees what is copied in bulk, and none counts what is not public."""
    for sheet in Scoresheet.objects.filter(public_sheets(), judge_spec=spec).order_by("pk")[:1]:
        later = sheet.computed + timedelta(microseconds=1)
        Scoresheet.objects.filter(pk=sheet.pk).update(computed=later)
    BoardVersion.objects.update(next_at=None)


def check(size: int, release: Release) -> None:
    """Raises where a row names one that is not there, a count is wrong, or a guard is gone."""
    if lost := bulk.orphans(FILLED):
        raise AssertionError(f"rows of nobody: {', '.join(lost)}")
    submissions = Submission.objects.filter(release=release, origin="upload")
    counts = submissions.count(), Scoresheet.objects.filter(submission__in=submissions).count()
    if counts != (size, size):
        raise AssertionError(f"{counts} submissions and scoresheets instead of {size}")
    newest = Judgement.objects.filter(state="judged").order_by("-pk").values_list("pk", flat=True)
    for statement, key in (
        ("UPDATE judging_judgement SET verdict = 'other' WHERE id = %s", newest[0]),
        ("UPDATE judging_judgement SET verdict = '' WHERE id = %s", newest[0]),
        (
            "UPDATE judging_judgedtexts SET key = 'other' WHERE id = %s",
            JudgedTexts.objects.values_list("pk", flat=True)[0],
        ),
        (
            "UPDATE benchmarks_question SET text = 'other' WHERE id = %s",
            release.questions.values_list("pk", flat=True)[0],
        ),
    ):
        if not bulk.is_refused(statement, [key]):
            raise AssertionError(f"not refused: {statement}")


# --- the whole way ------------------------------------------------------------------------------


def submit_and_judge(
    made: Made, release: Release, spec: JudgeSpec, number: int, ability: float
) -> None:
    """A submission of this strength is planned, has its verdicts through the queue, and a score."""
    rng = np.random.default_rng([SEED, number])
    said = answered(made, ability, rng)
    submission = accept_submission(
        release=release,
        upload=upload_of(made, said),
        model=details(number),
        owner=account(number // ONE_OWNER),
        visibility=Submission.Visibility.PUBLIC,
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge(run, made, said, rng)
    score_run(run=fresh(run))


def fresh(run: JudgeRun) -> JudgeRun:
    """As a sweep finds it."""
    return JudgeRun.objects.select_related("judge_spec", "submission__release__benchmark").get(
        pk=run.pk
    )


def upload_of(made: Made, said: Answered) -> Upload:
    rows = zip(made.rows, made.texts, said.choice.tolist(), strict=True)
    return jsonl_upload("answers.jsonl", {row.id: texts[choice] for row, texts, choice in rows})


def account(number: int) -> User:
    user, is_new = User.objects.get_or_create(username=user_name(number))
    if is_new:
        name = public_name(number)
        PublicName.objects.create(owner=user, name=name, skeleton=skeleton(name))
    return user


def judge(run: JudgeRun, made: Made, said: Answered, rng: np.random.Generator) -> None:
    """Every waiting judgement is claimed, asked about and settled, as an engine does it."""
    slots: Slots = slots_of(run)
    found = dict(zip(slots.pairs, verdicts(made, said, slots.pairs, rng), strict=True))
    answers = run.submission.answers.order_by("pk").values_list("pk", flat=True)
    places = {answer: place for place, answer in enumerate(answers)}
    keys = queue.claim(run.judgements.all(), limit=len(slots.places), lease=LEASE)
    rows = list(Judgement.objects.filter(pk__in=keys).order_by("pk"))
    calls = queue.open_calls(rows)
    queue.settle([settlement(row, found[places[row.answer_id], row.slot]) for row in rows])
    queue.close_calls(
        [
            queue.CallClosing(
                call.pk, "answered", prompt_tokens=200, reply_tokens=2, cost=50, reading="read"
            )
            for call in calls
        ]
    )


def settlement(row: Judgement, verdict: str) -> queue.Settlement:
    state = Judgement.State.JUDGED if verdict else Judgement.State.UNREADABLE
    return queue.Settlement(
        row.pk,
        row.fence,
        state,
        verdict=verdict,
        raw_reply=verdict or "I cannot say.",
        finish_reason="stop",
        reported_model=MODEL,
        prompt_tokens=200,
        reply_tokens=2,
        latency_ms=400,
    )
