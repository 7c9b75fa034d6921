"""A submitted result: the official records with `answer`, one per line or in lists by dataset, or plain rows.

What official files repeat of the dataset, correct answers included, is ignored with a note: Assay has its own copy.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.protocols.base import Baseline, PredictionReading, Problem, QuestionView, Upload
from benchmarks.protocols.files import Form, Record, Records, collect_answers, read_records, visible
from benchmarks.protocols.tiny_lvlm_ehub.dataset import DATASET_FIELD, unknown_dataset
from benchmarks.protocols.tiny_lvlm_ehub.suite import FindDataset, find_dataset

_IGNORED = ("question", "gt_answers", "image_path", "model_name", "task_type")
_OFFICIAL = Form(required=(DATASET_FIELD, "question_id", "answer"), ignored=_IGNORED)
_ROWS = Form(required=(DATASET_FIELD, "id", "prediction"))
_PLAIN = Form(required=("id", "prediction"))

# Many datasets ask for yes or no: only a model that says hardly anything else is worth a note.
_SAME_ANSWER_SHARE = 0.5


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return read_suite(upload, questions, find_dataset)


def read_suite(upload: Upload, questions: Sequence[QuestionView], find: FindDataset) -> PredictionReading:
    """As `read`, of the datasets that `find` knows."""
    records = read_records(upload, (_OFFICIAL, _ROWS, _PLAIN), len(questions), keyed_by=DATASET_FIELD)
    reading = collect_answers(_named(records, find), questions, same_answer_share=_SAME_ANSWER_SHARE)
    return replace(reading, problems=tuple(_with_counts(reading, questions)))


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    ids = [question.public_id for question in questions]
    tosses = rng.integers(0, 2, size=len(ids)).tolist()
    return (
        Baseline(
            "always-yes",
            "Always yes",
            "The word Yes for every question, none of them read and no picture seen. Right where yes is the answer: "
            "half of POPE, and the other datasets with yes and no.",
            dict.fromkeys(ids, "Yes"),
        ),
        Baseline(
            "always-no",
            "Always no",
            "The word No for every question, none of them read and no picture seen.",
            dict.fromkeys(ids, "No"),
        ),
        Baseline(
            "coin",
            "Fair coin",
            "Yes or No by the toss of a fair coin, question by question. One draw: another scores a little more or "
            "less.",
            {id_: "Yes" if toss else "No" for id_, toss in zip(ids, tosses, strict=True)},
        ),
    )


def _named(records: Records, find: FindDataset) -> Records:
    """The records with `id` ("dataset/question_id") and `prediction`, whatever form they came in."""
    named: list[Record] = []
    problems: list[Problem] = []
    for record in records.records:
        problems += _naming_problems(record, find)
        named.append(_renamed(record, find))
    return replace(records, records=tuple(named), problems=(*records.problems, *problems))


def _renamed(record: Record, find: FindDataset) -> Record:
    """Without an id where a part of it is absent or not text: that has been reported."""
    fields = record.fields
    if DATASET_FIELD not in fields and "question_id" not in fields:
        return record
    name, number = fields.get(DATASET_FIELD), fields.get("question_id", fields.get("id"))
    renamed: dict[str, object] = {}
    if isinstance(name, str) and isinstance(number, str):
        dataset = find(name)
        renamed["id"] = f"{dataset.slug if dataset else name}/{number}"
    answer = fields.get("answer", fields.get("prediction"))
    if "answer" in fields or "prediction" in fields:
        renamed["prediction"] = answer
    return Record(record.line, renamed)


def _naming_problems(record: Record, find: FindDataset) -> Iterator[Problem]:
    for name in (DATASET_FIELD, "question_id"):
        value = record.fields.get(name, "")
        if not isinstance(value, str):
            found = visible(json.dumps(value))
            message = f'The field "{name}" holds {found}. Write it as the dataset does, in quotes.'
            yield Problem("type-of-id", message, record.line, name, "a string", found)
    dataset = record.fields.get(DATASET_FIELD)
    if isinstance(dataset, str) and find(dataset) is None:
        yield unknown_dataset(dataset, record.line)


def _with_counts(reading: PredictionReading, questions: Sequence[QuestionView]) -> Iterator[Problem]:
    """The problems; behind one that answers are missing, how many of which datasets."""
    for problem in reading.problems:
        yield problem
        if problem.code == "missing":
            asked = Counter(question.subtask for question in questions)
            missing = Counter(q.subtask for q in questions if q.public_id not in reading.answers)
            listed = ", ".join(f"{slug} {n} of {asked[slug]}" for slug, n in missing.items())
            yield Problem("missing", f"Missing by dataset: {listed}.", expected="every record of every dataset")
