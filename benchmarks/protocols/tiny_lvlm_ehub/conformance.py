"""Cases with the official results of word matching and of the vote, and whether ours are the same.

word_matching: {"answer", "references", "correct": 0 or 1}. cee_vote: {"replies": five, "labels":
five of 1, 0, -1, "vote"}. Neither speaks of questions.
"""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from benchmarks.protocols.base import ConformanceCheck, Difference, QuestionView
from benchmarks.protocols.tiny_lvlm_ehub.judging import SCORE_KEYS, official_label, plurality
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches


def check_word_matching(
    case: Mapping[str, object], questions: Sequence[QuestionView]
) -> Sequence[Difference]:
    answer, references = case.get("answer"), case.get("references")
    if (
        not isinstance(answer, str)
        or not _is_texts(references)
        or case.get("correct") not in (0, 1)
    ):
        return (
            Difference(
                "case", "answer, references and correct", "something is missing or of another form"
            ),
        )
    found = int(matches(answer, references))
    return () if found == case["correct"] else (Difference("correct", case["correct"], found),)


def check_vote(
    case: Mapping[str, object], questions: Sequence[QuestionView]
) -> Sequence[Difference]:
    replies = case.get("replies")
    if not _is_texts(replies) or len(replies) != len(SCORE_KEYS):
        return (Difference("case", "five replies", "something is missing or of another form"),)
    labels = [
        official_label(reply, key) for reply, key in zip(replies, SCORE_KEYS.values(), strict=True)
    ]
    found: Mapping[str, object] = {
        "labels": [int(label) for label in labels],
        "vote": int(plurality(labels)),
    }
    return tuple(
        Difference(name, case.get(name), value)
        for name, value in found.items()
        if case.get(name) != value
    )


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


CONFORMANCE: Mapping[str, ConformanceCheck] = {
    "word_matching": check_word_matching,
    "cee_vote": check_vote,
}
