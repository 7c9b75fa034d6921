"""The port every benchmark family implements, and the frozen values that cross it.

A protocol is a folder of modules; each module satisfies one of the `*Port` classes below, and the folder's
`PROTOCOL` names them. The four Django apps know these types and nothing else about a benchmark.
Everything here is plain Python and NumPy: no clock, no files, no Django.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.equal_answers import letters_and_digits

Json = str | int | float | bool | None
Facts = Mapping[str, Json]
Floats = NDArray[np.float64]


# --- what files say, and what is wrong with them ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a file is refused. `line` counts from 1; `column` is a field name or a place in the line.

    `record` names the record of a JSON document, "SVT, record 1": all of it may stand on one line.
    """

    code: str
    message: str
    line: int | None = None
    column: str = ""
    expected: str = ""
    found: str = ""
    record: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something accepted that the sender should know: a mark removed, an answer that will get the floor, labels that a
    dataset lacks."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A fault of the dataset itself: imported as it is, flagged, never dropped.

    `is_public`: the message tells nothing of references, descriptions and truth. Only such messages stand beside
    questions whose references are hidden.
    """

    question: str
    code: str
    message: str
    is_public: bool = False


# --- what is asked ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubtaskEntry:
    """`questions`: how many the official release has of it, 0 where that is not told."""

    slug: str
    title: str
    questions: int = 0


@dataclass(frozen=True, slots=True)
class AbilityEntry:
    slug: str
    title: str
    subtasks: tuple[SubtaskEntry, ...]


@dataclass(frozen=True, slots=True)
class ImageSource:
    """A picture of a figure: bytes from inside the dataset file, or `None` and a path below the images folder."""

    name: str
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question as a dataset file gives it.

    `facts` are public and belong to the protocol; `truth` is what the judge and the scorer may know and nobody
    else (ground-truth labels). `group` names the unit of resampling. `line` and `record` are its place in the file, as
    a problem has it; None and empty where the protocol does not tell.
    """

    public_id: str
    ability: str
    subtask: str
    figure: str
    group: str
    text: str
    reference: str
    images: tuple[ImageSource, ...] = ()
    description: str = ""
    facts: Facts = field(default_factory=dict)
    truth: Facts = field(default_factory=dict)
    line: int | None = None
    record: str = ""


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A stored question as protocols see it: a `QuestionRow` without files, reference and description."""

    public_id: str
    ability: str
    subtask: str
    figure: str
    group: str
    text: str
    facts: Facts
    truth: Facts


@dataclass(frozen=True, slots=True)
class NewSubtask:
    """A subtask that the taxonomy does not have, given before its first question. Its ability may be new as well."""

    ability: str
    ability_title: str
    slug: str
    title: str


DatasetItem = QuestionRow | NewSubtask | Anomaly | Note | Problem


class DatasetPort(Protocol):
    @property
    def TAXONOMY(self) -> tuple[AbilityEntry, ...]: ...

    def read(self, stream: BinaryIO) -> Iterator[DatasetItem]:
        """The questions of an official file in file order, with its anomalies; a `Problem` means: import nothing. A
        `Note` is what whoever imports the file should know of all of it."""


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """A part of the official file that others score by itself, and that can be a release. `read` is as that of
    DatasetPort, `title` is said of the release."""

    title: str
    read: Callable[[BinaryIO], Iterator[DatasetItem]]


# --- what was answered --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Upload:
    """A submitted file: the name its sender gave it, never a path, and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PredictionReading:
    """`answers` by public id, complete if and only if there is no problem."""

    answers: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """Answers made by the system itself, so that a reader sees what knowing nothing scores.

    `is_hidden`: they are made of texts that a release may keep to itself; they are shown where its references are.
    """

    slug: str
    title: str
    about: str
    answers: Mapping[str, str]
    is_hidden: bool = False


