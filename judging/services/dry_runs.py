"""Dry runs: a few answers of a file are judged before its owner confirms it, so that they see real
verdicts before anything counts.

The judgements are those of the run that the whole file gets once it is confirmed: the same queue,
ledger and budgets, and no verdict is paid for twice. Until then the run is never scored, and the
submission is its owner's alone.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, zip_longest

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from benchmarks.common.lately import lately
from benchmarks.models import Release, ReleaseQuestion
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import hold_places
from judging.coordination import money
from judging.coordination.clock import database_now
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import RunQuerySet
from judging.selectors import why_never_asked
from judging.services.deadlines import UNCONFIRMED
from judging.services.planning import planned_rows
from judging.services.prompts import PromptsRefusedError
from judging.services.specs import UnknownJudgeError, find_spec

QUESTIONS = 10
"""As many as somebody reads one by one; of TouchStone's 908 they are a hundredth of the price."""
DAY = timedelta(hours=24)
LASTS = UNCONFIRMED + timedelta(days=1)
"""A file that nobody confirmed is withdrawn before."""


class DryRunRefusedError(Exception):
    """Nothing is asked; the message says why, and what may be done."""


@dataclass(frozen=True, slots=True)
class DryRunPlaces:
    """Of a person within 24 hours: `limit` (0 is none), `taken`, and the instant of the next place
    where all are taken."""

    limit: int
    taken: int
    next_place: datetime | None

    @property
    def is_free(self) -> bool:
        return self.next_place is None


def dry_run_places(owner: User, *, now: datetime | None = None) -> DryRunPlaces:
    """Those of files that were confirmed since are not counted: these have taken a place of the
    day."""
    limit: int = settings.QUOTA_DRY_RUNS_DAY
    now = now or database_now()
    recent = JudgeRun.objects.filter(lately("dry_run", now, DAY), submission__owner=owner)
    started = [moment for moment in recent.values_list("dry_run", flat=True) if moment]
    is_full = bool(limit) and len(started) >= limit
    next_place = sorted(started)[-limit] + DAY if is_full else None
    return DryRunPlaces(limit, len(started), next_place)


def dry_run_of(submission: Submission) -> JudgeRun | None:
    """The newest one, as long as the file is not confirmed."""
    runs = JudgeRun.objects.filter(submission=submission, dry_run__isnull=False)
    return runs.select_related("judge_spec__prompt_set").order_by("-dry_run").first()


def confirmable_dry_runs() -> RunQuerySet:
    """Dry runs of files that may still be confirmed."""
    return JudgeRun.objects.dry_runs(Now() - LASTS).not_withdrawn()


def start_dry_run(*, submission: Submission) -> JudgeRun:
    """The answers to QUESTIONS questions wait for the default judge afterwards; asked for twice it
    is one dry run. Raises DryRunRefusedError."""
    owner = submission.owner
    if owner is None or submission.confirmed or submission.withdrawn:
        raise DryRunRefusedError("Only a file that waits to be confirmed can be tried.")
    if not submission.release.verdicts_are_public:
        raise DryRunRefusedError(
            "A file for a hidden test cannot be tried: a dry run shows verdicts on single answers."
            " The file itself was read and checked."
        )
    spec = spec_to_try(submission.release)
    run = JudgeRun(submission=submission, judge_spec=spec)
    answers = submission.answers.filter(question__in=sampled_questions(submission.release))
    rows = planned_rows(run, list(answers.order_by("pk").values_list("pk", flat=True)))
    planned = [row for answer in sorted(rows) for row in rows[answer]]
    with transaction.atomic():
        hold_places(owner)
        existing = JudgeRun.objects.filter(submission=submission, judge_spec=spec).first()
        if existing is not None:
            return existing
        require_confirmable(submission)
        places = dry_run_places(owner)
        if places.next_place is not None:
            raise DryRunRefusedError(full_sentence(places.limit, places.next_place))
        return store_dry_run(run, planned)


def require_confirmable(submission: Submission) -> None:
    """Lock the submission until the transaction ends, so that it is not confirmed or cancelled
    meanwhile."""
    waiting = Submission.objects.not_withdrawn().filter(pk=submission.pk, confirmed__isnull=True)
    if not waiting.select_for_update(no_key=True, of=("self",)).exists():
        raise DryRunRefusedError("The file was confirmed or cancelled meanwhile.")


def store_dry_run(run: JudgeRun, planned: Sequence[Judgement]) -> JudgeRun:
    run.dry_run, run.unscored = database_now(), None
    run.save(force_insert=True)
    for row in planned:
        row.run = run
    Judgement.objects.bulk_create(planned)
    return run


def spec_to_try(release: Release) -> JudgeSpec:
    """The judge that the file would get. Raises DryRunRefusedError where nobody may ask it."""
    try:
        spec = find_spec(of=protocol_of(release))
    except (UnknownJudgeError, PromptsRefusedError):
        raise DryRunRefusedError("The judge of this release is not set up on this site.") from None
    if why_never_asked(spec) or money.lacks_price(spec):
        raise DryRunRefusedError("The judge of this release takes no questions now.")
    return spec


def full_sentence(limit: int, next_place: datetime) -> str:
    tried = "one file" if limit == 1 else f"{limit} files"
    return (
        f"You tried {tried} within 24 hours without confirming, which is as many as a person may."
        f" The next one can be tried at {next_place:%Y-%m-%d %H:%M} UTC."
    )


# --- which questions --------------------------------------------------------------------------


def sampled_questions(release: Release) -> list[int]:
    """Primary keys of QUESTIONS questions spread over abilities and subtasks, the same for
    everybody: more files tried tell nobody more of what is hidden."""
    members = ReleaseQuestion.objects.filter(release=release).order_by("position")
    rows = members.values_list(
        "question__subtask__ability__slug", "question__subtask__slug", "question__public_id"
    )
    chosen = spread(rows, QUESTIONS, seed=release.slug)
    found = members.filter(question__public_id__in=chosen)
    return list(found.values_list("question", flat=True))


def spread(rows: Iterable[tuple[str, str, str]], count: int, *, seed: str) -> list[str]:
    """Ids of up to `count` of these (ability, subtask, id): abilities take turns, and in each its
    subtasks. The seed alone decides which, and not the order of the rows."""
    by_ability: dict[str, dict[str, list[str]]] = {}
    for ability, subtask, public_id in rows:
        by_ability.setdefault(ability, {}).setdefault(subtask, []).append(public_id)
    turns = []
    for ability in shuffled(by_ability, seed):
        subtasks = by_ability[ability]
        ids = [shuffled(subtasks[name], seed) for name in shuffled(subtasks, seed)]
        turns.append(taking_turns(ids))
    return taking_turns(turns)[:count]


def shuffled(names: Iterable[str], seed: str) -> list[str]:
    """By a hash of each: random.shuffle may differ from one version of Python to the next."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed}\0{name}".encode()).digest())


def taking_turns(lists: Iterable[Sequence[str]]) -> list[str]:
    """The first of each, then the second of each, and so on."""
    rounds = zip_longest(*lists)
    return [one for one in chain.from_iterable(rounds) if one is not None]
