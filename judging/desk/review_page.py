"""What the page of a judgement without a verdict shows, as values. Whose answer it is stands
nowhere on it."""

from typing import Any

from benchmarks.registry import protocol
from judging.coordination.money import print_money
from judging.engine.outcomes import fault_of_reply
from judging.models import JudgeCall, Judgement, ReviewNote
from judging.selectors import cases_of
from judging.services.verdicts import content_key

DELIMITER = "⟨delimiter⟩"


def review_page(judgement: Judgement) -> dict[str, Any]:
    """Needs what `cases_of` needs, `judge_spec__prompt_set` and `run__submission` selected.

    `messages` are rebuilt, with a placeholder where the delimiter stood; none for the offline
    rules. `has_changed`: description, reference or answer beside it are not what they were when the
    judge was asked. `fault`: what its parser misses in the reply."""
    spec = judgement.judge_spec
    family = protocol(spec.protocol)
    case = cases_of([judgement], spec)[0]
    prompts = spec.prompt_set
    notes = judgement.review_notes.select_related("by")
    return {
        "judgement": judgement,
        "benchmark": family.title,
        "question": case.question.public_id,
        "case": case,
        "prompts": str(prompts) if prompts else "",
        "messages": family.judging.messages(case, prompts.texts, DELIMITER) if prompts else (),
        "has_changed": content_key(case, spec, family.judging) != judgement.content_key,
        "fault": fault_of_reply(judgement, family.judging),
        "calls": [ledger_line(call) for call in judgement.calls.order_by("started", "pk")],
        "notes": [(note, name_in(note, judgement)) for note in notes],
    }


def ledger_line(call: JudgeCall) -> dict[str, Any]:
    known = call.prompt_tokens is not None and call.reply_tokens is not None
    tokens = f"{call.prompt_tokens:,} + {call.reply_tokens:,}" if known else "–"
    return {"call": call, "tokens": tokens, "cost": print_money(call.cost)}


def name_in(note: ReviewNote, judgement: Judgement) -> str:
    """Who wrote it; a name only where it does not give away whose answer it is."""
    if note.by is None:
        return "a command"
    is_owner = note.by_id == judgement.run.submission.owner_id
    return "its owner" if is_owner else note.by.get_username()
