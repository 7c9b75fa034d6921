"""From scores of rounds to the metrics of TouchStone: means over rounds times 100, and how two
orders compare.

A question is judged in two rounds, the reference shown first and the answer shown first; a metric
of scores is a mean over rounds, so that a question with one readable round counts half
(docs/touchstone.md 7). What compares the model with the reference looks at questions with both
rounds. A run is one repeat of the judge; metrics are averaged over runs. A missing round is outside
every metric.

Names: "overall", and "overall@recognition" or "overall@recognition/brand-recognition" over an
ability or a subtask; "reference" likewise over abilities. A question with several categories counts
in each, with a repeated one twice. "length_controlled" is what "overall" would be were every answer
as long as its reference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from benchmarks.protocols.base import Contributions, Derived, Floats, QuestionView, ScoredRow
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import Flags, Tally, assembled, mean
from benchmarks.protocols.touchstone.comparing import REFERENCE_LENGTH
from benchmarks.protocols.touchstone.judging import (
    ANSWER_FIRST,
    HIGHEST,
    LOWEST,
    NOT_SCORED,
    REFERENCE_FIRST,
    ROUNDS,
)
from benchmarks.protocols.touchstone.taxonomy import TAXONOMY
from benchmarks.statistics.controlled import at_zero, slope_parts

SCALE = 100.0
ABILITIES = tuple(ability.slug for ability in TAXONOMY)
SUBTASKS = tuple(subtask.slug for ability in TAXONOMY for subtask in ability.subtasks)


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> Contributions:
    """Every metric of a submission; resampling groups are the figures.

    "overall", "reference" and their scopes lie in [100, 1000] like `length_controlled`,
    `order_effect` in [-900, 900]; `win`, `tie`, `loss` and `flip` are shares; `answer_length` is in
    characters; `length_edge` lies in [-1, 1], and `length_slope` is in points per unit of it. Those
    that control for length need the column REFERENCE_LENGTH of `comparing`. `asked` counts
    questions, `judged` those with both rounds in every run, but of the length all; the coverage
    counts rounds. Where nothing can be counted the denominator is 0. Without verdicts there is one
    run without any. Raises ValueError for a verdict `judging.parse` does not give or sequences of
    other lengths. Source: docs/touchstone.md 7; win, tie, loss, flip, order effect and length are
    ours.
    """
    rounds = read_rounds(len(questions), verdicts)
    lengths = np.array([len(answer) for answer in answers], dtype=np.float64)
    tallies = {
        **_scores(questions, rounds),
        **_comparisons(rounds),
        "answer_length": mean(lengths, np.ones(len(answers), dtype=np.bool_)),
        **_length_effect(questions, rounds, length_edges(lengths, verdicts)),
    }
    coverage = float(np.mean(~np.isnan(rounds.model))) if questions else 0.0
    return assembled(
        questions,
        tallies,
        runs=rounds.runs,
        coverage=coverage,
        derived={"length_controlled": LENGTH_CONTROLLED},
    )


# --- the verdicts as arrays -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rounds:
    """Scores of R runs in two rounds on N questions, (R, 2, N); nan where there is none. Rounds as
    in ROUNDS.

    The reference may lack a score where the model has one: an empty answer is settled without a
    comparison.
    """

    reference: Floats
    model: Floats

    @property
    def runs(self) -> int:
        return len(self.model)

    @property
    def size(self) -> int:
        return int(self.model.shape[2])

    @property
    def is_complete(self) -> Flags:
        """Which questions have both rounds, (R, N)."""
        return np.asarray(~np.isnan(self.model).any(axis=1), dtype=np.bool_)

    @property
    def margin(self) -> Floats:
        """Model less reference, (R, 2, N); an answer that was settled at the floor is behind by
        1."""
        return np.where(
            np.isnan(self.reference) & ~np.isnan(self.model), -1.0, self.model - self.reference
        )


def read_rounds(size: int, verdicts: Verdicts) -> Rounds:
    runs = read_runs(verdicts, ROUNDS, size)
    pairs = {text: read_verdict(text) for run in runs for column in run for text in column}
    scores = np.array(
        [[pairs[text] for text in column] for run in runs for column in run], dtype=np.float64
    )
    shaped = scores.reshape(len(runs), len(ROUNDS), size, 2)
    return Rounds(shaped[..., 0], shaped[..., 1])


def read_verdict(text: str | None) -> tuple[float, float]:
    """Scores of reference and model; nan where there is none."""
    if text is None:
        return np.nan, np.nan
    reference, model = text.split(" ")
    return np.nan if reference == NOT_SCORED else float(reference), float(model)


def leads(size: int, verdicts: Verdicts) -> tuple[Floats, Flags]:
    """By how much each answer is ahead of its reference in the mean of its two rounds, (R, N), and
    where both rounds have a verdict."""
    rounds = read_rounds(size, verdicts)
    complete = rounds.is_complete
    return np.where(complete[:, np.newaxis], rounds.margin, 0.0).mean(axis=1), complete


# --- the metrics ----------------------------------------------------------------------------------


def _scores(questions: Sequence[QuestionView], rounds: Rounds) -> dict[str, Tally]:
    """Means over rounds, of everything and in every scope."""
    model, reference = _sum_of_rounds(rounds.model), _sum_of_rounds(rounds.reference)
    known = np.asarray(rounds.is_complete.all(axis=0), dtype=np.bool_)
    tallies = {}
    for scope, weight in _scopes(questions).items():
        tallies[f"overall{scope}"] = _weighted(model, weight, known)
        if "/" not in scope:
            tallies[f"reference{scope}"] = _weighted(reference, weight, known)
    return tallies


def _scopes(questions: Sequence[QuestionView]) -> dict[str, Floats]:
    """How often each question counts in a scope, (N,) by its suffix: "", "@recognition",
    "@recognition/…". Scopes are those of the taxonomy, and what the questions have beside it."""
    categories = [str(question.facts["categories"]).split(",") for question in questions]
    subtasks = np.array([question.subtask for question in questions], dtype=np.str_)
    return {
        "": np.ones(len(questions)),
        **{
            f"@{slug}": np.array([float(named.count(slug)) for named in categories])
            for slug in dict.fromkeys((*ABILITIES, *filter(None, chain.from_iterable(categories))))
        },
        **{
            f"@{slug}": (subtasks == slug).astype(np.float64)
            for slug in dict.fromkeys((*SUBTASKS, *filter(None, subtasks.tolist())))
        },
    }


def _sum_of_rounds(scores: Floats) -> tuple[Floats, Floats]:
    """Sum and number of the scores a question has, each (R, N)."""
    return np.nansum(scores, axis=1), (~np.isnan(scores)).sum(axis=1).astype(np.float64)


def _weighted(sums: tuple[Floats, Floats], weight: Floats, known: Flags) -> Tally:
    total, number = sums
    asked = weight > 0
    return Tally(SCALE * total * weight, number * weight, asked, asked & known)


def _comparisons(rounds: Rounds) -> dict[str, Tally]:
    """Over questions with both rounds: who is ahead in the mean of the two, and what the order
    changes.

    flip: the rounds disagree on who is ahead, a tie included. order_effect: the model's score shown
    second less its score shown first; above zero the judge favours the answer it reads last.
    """
    complete = rounds.is_complete
    margin = np.where(complete[:, np.newaxis], rounds.margin, 0.0)
    lead = margin.mean(axis=1)
    second = rounds.model[:, ROUNDS.index(REFERENCE_FIRST)]
    first = rounds.model[:, ROUNDS.index(ANSWER_FIRST)]
    hits: dict[str, Floats | Flags] = {
        "win": lead > 0,
        "tie": lead == 0,
        "loss": lead < 0,
        "flip": np.sign(margin[:, 0]) != np.sign(margin[:, 1]),
        "order_effect": SCALE * (second - first),
    }
    return {name: mean(np.asarray(hit, dtype=np.float64), complete) for name, hit in hits.items()}


# --- with the length of answers taken out ---------------------------------------------------------

LEAST_COMPARED = 30
"""Answers beside the first of their subtask: of eighteen questions in a dozen subtasks slopes came
out anywhere between -400 and 5,900 points, in intervals too narrow to say so."""


def length_edges(lengths: Floats, verdicts: Verdicts) -> Floats:
    """How much longer each answer is than its reference, (N,): tanh of the difference over the mean
    length of the references; nan without a reference.

    An answer that is longer by as much as a reference is long on average has 0.76. The unit is the
    same for all entries of a release, so that a slope means the same of each; Dubois et al. take
    the standard deviation of each model's own differences.
    """
    texts = verdicts.get(REFERENCE_LENGTH, [None] * len(lengths))
    if len(texts) != len(lengths):
        raise ValueError(f"there are {len(lengths)} questions, but not as many references")
    references = np.array([np.nan if text is None else float(text) for text in texts])
    known = references[~np.isnan(references)]
    if not known.any():
        return np.full(len(lengths), np.nan)
    return np.asarray(np.tanh((lengths - references) / known.mean()), dtype=np.float64)


def _length_effect(
    questions: Sequence[QuestionView], rounds: Rounds, edges: Floats
) -> dict[str, Tally]:
    """length_slope: by how much scores rise with length among questions of one subtask; over rounds
    in which the judge compared two texts. length_edge: the mean edge over all scored rounds, 0 in
    the others: an empty answer has its score without a judge."""
    compared = ~np.isnan(rounds.model) & ~np.isnan(rounds.reference) & ~np.isnan(edges)
    total, number = _sum_of_rounds(np.where(compared, rounds.model, np.nan))
    edge = np.nan_to_num(edges, nan=0.0)
    subtasks = np.unique([question.subtask for question in questions], return_inverse=True)[1]
    parts = slope_parts(SCALE * total, number, edge, subtasks, least=LEAST_COMPARED)
    scored = _sum_of_rounds(rounds.model)[1] * bool(number.any())
    asked = np.ones(rounds.size, dtype=np.bool_)
    known = np.asarray(rounds.is_complete.all(axis=0), dtype=np.bool_)
    return {
        "length_slope": Tally(parts.numerator, parts.denominator, asked, known),
        "length_edge": Tally(number * edge, scored, asked, known),
    }


LENGTH_CONTROLLED = Derived(
    lambda parts: at_zero(parts["overall"], parts["length_slope"], parts["length_edge"]),
    ("overall", "length_slope", "length_edge"),
    counted=("overall",),
    is_extrapolated=True,
)
"""The overall score that the entry's own slope tells for answers as long as their references."""


