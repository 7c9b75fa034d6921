"""From labels, answers and people's ratings to the metrics of Tiny LVLM-eHub.

Names: "cee", "guarded" and "words" are the three scores of an answer, by ensemble judging, by word
matching with our guards and as published; "agree" is how often the first and the last say the same.
"cee@IC15" is over a dataset (right / answers with a vote), "cee@knowledge" over a capability (mean
of its dataset values), "cee" over all (mean of the judged capabilities; ours, the paper prints
none). A capability one of whose datasets has no value has none. A run is one repeat of the judge;
every record is a resampling group.

Formulas and sources: docs/tiny_lvlm_ehub.md.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.answer_texts.yes_no import read_yes_no
from benchmarks.protocols.base import (
    NOT_RATED,
    Contributions,
    Derived,
    Floats,
    QuestionView,
    Ratings,
    ScoredRow,
)
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import Flags, Tally, assembled, share
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.derived import kappa, mean_of_means
from benchmarks.protocols.tiny_lvlm_ehub.guarded_matching import is_answered
from benchmarks.protocols.tiny_lvlm_ehub.judging import BUG, RIGHT, SCORE_KEYS, vote
from benchmarks.protocols.tiny_lvlm_ehub.panel import CORRECT, HIGHEST, RATED
from benchmarks.protocols.tiny_lvlm_ehub.suite import (
    BY_SLUG,
    DATASETS,
    EMBODIED,
    JUDGED,
    KIE,
    POPE,
    datasets_of,
)
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches, shared_tokens


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings = NOT_RATED,
) -> Contributions:
    """Every metric of a submission over the datasets its release has.

    All are shares in [0, 1] but "kappa", in [-1, 1], and "ratings", a number. Where nothing can be
    counted the denominator is 0. Ratings by people are shares of the highest, so that the lowest is
    0.2. The coverage counts votes, not labels. Without verdicts there is one run without any.
    Raises ValueError for sequences of other lengths.
    """
    reading = read_all(questions, answers, verdicts)
    tallies = {
        **_scores(reading),
        **_votes(reading),
        **_pope(reading, answers),
        **_token_f1(reading, answers),
        **_ratings(reading, ratings),
        **_alignment(reading, ratings),
    }
    runs = len(reading.is_right)
    found = assembled(questions, tallies, runs=runs, coverage=_coverage(reading))
    return replace(found, derived=_derived_of(reading, found))


# --- the submission as arrays ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """N answers, R runs. labels: (R, N) lists of five; is_right, is_bug, has_vote: (R, N); matched,
    guarded: (N,), by word matching as published and with guards; dataset: (N,) slugs. Embodied
    answers have neither vote nor match."""

    questions: Sequence[QuestionView]
    labels: Sequence[Sequence[tuple[str | None, ...]]]
    is_right: Flags
    is_bug: Flags
    has_vote: Flags
    matched: Flags
    guarded: Flags
    dataset: NDArray[np.str_]
    capability: NDArray[np.str_]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.is_right), len(self.questions)

    @property
    def has_truth(self) -> Flags:
        return np.asarray(self.capability != EMBODIED, dtype=np.bool_)

    def slugs(self) -> tuple[str, ...]:
        """The datasets of this release with a reference, in the order of the suite."""
        present = set(self.dataset.tolist())
        return tuple(d.slug for d in DATASETS if d.slug in present and d.capability != EMBODIED)


def read_all(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Verdicts
) -> Reading:
    labels = read_labels(len(questions), verdicts)
    votes = [[vote(five) for five in run] for run in labels]
    answered = list(zip(questions, answers, strict=True))
    matched = [q.ability != EMBODIED and matches(a, references_of(q)) for q, a in answered]
    guarded = [
        q.ability != EMBODIED and is_answered(q.text, a, references_of(q)) for q, a in answered
    ]
    return Reading(
        questions=questions,
        labels=labels,
        is_right=np.array([[v == RIGHT for v in run] for run in votes], dtype=np.bool_),
        is_bug=np.array([[v == BUG for v in run] for run in votes], dtype=np.bool_),
        has_vote=np.array([[v is not None for v in run] for run in votes], dtype=np.bool_),
        matched=np.array(matched, dtype=np.bool_),
        guarded=np.array(guarded, dtype=np.bool_),
        dataset=np.array([q.subtask for q in questions], dtype=np.str_),
        capability=np.array([q.ability for q in questions], dtype=np.str_),
    )


def read_labels(size: int, verdicts: Verdicts) -> list[list[tuple[str | None, ...]]]:
    """The five labels of each answer in the order of the prompts, run by run."""
    runs = read_runs(verdicts, tuple(SCORE_KEYS), size)
    return [list(zip(*run, strict=True)) for run in runs]


def vote_verdicts(size: int, verdicts: Verdicts) -> tuple[Floats, Flags]:
    """Whether the vote finds each answer right, and whether there is one, both (R, N)."""
    votes = [[vote(five) for five in run] for run in read_labels(size, verdicts)]
    right = np.array([[v == RIGHT for v in run] for run in votes], dtype=np.float64)
    return right, np.array([[v is not None for v in run] for run in votes], dtype=np.bool_)


# --- the metrics ----------------------------------------------------------------------------------


def _scores(reading: Reading) -> dict[str, Tally]:
    """The scores, and the agreement of CEE with word matching as published, per dataset; the
    agreement also over capabilities and all, answers pooled."""
    tallies = {}
    same = reading.is_right == reading.matched
    for slug in reading.slugs():
        here = reading.dataset == slug
        tallies[f"cee@{slug}"] = share(reading.is_right, reading.has_vote & here, here)
        tallies[f"guarded@{slug}"] = share(reading.guarded, here, here)
        tallies[f"words@{slug}"] = share(reading.matched, here, here)
        tallies[f"agree@{slug}"] = share(same, reading.has_vote & here, here)
    for capability in _capabilities(reading):
        here = reading.capability == capability
        tallies[f"agree@{capability}"] = share(same, reading.has_vote & here, here)
    tallies["agree"] = share(same, reading.has_vote & reading.has_truth, reading.has_truth)
    return tallies


def _votes(reading: Reading) -> dict[str, Tally]:
    """How far the five prompts agree, over answers with a vote, and the official pair of
    accuracies' second one."""
    sizes = np.array([[_majority_size(five) for five in run] for run in reading.labels])
    voted, asked = reading.has_vote & reading.has_truth, reading.has_truth
    is_whole = sizes > 0
    return {
        "split_5_0": share(sizes == 5, voted, asked),
        "split_4_1": share(sizes == 4, voted, asked),
        "split_3_2": share(sizes == 3, voted, asked),
        "split_other": share(~is_whole, voted, asked),
        "no_vote": share(
            ~reading.has_vote | reading.is_bug, np.broadcast_to(asked, reading.shape), asked
        ),
        "cee_readable": share(reading.is_right, voted & ~reading.is_bug, asked, voted),
    }


