"""The two diagnosis trees of HallusionBench: why is a row wrong, why does a control pair fail?

Both look at an answer beside the answer to the original row of its pair: the unedited image (VD) or
no image (VS). The official tree labels every wrong row; the published diagnosis is made with it.
The paper's tree (appendix B) labels every failed control pair: an original row with one other row
of its pair. Both are written out in docs/hallusionbench.md 8. The cell the paper leaves open (VS,
wrong then unclear) is Mixed, as docs/hallusionbench.md 8 decides.

A missing verdict leaves a label open only where it matters: of all values it could have had, either
every one leads to the same label, or the label is UNKNOWN.
"""

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.tallies import Flags

Codes = NDArray[np.int8]


INCORRECT, CORRECT, UNCLEAR, NO_VERDICT = range(4)
DIFFERENT, SAME, NO_COMPARISON = range(3)
VD, VS = range(2)
ORIGINAL_IMAGE, EDITED_IMAGE, OTHER_IMAGE = range(3)

NONE, LANGUAGE, VISUAL, MIXED, UNKNOWN = range(5)
LABELS = {LANGUAGE: "language hallucination", VISUAL: "visual illusion", MIXED: "mixed"}

Rule = tuple[str, str, str, str, str, int]
_ANY_IMAGE, _ANY_SAME = "oe", "ds"


def _tree(*rules: Rule) -> Codes:
    """Labels by category, original's verdict, other row's verdict, its image, comparison of the two
    answers.

    A rule lists the values it covers: category D or S; verdicts 0 incorrect, 1 correct, 2 unclear;
    image o original, e edited; answers d different, s same. Cells without a rule are NONE. Every
    axis but the first has one more place at its end, for a missing value.
    """
    table = np.full((2, 3, 3, 2, 2), NONE, dtype=np.int8)
    for *values, label in rules:
        places = zip(("DS", "012", "012", "oe", "ds"), values, strict=True)
        table[np.ix_(*([axis.index(value) for value in chosen] for axis, chosen in places))] = label
    for axis in range(1, table.ndim):
        table = _with_missing(table, axis)
    return table


def _with_missing(table: Codes, axis: int) -> Codes:
    """The table with one more place along `axis`: what all the others agree on, else UNKNOWN."""
    first = table.take([0], axis=axis)
    agreed = (table == first).all(axis=axis, keepdims=True)
    return np.concatenate([table, np.where(agreed, first, np.int8(UNKNOWN))], axis=axis)


_OFFICIAL_OTHER = _tree(
    ("D", "02", "02", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("D", "1", "0", _ANY_IMAGE, "s", MIXED),
    ("D", "1", "0", _ANY_IMAGE, "d", VISUAL),
    ("D", "1", "2", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("S", "2", "02", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("S", "1", "2", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("S", "1", "0", "o", _ANY_SAME, VISUAL),
    ("S", "1", "0", "e", "d", VISUAL),
    ("S", "1", "0", "e", "s", LANGUAGE),
    ("S", "0", "0", _ANY_IMAGE, "s", LANGUAGE),
    ("S", "0", "0", _ANY_IMAGE, "d", MIXED),
    ("S", "0", "2", _ANY_IMAGE, _ANY_SAME, MIXED),
)
_OFFICIAL_ORIGINAL: Codes = np.array(
    [
        [VISUAL, NONE, VISUAL, UNKNOWN],
        [LANGUAGE, NONE, NONE, UNKNOWN],
    ],
    dtype=np.int8,
)
_PAPER_PAIR = _tree(
    ("D", "02", "012", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("D", "1", "0", _ANY_IMAGE, "s", LANGUAGE),
    ("D", "1", "0", _ANY_IMAGE, "d", VISUAL),
    ("D", "1", "2", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("S", "2", "02", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("S", "1", "2", _ANY_IMAGE, _ANY_SAME, VISUAL),
    ("S", "1", "0", "o", _ANY_SAME, VISUAL),
    ("S", "1", "0", "e", "d", VISUAL),
    ("S", "1", "0", "e", "s", LANGUAGE),
    ("S", "0", "1", _ANY_IMAGE, _ANY_SAME, LANGUAGE),
    ("S", "0", "0", _ANY_IMAGE, "s", LANGUAGE),
    ("S", "0", "0", _ANY_IMAGE, "d", MIXED),
    ("S", "0", "2", _ANY_IMAGE, _ANY_SAME, MIXED),
)


def label_originals(category: Codes, verdict: Codes) -> Codes:
    """The official label of original rows: category (K,), verdict (runs, K) -> (runs, K).

    A wrong or unclear answer on an unedited image is a visual illusion; a wrong answer without an
    image is a language hallucination, an unclear one no failure. Source: official code,
    docs/hallusionbench.md 8.
    """
    return _OFFICIAL_ORIGINAL[category, verdict]


def label_others(
    category: Codes, original: Codes, verdict: Codes, image: Codes, same: Codes
) -> Codes:
    """The official label of rows that are not originals; NONE exactly where the row is right.

    category, image: (K,); original (the verdict of the pair's original row), verdict, same: (runs,
    K). Result (runs, K). Example: VD, original right, this row wrong and the two answers the same:
    MIXED. Source: official code, docs/hallusionbench.md 8.
    """
    return _OFFICIAL_OTHER[category, original, verdict, image, same]


def label_pairs(
    category: Codes, original: Codes, verdict: Codes, image: Codes, same: Codes
) -> Codes:
    """The paper's label of control pairs, shapes as in `label_others`; NONE where the pair does not
    fail.

    Example: VD, original right, other row wrong and the two answers the same: LANGUAGE.
    Source: paper, appendix B; docs/hallusionbench.md 8.
    """
    return _PAPER_PAIR[category, original, verdict, image, same]


def may_be(
    label: int, category: Codes, image: Codes, is_original: Flags, has_original: Flags
) -> Flags:
    """Whether any verdicts give a row this label in the official tree; all (K,). Without the
    original of its pair a row has no comparison either: then VS rows have no label at all, and VD
    rows that of a visual illusion at most."""
    alone = (_OFFICIAL_ORIGINAL[:, :NO_VERDICT] == label).any(axis=1)
    beside = (_OFFICIAL_OTHER[:, :NO_VERDICT, :NO_VERDICT, :, :NO_COMPARISON] == label).any(
        axis=(1, 2, 4)
    )
    without = (_OFFICIAL_OTHER[:, NO_VERDICT, :NO_VERDICT, :, NO_COMPARISON] == label).any(axis=1)
    others = np.where(has_original, beside[category, image], without[category, image])
    possible: Flags = np.where(is_original, alone[category], others)
    return possible


def control_may_be(label: int, category: Codes, image: Codes) -> Flags:
    """Whether any verdicts give a control pair this label in the paper's tree; all (K,)."""
    found = (_PAPER_PAIR[:, :NO_VERDICT, :NO_VERDICT, :, :NO_COMPARISON] == label).any(
        axis=(1, 2, 4)
    )
    possible: Flags = found[category, image]
    return possible


def label_together(has_language: Flags, has_visual: Flags, has_mixed: Flags) -> Codes:
    """The official label of whole pairs by the labels their rows have: mixed with a mixed row or
    both kinds.

    One shape for all; NONE where a pair has no label. Source: official code, docs/hallusionbench.md
    8.
    """
    mixed = has_mixed | (has_language & has_visual)
    return np.select([mixed, has_language, has_visual], [MIXED, LANGUAGE, VISUAL], NONE).astype(
        np.int8
    )