# --- one row, for the entry page ------------------------------------------------------------------

_TITLES = {REFERENCE_FIRST: "reference first", ANSWER_FIRST: "answer first"}
_AHEAD = {1: "the answer wins", 0: "they tie", -1: "the reference wins"}


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> tuple[ScoredRow, ...]:
    """Both rounds of each question: "Answer 7 / 10, reference 8 / 10 (same in both orders)", or
    where they differ "reference first: answer 6 / 10, reference 8 / 10 · answer first: …".

    With several runs the scores are means over them. There is no right and wrong here; points
    say how far an answer reaches the reference.
    """
    rounds = read_rounds(len(questions), verdicts)
    return tuple(_explained(rounds, row) for row in range(len(questions)))


def _explained(rounds: Rounds, row: int) -> ScoredRow:
    reference, model = _means(rounds.reference[:, :, row]), _means(rounds.model[:, :, row])
    shown = [_shown(*scores) for scores in zip(model, reference, strict=True)]
    said = " · ".join(f"{_TITLES[name]}: {one}" for name, one in zip(ROUNDS, shown, strict=True))
    if shown[0] == shown[1] and not np.isnan(model[0]):
        said = f"{shown[0].capitalize()} (same in both orders)"
    known = [score for score in model if not np.isnan(score)]
    score = sum(known) / len(known) if known else None
    remarks = " ".join(_remarks(rounds, row))
    dispute = (max(known) - min(known)) / HIGHEST if known else 0.0
    return ScoredRow(said, None, remarks, score, points=_points(rounds, row), dispute=dispute)


