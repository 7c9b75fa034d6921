"""Answers of a benchmark that has no official file: rows of id and prediction, in any kind of
file."""

from collections.abc import Sequence

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files.answers import collect_answers
from benchmarks.protocols.files.forms import ID_NAMES, PLAIN, Form
from benchmarks.protocols.files.records import NamedRecords
from benchmarks.protocols.files.submitted import read_records


def read_plain(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return collect_answers(read_records(upload, (PLAIN,), len(questions)), questions)


def plain_ids(upload: Upload, most_rows: int) -> tuple[str, ...]:
    return NamedRecords(read_records(upload, (PLAIN,), most_rows)).ids()


def ids_by_other_names(upload: Upload, most_rows: int) -> tuple[str, ...]:
    """Those that stand in a field which people's own scripts call so, whatever the others are: by
    them a release is found whose reader then says how the field is to be named."""
    forms = [Form(required=(name,), ignores_others=True) for name in ("id", *ID_NAMES)]
    records = read_records(upload, forms, most_rows)
    found = {name for record in records.records for name in record.fields}
    return NamedRecords(records, *found).ids() if len(found) == 1 else ()
