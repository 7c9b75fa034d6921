"""Deciding: the only writers of judge specs, runs, judgements and the ledger."""

from judging.services.canary import NoCanaryError, due_canaries, run_canary, run_due_canary
from judging.services.deadlines import expire_overdue
from judging.services.engine import judge_run
from judging.services.prompts import PromptsRefusedError, ensure_prompt_set, import_prompt_set
from judging.services.references import (
    Generated,
    NoReferencesError,
    generate_references,
    request_references,
    write_requested_references,
)
from judging.services.review import ReviewError, exclude_judgement, retry_failed, retry_judgements
from judging.services.runs import (
    end_pauses,
    pause_run,
    plan_run,
    plan_waiting_runs,
    request_missing_runs,
    request_run,
    resume_run,
)
from judging.services.specs import UnknownJudgeError, ensure_spec, find_spec

__all__ = [
    "Generated",
    "NoCanaryError",
    "NoReferencesError",
    "PromptsRefusedError",
    "ReviewError",
    "UnknownJudgeError",
    "due_canaries",
    "end_pauses",
    "ensure_prompt_set",
    "ensure_spec",
    "exclude_judgement",
    "expire_overdue",
    "find_spec",
    "generate_references",
    "import_prompt_set",
    "judge_run",
    "pause_run",
    "plan_run",
    "plan_waiting_runs",
    "request_missing_runs",
    "request_references",
    "request_run",
    "resume_run",
    "retry_failed",
    "retry_judgements",
    "run_canary",
    "run_due_canary",
    "write_requested_references",
]
