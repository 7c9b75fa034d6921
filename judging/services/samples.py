"""Cases of a release that hold no answer of anybody: a judge is tried with some, and what it will
cost is foreseen by all."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.models import Question, Release
from benchmarks.protocols.base import JudgeCase
from benchmarks.selectors import (
    approved_descriptions,
    kept_truths,
    newest_references,
    protocol_of,
    question_view,
    release_questions,
)
from judging.models import JudgeSpec

CASES = 5  # as many replies as somebody reads, with at least two wrong answers among them


@dataclass(frozen=True, slots=True)
class Sample:
    """`is_right`: the answer is the question's own reference."""

    question: Question
    case: JudgeCase
    is_right: bool


def choose_samples(release: Release, spec: JudgeSpec) -> list[Sample]:
    """Spread evenly over the questions that have a reference, of slots that need no second answer
    and a call."""
    judging = protocol_of(release).judging
    questions, references, seen = known_questions(release)
    count = min(CASES, len(questions))
    kept = kept_truths(release)
    chosen: list[Sample] = []
    for number, start in enumerate(i * len(questions) // count for i in range(count)):
        question = questions[start]
        other = questions[(start + len(questions) // 2) % len(questions)]
        is_right = number % 2 == 0 or references[other.pk] == references[question.pk]
        view = question_view(question, kept)
        slots = [slot for slot in judging.slots(view, 1) if judging.peer(view, slot) is None]
        for slot in slots[number % len(slots) :][:1] if slots else []:
            case = JudgeCase(
                slot=slot,
                question=view,
                reference=references[question.pk],
                description=seen.get(question.figure_id or 0, ""),
                answer=references[(question if is_right else other).pk],
            )
            if judging.plain_verdict(case) is None:
                chosen.append(Sample(question, case, is_right))
    return chosen


def every_sample(release: Release, spec: JudgeSpec) -> list[Sample]:
    """A case for every slot, each question answered by its reference."""
    judging = protocol_of(release).judging
    questions, references, seen = known_questions(release)
    kept = kept_truths(release)
    by_id = {question.public_id: references[question.pk] for question in questions}
    samples: list[Sample] = []
    for question in questions:
        view = question_view(question, kept)
        for slot in judging.slots(view, spec.repeats):
            peer = judging.peer(view, slot)
            case = JudgeCase(
                slot=slot,
                question=view,
                reference=references[question.pk],
                description=seen.get(question.figure_id or 0, ""),
                answer=references[question.pk],
                peer_answer=None if peer is None else by_id.get(peer, ""),
            )
            samples.append(Sample(question, case, is_right=True))
    return samples


def known_questions(release: Release) -> tuple[Sequence[Question], dict[int, str], dict[int, str]]:
    """Those that have a reference, their references, and descriptions by figure."""
    questions = list(release_questions(release))
    references = newest_references({question.pk for question in questions})
    known = [question for question in questions if references.get(question.pk)]
    figures = {question.figure_id for question in known if question.figure_id}
    seen = approved_descriptions(figures, release.language) if figures else {}
    return known, dict(references), dict(seen)
