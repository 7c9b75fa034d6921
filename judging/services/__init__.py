"""What people and sweeps ask of judging. Whoever asks judges stands in judging/engine."""

from judging.services.deadlines import expire_overdue
from judging.services.dry_runs import DryRunRefusedError, start_dry_run
from judging.services.planning import plan_run, plan_waiting_runs
from judging.services.prompts import PromptsRefusedError, ensure_prompt_set, import_prompt_set
from judging.services.proposals import (
    REFERENCE_REVIEW,
    approve_request,
    propose_reference,
)
from judging.services.review import ReviewError, exclude_judgement, retry_failed, retry_judgements
from judging.services.runs import (
    end_pauses,
    pause_run,
    pause_run_by_person,
    request_missing_runs,
    request_run,
    resume_run,
)
from judging.services.specs import OTHER_RULES, UnknownJudgeError, ensure_spec, find_spec

__all__ = [
    "OTHER_RULES",
    "REFERENCE_REVIEW",
    "DryRunRefusedError",
    "PromptsRefusedError",
    "ReviewError",
    "UnknownJudgeError",
    "approve_request",
    "end_pauses",
    "ensure_prompt_set",
    "ensure_spec",
    "exclude_judgement",
    "expire_overdue",
    "find_spec",
    "import_prompt_set",
    "pause_run",
    "pause_run_by_person",
    "plan_run",
    "plan_waiting_runs",
    "propose_reference",
    "request_missing_runs",
    "request_run",
    "resume_run",
    "retry_failed",
    "retry_judgements",
    "start_dry_run",
]
