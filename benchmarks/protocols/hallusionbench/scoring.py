"""From verdicts to the metrics of HallusionBench: accuracies, consistency, yes/no bias and
diagnosis.

A metric over all rows has a base name, "aAcc"; over a category or a subcategory it carries the
scope, "aAcc@VS" and "aAcc@VS/chart". Scopes are those the questions have. A run is one repeat of
the judge; what is averaged over runs are metrics, not verdicts (docs/hallusionbench.md 2).

A row is right if it is judged correct, or unclear where it was asked without an image
(docs/hallusionbench.md 3). A missing verdict is neither right nor wrong: its row is outside the
metrics of rows, its figure and its pair outside those of figures and pairs. A diagnosis leaves out
what `trees` labels UNKNOWN.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.answer_texts.yes_no import read_yes_no
from benchmarks.protocols.base import Contributions, Derived, Floats, QuestionView, ScoredRow
from benchmarks.protocols.hallusionbench import trees
from benchmarks.protocols.hallusionbench.kits import reply_of_words
from benchmarks.protocols.hallusionbench.layout import Layout, Units, lay_out
from benchmarks.protocols.hallusionbench.trees import Codes
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import Flags, Tally, by_group

SLOTS = ("correctness", "same")

OVERALL = "overall"
KIT = "kit_"
"""Before the names of what is scored as VLMEvalKit does (kits.py)."""

_VERDICTS = {
    "incorrect": trees.INCORRECT,
    "correct": trees.CORRECT,
    "unclear": trees.UNCLEAR,
    None: trees.NO_VERDICT,
}
_COMPARISONS = {"different": trees.DIFFERENT, "same": trees.SAME, None: trees.NO_COMPARISON}
_PLAIN_VERDICTS = {code: text or "no verdict" for text, code in _VERDICTS.items()}


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> Contributions:
    """Every metric of a submission in every scope.

    Runs are the repeats of "correctness" (one without verdicts if there is none), groups the sets
    of questions, metrics all base names of one scope after another. Metrics are ratios in [0, 1],
    `pct_diff` and `pct_diff_code` in [-1, 1]; where nothing can be counted the denominator is 0,
    and without questions there are no groups. `asked` counts the rows a metric looks at (for
    figures those with an image, for `hard` the edited ones); `judged` those that have a correctness
    verdict, or for a diagnosis a label, in every run; what is read from the answer needs neither.
    The coverage is that of all verdicts, comparisons included. Raises KeyError for a verdict
    `judging.parse` does not give, ValueError for sequences of other lengths. Source:
    docs/hallusionbench.md 3 to 8 and 12.
    """
    layout = lay_out(questions)
    outcome = _judge(layout, *_read_runs(layout, verdicts))
    tallies = {
        **_accuracies(layout, outcome),
        **_consistency(layout, outcome),
        **_answer_bias(layout, outcome, answers),
        **_code_bias(layout, outcome),
        **_diagnoses(layout, outcome),
        **_kit_scores(layout, outcome, answers),
    }
    return _in_scopes(layout, tallies, _coverage(layout, outcome), _possible_kinds(layout))


# --- the verdicts as arrays -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """Verdicts of R runs on N rows, all (R, N). right: b of docs/hallusionbench.md 3, False without
    a verdict."""

    verdict: Codes
    same: Codes
    has_verdict: Flags
    right: Flags

    @property
    def wrong(self) -> Flags:
        return self.has_verdict & ~self.right


def _read_runs(layout: Layout, verdicts: Verdicts) -> tuple[Codes, Codes]:
    """Verdicts and comparisons as codes, each (R, N)."""
    runs = read_runs(verdicts, SLOTS, layout.size, counted=SLOTS[:1])
    verdict = [[_VERDICTS[text] for text in column] for column, _ in runs]
    same = [[_COMPARISONS[text] for text in column] for _, column in runs]
    shape = len(runs), layout.size
    return (
        np.array(verdict, dtype=np.int8).reshape(shape),
        np.array(same, dtype=np.int8).reshape(shape),
    )


def row_verdicts(layout: Layout, verdicts: Verdicts) -> tuple[Floats, Flags]:
    """Whether each row is right, and whether it has a verdict, both (R, N)."""
    outcome = _judge(layout, *_read_runs(layout, verdicts))
    return outcome.right.astype(np.float64), outcome.has_verdict


def _judge(layout: Layout, verdict: Codes, same: Codes) -> Outcome:
    has_verdict = verdict != trees.NO_VERDICT
    right = (verdict == trees.CORRECT) | ((verdict == trees.UNCLEAR) & layout.is_blank)
    return Outcome(verdict, same, has_verdict, right)


def _coverage(layout: Layout, outcome: Outcome) -> float:
    """Of the correctness of every row and the comparison of every row that has an original."""
    is_compared = layout.original != layout.size
    has_comparison = (outcome.same != trees.NO_COMPARISON)[:, is_compared]
    needed = outcome.has_verdict.size + has_comparison.size
    return float(outcome.has_verdict.sum() + has_comparison.sum()) / needed if needed else 0.0


# --- counting -------------------------------------------------------------------------------------


def _tally_rows(hits: Floats | Flags, counted: Flags, asked: Flags, known: Flags) -> Tally:
    """`hits` among the rows that are `asked` at all, (N,), and `counted` in a run; all others (R,
    N).

    `known`: where it could be decided whether a row is counted, and as what.
    """
    counted = counted & asked
    return Tally(
        np.where(counted, hits, 0.0),
        counted.astype(np.float64),
        asked,
        asked & known.all(axis=0),
    )


def _tally_units(
    layout: Layout, units: Units, hits: Floats | Flags, counted: Flags, known: Flags
) -> Tally:
    """`hits` among the units `counted` in a run, both (R, U), each on the first of its rows;
    `known` is (R, N), as in `_tally_rows`."""
    numerator, denominator = np.zeros((2, len(counted), layout.size))
    numerator[:, units.first] = np.where(counted, hits, 0.0)
    denominator[:, units.first] = counted
    asked = np.zeros(layout.size, dtype=np.bool_)
    asked[units.rows] = True
    return Tally(numerator, denominator, asked, asked & known.all(axis=0))


def _right_share(units: Units, outcome: Outcome) -> tuple[Floats, Flags]:
    """The share of right rows in each unit, and which units have all their verdicts; both (R,
    U)."""
    number = units.number
    size = np.bincount(units.unit, minlength=number)
    complete = by_group(outcome.has_verdict[:, units.rows], units.unit, number) == size
    return by_group(outcome.right[:, units.rows], units.unit, number) / size, complete


def _in_scopes(
    layout: Layout,
    tallies: Mapping[str, Tally],
    coverage: float,
    possible: Mapping[str, Flags],
) -> Contributions:
    """The tallies of all rows, divided into scopes: a group counts in the scopes it lies in.

    `possible` tells of some metrics the rows, (N,), that can add to them whatever is answered; a
    scope without any such row has no such metric.
    """
    names = tuple(_scoped(name, scope) for scope in layout.scopes for name in tallies)
    belongs = layout.group_in_scope.T[np.newaxis, :, :, np.newaxis]

    def spread(arrays: Iterable[Floats | Flags]) -> Floats:
        sums = [by_group(values, layout.group, len(layout.groups)) for values in arrays]
        whole = np.stack(sums, axis=-1)
        return (whole[:, :, np.newaxis, :] * belongs).reshape(*whole.shape[:2], len(names))

    def rows_in_scopes(flags: Iterable[Flags]) -> NDArray[np.int64]:
        return (
            layout.in_scope.astype(np.int64) @ np.stack(list(flags), axis=-1).astype(np.int64)
        ).ravel()

    is_possible = rows_in_scopes(possible.get(name, layout.everything) for name in tallies) > 0
    denominator = spread(t.denominator for t in tallies.values()) * is_possible
    return Contributions(
        names=names,
        groups=layout.groups,
        numerator=spread(t.numerator for t in tallies.values()),
        denominator=denominator,
        counts=denominator[0].sum(axis=0).astype(np.int64),
        asked=rows_in_scopes(t.asked for t in tallies.values()) * is_possible,
        judged=rows_in_scopes(t.judged for t in tallies.values()) * is_possible,
        coverage=coverage,
        derived={
            _scoped(f"{prefix}{OVERALL}", scope): _overall(scope, prefix)
            for scope in layout.scopes
            for prefix in ("", KIT)
        },
    )


def _scoped(name: str, scope: str) -> str:
    return f"{name}@{scope}" if scope else name


def _overall(scope: str, prefix: str) -> Derived:
    """The mean of three accuracies, as in the official leaderboard file (docs/hallusionbench.md 4)
    and in VLMEvalKit. The first of them looks at every row."""
    parts = tuple(_scoped(f"{prefix}{part}", scope) for part in ("aAcc", "fAcc", "qAcc"))
    return Derived(partial(_mean_of, parts), parts, parts[:1])


def _mean_of(names: Sequence[str], values: Mapping[str, Floats]) -> Floats:
    """Plain mean of the named metrics, of their shape; nan where one of them is."""
    mean: Floats = np.mean([values[name] for name in names], axis=0)
    return mean


# --- the metrics ----------------------------------------------------------------------------------


def _accuracies(layout: Layout, outcome: Outcome) -> dict[str, Tally]:
    """Shares of rows, figures and pairs that are right (docs/hallusionbench.md 4).

    fAcc: figures with an image. qAcc: pairs. easy, hard: pairs, of which only the unedited or only
    the edited rows count. unedited_rows, edited_rows: these two classes row by row.
    """
    known = outcome.has_verdict
    rows = partial(_tally_rows, outcome.right, known, known=known)

    def all_right(units: Units) -> Tally:
        share, complete = _right_share(units, outcome)
        return _tally_units(layout, units, share == 1, complete, known)

    return {
        "aAcc": rows(layout.everything),
        "fAcc": all_right(layout.figures),
        "qAcc": all_right(layout.pairs),
        "easy": all_right(layout.easy_pairs),
        "hard": all_right(layout.hard_pairs),
        "unedited_rows": rows(~layout.is_edited),
        "edited_rows": rows(layout.is_edited),
    }


def _consistency(layout: Layout, outcome: Outcome) -> dict[str, Tally]:
    """Shares of figures with an image that are right in all, some, none of their questions; and the
    mean over figures of the share of right questions (docs/hallusionbench.md 5)."""
    share, complete = _right_share(layout.figures, outcome)
    hits: dict[str, Floats | Flags] = {
        "consistent": share == 1,
        "inconsistent": (share > 0) & (share < 1),
        "all_wrong": share == 0,
        "consistency_score": share,
    }
    tally = partial(
        _tally_units, layout, layout.figures, counted=complete, known=outcome.has_verdict
    )
    return {name: tally(hit) for name, hit in hits.items()}


def _answer_bias(layout: Layout, outcome: Outcome, answers: Sequence[str]) -> dict[str, Tally]:
    """The paper's bias, read from the answers (docs/hallusionbench.md 6).

    pct_diff: answers "yes" less true "yes", per labelled row. fp_ratio: share of "yes" among the
    answers of wrong rows. uncertain_answers: share of all answers that are neither. The first and
    the last need no verdict and count every row.
    """
    says = np.array([read_yes_no(text) for text in answers], dtype=np.str_).reshape(layout.size)
    shape, known = outcome.right.shape, outcome.has_verdict
    says_yes = np.broadcast_to(says == "yes", shape)
    is_uncertain = np.broadcast_to(says == "uncertain", shape)
    surplus = says_yes.astype(np.float64) - (layout.truth == 1)
    always = np.ones(shape, dtype=np.bool_)
    return {
        "pct_diff": _tally_rows(surplus, always, layout.is_labelled, always),
        "fp_ratio": _tally_rows(says_yes, outcome.wrong, layout.everything, known),
        "uncertain_answers": _tally_rows(is_uncertain, always, layout.everything, always),
    }


def _code_bias(layout: Layout, outcome: Outcome) -> dict[str, Tally]:
    """The official code's bias, which infers the answer from the verdict (docs/hallusionbench.md
    6).

    A right row is taken to say its label, a wrong one the opposite. pct_diff_code: inferred less
    true "yes", per labelled row; always (1 - aAcc)(2 fp_ratio_code - 1). fp_ratio_code: share of
    label "no" among wrong rows.
    """
    is_no = np.broadcast_to(layout.truth == 0, outcome.right.shape)
    surplus = np.where(outcome.right, 0.0, np.where(is_no, 1.0, -1.0))
    known = outcome.has_verdict
    return {
        "pct_diff_code": _tally_rows(surplus, known, layout.is_labelled, known),
        "fp_ratio_code": _tally_rows(is_no, outcome.wrong, layout.is_labelled, known),
    }


def _kit_scores(layout: Layout, outcome: Outcome, answers: Sequence[str]) -> dict[str, Tally]:
    """The accuracies over rows with an image as VLMEvalKit makes them without a model
    (docs/hallusionbench.md 12): yes or no by whole words against the label, anything else wrong; no
    judge. kit_unknown: share of answers that are neither, or both. A row without a label is
    outside, and so are its figure and its pair."""
    says = np.array([reply_of_words(text) for text in answers], dtype=np.str_).reshape(layout.size)
    shape = outcome.right.shape
    right = ((says == "yes") & (layout.truth == 1)) | ((says == "no") & (layout.truth == 0))
    read = replace(
        outcome,
        has_verdict=np.broadcast_to(layout.is_labelled, shape),
        right=np.broadcast_to(right, shape),
    )
    known, asked = read.has_verdict, ~layout.is_blank
    always = np.ones(shape, dtype=np.bool_)

    def all_right(units: Units) -> Tally:
        share, complete = _right_share(units, read)
        return _tally_units(layout, units, share == 1, complete, known)

    unknown = np.broadcast_to(says == "unknown", shape)
    return {
        f"{KIT}aAcc": _tally_rows(read.right, known, asked, known),
        f"{KIT}fAcc": all_right(layout.figures),
        f"{KIT}qAcc": all_right(layout.image_pairs),
        f"{KIT}unknown": _tally_rows(unknown, always, asked, always),
    }


_KINDS = {"lh": trees.LANGUAGE, "vi": trees.VISUAL, "mixed": trees.MIXED}


def _diagnoses(layout: Layout, outcome: Outcome) -> dict[str, Tally]:
    """Shares of the kinds of failure (docs/hallusionbench.md 8).

    diag_*: among wrong rows, official tree. diag_group_*: among pairs with a wrong row, computed
    but not printed by the official code. pair_*: among failed control pairs, paper's tree. The rows
    asked are those that are wrong in a run, or may be for want of a verdict; for pair_* those whose
    control pair with their original fails, or may. A kind that no row of a scope can have is not
    defined there: its 0 would be measured of nothing.
    """
    by_row, by_control = _row_labels(layout, outcome), _control_labels(layout, outcome)
    by_pair = _together(layout.pairs, by_row)
    known, is_control_known = by_row != trees.UNKNOWN, by_control != trees.UNKNOWN
    is_wrong = (by_row != trees.NONE).any(axis=0)
    rows = partial(_tally_rows, counted=_is_kind(by_row), asked=is_wrong, known=known)
    pairs = partial(_tally_units, layout, layout.pairs, counted=_is_kind(by_pair), known=known)
    controls = partial(
        _tally_rows,
        counted=_is_kind(by_control),
        asked=(by_control != trees.NONE).any(axis=0),
        known=is_control_known,
    )
    return {
        **{f"diag_{kind}": rows(by_row == label) for kind, label in _KINDS.items()},
        **{f"diag_group_{kind}": pairs(by_pair == label) for kind, label in _KINDS.items()},
        **{f"pair_{kind}": controls(by_control == label) for kind, label in _KINDS.items()},
    }


def _possible_kinds(layout: Layout) -> dict[str, Flags]:
    """By metric the rows, (N,), that can be of that kind. A pair is mixed as well where it can have
    both others."""
    has_original = layout.original != layout.size
    row_of = {
        kind: trees.may_be(label, layout.category, layout.image, layout.is_original, has_original)
        for kind, label in _KINDS.items()
    }
    return {
        **{f"diag_{kind}": rows for kind, rows in row_of.items()},
        **{f"diag_group_{kind}": rows for kind, rows in row_of.items()},
        "diag_group_mixed": row_of["mixed"]
        | row_of["lh"],  # every row that is one can be visual too
        **{
            f"pair_{kind}": layout.is_control
            & trees.control_may_be(label, layout.category, layout.image)
            for kind, label in _KINDS.items()
        },
    }


def _is_kind(labels: Codes) -> Flags:
    return np.isin(labels, list(trees.LABELS))


def _original_verdicts(layout: Layout, outcome: Outcome) -> Codes:
    """The verdict on the original row of each row's pair, (R, N); none where the original is
    absent."""
    nothing = np.full((len(outcome.verdict), 1), trees.NO_VERDICT, dtype=np.int8)
    return np.concatenate([outcome.verdict, nothing], axis=1)[:, layout.original]


def _row_labels(layout: Layout, outcome: Outcome) -> Codes:
    """The official label of every row, (R, N); NONE where it is right."""
    originals = _original_verdicts(layout, outcome)
    others = trees.label_others(
        layout.category, originals, outcome.verdict, layout.image, outcome.same
    )
    return np.where(
        layout.is_original, trees.label_originals(layout.category, outcome.verdict), others
    )


def _control_labels(layout: Layout, outcome: Outcome) -> Codes:
    """The paper's label of every row's control pair with its original, (R, N); NONE where it has
    none."""
    originals = _original_verdicts(layout, outcome)
    labels = trees.label_pairs(
        layout.category, originals, outcome.verdict, layout.image, outcome.same
    )
    return np.where(layout.is_control, labels, np.int8(trees.NONE))


def _together(pairs: Units, rows: Codes) -> Codes:
    """The official label of whole pairs, (R, U), from those of all rows, (R, N); UNKNOWN where a
    row's is."""

    def has(label: int) -> Flags:
        return by_group(rows[:, pairs.rows] == label, pairs.unit, pairs.number) > 0

    together = trees.label_together(has(trees.LANGUAGE), has(trees.VISUAL), has(trees.MIXED))
    return np.where(has(trees.UNKNOWN), np.int8(trees.UNKNOWN), together)


