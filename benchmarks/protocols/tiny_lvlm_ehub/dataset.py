"""Records of the suite's datasets, in the official layout, from any of its 42 datasets.

A record is {"question_id", "question", "gt_answers", "image_path", "task_type"}: `gt_answers` is a
string or a list of strings, the picture is optional. A file is JSON Lines whose records name their
"dataset", or a JSON object of lists by dataset; a folder of <dataset>.json is read as such an
object, and so are the <dataset>/dataset.json that the official sampler writes. Its records have no
`question_id`: their place in the list, from 0, stands for it, and their pictures lie in the
dataset's folder. A record's public id is "dataset/question_id".
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from benchmarks.protocols.answer_texts.yes_no import read_yes_no
from benchmarks.protocols.base import (
    Anomaly,
    DatasetItem,
    ImageSource,
    Problem,
    QuestionRow,
    QuestionView,
    Upload,
)
from benchmarks.protocols.files import Form, Record, in_rows, read_json, read_records, visible
from benchmarks.protocols.files.limits import MAX_CHARACTERS
from benchmarks.protocols.tiny_lvlm_ehub import suite
from benchmarks.protocols.tiny_lvlm_ehub.suite import EMBODIED, POPE, SUITE, Catalogue, Dataset
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import normalise

TAXONOMY = suite.TAXONOMY

DATASET_FIELD = "dataset"
_FORM = Form(
    required=(DATASET_FIELD, "question", "gt_answers"),
    ignored=("task_type", "model_name", "answer"),
    optional=("question_id", "image_path"),
)
MAX_RECORDS = 200_000
MAX_REFERENCES = 100


def references_of(question: QuestionView) -> tuple[str, ...]:
    """The correct answers of a question, any of which will do."""
    return tuple(json.loads(str(question.truth.get("references", "[]"))))


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    """The questions in file order, each with its anomalies; of a faulty file the problems
    instead."""
    return read_suite(stream, SUITE)


def read_suite(stream: BinaryIO, catalogue: Catalogue) -> Iterator[DatasetItem]:
    """`read` for the datasets in the catalogue alone."""
    upload = _upload(stream.read())
    read = read_records(
        upload, (_FORM,), MAX_RECORDS, keyed_by=DATASET_FIELD, refuse_key=refusal_of_keys(catalogue)
    )
    problems = [*map(_with_hint, read.problems), *naming_problems(read.records, catalogue)]
    problems += nameless_problems(read.records)
    problems += [problem for record in read.records for problem in _problems(record)]
    if problems:
        yield from problems
        return
    for record in read.records:
        dataset = catalogue.find(str(record.fields[DATASET_FIELD]))
        assert dataset is not None, "checked before"
        row = _question(record, dataset)
        yield row
        yield from _anomalies(row, dataset)


def _upload(content: bytes) -> Upload:
    """The file under a name that says how to read it: JSON Lines, or one JSON document."""
    first = content.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0]
    try:
        record = read_json(first)
    except ValueError:
        record = None
    is_line = isinstance(record, dict) and "question_id" in record
    return Upload("dataset.jsonl" if is_line else "dataset.json", content)


# --- which dataset --------------------------------------------------------------------------------


def refusal_of_keys(catalogue: Catalogue) -> Callable[[str, int], Problem | None]:
    """A list under the name of no dataset is one problem, whatever it holds."""
    return lambda key, line: None if catalogue.find(key) else _unknown_dataset(key, catalogue, line)


def naming_problems(records: Iterable[Record], catalogue: Catalogue) -> Iterator[Problem]:
    """One problem for all records of a dataset that is unknown, or other than the one their list is
    of."""
    misnamed: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        named = record.fields.get(DATASET_FIELD)
        if isinstance(named, str) and (
            catalogue.find(named) is None or not _is_in_its_list(record, named, catalogue)
        ):
            misnamed.setdefault((record.key, named), []).append(record)
    for (key, named), those in misnamed.items():
        first = those[0]
        problem = _unknown_dataset(named, catalogue, first.line)
        if catalogue.find(named) is not None:
            message = (
                f"The record stands under “{visible(key)}”, its own field says “{visible(named)}”."
            )
            problem = first.problem(
                "contradiction", message, DATASET_FIELD, visible(key), visible(named)
            )
        yield replace(problem, record=first.place, message=problem.message + in_rows(len(those)))


def _is_in_its_list(record: Record, named: str, catalogue: Catalogue) -> bool:
    return not record.key or catalogue.find(named) == catalogue.find(record.key)


def place_of(record: Record) -> str:
    """What stands for its `question_id`: its place in the list of its dataset, from 0; empty where
    it is in none."""
    return str(record.number - 1) if record.key else ""


def nameless_problems(records: Sequence[Record]) -> Iterator[Problem]:
    """One problem for all records without a `question_id` whose place cannot stand for it: they are
    in no list of a dataset, or in one where others have one."""
    mixed = {record.key for record in records if "question_id" in record.fields}
    those = [r for r in records if "question_id" not in r.fields and (not r.key or r.key in mixed)]
    if those:
        message = 'The field "question_id" is missing.'
        if those[0].key:
            message += " Others of its list have one; a place stands for it only where none has."
        yield those[0].problem(
            "missing-field",
            message + in_rows(len(those)),
            "question_id",
            "in all of a list, or in none",
        )


def _unknown_dataset(name: str, catalogue: Catalogue, line: int) -> Problem:
    meant = catalogue.closest(name)
    hint = f"Did you mean “{meant.slug}”?" if meant else "docs/tiny_lvlm_ehub.md lists the names."
    message = f"“{visible(name)}” is no dataset of this benchmark. {hint}"
    expected = meant.slug if meant else "a dataset of the benchmark"
    return Problem("unknown-dataset", message, line, DATASET_FIELD, expected, visible(name))


def _with_hint(problem: Problem) -> Problem:
    """The official file of one dataset does not name it: its own name does."""
    if (problem.code, problem.column) != ("missing-field", DATASET_FIELD):
        return problem
    hint = (
        "The list of one dataset is read by its name: put it in a folder as <dataset>.json and "
        "import the folder."
    )
    return replace(problem, message=f"{problem.message} {hint}")


# --- what is wrong with a record ------------------------------------------------------------------


def _problems(record: Record) -> Iterator[Problem]:
    for name in (DATASET_FIELD, "question_id", "question", "image_path"):
        value = record.fields.get(name, "?")
        if not isinstance(value, str):
            yield _not_text(record, name, value)
        elif name in ("question_id", "question") and not value.strip():
            yield record.problem("empty-text", f'The field "{name}" is empty.', name, "text")
    yield from _reference_problems(record, record.fields.get("gt_answers", "?"))


def _reference_problems(record: Record, value: object) -> Iterator[Problem]:
    given = value if isinstance(value, list) else [value]
    if not given or len(given) > MAX_REFERENCES:
        expected = f"a string, or a list of 1 to {MAX_REFERENCES} strings"
        found = f"a list of {len(given)}"
        yield record.problem(
            "references", f"The correct answers are {found}.", "gt_answers", expected, found
        )
    for text in given:
        if not isinstance(text, str):
            yield _not_text(record, "gt_answers", text)
            return
        if not text.strip() or len(text) > MAX_CHARACTERS:
            message = "A correct answer is empty or too long."
            expected = f"1 to {MAX_CHARACTERS} characters"
            yield record.problem(
                "references", message, "gt_answers", expected, f"{len(text)} characters"
            )
            return


def _not_text(record: Record, name: str, value: object) -> Problem:
    found = visible(json.dumps(value))
    message = f'The field "{name}" holds {found}, not a string.'
    return record.problem("type", message, name, "a string in double quotes", found)


# --- the question of a record ---------------------------------------------------------------------


def _question(record: Record, dataset: Dataset) -> QuestionRow:
    fields = record.fields
    is_sampled = "question_id" not in fields
    public_id = f"{dataset.slug}/{fields.get('question_id', place_of(record))}"
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
        images=(ImageSource(f"{record.key}/{picture}" if is_sampled else picture),)
        if picture
        else (),
        truth={"references": json.dumps(references, ensure_ascii=False)},
        line=record.line,
        record=record.place,
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
                f"Of the correct answer “{visible(reference)}” word matching leaves nothing: "
                "it matches any answer."
            )
            yield Anomaly(row.public_id, "reference-matches-all", message)
    if dataset.group == POPE and not all(read_yes_no(text) in ("yes", "no") for text in references):
        message = f"The correct answer is neither yes nor no: {visible(row.reference)}."
        yield Anomaly(row.public_id, "not-yes-or-no", message)
