"""The interface of OpenAI for chat completions, which most servers of models speak."""

import json
from collections.abc import Mapping
from typing import Any

from judging.judges.base import JudgeRequest, JudgeUnavailableError, Reply
from judging.judges.endpoint import EndpointJudge, model_name, storable, token_count


class Provider(EndpointJudge):
    path = "/chat/completions"

    def body(self, request: JudgeRequest) -> Mapping[str, Any]:
        messages = [
            {"role": message.role, "content": message.content} for message in request.messages
        ]
        return {"model": self.model, "messages": messages, **self.parameters}

    @staticmethod
    def reply(content: bytes, *, request_id: str) -> Reply:
        """The reply in a 200 response. Raises JudgeUnavailableError where it is not a chat
        completion."""
        try:
            body = json.loads(content)
            choice = body["choices"][0]
            message = dict(choice["message"])
            usage = dict(body.get("usage") or {})
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            raise JudgeUnavailableError(
                "HTTP 200 with something that is not a chat completion", is_unknown=True
            ) from None
        text = message.get("content")
        return Reply(
            text=storable(text) if isinstance(text, str) else "",
            finish_reason="refusal"
            if message.get("refusal")
            else storable(choice.get("finish_reason", "stop")),
            model=model_name(body.get("model")),
            request_id=storable(request_id),
            prompt_tokens=token_count(usage.get("prompt_tokens")),
            reply_tokens=token_count(usage.get("completion_tokens")),
        )