# --- one row, for the entry page ------------------------------------------------------------------


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> tuple[ScoredRow, ...]:
    """How each row counts by the verdict most runs gave it; ties go to the earliest run, gaps are
    no votes.

    Metrics know no majority, they are computed run by run. "same" is settled alike, so that with
    several runs a diagnosis told here may combine verdicts of different runs. `is_right` is None
    without any verdict. `outcome` sorts what the judge found unclear, and counts as wrong, apart.
    """
    layout = lay_out(questions)
    verdict, same = _read_runs(layout, verdicts)
    outcome = _judge(
        layout, _majority(verdict, trees.NO_VERDICT), _majority(same, trees.NO_COMPARISON)
    )
    by_row, by_control = _row_labels(layout, outcome)[0], _control_labels(layout, outcome)[0]
    is_unclear = (outcome.verdict[0] == trees.UNCLEAR) & outcome.wrong[0]
    return tuple(
        ScoredRow(
            _PLAIN_VERDICTS[int(outcome.verdict[0, row])],
            bool(outcome.right[0, row]) if outcome.has_verdict[0, row] else None,
            " ".join(
                _remarks(outcome, row, int(by_row[row]), int(by_control[row]), verdict[:, row])
            ),
            outcome="unclear" if is_unclear[row] else "",
        )
        for row in range(layout.size)
    )


