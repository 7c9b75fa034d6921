"""A submitted result: the official records with `answer`, one per line or in lists by dataset, or
plain rows.

The official evaluator writes a list per dataset, without `question_id`: there the place in the
list stands for it, among the questions of the dataset in the order of the release, and question and
picture, where it is named, are held against the release's. Correct answers are not: whoever hands
in guesses would be told by a refusal which of a hidden release are right.

What official files repeat of the dataset, correct answers included, is ignored with a note, but for
the text of a question, which must not be another one's: Assay has its own copy.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.protocols.base import Baseline, PredictionReading, Problem, QuestionView, Upload
from benchmarks.protocols.files import (
    PLAIN,
    Form,
    NamedRecords,
    Record,
    Records,
    collect_answers,
    read_records,
    visible,
)
from benchmarks.protocols.floor_rows import floor_rows, yes_no_rows
from benchmarks.protocols.tiny_lvlm_ehub.dataset import (
    DATASET_FIELD,
    nameless_problems,
    naming_problems,
    place_of,
    refusal_of_keys,
)
from benchmarks.protocols.tiny_lvlm_ehub.suite import SUITE, Catalogue

_OFFICIAL = Form(
    required=(DATASET_FIELD, "question_id", "answer"),
    ignored=("gt_answers", "image_path", "model_name", "task_type"),
    asked="question",
)
_PLACED = Form(
    required=(DATASET_FIELD, "question", "answer"),
    ignored=("gt_answers", "model_name", "task_type"),
    optional=("image_path",),
)
_ROWS = Form(required=(DATASET_FIELD, "id", "prediction"), asked="question")

# Many datasets ask for yes or no: only a model that says hardly anything else is worth a note.
_SAME_ANSWER_SHARE = 0.5


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return read_suite(upload, questions, SUITE)


def read_suite(
    upload: Upload, questions: Sequence[QuestionView], catalogue: Catalogue
) -> PredictionReading:
    """`read` for the datasets in the catalogue alone."""
    numbers: dict[str, list[str]] = {}
    for question in questions:
        dataset, _, number = question.public_id.partition("/")
        numbers.setdefault(dataset, []).append(number)
    named = _named_rows(upload, len(questions), catalogue, numbers)
    records = named.records
    asked = {question.public_id: question for question in questions}
    misplaced = [problem for record in records.records for problem in _misplaced(record, asked)]
    reading = collect_answers(
        replace(records, problems=(*records.problems, *misplaced)),
        questions,
        id_field=named.id_field,
        answer_field=named.answer_field,
        same_answer_share=_SAME_ANSWER_SHARE,
    )
    return replace(reading, problems=tuple(_with_counts(reading, questions)))


def named_ids(upload: Upload, most_rows: int) -> tuple[str, ...]:
    return ids_in_suite(upload, most_rows, SUITE)


def ids_in_suite(upload: Upload, most_rows: int, catalogue: Catalogue) -> tuple[str, ...]:
    """`named_ids` for the datasets in the catalogue alone."""
    return _named_rows(upload, most_rows, catalogue).ids()


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    return (
        *floor_rows(questions, descriptions),
        *yes_no_rows(
            questions,
            rng,
            about_yes=(
                "The word Yes for every question, none of them read and no picture seen. Right "
                "where yes is the answer: half of POPE, and the other datasets with yes and no."
            ),
            about_no="The word No for every question, none of them read and no picture seen.",
            about_coin=(
                "Yes or No by the toss of a fair coin, question by question. One draw: another "
                "scores a little more or less."
            ),
        ),
    )


Numbers = Mapping[str, Sequence[str]]
"""By dataset, the `question_id` of its questions in the order of a release."""


def _named_rows(
    upload: Upload, most_rows: int, catalogue: Catalogue, numbers: Numbers | None = None
) -> NamedRecords:
    """Where no `numbers` are given, places are numbers from 0, as in releases of official files."""
    forms, refuse_key = (_OFFICIAL, _ROWS, PLAIN, _PLACED), refusal_of_keys(catalogue)
    records = read_records(upload, forms, most_rows, keyed_by=DATASET_FIELD, refuse_key=refuse_key)
    is_official = any(
        "question_id" in record.fields or "answer" in record.fields for record in records.records
    )
    id_field, answer_field = (_OFFICIAL if is_official else _ROWS).required[1:]
    named = _named(records, id_field, catalogue, numbers)
    return NamedRecords(named, id_field, answer_field)


def _named(
    records: Records, id_field: str, catalogue: Catalogue, numbers: Numbers | None
) -> Records:
    """The records with the public id, "dataset/question_id", in the field that had its second
    half."""
    nameless: Iterator[Problem] = iter(())
    if any(_is_placed(record) for record in records.records):
        nameless = nameless_problems([r for r in records.records if _is_placed(r)])
    named = tuple(
        _with_public_id(record, id_field, catalogue, numbers) for record in records.records
    )
    beyond = _beyond(records.records, catalogue, numbers or {})
    types = (problem for record in records.records for problem in _type_problems(record, id_field))
    return replace(
        records,
        records=named,
        problems=(
            *(*records.problems, *nameless, *types, *beyond),
            *naming_problems(named, catalogue),
        ),
    )


def _with_public_id(
    record: Record, id_field: str, catalogue: Catalogue, numbers: Numbers | None
) -> Record:
    """Without an id where a part of it is absent, not text or unknown: that is reported
    elsewhere."""
    fields = dict(record.fields)
    if DATASET_FIELD not in fields and id_field == "id":
        return record
    name, number = fields.get(DATASET_FIELD), fields.pop(id_field, None)
    dataset = catalogue.find(name) if isinstance(name, str) else None
    if number is None and _is_placed(record):
        number = place_of(record) or None
        if number and dataset and numbers is not None:
            number = next(iter(numbers.get(dataset.slug, ())[record.number - 1 :]), None)
    if dataset is not None and (isinstance(number, str) or _is_number(number)):
        fields[id_field] = f"{dataset.slug}/{number}"
    return replace(record, fields=fields)


def _beyond(records: Sequence[Record], catalogue: Catalogue, numbers: Numbers) -> Iterator[Problem]:
    """Of each list by place the first record for which the release has no question."""
    reported: set[str] = set()
    for record in records:
        dataset = catalogue.find(record.key) if record.key and _is_placed(record) else None
        if dataset is None or not numbers or record.key in reported:
            continue
        count = len(numbers.get(dataset.slug, ()))
        if record.number > count:
            reported.add(record.key)
            message = f"The release has {count} questions of {dataset.slug}, and no more."
            found = f"record {record.number}"
            yield record.problem("unknown", message, DATASET_FIELD, f"{count} records", found)


def _is_placed(record: Record) -> bool:
    """Of the evaluator: only its form keeps the question."""
    return "question" in record.fields


def _misplaced(record: Record, asked: Mapping[str, QuestionView]) -> Iterator[Problem]:
    """Where the release asks another question, or of another picture, than stands at this place of
    the file."""
    question = asked.get(str(record.fields.get("question_id")))
    if question is None or not _is_placed(record):
        return
    for name, ours in (("question", question.text), ("image_path", _last(question.figure))):
        given = record.fields.get(name)
        found = _last(given) if name == "image_path" and isinstance(given, str) else given
        if ours and isinstance(found, str) and found != ours:
            message = (
                "At this place the release has another question. Records without question_id keep "
                "its order."
            )
            yield record.problem("other-question", message, name, visible(ours), visible(found))
            return


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _type_problems(record: Record, id_field: str) -> Iterator[Problem]:
    """Of the two halves of an id; a public id is checked with the answers, and so is one of which
    the second half is a number: 1 stands for no "000001", and is told so."""
    for name in (DATASET_FIELD, id_field) if DATASET_FIELD in record.fields else ():
        value = record.fields.get(name, "")
        if not isinstance(value, str) and not (name == id_field and _is_number(value)):
            found = visible(json.dumps(value))
            message = f'The field "{name}" holds {found}. Write it as the dataset does, as a text.'
            yield record.problem("type-of-id", message, name, "a string", found)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with_counts(
    reading: PredictionReading, questions: Sequence[QuestionView]
) -> Iterator[Problem]:
    """The problems; behind one that answers are missing, how many of which datasets."""
    for problem in reading.problems:
        yield problem
        if problem.code == "missing":
            asked = Counter(question.subtask for question in questions)
            missing = Counter(q.subtask for q in questions if q.public_id not in reading.answers)
            listed = ", ".join(f"{slug} {n} of {asked[slug]}" for slug, n in missing.items())
            yield Problem(
                "missing",
                f"Missing by dataset: {listed}.",
                expected="every record of every dataset",
                found=f"{sum(missing.values()):,} fewer",
            )
