"""Deciding: the only writers of judge specs, runs, judgements and the ledger."""

from judging.services.canary import NoCanaryError, due_canaries, run_canary, run_due_canary
from judging.services.deadlines import expire_overdue
from judging.services.engine import judge_run
from judging.services.planning import plan_run, plan_waiting_runs
from judging.services.prompts import PromptsRefusedError, ensure_prompt_set, import_prompt_set
from judging.services.proposals import (
    ProposalError,
    approve_proposal,
    approve_request,
    propose_reference,
    send_back_proposal,
)
from judging.services.references import (
    Generated,
    NoReferencesError,
    ReferenceEstimate,
    estimate_references,
    generate_references,
    request_references,
    write_requested_references,
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
from judging.services.specs import UnknownJudgeError, ensure_spec, find_spec
from judging.services.trials import Trial, TrialRefusedError, try_judge

__all__ = [
    "Generated",
    "NoCanaryError",
    "NoReferencesError",
    "PromptsRefusedError",
    "ProposalError",
    "ReferenceEstimate",
    "ReviewError",
    "Trial",
    "TrialRefusedError",
    "UnknownJudgeError",
    "approve_proposal",
    "approve_request",
    "due_canaries",
    "end_pauses",
    "ensure_prompt_set",
    "ensure_spec",
    "estimate_references",
    "exclude_judgement",
    "expire_overdue",
    "find_spec",
    "generate_references",
    "import_prompt_set",
    "judge_run",
    "pause_run",
    "pause_run_by_person",
    "plan_run",
    "plan_waiting_runs",
    "propose_reference",
    "request_missing_runs",
    "request_references",
    "request_run",
    "resume_run",
    "retry_failed",
    "retry_judgements",
    "run_canary",
    "run_due_canary",
    "send_back_proposal",
    "try_judge",
    "write_requested_references",
]