def _majority(codes: Codes, missing: int) -> Codes:
    """The most frequent code of each column of codes (R, N), as (1, N); `missing` where there is no
    other."""
    counts = np.stack([(codes == code).sum(axis=0) for code in range(missing)])
    chosen = np.full(codes.shape[1], missing, dtype=np.int8)
    for run in codes[::-1]:
        votes = counts[np.minimum(run, missing - 1), np.arange(len(run))]
        chosen = np.where((run != missing) & (votes == counts.max(axis=0)), run, chosen)
    return chosen[np.newaxis]


def _remarks(
    outcome: Outcome, row: int, by_row: int, by_control: int, runs: Codes
) -> Iterable[str]:
    """Sentences on one row: `by_row` and `by_control` are its labels, `runs` its verdicts (R,)."""
    if outcome.right[0, row] and outcome.verdict[0, row] == trees.UNCLEAR:
        yield "Counts as right: the question was asked without its image."
    if outcome.wrong[0, row] and by_row == trees.UNKNOWN:
        yield "Failure type (official code): unknown, a verdict it needs is missing."
    elif outcome.wrong[0, row]:
        yield f"Failure type: {trees.LABELS[by_row]} (official code)."
    if by_control in trees.LABELS:
        yield f"As a pair with the original: {trees.LABELS[by_control]} (paper)."
    if len(set(runs.tolist())) > 1:
        yield f"Runs differ: {', '.join(_PLAIN_VERDICTS[code] for code in runs.tolist())}."
