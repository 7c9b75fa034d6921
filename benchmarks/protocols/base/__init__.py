"""The port every benchmark family implements, and the frozen values that cross it.

A protocol is a folder of modules; each satisfies the `*Port` class in the module of its own name
here (the port of a folder's `scoring.py` is in `base/scoring.py`), and the folder's `PROTOCOL`
names them (`base/family.py`). The Django apps know these types and nothing else about a benchmark;
everybody imports them from here. Everything is plain Python and NumPy: no clock, no files, no
Django.
"""

from benchmarks.protocols.base.board import (
    FROM_ZERO,
    SCALES,
    Beside,
    Board,
    BoardPort,
    BoardTable,
    Chart,
    ColumnGroup,
    Heatmap,
    Measure,
    Metric,
    PublishedRow,
    Radar,
    RulesWorth,
    StackedBar,
    WorthLine,
)
from benchmarks.protocols.base.dataset import (
    AbilityEntry,
    DatasetItem,
    DatasetPart,
    DatasetPort,
    Facts,
    ImageSource,
    Json,
    NewSubtask,
    QuestionRow,
    QuestionView,
    SubtaskEntry,
)
from benchmarks.protocols.base.family import (
    BenchmarkProtocol,
    BundledRelease,
    Comparing,
    ConformanceCheck,
    Difference,
    ExpectedAnswer,
    Expecting,
    SampleModel,
)
from benchmarks.protocols.base.judging import (
    JudgeCase,
    JudgingPort,
    Message,
    ReferencePort,
    Settled,
    Slot,
    TextKind,
    UnreadableError,
)
from benchmarks.protocols.base.panel import Dimension, PanelPort
from benchmarks.protocols.base.predictions import (
    Baseline,
    PredictionReading,
    PredictionsPort,
    Upload,
)
from benchmarks.protocols.base.problems import Anomaly, Note, Problem
from benchmarks.protocols.base.scoring import Contributions, Derived, Floats, ScoredRow, ScoringPort

__all__ = [
    "FROM_ZERO",
    "SCALES",
    "AbilityEntry",
    "Anomaly",
    "Baseline",
    "BenchmarkProtocol",
    "Beside",
    "Board",
    "BoardPort",
    "BoardTable",
    "BundledRelease",
    "Chart",
    "ColumnGroup",
    "Comparing",
    "ConformanceCheck",
    "Contributions",
    "DatasetItem",
    "DatasetPart",
    "DatasetPort",
    "Derived",
    "Difference",
    "Dimension",
    "ExpectedAnswer",
    "Expecting",
    "Facts",
    "Floats",
    "Heatmap",
    "ImageSource",
    "Json",
    "JudgeCase",
    "JudgingPort",
    "Measure",
    "Message",
    "Metric",
    "NewSubtask",
    "Note",
    "PanelPort",
    "PredictionReading",
    "PredictionsPort",
    "Problem",
    "PublishedRow",
    "QuestionRow",
    "QuestionView",
    "Radar",
    "ReferencePort",
    "RulesWorth",
    "SampleModel",
    "ScoredRow",
    "ScoringPort",
    "Settled",
    "Slot",
    "StackedBar",
    "SubtaskEntry",
    "TextKind",
    "UnreadableError",
    "Upload",
    "WorthLine",
]
