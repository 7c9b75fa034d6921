"""How a model is asked for a reference answer: from description and question alone, as the
benchmark's own was made."""

from collections.abc import Mapping

from benchmarks.protocols.answer_texts.delimiters import marked_messages
from benchmarks.protocols.base import Message, QuestionView

PROMPTS = "reference-v2"


def messages(
    question: QuestionView, description: str, prompts: Mapping[str, str], delimiter: str
) -> tuple[Message, ...]:
    """A system and a user message; `prompts` holds "system" and "user", the latter with
    $description, $question and $delimiter."""
    texts = {"description": description, "question": question.text}
    return marked_messages({"system": prompts["system"], "user": prompts["user"]}, texts, delimiter)
