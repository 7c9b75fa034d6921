"""A judge for tests: it says what it was told to say, in order, and then repeats the last line."""

from collections.abc import Sequence

from judging.judges.base import JudgeRequest, Reply


class ScriptedJudge:
    def __init__(self, script: Sequence[Reply | Exception | str], *, makes_requests: bool = True):
        self.script = list(script)
        self.makes_requests = makes_requests
        self.asked: list[JudgeRequest] = []

    async def ask(self, request: JudgeRequest) -> Reply:
        line = self.script[min(len(self.asked), len(self.script) - 1)]
        self.asked.append(request)
        if isinstance(line, Exception):
            raise line
        return Reply(line) if isinstance(line, str) else line

    async def close(self) -> None:
        return
