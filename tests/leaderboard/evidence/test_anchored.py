"""anchored.py, which is handed out, makes the same human-anchored figures as what scored the
board, from the same answers and labels."""

import math

import numpy as np
import pytest

from benchmarks.protocols.base import Anchor, Metric, QuestionView
from benchmarks.scoring.anchoring import anchored_figures
from tests.leaderboard.evidence.checking import verify

KINDS = ("anchored", "rates", "judged", "labels", "finds_right", "takes_wrong")
SHARES = {f"{kind}_it": Metric(f"{kind}_it", "", "") for kind in KINDS}
SCORES = {
    name: Metric(name, "", "", unit="score", bounds=(-math.inf, math.inf)) for name in SHARES
} | {"labels_it": Metric("labels_it", "", "", unit="score")}
DATASETS = ("a", "b", "c", "d")


def drawn(seed: int, *, is_share: bool, answers=400, labels=90, runs=3):
    """Answers of groups of one to four, two abilities and four subtasks; the judge lacks some."""
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(0, answers // 2, answers))
    subtask = rng.integers(0, 4, answers)
    truth = rng.integers(0, 2, answers) if is_share else rng.integers(0, 11, answers)
    wrong = rng.random((runs, answers)) < 0.1 + 0.05 * (seed % 5)
    said = np.where(wrong, 1 - truth if is_share else 10 - truth, truth).astype(float)
    said[rng.random((runs, answers)) < 0.01] = np.nan
    given = np.full(answers, np.nan)
    chosen = rng.permutation(answers)[:labels]
    given[chosen] = truth[chosen]
    questions = [
        {"id": str(n), "ability": "XY"[k // 2], "subtask": DATASETS[k], "group": f"{g:04}"}
        for n, (k, g) in enumerate(zip(subtask, group, strict=True))
    ]
    return questions, said, given


def both(questions, said, given, *, is_share: bool, asked=None):
    """Our figures and theirs, by name."""
    asked = np.ones(len(given), dtype=bool) if asked is None else asked
    known = ~np.isnan(said)
    judged = np.where(known.any(axis=0), np.nansum(said, axis=0), np.nan)
    judged = judged / np.maximum(known.sum(axis=0), 1)
    views = [
        QuestionView(q["id"], q["ability"], q["subtask"], "", q["group"], "?", {}, {})
        for q in questions
    ]
    metrics = SHARES if is_share else SCORES
    anchor = Anchor("it", asked, judged, given, is_share=is_share)
    ours = {n: f.packed() for n, f in anchored_figures([anchor], views, metrics).items()}
    group = np.unique([q["group"] for q in questions], return_inverse=True)[1]
    made = verify.anchored({"it": (asked, said, given, is_share)}, questions, group)
    ends = [end if math.isfinite(end) else None for end in (-math.inf, math.inf)]
    scale = {"scale": [0.0, 1.0] if is_share else ends}
    whole = {"scale": ends}
    return ours, {
        name: verify.on_scale(figure, whole if name == "labels_it" else scale)
        for name, figure in made.items()
    }


def compared(*made, is_share=True, **more):
    """Our figures, after theirs were found to be the same."""
    ours, theirs = both(*made, is_share=is_share, **more)
    assert ours.keys() == theirs.keys()
    differing = [
        (name, figure, theirs[name])
        for name, figure in ours.items()
        if not all(map(verify.is_same, figure, theirs[name]))
    ]
    assert differing == []
    return ours


@pytest.mark.parametrize("is_share", [True, False])
def test_both_programs_make_the_same_figures(is_share):
    for seed in range(4):
        ours = compared(*drawn(seed, is_share=is_share), is_share=is_share)
        assert ours["anchored_it"][0] is not None


def test_so_they_do_where_there_are_too_few_labels():
    for labels in (0, 1, 20, 49):
        assert bool(compared(*drawn(3, is_share=True, labels=labels))) is bool(labels)


def test_so_they_do_where_labels_are_of_some_subtasks_alone():
    questions, said, given = drawn(5, is_share=True, labels=300)
    given[[q["subtask"] == "b" for q in questions]] = np.nan
    ours = compared(questions, said, given)
    assert (ours["anchored_it"][0], ours["anchored_it"][7]) == (None, 0)


def test_so_they_do_for_a_part_of_the_answers():
    questions, said, given = drawn(7, is_share=True, labels=300)
    asked = np.array([q["ability"] == "X" for q in questions])
    ours = compared(questions, said, given, asked=asked)
    assert ours["anchored_it"][0] is not None


def test_so_they_do_of_a_judge_whose_error_rates_tell_no_share():
    """It calls wrong what people call right."""
    questions, said, given = drawn(9, is_share=True)
    ours = compared(questions, 1 - said, given)
    assert (ours["rates_it"][0], ours["rates_it"][7]) == (None, 0)
