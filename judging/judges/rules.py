"""The offline judge: the protocol's own deterministic rules. Labelled as what it is, and its own
era."""

from benchmarks.protocols.base import JudgingPort
from judging.judges.base import JudgeRequest, Reply


class RulesJudge:
    makes_requests = False

    def __init__(self, judging: JudgingPort):
        self.judging = judging

    async def ask(self, request: JudgeRequest) -> Reply:
        return Reply(self.judging.rule(request.case), model=f"rules {self.judging.RULES_VERSION}")

    async def close(self) -> None:
        return