def _shown(model: float, reference: float) -> str:
    if np.isnan(model):
        return "no scores"
    highest = _printed(HIGHEST)
    return f"answer {_printed(model)} / {highest}, reference {_printed(reference)} / {highest}"


def _points(rounds: Rounds, row: int) -> float | None:
    """How far the answer's score reaches that of the reference, over the rounds that have one: from
    0 at the lowest score to 1 where it is as high or higher. None without a round."""
    has_score = ~np.isnan(rounds.model[:, :, row])
    if not has_score.any():
        return None
    model = rounds.model[:, :, row][has_score].mean() - LOWEST
    settled = rounds.reference[:, :, row][has_score]
    # An empty answer is settled at the floor, and its reference never scored.
    reference = np.where(np.isnan(settled), HIGHEST, settled).mean() - LOWEST
    return 1.0 if model >= reference else float(model / reference)


def _remarks(rounds: Rounds, row: int) -> Iterable[str]:
    ahead = np.sign(rounds.margin[:, :, row])
    known = ahead[~np.isnan(ahead).any(axis=1)]
    if any(first != second for first, second in known):
        first, second = next((a, b) for a, b in known if a != b)
        yield (
            f"The orders disagree: {_AHEAD[int(first)]} with the answer second, "
            f"{_AHEAD[int(second)]} with the answer first."
        )
    if np.isnan(rounds.model[:, :, row]).any():
        yield "A round without a verdict is left out of the means."
    if len({tuple(scores) for scores in rounds.model[:, :, row].tolist()}) > 1:
        yield "Means over runs that differ."


def _means(scores: Floats) -> list[float]:
    """The mean of each column over the runs that have a score; nan where none has."""
    return [
        float(np.mean(found)) if len(found := column[~np.isnan(column)]) else np.nan
        for column in scores.T
    ]


def _printed(score: float) -> str:
    return "–" if np.isnan(score) else f"{score:.4g}"
