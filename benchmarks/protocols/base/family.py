"""A benchmark family as a whole: its name, the modules that satisfy the ports, and what ships with
it."""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from benchmarks.protocols.answer_texts.equal_answers import letters_and_digits
from benchmarks.protocols.base.anchoring import Anchor, AnchoringPort
from benchmarks.protocols.base.board import BoardPort
from benchmarks.protocols.base.dataset import DatasetPart, DatasetPort, Facts, QuestionView
from benchmarks.protocols.base.judging import JudgingPort, ReferencePort, Rules, TextKind
from benchmarks.protocols.base.labels import LabelsPort
from benchmarks.protocols.base.panel import PanelPort
from benchmarks.protocols.base.predictions import PredictionsPort
from benchmarks.protocols.base.scoring import (
    Contributions,
    RatedScoringPort,
    Ratings,
    ScoredRow,
    ScoringPort,
)
from benchmarks.protocols.base.synthetic import Synthesising
from benchmarks.protocols.runs import Verdicts


@dataclass(frozen=True, slots=True)
class Difference:
    name: str
    expected: object
    found: object


ConformanceCheck = Callable[[Mapping[str, object], Sequence[QuestionView]], Sequence[Difference]]
"""One case of a conformance file and the questions it speaks of -> what our scoring computes
differently."""


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """What an honest answer to a question is like, so that the flags of a submission can say that
    answers are not.

    `text` is the reference or whatever the answer is to say, by whose length long answers are told;
    empty where there is none. `least_length`: characters that an answer has at least. `is_hollow`
    tells of an answer whether it names next to nothing of what it is to describe; None where
    nothing is to be described.
    """

    text: str = ""
    is_yes_no: bool = False
    least_length: int = 0
    is_hollow: Callable[[str], bool] | None = None


Expecting = Callable[[QuestionView, str, str], ExpectedAnswer]
"""A question, its reference and the description of its figure, "" for none -> what is expected of
its answer."""


@dataclass(frozen=True, slots=True)
class PairedQuestion:
    """Where a question stands in a control pair: questions of one group that are asked of several
    versions of a picture. `pair` is the same for all of them, `picture` says which version this one
    is asked of, "edited figure"."""

    pair: str
    picture: str


Pairing = Callable[[QuestionView], PairedQuestion]
Comparing = Callable[
    [Sequence[QuestionView], Sequence[str], Sequence[str], Sequence[str]],
    Mapping[str, Sequence[str | None]],
]
"""Questions, answers, the approved descriptions of their figures and the references that the judge
read ("" for none) -> columns by name that the scorer gets among the verdicts: what can be told of
an answer without a judge, but not without the hidden texts."""


@dataclass(frozen=True, slots=True)
class SampleModel:
    """Answers that ship with the project. `ratings` are CSV files of what people say of them,
    without the `entry`."""

    name: str
    about: str
    file: Path
    ratings: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """Whose the content of a release is and what others may do with it; empty where nobody said.

    `source` is an address or says in words where the content is from. `passes_pictures_on`: its
    licence lets a site hand its pictures out in an archive.
    """

    creator: str = ""
    licence: str = ""
    licence_url: str = ""
    source: str = ""
    passes_pictures_on: bool = False


NO_TERMS = Terms()
MADE_FOR_ASSAY = Terms(
    creator="The makers of Assay",
    licence="CC0-1.0",
    licence_url="https://creativecommons.org/publicdomain/zero/1.0/",
    source="Written and drawn for Assay, and shipped with it",
    passes_pictures_on=True,
)
"""Of content that ships with the project: what benchmarks/bundled/*/LICENSE.txt say."""


@dataclass(frozen=True, slots=True)
class BundledRelease:
    """Content that ships with the project. `pictures`: the folder of those that its questions name.
    `studies` are CSV files of what people say of several samples, whose column `entry` has the
    sample's name."""

    slug: str
    title: str
    dataset: Path
    pictures: Path | None = None
    samples: tuple[SampleModel, ...] = ()
    language: str = "en"
    terms: Terms = NO_TERMS
    studies: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedRelease:
    """A draft that ships with the project, so that annotators and reviewers of a demo have work.
    `texts`: a JSON list of descriptions, each by the id of a `question` of its figure, with its
    `text`, its `state` ("draft", "in review" or "sent back"), and the `comment` of a reviewer."""

    slug: str
    title: str
    dataset: Path
    texts: Path
    pictures: Path | None = None
    terms: Terms = NO_TERMS


@lru_cache(maxsize=32)  # a file of the program for each family, never changed while it runs
def prompt_texts(file: Path) -> Mapping[str, str]:
    """The texts of a prompt set that ships with a family, by name."""
    texts: Mapping[str, str] = tomllib.loads(file.read_text())["texts"]
    return texts


