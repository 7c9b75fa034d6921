from collections.abc import Mapping

from benchmarks.protocols.base import Message, QuestionView

PROMPTS = "reference-v1"


def messages(
    question: QuestionView, description: str, prompts: Mapping[str, str], delimiter: str
) -> tuple[Message, ...]:
    return (
        Message(
            "user",
            f"{prompts['reference']}\n{delimiter}\n{description}\n{delimiter}\n{question.text}",
        ),
    )
