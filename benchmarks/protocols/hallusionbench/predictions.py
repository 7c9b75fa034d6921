"""A submitted HallusionBench result: official rows with `model_prediction`, or plain rows of id and answer.

The official file repeats the whole dataset. Only the five fields that name a question and the answer are
read; what it says about questions and truth is ignored with a note, because Assay has its own copy.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.protocols.base import Baseline, PredictionReading, Problem, QuestionView, Upload
from benchmarks.protocols.files import Form, Record, Records, collect_answers, read_records, visible
from benchmarks.protocols.floor_rows import floor_rows

_NAMING = ("category", "subcategory", "set_id", "figure_id", "question_id")
_OFFICIAL = Form(
    required=(*_NAMING, "model_prediction"),
    ignored=(
        "visual_input",
        "sample_note",
        "question",
        "gt_answer_details",
        "gt_answer",
        "filename",
    ),
)
_PLAIN = Form(required=("id", "prediction"))

# The questions ask for yes or no: a good model that answers in one word says it in more than half the rows.
_SAME_ANSWER_SHARE = 0.8


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    records = read_records(upload, (_OFFICIAL, _PLAIN), len(questions))
    is_official = any("model_prediction" in record.fields for record in records.records)
    answer_field = "model_prediction" if is_official else "prediction"
    return collect_answers(
        _named(records), questions, answer_field=answer_field, same_answer_share=_SAME_ANSWER_SHARE
    )


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    ids = [question.public_id for question in questions]
    tosses = rng.integers(0, 2, size=len(ids)).tolist()
    return (
        *floor_rows(questions, descriptions),
        Baseline(
            "always-yes",
            "Always yes",
            "The word Yes for every question, none of them read. Right where the true answer is yes, so far "
            "as the judge sees that the bare word agrees with the reference sentence.",
            dict.fromkeys(ids, "Yes"),
        ),
        Baseline(
            "always-no",
            "Always no",
            "The word No for every question, none of them read. Right where the true answer is no, so far "
            "as the judge sees that the bare word agrees with the reference sentence.",
            dict.fromkeys(ids, "No"),
        ),
        Baseline(
            "coin",
            "Fair coin",
            "Yes or No by the toss of a fair coin, question by question. One draw, not an average over many: "
            "another draw scores a little more or less.",
            {id_: "Yes" if toss else "No" for id_, toss in zip(ids, tosses, strict=True)},
        ),
        Baseline(
            "ids",
            "From the ids alone",
            "What a question's id tells: undecided where there is no picture, which counts as right, Yes for an "
            "original picture and No for an edited one. No question is read and no picture seen.",
            {question.public_id: _from_id(question) for question in questions},
        ),
    )


def _from_id(question: QuestionView) -> str:
    """The ids tell the figure: 0 is the original for VD and "no picture" for VS, where 1 is the original."""
    category, figure = question.facts.get("category"), question.facts.get("figure_id")
    if category == "VS" and str(figure) == "0":
        return "I cannot tell."
    return "Yes" if str(figure) == ("1" if category == "VS" else "0") else "No"


def _named(records: Records) -> Records:
    """The records with `id`, whatever form they came in."""
    named: list[Record] = []
    problems: list[Problem] = []
    for record in records.records:
        if "id" in record.fields or "prediction" in record.fields:
            named.append(record)
            continue
        problems += _naming_problems(record)
        named.append(_official_record(record))
    return replace(records, records=tuple(named), problems=(*records.problems, *problems))


def _official_record(record: Record) -> Record:
    """Without an id where a part of it is absent or of a wrong type: that has been reported."""
    parts = [record.fields.get(name) for name in _NAMING]
    fields: dict[str, object] = {}
    if all(_is_naming(part) for part in parts):
        fields["id"] = "/".join(map(str, parts))
    if "model_prediction" in record.fields:
        fields["model_prediction"] = record.fields["model_prediction"]
    return replace(record, fields=fields)


def _is_naming(part: object) -> bool:
    return isinstance(part, str | int) and not isinstance(part, bool)


def _naming_problems(record: Record) -> Iterator[Problem]:
    for name in _NAMING:
        if name in record.fields and not _is_naming(record.fields[name]):
            found = visible(json.dumps(record.fields[name]))
            message = f'The field "{name}" holds {found}. Write it as the dataset does.'
            yield Problem(
                "type-of-id", message, record.line, name, "a string or a whole number", found
            )
