"""How a model is asked for a reference answer: from description and question alone, as the benchmark's own was made."""

from collections.abc import Mapping
from string import Template

from benchmarks.protocols.base import Message, QuestionView
from benchmarks.protocols.delimiters import without_delimiter

PROMPTS = "reference-v2"


def messages(
    question: QuestionView, description: str, prompts: Mapping[str, str], delimiter: str
) -> tuple[Message, ...]:
    """A system and a user message; `prompts` holds "system" and "user", the latter with $description, $question and
    $delimiter."""
    texts = {"description": description, "question": question.text}
    shown = {name: without_delimiter(text, delimiter) for name, text in texts.items()}
    return (
        Message("system", prompts["system"]),
        Message("user", Template(prompts["user"]).substitute(shown, delimiter=delimiter)),
    )
