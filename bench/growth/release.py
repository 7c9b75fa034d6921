"""A release of HallusionBench's shape, and models that answer it; all made here, with a fixed seed.

It has as many questions, pairs and sets of each subcategory as the official file: 951 questions
with an image and 178 without. Standard library and NumPy.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SEED = 11
Ints = NDArray[np.int64]

SETS = (
    ("VD", "figure", ((1, 2, 1), (2, 2, 18), (2, 3, 1))),
    ("VD", "illusion", ((1, 2, 7), (2, 2, 10), (3, 2, 11), (4, 2, 3))),
    ("VD", "math", ((3, 2, 18),)),
    ("VD", "ocr", ((2, 2, 20), (3, 3, 1))),
    (
        "VD",
        "video",
        ((1, 2, 1), (2, 2, 2), (3, 1, 1), (3, 2, 2), (3, 3, 1), (4, 2, 5), (4, 3, 8)),
    ),
    ("VS", "chart", ((2, 2, 1), (2, 3, 7), (3, 3, 4), (4, 2, 1), (4, 3, 7), (8, 2, 2))),
    ("VS", "map", ((2, 3, 5), (3, 3, 2), (4, 3, 4))),
    ("VS", "ocr", ((1, 3, 1), (2, 3, 10), (3, 3, 2))),
    ("VS", "table", ((3, 3, 3), (3, 4, 2), (4, 3, 2), (4, 4, 2), (6, 4, 2))),
)
"""Category, subcategory, and how its sets are made: questions per figure, figures, sets. Counted in
the official file, of which no text is here."""

WORDINGS = 12
"""Ways to say yes, or no, to one question: answers of two models seldom agree to the letter."""
READ_AS_RIGHT, UNCLEAR, UNREADABLE = 0.97, 0.02, 0.003
"""Of right answers, how many the judge calls correct; of others, how many unclear; of replies, in
how many nothing is read. About what recorded judges did."""


@dataclass(frozen=True, slots=True)
class Row:
    category: str
    subcategory: str
    set_id: int
    figure: int
    question: int
    is_yes: bool

    @property
    def id(self) -> str:
        """As HallusionBench's protocol names it."""
        place = f"{self.set_id}/{self.figure}/{self.question}"
        return f"{self.category}/{self.subcategory}/{place}"

    @property
    def has_image(self) -> bool:
        return self.category == "VD" or self.figure > 0


@dataclass(frozen=True)
class Made:
    """The rows of a release, in the order of its file."""

    rows: tuple[Row, ...]

    def dataset(self) -> bytes:
        return json.dumps([as_record(row) for row in self.rows]).encode()

    @cached_property
    def difficulty(self) -> NDArray[np.float64]:
        return np.random.default_rng(SEED).normal(size=len(self.rows))

    @cached_property
    def originals(self) -> Ints:
        """Place of the row that each is compared with; its own where there is no other."""
        places = {
            (row.category, row.subcategory, row.set_id, row.question): place
            for place, row in reversed(list(enumerate(self.rows)))
            if row.figure == 0
        }
        keys = [(row.category, row.subcategory, row.set_id, row.question) for row in self.rows]
        return np.array([places[key] for key in keys])

    @cached_property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """Of each row what models say: WORDINGS times yes, then as often no."""
        return tuple(
            tuple(
                f"{word}, question {row.question} about figure {row.figure} of set"
                f" {row.set_id} is answered so; in its other words, wording {wording} says it."
                for word in ("Yes", "No")
                for wording in range(WORDINGS)
            )
            for row in self.rows
        )


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model said: choice, which of a row's `texts`; right, whether it was; (rows,) each."""

    choice: Ints
    right: NDArray[np.bool_]

    @property
    def says_yes(self) -> NDArray[np.bool_]:
        return self.choice < WORDINGS


def make_release(*, is_small: bool = False) -> Made:
    """is_small: one set of each kind, for tests."""
    rng = np.random.default_rng(SEED)
    rows = []
    for category, subcategory, kinds in SETS:
        number = 0
        for questions, figures, sets in kinds:
            for _ in range(1 if is_small else sets):
                rows += [
                    Row(category, subcategory, number, figure, question, bool(rng.integers(2)))
                    for figure in range(figures)
                    for question in range(questions)
                ]
                number += 1
    return Made(tuple(rows))


def as_record(row: Row) -> dict[str, str | None]:
    """A row as the official file has it, every value a string."""
    place = f"{row.set_id}_{row.figure}"
    kind = min(row.figure, 2) if row.category == "VS" else 1 + (row.figure > 0)
    return {
        "category": row.category,
        "subcategory": row.subcategory,
        "visual_input": str(kind),
        "set_id": str(row.set_id),
        "figure_id": str(row.figure),
        "sample_note": "made",
        "question_id": str(row.question),
        "question": f"Is question {row.question} of figure {place} answered with yes?",
        "gt_answer_details": f"Question {row.question} of figure {place} is so.",
        "gt_answer": str(int(row.is_yes)),
        "filename": f"./{row.category}/{row.subcategory}/{place}.png" if row.has_image else None,
    }


def abilities(count: int) -> NDArray[np.float64]:
    """Of so many models; those of fewer are the first of them."""
    return np.random.default_rng(SEED + 1).normal(0.8, 0.9, size=count)


def answered(made: Made, ability: float, rng: np.random.Generator) -> Answered:
    """A model of this ability is right about a row the more likely, the easier that is (Rasch)."""
    chances = 1 / (1 + np.exp(made.difficulty - ability))
    right = rng.random(len(made.rows)) < chances
    is_yes = np.array([row.is_yes for row in made.rows])
    says_yes = right == is_yes
    wording = rng.integers(WORDINGS, size=len(made.rows))
    return Answered(np.where(says_yes, wording, wording + WORDINGS), right)


def verdicts(
    made: Made, said: Answered, slots: Sequence[tuple[int, str]], rng: np.random.Generator
) -> list[str]:
    """What a judge said of each slot, (place of the row, its name), "" where its reply was not
    read."""
    chance = rng.random((2, len(slots)))
    places = np.array([place for place, _ in slots])
    right = said.right[places]
    same = said.says_yes[places] == said.says_yes[made.originals[places]]
    correct = np.where(right, chance[0] < READ_AS_RIGHT, False)
    unclear = ~correct & (chance[0] < UNCLEAR)
    words = np.where(correct, "correct", np.where(unclear, "unclear", "incorrect"))
    is_same = np.array([name.startswith("same") for _, name in slots])
    words = np.where(is_same, np.where(same, "same", "different"), words)
    found: list[str] = np.where(chance[1] < UNREADABLE, "", words).tolist()
    return found
