"""A submitted TouchStone result: the official table with `response`, or plain rows of id and
answer.

The official table is tab-separated though its README names it CSV, so a .csv whose first line holds
exactly the official columns between tabs is read as .tsv. Of its columns only `index` and
`response` are read, and `question`, which must not be another one's; descriptions and reference
answers are always ours, and what the file says about them is ignored with a note
(docs/touchstone.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.protocols.base import Baseline, PredictionReading, QuestionView, Upload
from benchmarks.protocols.files import PLAIN, Form, NamedRecords, collect_answers, read_records
from benchmarks.protocols.floor_rows import floor_rows

_IGNORED = ("human_annotation", "gpt4_ha_answer", "category", "task_name")
_OFFICIAL = Form(required=("index", "response"), ignored=_IGNORED, asked="question")
_OFFICIAL_COLUMNS = {*_OFFICIAL.names}

GENERIC_ANSWER = (
    "The picture shows several objects in a scene; please look at the details to learn more about "
    "it."
)


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    named = _named(upload, len(questions))
    return collect_answers(
        named.records, questions, id_field=named.id_field, answer_field=named.answer_field
    )


def named_ids(upload: Upload, most_rows: int) -> tuple[str, ...]:
    return _named(upload, most_rows).ids()


def _named(upload: Upload, most_rows: int) -> NamedRecords:
    records = read_records(_renamed(upload), (_OFFICIAL, PLAIN), most_rows)
    is_official = any(
        not record.fields.keys().isdisjoint(_OFFICIAL.required) for record in records.records
    )
    return NamedRecords(records, *(_OFFICIAL if is_official else PLAIN).required)


def _renamed(upload: Upload) -> Upload:
    """The upload as .tsv, if it is the official table under the official name."""
    stem, dot, ending = upload.name.rpartition(".")
    header = upload.content[:1000].removeprefix(b"\xef\xbb\xbf").splitlines()[:1]
    columns = header[0].decode(errors="replace").split("\t") if header else []
    names = [column.strip('"') for column in columns]
    is_official = len(names) == len(_OFFICIAL_COLUMNS) and set(names) == _OFFICIAL_COLUMNS
    return (
        replace(upload, name=f"{stem}.tsv")
        if dot and ending.lower() == "csv" and is_official
        else upload
    )


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    return floor_rows(questions, descriptions, constant=GENERIC_ANSWER)
