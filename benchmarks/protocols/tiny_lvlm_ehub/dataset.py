"""Records of the suite's datasets, in the official layout, from any of its 42 datasets.

A record is {"question_id", "question", "gt_answers", "image_path", "task_type"}: `gt_answers` is a string or a list of
strings, the picture is optional. A file is JSON Lines whose records name their "dataset", or a JSON object of lists by
dataset; a folder of <dataset>.json is read as such an object. A record's public id is "dataset/question_id".
"""

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from benchmarks.protocols.base import Anomaly, DatasetItem, ImageSource, Problem, QuestionRow, QuestionView, Upload
from benchmarks.protocols.files import Form, Record, read_records, visible
from benchmarks.protocols.files.limits import MAX_CHARACTERS
from benchmarks.protocols.tiny_lvlm_ehub import suite
from benchmarks.protocols.tiny_lvlm_ehub.suite import (
    DATASETS,
    EMBODIED,
    POPE,
    Dataset,
    FindDataset,
    find_dataset,
    folded,
)
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import normalise
from benchmarks.protocols.yes_no import read_yes_no

TAXONOMY = suite.TAXONOMY

DATASET_FIELD = "dataset"
_FORM = Form(
    required=(DATASET_FIELD, "question_id", "question", "gt_answers"),
    ignored=("task_type", "model_name", "answer"),
    optional=("image_path",),
)
MAX_RECORDS = 200_000
MAX_REFERENCES = 100
BLANK = "BLANK"
"""What official files give as the reference of an embodied plan."""


def references_of(question: QuestionView) -> tuple[str, ...]:
    """The correct answers of a question, any of which will do."""
    return tuple(json.loads(str(question.truth.get("references", "[]"))))


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    """The questions in file order, each with its anomalies; of a faulty file the problems instead."""
    return read_suite(stream, find_dataset)


def read_suite(stream: BinaryIO, find: FindDataset) -> Iterator[DatasetItem]:
    """As `read`, of the datasets that `find` knows."""
    records = read_records(_upload(stream.read()), (_FORM,), MAX_RECORDS, keyed_by=DATASET_FIELD)
    problems = [*records.problems, *(problem for record in records.records for problem in _problems(record, find))]
    if problems:
        yield from problems
        return
    for record in records.records:
        dataset = find(str(record.fields[DATASET_FIELD]))
        assert dataset is not None, "checked before"
        row = _question(record, dataset)
        yield row
        yield from _anomalies(row, dataset)


def _upload(content: bytes) -> Upload:
    """The file under a name that says how to read it: JSON Lines, or one JSON document."""
    first = content.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0]
    try:
        record = json.loads(first)
    except ValueError:
        record = None
    is_line = isinstance(record, dict) and "question_id" in record
    return Upload("dataset.jsonl" if is_line else "dataset.json", content)


# --- what is wrong with a record ----------------------------------------------------------------------------


def _problems(record: Record, find: FindDataset) -> Iterator[Problem]:
    fields, line = record.fields, record.line
    for name in (DATASET_FIELD, "question_id", "question", "image_path"):
        value = fields.get(name, "?")
        if not isinstance(value, str):
            yield _not_text(line, name, value)
        elif not value.strip() and name != "image_path":
            yield Problem("empty-text", f'The field "{name}" is empty.', line, name, "text")
    named = fields.get(DATASET_FIELD)
    if isinstance(named, str) and find(named) is None:
        yield unknown_dataset(named, line)
    yield from _reference_problems(line, fields.get("gt_answers", ""))


def _reference_problems(line: int, value: object) -> Iterator[Problem]:
    given = value if isinstance(value, list) else [value]
    if not given or len(given) > MAX_REFERENCES:
        expected = f"a string, or a list of 1 to {MAX_REFERENCES} strings"
        found = f"a list of {len(given)}"
        yield Problem("references", f"The correct answers are {found}.", line, "gt_answers", expected, found)
    for text in given:
        if not isinstance(text, str):
            yield _not_text(line, "gt_answers", text)
            return
        if not text.strip() or len(text) > MAX_CHARACTERS:
            message = "A correct answer is empty or too long."
            expected = f"1 to {MAX_CHARACTERS} characters"
            yield Problem("references", message, line, "gt_answers", expected, f"{len(text)} characters")
            return


def unknown_dataset(name: str, line: int) -> Problem:
    close = difflib.get_close_matches(folded(name), [folded(dataset.slug) for dataset in DATASETS], 1)
    meant = next((dataset.slug for dataset in DATASETS if folded(dataset.slug) in close), "")
    hint = f" Did you mean “{meant}”?" if meant else " docs/tiny_lvlm_ehub.md lists the names."
    message = f"“{visible(name)}” is no dataset of this benchmark.{hint}"
    expected = meant or "a dataset of the benchmark"
    return Problem("unknown-dataset", message, line, DATASET_FIELD, expected, visible(name))


def _not_text(line: int, name: str, value: object) -> Problem:
    message = f'The field "{name}" holds {visible(json.dumps(value))}, not a string.'
    return Problem("type", message, line, name, "a string in double quotes", visible(json.dumps(value)))


# --- the question of a record -------------------------------------------------------------------------------


def _question(record: Record, dataset: Dataset) -> QuestionRow:
    fields = record.fields
    public_id = f"{dataset.slug}/{fields['question_id']}"
    picture = str(fields.get("image_path", ""))
    references = _references(dataset, fields["gt_answers"])
    return QuestionRow(
        public_id=public_id,
        ability=dataset.capability,
        subtask=dataset.slug,
        figure=f"{dataset.slug}/{picture}" if picture else "",
        group=public_id,
        text=str(fields["question"]),
        reference="; ".join(references),
        images=(ImageSource(picture),) if picture else (),
        truth={"references": json.dumps(references, ensure_ascii=False)},
    )


def _references(dataset: Dataset, value: object) -> Sequence[str]:
    """In the order of the file, each once; none for a plan that people rate."""
    if dataset.capability == EMBODIED:
        return []
    given = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(map(str, given)))


def _anomalies(row: QuestionRow, dataset: Dataset) -> Iterator[Anomaly]:
    references = json.loads(str(row.truth["references"]))
    for reference in references:
        if not normalise(reference):
            message = (
                f"Of the correct answer “{visible(reference)}” word matching leaves nothing: it matches any answer."
            )
            yield Anomaly(row.public_id, "reference-matches-all", message)
    if dataset.group == POPE and not all(read_yes_no(text) in ("yes", "no") for text in references):
        message = f"The correct answer is neither yes nor no: {visible(row.reference)}."
        yield Anomaly(row.public_id, "not-yes-or-no", message)
