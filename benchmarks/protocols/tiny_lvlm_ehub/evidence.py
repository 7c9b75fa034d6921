"""What is exported of an answer so that others compute its scores: what word matching, yes and no
and people say of it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.protocols.base import Evidence, QuestionView, Ratings, Tells
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.guarded_matching import is_answered
from benchmarks.protocols.tiny_lvlm_ehub.panel import CORRECT, RATED
from benchmarks.protocols.tiny_lvlm_ehub.scoring import people_say
from benchmarks.protocols.tiny_lvlm_ehub.suite import BY_SLUG, EMBODIED, KIE, POPE
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches, shared_tokens
from benchmarks.protocols.yes_no import read_yes_no

NEED_LABELS = tuple(f"pope_{figure}" for figure in ("accuracy", "precision", "recall", "f1"))


def readings(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts, ratings: Ratings
) -> Sequence[Mapping[str, object]]:
    """Entry pages show of every answer whether word matching finds it right (`matched`, `guarded`)
    and what people say (`people`, `rated`: sum and number of ratings by dimension). `pope` and
    `label`: yes, no or uncertain, read in an answer and its reference; `tokens`: those shared, in
    the answer, and in the reference."""
    found = []
    for row, (question, answer) in enumerate(zip(questions, answers, strict=True)):
        own = {slug: scores[row] for slug, scores in ratings.items()}
        is_plan = question.ability == EMBODIED
        found.append(dict(read_plan(own) if is_plan else read_answer(question, answer, own)))
    return found


def read_plan(ratings: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, object]]:
    given = {dimension.slug: ratings.get(dimension.slug, ()) for dimension in RATED}
    yield "rated", {slug: [sum(scores), len(scores)] for slug, scores in given.items()}


def read_answer(
    question: QuestionView, answer: str, ratings: Mapping[str, Sequence[int]]
) -> Iterator[tuple[str, object]]:
    correct, group = references_of(question), BY_SLUG[question.subtask].group
    yield "matched", matches(answer, correct)
    yield "guarded", is_answered(question.text, answer, correct)
    if group == POPE:
        yield "pope", read_yes_no(answer)
        yield "label", read_yes_no(correct[0]) if correct else ""
    if group == KIE:
        yield "tokens", list(shared_tokens(answer, correct))
    said = people_say(ratings.get(CORRECT.slug, ()))
    if said is not None:
        yield "people", said


EVIDENCE = Evidence(
    Path(__file__).with_name("recount.py"),
    readings,
    tells={
        "label": Tells("reference", NEED_LABELS),
        "tokens": Tells("reference", ("token_f1",)),
    },
)
