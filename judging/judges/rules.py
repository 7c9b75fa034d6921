"""The offline judge: deterministic rules of the protocol. Labelled as what it is, and its own
era."""

from benchmarks.protocols.base import Rules
from judging.judges.base import JudgeRequest, Reply


class RulesJudge:
    makes_requests = False

    def __init__(self, rules: Rules):
        self.rules = rules

    async def ask(self, request: JudgeRequest) -> Reply:
        return Reply(self.rules.rule(request.case), model=f"rules {self.rules.model}")

    async def close(self) -> None:
        return
