from collections.abc import Mapping

from benchmarks.protocols.answer_texts.delimiters import marked_messages
from benchmarks.protocols.base import Message, QuestionView

PROMPTS = "reference-v1"


def messages(
    question: QuestionView, description: str, prompts: Mapping[str, str], delimiter: str
) -> tuple[Message, ...]:
    texts = {"asked": prompts["reference"], "description": description, "word": question.text}
    template = "$asked\n$delimiter\n$description\n$delimiter\n$word"
    return marked_messages({"user": template}, texts, delimiter)
