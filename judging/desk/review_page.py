"""What the page of a judgement without a verdict shows, as values. Whose answer it is stands
nowhere on it."""

from dataclasses import dataclass
from datetime import datetime

from benchmarks.protocols.base import JudgeCase, Message
from benchmarks.registry import protocol
from judging.engine.outcomes import fault_of_reply
from judging.models import JudgeCall, Judgement, ReviewNote
from judging.money import print_money
from judging.selectors import cases_of
from judging.services.verdicts import content_key

DELIMITER = "⟨delimiter⟩"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    started: datetime
    closed: datetime | None
    outcome: str
    error: str
    request_id: str
    tokens: str
    cost: str


@dataclass(frozen=True, slots=True)
class NoteLine:
    """`who` is a name only where it does not give away whose answer it is."""

    created: datetime
    who: str
    action: str
    found: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """`messages` are rebuilt, with a placeholder where the delimiter stood; none for the offline
    rules. `has_changed`: description, reference or answer beside it are not what they were when the
    judge was asked. `fault`: what its parser misses in the reply."""

    judgement: Judgement
    benchmark: str
    question: str
    case: JudgeCase
    prompts: str
    messages: tuple[Message, ...]
    has_changed: bool
    fault: str
    calls: tuple[LedgerLine, ...]
    notes: tuple[NoteLine, ...]


def review_page(judgement: Judgement) -> ReviewPage:
    """Needs what `cases_of` needs, `judge_spec__prompt_set` and `run__submission` selected."""
    spec = judgement.judge_spec
    family = protocol(spec.protocol)
    case = cases_of([judgement], spec)[0]
    prompts = spec.prompt_set
    return ReviewPage(
        judgement=judgement,
        benchmark=family.title,
        question=case.question.public_id,
        case=case,
        prompts=str(prompts) if prompts else "",
        messages=family.judging.messages(case, prompts.texts, DELIMITER) if prompts else (),
        has_changed=content_key(case, spec, family.judging) != judgement.content_key,
        fault=fault_of_reply(judgement, family.judging),
        calls=tuple(ledger_line(call) for call in judgement.calls.order_by("started", "pk")),
        notes=tuple(
            note_line(note, judgement) for note in judgement.review_notes.select_related("by")
        ),
    )


def ledger_line(call: JudgeCall) -> LedgerLine:
    known = call.prompt_tokens is not None and call.reply_tokens is not None
    return LedgerLine(
        started=call.started,
        closed=call.closed,
        outcome=call.outcome,
        error=call.error,
        request_id=call.request_id,
        tokens=f"{call.prompt_tokens:,} + {call.reply_tokens:,}" if known else "–",
        cost=print_money(call.cost),
    )


def note_line(note: ReviewNote, judgement: Judgement) -> NoteLine:
    if note.by is None:
        who = "a command"
    else:
        who = (
            "its owner"
            if note.by_id == judgement.run.submission.owner_id
            else note.by.get_username()
        )
    return NoteLine(note.created, who, note.action, note.found, note.reason)
