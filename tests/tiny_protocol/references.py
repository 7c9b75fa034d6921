from collections.abc import Mapping

from benchmarks.protocols.base import Message, QuestionView

PROMPTS = "reference-v1"


def messages(question: QuestionView, description: str, prompts: Mapping[str, str]) -> tuple[Message, ...]:
    return (Message("user", f"{prompts['reference']}\n{description}\n{question.text}"),)