class PredictionsPort(Protocol):
    def read(self, upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
        """Every answer of a submitted file, or every problem found in it (never only the first)."""

    def baselines(
        self,
        questions: Sequence[QuestionView],
        descriptions: Mapping[str, str],
        rng: np.random.Generator,
    ) -> tuple[Baseline, ...]:
        """What the system itself submits. `descriptions` has the approved one of a question's figure by public id."""


# --- what was decided ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slot:
    """Which call of an answer: what is asked, and the how-manieth time (from 1)."""

    name: str
    repeat: int = 1

    @property
    def key(self) -> str:
        return f"{self.name}.{self.repeat}"


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """All a judge may know. Blind by type: there is no field that could name who submitted the answer."""

    slot: Slot
    question: QuestionView
    reference: str
    description: str
    answer: str
    peer_answer: str | None = None


TextKind = Literal["reference", "description"]
"""A text of a question that has versions and that a judge may read."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A verdict that needs no call, and why (an empty answer, two identical texts). Everybody may read the reason: it
    is a sentence of the protocol's own and repeats no text of the case."""

    verdict: str
    reason: str


class UnreadableError(ValueError):
    """A reply in which the protocol finds no verdict. Neither right nor wrong.

    The message says what was expected and never quotes the reply, which may repeat the prompt.
    """


class JudgingPort(Protocol):
    @property
    def PARSERS(self) -> tuple[str, ...]:
        """Names of the reply parsers, the default first ("strict", "official")."""

    @property
    def PARSER_VERSIONS(self) -> tuple[str, ...]:
        """Versions of the parsers, today's first. The older ones go on reading the replies of specs made with them."""

    @property
    def RULES_VERSION(self) -> str: ...

    @property
    def DEFAULT_REPEATS(self) -> int:
        """Repeats of a judge that is a language model. The offline rules are deterministic and always run once."""

    def texts_read(self, prompts: Mapping[str, str] | None) -> frozenset[TextKind]:
        """What of a case enters a verdict: by these prompts, or by the rules where they are None; what `settle` looks
        at included. All others are empty in the cases that the judge gets, so that a new version of theirs makes no
        verdict out of date."""

    def slots(self, question: QuestionView, repeats: int) -> tuple[Slot, ...]:
        """The calls this question needs."""

    def peer(self, question: QuestionView, slot: Slot) -> str | None:
        """Public id of the other question whose answer this call shows too; None where there is none."""

    def settle(self, case: JudgeCase) -> Settled | None:
        """The verdict of a case that must not cost a call; None where the judge is to be asked."""

    def messages(
        self, case: JudgeCase, prompts: Mapping[str, str], delimiter: str
    ) -> tuple[Message, ...]:
        """What is sent. Answers, and descriptions written by people, stand between lines of `delimiter`;
        instructions are repeated after them."""

    def parse(self, slot: Slot, reply: str, parser: str, version: str = ...) -> str:
        """The verdict in a reply, as stored text, by today's version unless one of PARSER_VERSIONS is named.

        Raises UnreadableError, whose words say what was expected and hold nothing of the reply: they are public and
        are told to the judge, and a reply may repeat what is hidden. LookupError for an unknown parser or version.
        """

    def rule(self, case: JudgeCase) -> str:
        """The offline judge's reply, in the form `parse` reads."""


class ReferencePort(Protocol):
    """Only for benchmarks whose reference answers are written by a model from the description."""

    @property
    def PROMPTS(self) -> str:
        """Version of the prompt file, in the protocol's folder of prompts."""

    def messages(
        self, question: QuestionView, description: str, prompts: Mapping[str, str], delimiter: str
    ) -> tuple[Message, ...]:
        """What is sent. The description stands between lines of `delimiter`."""


# --- what people say ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a person is asked about an answer: a whole number from `low` to `high`."""

    slug: str
    title: str
    low: int
    high: int


class PanelPort(Protocol):
    """Only for benchmarks some of whose answers people rate, or call right or wrong.

    The scorer gets what they said among the verdicts: by the dimension's slug, the scores of an answer with blanks
    between them, "4 5 3"; None where nobody rated it.
    """

    def dimensions(self, question: QuestionView) -> tuple[Dimension, ...]: ...


# --- what it means ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Derived:
    """A metric made of basic ones: `function` takes those that `parts` names by name. The arrays share one shape, and
    undefined values are nan.

    Its counts, asked and judged are the sums over `counted`, those of the parts that together look at every row once;
    over all parts where it is empty. (A mean of datasets sums over them, a kappa counts one of its shares.)
    """

    function: Callable[[Mapping[str, Floats]], Floats]
    parts: tuple[str, ...]
    counted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contributions:
    """Everything a submission's metrics are made of, by resampling group, so that an interval is a matrix product.

    A basic metric is sum(numerator) / sum(denominator) over groups, in each run, averaged over runs.

    names: M names of basic metrics.
    numerator, denominator: shape (runs, groups, M); the rows of the group axis follow `groups`.
    groups: G names, sorted, so that entries of one release can share resampling weights.
    counts, asked, judged: per basic metric, shape (M,): units in the denominator (first run), rows the metric looks
        at, rows of these that it knows enough of in every run: that have the verdict it needs, or need none. A row may
        be judged and outside the denominator (an answer "no" and the precision of "yes").
    coverage: the share of verdicts there are of those that the scores need, which decides whether an entry is ranked.
        A vote is one verdict, however many labels it takes. 0 where none is needed.
    derived: metrics made of the basic ones, by name.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    numerator: Floats
    denominator: Floats
    counts: NDArray[np.int64]
    asked: NDArray[np.int64]
    judged: NDArray[np.int64]
    coverage: float
    derived: Mapping[str, Derived]


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """What the scorer says of one answer, for the entry page: a short label and whether it counted as right.

    `score` is what the judge gave it where it gives numbers, and None where there is none or right and wrong say all.
    `outcome` sorts the answers of the page where right, wrong and "no verdict" do not fit: "rated by people".
    Everybody may read all of it, so none of it repeats a reference, a description or a reply.
    """

    verdict: str
    is_right: bool | None
    remark: str = ""
    score: float | None = None
    outcome: str = ""


class ScoringPort(Protocol):
    def contributions(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Mapping[str, Sequence[str | None]],
    ) -> Contributions:
        """Metrics of one submission. All sequences follow `questions`; `verdicts` is by slot key, None where there
        is no verdict (unreadable, failed, not asked), and has what people said too (PanelPort)."""

    def explain(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Mapping[str, Sequence[str | None]],
    ) -> tuple[ScoredRow, ...]:
        """One row per question, in order: how its answer and verdicts entered the metrics."""


# --- what is shown ------------------------------------------------------------------------------------------


SCALES = {"percent": (0.0, 1.0), "ratio": (-1.0, 1.0), "score": (-math.inf, math.inf)}
"""What values lie between, by unit, unless their metric says otherwise."""
FROM_ZERO = (0.0, math.inf)
"""Bounds of a length or a number."""


@dataclass(frozen=True, slots=True)
class Metric:
    """`unit` says how a value is printed: "percent" (stored as a share), "score", or "ratio" (a signed share).

    `empty` is the reason shown where the denominator is zero. `bounds` are the ends of its scale as stored, where its
    intervals end: None for 0 and 1 of a percent, -1 and 1 of a ratio, and a score without ends.
    """

    name: str
    title: str
    about: str
    higher_is_better: bool | None = True
    unit: Literal["percent", "score", "ratio"] = "percent"
    digits: int = 2
    empty: str = "nothing to count"
    bounds: tuple[float, float] | None = None

    @property
    def scale(self) -> tuple[float, float]:
        return self.bounds or SCALES[self.unit]


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    title: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class StackedBar:
    """Shares of a whole drawn as one bar per entry: metric name and label of each part, in drawing order."""

    title: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """A way of scoring that a board can be read by. It shows the tables and charts that name it and those that name
    none; its rows stand in the order of the metric `order`, whatever the ranking."""

    slug: str
    title: str
    about: str
    order: str


@dataclass(frozen=True, slots=True)
class BoardTable:
    slug: str
    title: str
    about: str
    groups: tuple[ColumnGroup, ...]
    bars: tuple[StackedBar, ...] = ()
    measure: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Metrics drawn on one scale, from `low` to `high` in stored units."""

    slug: str
    title: str
    about: str
    groups: tuple[ColumnGroup, ...]
    low: float
    high: float
    measure: str = ""


class Radar(Chart):
    """Chosen entries as polygons over the axes of `groups`."""

    __slots__ = ()


class Heatmap(Chart):
    """Entries by metrics, each cell shaded."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """A metric of another benchmark shown beside this board's: that of the same evaluated model."""

    benchmark: str
    metric: Metric


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """Figures printed in a paper or README. Shown apart, never ranked with judged rows.

    `judge` is empty and `questions` 0 where the source does not say; rows without a judge stand apart from the others.
    `reproduced` says what of the row was computed anew, and from what; empty where nothing was.
    """

    model: str
    source: str
    url: str
    values: Mapping[str, float]
    judge: str = ""
    language: str = "en"
    questions: int = 0
    reproduced: str = ""


@dataclass(frozen=True, slots=True)
class WorthLine:
    """One figure of how the offline rules compare with people on the same `n` units.

    rules: what the rules give, or how far they agree; people: what people give, None where the line is an agreement.
    Both are shares for the unit "percent", and a kappa in [-1, 1] for "ratio".
    `suits` tells of how many rows each metric looks at in a release, by name, whether this line is what its board
    prints; `of` then says in words of which answers the figure is. None and empty for all other lines.
    """

    title: str
    about: str
    n: int
    rules: float
    people: float | None = None
    unit: Literal["percent", "ratio"] = "percent"
    of: str = ""
    suits: Callable[[Mapping[str, int]], bool] | None = None


@dataclass(frozen=True, slots=True)
class RulesWorth:
    """How far the offline rules of one version agree with people, measured on recorded answers: facts with a source.

    A board prints the line that suits its release, else the first. A test recomputes all of them, so that no other
    version inherits them.
    """

    version: str
    about: str
    source: str
    url: str
    lines: tuple[WorthLine, ...]

    def line_of(self, asked: Mapping[str, int]) -> WorthLine:
        """The line for a release of whose rows each metric looks at so many; the first one where nothing is known."""
        suiting = (line for line in self.lines if line.suits and line.suits(asked))
        return next(suiting, self.lines[0])


@dataclass(frozen=True, slots=True)
class Board:
    """`ranking` names the metric that ranks; entries below `min_coverage` (Contributions.coverage) are not ranked.

    `measures` are the ways of reading the board, the default first; none where there is only one. `agreement` are the
    metrics that compare the judge with people, `reliability` those that tell how steady it is: the judge's card shows
    both. `worth` tells of the offline rules what people would have said; None where nobody has measured it.
    """

    summary: str
    how: str
    ranking: str
    min_coverage: float
    tables: tuple[BoardTable, ...]
    published: tuple[PublishedRow, ...] = ()
    charts: tuple[Radar | Heatmap, ...] = ()
    beside: tuple[Beside, ...] = ()
    measures: tuple[Measure, ...] = ()
    agreement: tuple[Metric, ...] = ()
    reliability: tuple[Metric, ...] = ()
    worth: RulesWorth | None = None

    def metrics(self) -> tuple[Metric, ...]:
        """Every metric of every table once, in board order."""
        found = {
            m.name: m for table in self.tables for group in table.groups for m in group.metrics
        }
        return tuple(found.values())

    def metric_names(self) -> tuple[str, ...]:
        """Every name a board reads: its columns, the parts of its bars, and what ranks."""
        parts = [name for table in self.tables for bar in table.bars for name, _ in bar.parts]
        drawn = [m.name for chart in self.charts for group in chart.groups for m in group.metrics]
        return tuple(
            dict.fromkeys([self.ranking, *(m.name for m in self.metrics()), *parts, *drawn])
        )


class BoardPort(Protocol):
    @property
    def BOARD(self) -> Board: ...

    @property
    def METRICS(self) -> Mapping[str, Metric]:
        """Every metric of a scoresheet by name, also those no table shows."""


# --- the whole ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    name: str
    expected: object
    found: object


ConformanceCheck = Callable[[Mapping[str, object], Sequence[QuestionView]], Sequence[Difference]]
"""One case of a conformance file and the questions it speaks of -> what our scoring computes differently."""


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """What an honest answer to a question is like, so that the flags of a submission can say that answers are not.

    `text` is the reference or whatever the answer is to say, by whose length long answers are told; empty
    where there is none. `least_length`: characters that an answer has at least. `is_hollow` tells of an answer
    whether it names next to nothing of what it is to describe; None where nothing is to be described.
    """

    text: str = ""
    is_yes_no: bool = False
    least_length: int = 0
    is_hollow: Callable[[str], bool] | None = None


Expecting = Callable[[QuestionView, str, str], ExpectedAnswer]
"""A question, its reference and the description of its figure, "" for none -> what is expected of its answer."""

Comparing = Callable[
    [Sequence[QuestionView], Sequence[str], Sequence[str]], Mapping[str, Sequence[str | None]]
]
"""Questions, answers and the approved descriptions of their figures ("" for none) -> columns by name that the scorer
gets among the verdicts: what can be told of an answer without a judge, but not without the hidden description."""


@dataclass(frozen=True, slots=True)
class SampleModel:
    """Answers that ship with the project. `ratings` are CSV files of what people say of them, without the `entry`."""

    name: str
    about: str
    file: Path
    ratings: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class BundledRelease:
    """Content that ships with the project: `draw` writes the figures below a folder and returns how many."""

    slug: str
    title: str
    dataset: Path
    draw: Callable[[Path], int]
    samples: tuple[SampleModel, ...] = ()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class BenchmarkProtocol:
    """A benchmark family: its name, and the modules that satisfy the ports.

    `prompts` is the folder of its prompt sets, one TOML file per version; a model judge uses `default_prompts` unless
    told otherwise, and `parameters` for sampling. Without `default_prompts` no model judges this benchmark, its rules
    decide. `conformance` holds a check per variant, "" for the only one. `comparing` is for benchmarks that tell of an
    answer what only a look at the description tells. `expecting` is for those that expect other answers
    than one as long as the reference. Two answers are equal where `equal_form` makes one text of them: submissions of
    equal answers share a place. `parts` are by the name an operator calls them.
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
    comparing: Comparing | None = None
    expecting: Expecting | None = None
    equal_form: Callable[[str], str] = letters_and_digits
    parts: Mapping[str, DatasetPart] = field(default_factory=dict)
    conformance: Mapping[str, ConformanceCheck] = field(default_factory=dict)
    bundled: tuple[BundledRelease, ...] = ()
