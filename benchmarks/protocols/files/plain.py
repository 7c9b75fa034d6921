"""Answers of a benchmark that has no official file: rows of id and prediction, in any kind of
file."""

from collections.abc import Sequence

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files.answers import collect_answers
from benchmarks.protocols.files.forms import PLAIN
from benchmarks.protocols.files.records import NamedRecords
from benchmarks.protocols.files.submitted import read_records


def read_plain(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return collect_answers(read_records(upload, (PLAIN,), len(questions)), questions)


def plain_ids(upload: Upload, most_rows: int) -> tuple[str, ...]:
    return NamedRecords(read_records(upload, (PLAIN,), most_rows)).ids()