def _majority_size(five: Sequence[str | None]) -> int:
    """5, 4 or 3 where all five labels are right or wrong; 0 where one is missing or unreadable."""
    if None in five or BUG in five:
        return 0
    right = five.count(RIGHT)
    return max(right, len(five) - right)


def _pope(reading: Reading, answers: Sequence[str]) -> dict[str, Tally]:
    """Of each POPE dataset, from the answer itself: yes, no, or neither, which is wrong and counted
    apart.

    precision = TP / read as yes, recall = TP / rows whose truth is yes, F1 = 2 TP / (read as yes +
    truth is yes). No verdict is needed, so that every row is judged, in the denominator or not.
    """
    tallies: dict[str, Tally] = {}
    for slug in (slug for slug in reading.slugs() if BY_SLUG[slug].group == POPE):
        here = reading.dataset == slug
        rows = np.flatnonzero(here).tolist()
        said = np.full(len(here), "", dtype="U9")
        said[rows] = [read_yes_no(answers[row]) for row in rows]
        truth = np.full(len(here), "", dtype="U9")
        references = [references_of(reading.questions[row]) for row in rows]
        truth[rows] = [read_yes_no(texts[0]) if texts else "" for texts in references]
        yes, is_yes = said == "yes", truth == "yes"
        both = 1.0 * (yes & is_yes)
        tallies |= {
            f"pope_accuracy@{slug}": share((said == truth) & (said != "uncertain"), here, here),
            f"pope_precision@{slug}": share(is_yes, yes, here, here),
            f"pope_recall@{slug}": share(yes, is_yes, here, here),
            f"pope_f1@{slug}": Tally(2 * both, 1.0 * yes + 1.0 * is_yes, here, here),
            f"pope_yes@{slug}": share(yes, here, here),
            f"pope_unparsed@{slug}": share(said == "uncertain", here, here),
        }
    return tallies


def _token_f1(reading: Reading, answers: Sequence[str]) -> dict[str, Tally]:
    """Micro F1 over whitespace tokens: 2 shared / (predicted + expected), summed over records."""
    tallies = {}
    for slug in (slug for slug in reading.slugs() if BY_SLUG[slug].group == KIE):
        here = reading.dataset == slug
        counts = np.zeros((3, len(here)))
        for row in np.flatnonzero(here).tolist():
            counts[:, row] = shared_tokens(answers[row], references_of(reading.questions[row]))
        shared, predicted, expected = counts
        tallies[f"token_f1@{slug}"] = Tally(2 * shared, predicted + expected, here, here)
    return tallies


