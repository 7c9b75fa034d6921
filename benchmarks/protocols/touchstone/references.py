"""How a model is asked for a reference answer: from description and question alone, as the benchmark's own was made."""

from collections.abc import Mapping
from string import Template

from benchmarks.protocols.base import Message, QuestionView

PROMPTS = "reference-v1"


def messages(question: QuestionView, description: str, prompts: Mapping[str, str]) -> tuple[Message, ...]:
    """A system and a user message; `prompts` holds "system" and "user", the latter with $description and $question."""
    shown = {"description": description, "question": question.text}
    return (
        Message("system", prompts["system"]),
        Message("user", Template(prompts["user"]).substitute(shown)),
    )
