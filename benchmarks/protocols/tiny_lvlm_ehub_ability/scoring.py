"""Five fractions and their sum, twice: "guarded@reasoning" is the share of right verdicts in an
ability, "guarded" the sum, from 0 to 5; "words" and its parts are the same by word matching as
published, read from the answers.

Source: the code of the ability-level benchmark (docs/tiny_lvlm_ehub.md). An ability without a value
leaves the sum without one; records without a verdict are outside.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, Derived, Floats, QuestionView, ScoredRow
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import assembled, share
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.suite import JUDGED
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches
from benchmarks.protocols.tiny_lvlm_ehub_ability.judging import RIGHT, SLOT

SCORES = GUARDED, PUBLISHED = "guarded", "words"


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> Contributions:
    """One run. Groups are the records; raises ValueError for verdicts of another number."""
    found = read_runs(verdicts, [SLOT.name], len(questions))[0][0]
    is_judged = np.array([verdict is not None for verdict in found], dtype=np.bool_)
    is_right = np.array([verdict == RIGHT for verdict in found], dtype=np.bool_)
    is_matched = np.array(
        [matches(text, references_of(q)) for q, text in zip(questions, answers, strict=True)],
        dtype=np.bool_,
    )
    abilities = np.array([question.ability for question in questions], dtype=np.str_)
    of = {ability: abilities == ability for ability in JUDGED}
    tallies = {
        **{
            f"{GUARDED}@{slug}": share(is_right, is_judged & here, here)
            for slug, here in of.items()
        },
        **{f"{PUBLISHED}@{slug}": share(is_matched, here, here) for slug, here in of.items()},
    }
    return assembled(
        questions,
        tallies,
        runs=1,
        coverage=float(is_judged.mean()) if questions else 0.0,
        derived={
            score: Derived(_total, tuple(f"{score}@{slug}" for slug in JUDGED)) for score in SCORES
        },
    )


def _total(values: Mapping[str, Floats]) -> Floats:
    return np.asarray(sum(values.values()), dtype=np.float64)


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> tuple[ScoredRow, ...]:
    found = verdicts.get(SLOT.key, [None] * len(questions))
    return tuple(
        ScoredRow("no verdict", None)
        if verdict is None
        else ScoredRow(_TITLES[verdict], verdict == RIGHT)
        for verdict in found
    )


_TITLES = {RIGHT: "a correct answer is found in it", "0": "no correct answer is found in it"}