def _ratings(reading: Reading, ratings: Ratings) -> dict[str, Tally]:
    """Means over all ratings of a dimension, as shares of the highest, and how many ratings there
    are. The paper rounds to two decimals first."""
    asked = ~reading.has_truth
    tallies: dict[str, Tally] = {}
    total = np.zeros(len(asked))
    for dimension in RATED if asked.any() else ():
        given = ratings.get(dimension.slug, [()] * len(asked))
        numbers = np.array([float(len(scores)) for scores in given])
        sums = np.array([sum(scores) / HIGHEST for scores in given])
        tallies[f"rated@{dimension.slug}"] = Tally(sums, numbers, asked, asked & (numbers > 0))
        tallies[f"ratings@{dimension.slug}"] = _number(numbers, asked)
        total += numbers
    return {**tallies, "ratings": _number(total, asked)} if tallies else {}


def _number(amounts: Floats, asked: Flags) -> Tally:
    """A total, not a mean: all of it stands on the first answer asked, over 1. So it has no
    interval either."""
    first = np.zeros(len(asked))
    first[np.flatnonzero(asked)[:1]] = 1.0
    return Tally(amounts.sum() * first, first, asked, asked)


def _alignment(reading: Reading, ratings: Ratings) -> dict[str, Tally]:
    """How often each score says what people say, over answers that people called right or wrong;
    nothing without.

    With several raters the majority counts; a tie leaves the answer out.
    """
    labels = [vote_of_people(scores) for scores in ratings.get(CORRECT.slug, ())]
    labelled = np.array([label is not None for label in labels], dtype=np.bool_)
    if not labelled.any():
        return {}
    right = np.array([label is True for label in labels], dtype=np.bool_)
    tallies: dict[str, Tally] = {}
    for scope, here in {"": labelled, **_labelled_datasets(reading, labelled)}.items():
        judged = reading.has_vote & here
        tallies |= {
            f"people_cee{scope}": share(reading.is_right == right, judged, here),
            f"people_words{scope}": share(reading.matched == right, here, here),
            f"right_cee{scope}": share(reading.is_right, judged, here),
            f"right_people_cee{scope}": share(np.broadcast_to(right, reading.shape), judged, here),
            f"right_words{scope}": share(reading.matched, here, here),
            f"right_people{scope}": share(right, here, here),
        }
    return tallies


def _labelled_datasets(reading: Reading, labelled: Flags) -> dict[str, Flags]:
    """The labelled answers of each dataset that has some, by "@IC15"."""
    found = {f"@{slug}": labelled & (reading.dataset == slug) for slug in reading.slugs()}
    return {scope: here for scope, here in found.items() if here.any()}


def vote_of_people(scores: Sequence[int]) -> bool | None:
    """The majority of 1, 0 and 1; None without ratings and for a tie. Who could not tell is not
    counted."""
    votes = [score for score in scores if score != CORRECT.unclear]
    balance = 2 * sum(votes) - len(votes)
    return None if balance == 0 else balance > 0


# --- what is made of metrics ----------------------------------------------------------------------


def _capabilities(reading: Reading) -> tuple[str, ...]:
    present = set(reading.capability.tolist())
    return tuple(capability for capability in JUDGED if capability in present)


def _derived(reading: Reading, names: Collection[str], defined: set[str]) -> dict[str, Derived]:
    """Means of dataset values, and kappas where people said something. `names` are the metrics
    there are, `defined` those with a value."""
    return {**_means(reading, defined), **_rated_means(reading, defined), **_kappas(names, defined)}


def _means(reading: Reading, defined: set[str]) -> dict[str, Derived]:
    derived = {}
    slugs = reading.slugs()
    for score in ("cee", "guarded", "words"):
        parts = [
            tuple(f"{score}@{d.slug}" for d in datasets_of(capability) if d.slug in slugs)
            for capability in _capabilities(reading)
        ]
        for capability, names in zip(_capabilities(reading), parts, strict=True):
            derived[f"{score}@{capability}"] = Derived(mean_of_means([names], defined), names)
        if parts:
            everything = tuple(name for names in parts for name in names)
            derived[score] = Derived(mean_of_means(parts, defined), everything)
    for figure in ("accuracy", "precision", "recall", "f1", "yes"):
        names = tuple(f"pope_{figure}@{slug}" for slug in slugs if BY_SLUG[slug].group == POPE)
        if names:
            derived[f"pope_{figure}"] = Derived(mean_of_means([names], defined), names)
    return derived


