"""The port of `panel.py`: what people are asked about an answer, and what they are shown for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from benchmarks.protocols.base.dataset import QuestionView

Level = Literal["nominal", "ordinal"]


@dataclass(frozen=True, slots=True)
class PublishedAgreement:
    """What a paper prints of a study of its own: the share of answers on which the judge says what
    most people say, and that of people among each other. `source` says where and of how many."""

    judge: float
    people: float
    source: str


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a person is asked about an answer: a whole number from `low` to `high`.

    `asks` is the question as its rater reads it. `words` say what each number from `low` to `high`
    means; without, the number stands for itself, and `ends` may say what the lowest and the highest
    mean. `unclear` is the number of "cannot be told", outside of the scale: kept as what somebody
    said, and no label. `level`: whether the numbers have an order. `published`: what is printed of
    the same question elsewhere.
    """

    slug: str
    title: str
    low: int
    high: int
    asks: str = ""
    words: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    unclear: int | None = None
    level: Level = "ordinal"
    published: PublishedAgreement | None = None

    @property
    def values(self) -> tuple[int, ...]:
        """Every number that a rater may give, the one of "cannot be told" last."""
        scale = tuple(range(self.low, self.high + 1))
        return scale if self.unclear is None else (*scale, self.unclear)

    def word(self, value: int) -> str:
        if value == self.unclear:
            return "unclear"
        return self.words[value - self.low] if self.words else str(value)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a rater has before the eyes beside question, picture and answer.

    `compares`: answer and reference stand beside one another, unnamed and in random order, and the
    rater says which is better: the one dimension asked has -1 for a worse answer, 0 and 1.
    `shows_reference`: the reference is shown as what is true.
    """

    compares: bool = False
    shows_reference: bool = False

    @property
    def rests_on_truth(self) -> bool:
        """Whether a rating speaks of the label and reference it was made under, and of no later
        ones."""
        return self.compares or self.shows_reference


@dataclass(frozen=True, slots=True)
class AttentionCheck:
    """An item with an answer that nobody who looks takes for another: shown in place of the
    model's, and never counted. `passed_by` are the numbers on `dimension` that somebody attentive
    may give; `about` tells staff what the answer is."""

    answer: str
    dimension: str
    passed_by: tuple[int, ...]
    about: str


class PanelPort(Protocol):
    """Only for benchmarks some of whose answers people rate, compare, or call right or wrong.

    Whether a scorer reads what they say is the family's to tell (BenchmarkProtocol.scores_ratings).
    """

    INSTRUCTIONS: str
    """What raters read before the first item: paragraphs, a blank line between them."""

    def dimensions(self, question: QuestionView) -> tuple[Dimension, ...]: ...

    def sight(self, question: QuestionView) -> Sight: ...

    def check(
        self, question: QuestionView, reference: str, others: Sequence[str], number: int
    ) -> AttentionCheck | None:
        """Check `number` of a study, which asks about this question; kinds of checks take turns.
        `others` are answers to other questions. None where nothing obvious can be made of it."""

    def judge_says(self, dimension: str, verdicts: Mapping[str, str | None]) -> int | None:
        """The judge's word on an answer, on the scale that people are asked on.

        verdicts: of this answer by slot key ("correctness.1"), as `judging.parse` gives them; a
        judge asked several times says what it says on average, or most often. The number of "cannot
        be told" where it says so and people may (Dimension.unclear). None: no verdict, too few, or
        a dimension that no judge is asked about.
        """
