"""What a drill counted, and which of the site's promises held."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from deploy.private_services import Interrupted, ServiceError, StopSignals
from tests.provider import RunningProvider

OUTCOME_FILE = "DRILL_OUTCOME"
"""Where a drill leaves what it counted for `python -m tests.drill`."""


@dataclass(frozen=True)
class Outcome:
    """calls: requests by the endpoint's own count. twice: those it answered beyond one for each
    verdict. errors: answers of the site with 500 and more that no promise allows. seconds: until
    the site went on by itself. None: nothing of the kind happens in the drill."""

    seconds: float
    promises: Mapping[str, bool]
    calls: int | None = None
    verdicts: int | None = None
    twice: int | None = None
    errors: int | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def is_well(self) -> bool:
        return all(self.promises.values())


def play(name: str, drill: Callable[[StopSignals], Outcome]) -> int:
    """The exit status of a drill: 0 all of it holds, 1 a promise is broken, 2 a server is
    missing."""
    signals = StopSignals()
    signals.install()
    try:
        outcome = drill(signals)
    except ServiceError as error:
        sys.stderr.write(f"{name}: {error}\n")
        return 2
    except Interrupted:
        return 128 + (signals.received or 0)
    say(name, outcome)
    return 0 if outcome.is_well else 1


def say(name: str, outcome: Outcome) -> None:
    for line in outcome.notes:
        sys.stdout.write(f"  {line}\n")
    for promise, holds in outcome.promises.items():
        sys.stdout.write(f"  {'holds ' if holds else 'BROKEN'}  {promise}\n")
    sys.stdout.write(f"{name}: {counted(outcome)}\n")
    if file := os.environ.get(OUTCOME_FILE):
        Path(file).write_text(json.dumps(asdict(outcome)))


def counted(outcome: Outcome) -> str:
    counts = {
        "calls": outcome.calls,
        "verdicts": outcome.verdicts,
        "twice": outcome.twice,
        "errors": outcome.errors,
    }
    said = [f"{count:,} {name}" for name, count in counts.items() if count is not None]
    return ", ".join([*said, f"{outcome.seconds:.1f} s"])


def books(run: int, needed: int, judge: RunningProvider, *, seconds: float) -> Outcome:
    """Of a run that needs so many calls: everything judged, each call once, in the ledger as
    answered, and the money of it."""
    from judging.coordination.money import spend_drift
    from judging.models import JudgeCall, Judgement

    stats = judge.stats()
    states = Counter(Judgement.objects.filter(run=run).values_list("state", flat=True))
    ledger = Counter(JudgeCall.objects.filter(judgement__run=run).values_list("outcome", flat=True))
    completed = sum(count["completed"] for count in stats["answers"].values())
    unended = ledger["open"] + ledger["unknown"]
    drift = len(spend_drift())
    return Outcome(
        seconds=seconds,
        calls=stats["requests"],
        verdicts=states["judged"],
        twice=completed - states["judged"],
        promises={
            f"{states['judged']:,} of {needed:,} judged": states == {"judged": needed},
            f"{stats['requests']:,} requests, {completed:,} answered, {ledger['answered']:,} in "
            "the ledger": stats["requests"] == completed == ledger["answered"] == needed,
            f"{unended} calls open or of unknown outcome": unended == 0,
            f"spend and ledger differ in {drift} scopes": drift == 0,
        },
    )
