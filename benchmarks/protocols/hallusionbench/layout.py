"""The questions of HallusionBench as index arrays: rows, figures, pairs, sets and scopes."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.protocols.base import QuestionView
from benchmarks.protocols.hallusionbench import trees
from benchmarks.protocols.hallusionbench.trees import Codes
from benchmarks.protocols.tallies import Flags, Ints, grouping

_CATEGORIES = {"VD": trees.VD, "VS": trees.VS}
_IMAGES = {1: trees.ORIGINAL_IMAGE, 2: trees.EDITED_IMAGE}


@dataclass(frozen=True, slots=True)
class Units:
    """Rows that count together: rows (K,) of the layout, the unit (K,) of each, the first row (U,)
    of a unit."""

    rows: Ints
    unit: Ints
    first: Ints

    @property
    def number(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True)
class Layout:
    """N questions as index arrays. Every array is (N,) unless said otherwise.

    groups: G sorted names; group: where a row's group stands among them. scopes: S names, "" for
    everything. in_scope: (S, N); group_in_scope: (S, G). original: where the pair's original row
    stands, N where absent. is_blank: asked without an image. truth: 1 yes, 0 no, -1 unlabelled.
    image_pairs: pairs without their blank rows.
    """

    groups: tuple[str, ...]
    group: Ints
    scopes: tuple[str, ...]
    in_scope: Flags
    group_in_scope: Flags
    category: Codes
    image: Codes
    original: Ints
    is_original: Flags
    is_blank: Flags
    is_edited: Flags
    truth: Codes
    figures: Units
    pairs: Units
    image_pairs: Units
    easy_pairs: Units
    hard_pairs: Units

    @property
    def size(self) -> int:
        return len(self.group)

    @property
    def everything(self) -> Flags:
        return np.ones(self.size, dtype=np.bool_)

    @property
    def is_labelled(self) -> Flags:
        return self.truth >= 0

    @property
    def is_control(self) -> Flags:
        """Rows that make a control pair with their original."""
        has_original: Flags = self.original != self.size
        return has_original & ~self.is_original


def lay_out(questions: Sequence[QuestionView]) -> Layout:
    groups, group = grouping(questions)
    scopes, in_scope, group_in_scope = _scopes(questions, group, len(groups))
    category = np.array([_CATEGORIES[str(q.facts["category"])] for q in questions], dtype=np.int8)
    visual_input = np.array([q.facts["visual_input"] for q in questions], dtype=np.int8)
    is_original = np.array([q.facts["figure_id"] == 0 for q in questions], dtype=np.bool_)
    is_blank = is_original & (category == trees.VS)
    figure_keys = [(q.subtask, q.facts["set_id"], q.facts["figure_id"]) for q in questions]
    pair_keys = [(q.subtask, q.facts["set_id"], q.facts["question_id"]) for q in questions]
    pairs = partial(_units, pair_keys)
    row_of = {q.public_id: row for row, q in enumerate(questions)}
    originals = [row_of.get(str(q.facts["original"]), len(questions)) for q in questions]
    return Layout(
        groups=groups,
        group=group,
        scopes=scopes,
        in_scope=in_scope,
        group_in_scope=group_in_scope,
        category=category,
        image=np.array(
            [_IMAGES.get(int(v), trees.OTHER_IMAGE) for v in visual_input], dtype=np.int8
        ),
        original=np.array(originals, dtype=np.intp),
        is_original=is_original,
        is_blank=is_blank,
        is_edited=visual_input == 2,
        truth=np.array([_truth(q) for q in questions], dtype=np.int8),
        figures=_units(figure_keys, ~is_blank),
        pairs=pairs(np.ones(len(questions), dtype=np.bool_)),
        image_pairs=pairs(~is_blank),
        easy_pairs=pairs(visual_input != 2),
        hard_pairs=pairs(visual_input == 2),
    )


Scopes = tuple[tuple[str, ...], Flags, Flags]


def _scopes(questions: Sequence[QuestionView], group: Ints, groups: int) -> Scopes:
    """Names (S), rows (S, N) and groups (S, G). A group is a set of questions of one
    subcategory."""
    names = ("", *sorted({q.ability for q in questions}), *sorted({q.subtask for q in questions}))
    member = [[name in ("", q.ability, q.subtask) for q in questions] for name in names]
    in_scope = np.array(member, dtype=np.bool_).reshape(len(names), len(questions))
    group_in_scope = np.zeros((len(names), groups), dtype=np.bool_)
    for scope, rows in enumerate(in_scope):
        group_in_scope[scope, group[rows]] = True
    assert (group_in_scope[:, group] == in_scope).all(), (
        "a resampling group reaches over two scopes"
    )
    return names, in_scope, group_in_scope


def _truth(question: QuestionView) -> int:
    label = question.truth.get("gt_answer")
    return -1 if label is None else int(label == 1)


def _units(keys: Sequence[Hashable], chosen: Flags) -> Units:
    """The chosen rows by key."""
    rows = np.flatnonzero(chosen)
    numbers: dict[Hashable, int] = {}
    unit = np.array(
        [numbers.setdefault(keys[row], len(numbers)) for row in rows.tolist()], dtype=np.intp
    )
    _, first = np.unique(unit, return_index=True)  # units are numbered as they are met
    return Units(rows, unit, rows[first])