Rewriting = Callable[[BinaryIO, Mapping[str, Mapping[str, str]]], Iterator[bytes]]
"""An official file, and by the id of a question its texts by kind -> the file with these texts, as
it was where they are the same. Raises ValueError with a sentence for another file."""


@dataclass(frozen=True, slots=True)
class BenchmarkProtocol:
    """A benchmark family: its name, and the modules that satisfy the ports.

    `prompts` is the folder of its prompt sets, one TOML file per version; a model judge uses
    `default_prompts` unless told otherwise, and `parameters` for sampling. Without
    `default_prompts` no model judges this benchmark, its rules decide. `conformance` holds a check
    per variant, "" for the only one. `comparing` is for benchmarks that tell of an answer what only
    a look at the description or the reference tells. `expecting` is for those that expect other
    answers than one as long as the reference. `pairing` is for those whose questions form control
    pairs. Two answers are equal where `equal_form` makes one
    text of them: submissions of equal answers share a place. `parts` are by the name an operator
    calls them. `right_means` ends the sentence "An answer counts as right …" wherever questions are
    compared by how many entries get them right (ScoredRow.credit).
    `part_of` is the slug of the benchmark in whose paper this one stands, and beside which pages
    show it; empty where it has a paper of its own.
    `anchoring` tells which scores the labels of its panel speak about.
    `scores_ratings`: its scorer gets what people say (RatedScoringPort); otherwise that is compared
    with the judge and enters no metric.
    `labels` reads and writes the labels of questions whose label can be wrong in the dataset.
    `rewriting` writes the official file once more with the texts of today.
    `prepared` is a draft of a demo, for annotators and reviewers to work on.
    `synthesise` makes the answers that models of a demo give, who do not exist. `other_rules` are
    offline judges beside the usual one, each asked only where somebody names it.
    """

    slug: str
    title: str
    dataset: DatasetPort
    predictions: PredictionsPort
    judging: JudgingPort
    scoring: ScoringPort
    board: BoardPort
    prompts: Path
    default_prompts: str
    parameters: Facts = field(default_factory=lambda: {"temperature": 0})
    references: ReferencePort | None = None
    panel: PanelPort | None = None
    scores_ratings: bool = False
    labels: LabelsPort | None = None
    anchoring: AnchoringPort | None = None
    comparing: Comparing | None = None
    expecting: Expecting | None = None
    pairing: Pairing | None = None
    equal_form: Callable[[str], str] = letters_and_digits
    parts: Mapping[str, DatasetPart] = field(default_factory=dict)
    conformance: Mapping[str, ConformanceCheck] = field(default_factory=dict)
    bundled: tuple[BundledRelease, ...] = ()
    prepared: PreparedRelease | None = None
    right_means: str = "where its judge says that it is right"
    part_of: str = ""
    synthesise: Synthesising | None = None
    rewriting: Rewriting | None = None
    other_rules: tuple[Rules, ...] = ()

    def rules(self, name: str = "") -> Rules | None:
        """The offline rules of this name, "" for the usual ones; None where there are none."""
        usual = Rules("", self.judging.RULES_VERSION, "", self.judging.rule)
        return next((one for one in (usual, *self.other_rules) if one.name == name), None)

    def texts_judged(self) -> frozenset[TextKind]:
        """What enters verdicts of the offline rules, or of a model asked with the usual prompts: a
        release that lacks such a text is not ready."""
        by_rules = self.judging.texts_read(None)
        if not self.default_prompts:
            return by_rules
        prompts = prompt_texts(self.prompts / f"{self.default_prompts}.toml")
        return by_rules | self.judging.texts_read(prompts)

    def contributions(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
        ratings: Ratings,
    ) -> Contributions:
        """What ScoringPort.contributions returns. Ratings reach the scorers that read them."""
        if not self.scores_ratings:
            return self.scoring.contributions(questions, answers, verdicts)
        rated = cast(RatedScoringPort, self.scoring)
        return rated.contributions(questions, answers, verdicts, ratings)

    def explain(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
        ratings: Ratings,
    ) -> tuple[ScoredRow, ...]:
        """What ScoringPort.explain returns. Ratings reach the scorers that read them."""
        if not self.scores_ratings:
            return self.scoring.explain(questions, answers, verdicts)
        rated = cast(RatedScoringPort, self.scoring)
        return rated.explain(questions, answers, verdicts, ratings)

    def anchors(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
        ratings: Ratings,
    ) -> Sequence[Anchor]:
        """What AnchoringPort.anchors returns; nothing where labels speak about no score."""
        if self.anchoring is None or not ratings:
            return ()
        return self.anchoring.anchors(questions, answers, verdicts, ratings)