def _rated_means(reading: Reading, defined: set[str]) -> dict[str, Derived]:
    """The mean of the dimensions, of everything that is rated and once more by ability and dataset:
    there is one of each. It counts ratings, and an answer once in each dimension."""
    if reading.has_truth.all():
        return {}
    parts = tuple(f"rated@{dimension.slug}" for dimension in RATED)
    scopes = ("", f"@{EMBODIED}", *(f"@{dataset.slug}" for dataset in datasets_of(EMBODIED)))
    return {f"rated{scope}": Derived(mean_of_means([parts], defined), parts) for scope in scopes}


def _kappas(names: Collection[str], defined: set[str]) -> dict[str, Derived]:
    """Beside every share of agreement with people that has a value, over all or over a dataset."""
    derived = {}
    for name in names:
        share, at, scope = name.partition("@")
        if share in _KAPPA_OF and name in defined:
            made, *sides = _KAPPA_OF[share]
            derived[f"{made}{at}{scope}"] = kappa(name, *(f"{side}{at}{scope}" for side in sides))
    return derived


_KAPPA_OF = {
    "people_cee": ("kappa_cee", "right_cee", "right_people_cee"),
    "people_words": ("kappa_words", "right_words", "right_people"),
}


# --- all of it ------------------------------------------------------------------------------------


def _derived_of(reading: Reading, found: Contributions) -> dict[str, Derived]:
    """What is made of the metrics found: means and kappas of those with a value in every run."""
    counted = (found.denominator.sum(axis=1) > 0).all(axis=0)
    defined = {name for name, is_counted in zip(found.names, counted, strict=True) if is_counted}
    return _derived(reading, found.names, defined)


def _coverage(reading: Reading) -> float:
    votes = reading.has_vote[:, reading.has_truth]
    return float(votes.mean()) if votes.size else 0.0


# --- one row, for the entry page ------------------------------------------------------------------


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings = NOT_RATED,
) -> tuple[ScoredRow, ...]:
    """What the labels voted, "right, 4 to 1"; beside it what word matching says, and people where
    they were asked.

    With several runs the vote told is that of the first run that has one.
    """
    reading = read_all(questions, answers, verdicts)
    return tuple(_explained(reading, ratings, row) for row in range(len(questions)))


def _explained(reading: Reading, ratings: Ratings, row: int) -> ScoredRow:
    if not reading.has_truth[row]:
        rated = " · ".join(_rated(ratings, row))
        outcome = "rated by people" if rated else "not rated yet"
        return ScoredRow(
            rated or outcome, None, "People rate this answer; no judge is asked.", outcome=outcome
        )
    remark = " ".join(_remarks(reading, ratings, row))
    runs = np.flatnonzero(reading.has_vote[:, row] & ~reading.is_bug[:, row])
    if not len(runs):
        return ScoredRow("no verdict", None, remark)
    run = int(runs[0])
    is_right = bool(reading.is_right[run, row])
    return ScoredRow(
        f"{'right' if is_right else 'wrong'}, {_split(reading.labels[run][row], is_right)}",
        is_right,
        remark,
        dispute=_dispute(reading.labels[run][row]),
    )


def _dispute(five: Sequence[str | None]) -> float:
    """The share of labels that are right or not, whichever are fewer, doubled: 1 where they are as
    many."""
    labels = [label == RIGHT for label in five if label is not None and label != BUG]
    return 2 * min(labels.count(True), labels.count(False)) / len(labels) if labels else 0.0


def _split(five: Sequence[str | None], is_right: bool) -> str:
    """ "4 to 1"; labels that are missing or unreadable are on neither side."""
    right = five.count(RIGHT)
    wrong = sum(label is not None and label != BUG for label in five) - right
    return f"{right} to {wrong}" if is_right else f"{wrong} to {right}"


def _remarks(reading: Reading, ratings: Ratings, row: int) -> Iterable[str]:
    yield f"Word matching: {_RIGHT_OR_WRONG[bool(reading.guarded[row])]}."
    if reading.matched[row] != reading.guarded[row]:
        yield f"As published it would be {_RIGHT_OR_WRONG[bool(reading.matched[row])]}."
    said = vote_of_people(ratings[CORRECT.slug][row]) if CORRECT.slug in ratings else None
    if said is not None:
        yield f"People: {'right' if said else 'wrong'}."
    known = {
        bool(right)
        for right, has in zip(reading.is_right[:, row], reading.has_vote[:, row], strict=True)
        if has
    }
    if len(known) > 1:
        yield "Runs differ."


_RIGHT_OR_WRONG = {True: "right", False: "wrong"}


def _rated(ratings: Ratings, row: int) -> Iterator[str]:
    for dimension in RATED:
        scores = ratings[dimension.slug][row] if dimension.slug in ratings else ()
        if scores:
            yield f"{dimension.title} {sum(scores) / len(scores):.2f}"
