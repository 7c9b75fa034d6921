"""A submitted HallusionBench result: official rows with `model_prediction`, plain rows of id and
answer, or what VLMEvalKit and lmms-eval write (kits.py), for a release of questions with an image.

The official file repeats the whole dataset. Only the five fields that name a question and the
answer are read, and the text of the question, which must not be another one's; the rest, truth
included, is ignored with a note, because Assay has its own copy.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.protocols.base import Baseline, PredictionReading, Problem, QuestionView, Upload
from benchmarks.protocols.files import (
    ASKED,
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
from benchmarks.protocols.hallusionbench.kits import (
    LMMS_EVAL,
    LMMS_EVAL_DOCUMENT,
    VLMEVALKIT,
    is_of_lmms_eval,
    is_of_vlmevalkit,
    named_row,
    unwrapped_row,
)

_NAMING = ("category", "subcategory", "set_id", "figure_id", "question_id")
_OFFICIAL = Form(
    required=(*_NAMING, "model_prediction"),
    ignored=(
        "visual_input",
        "sample_note",
        "gt_answer_details",
        "gt_answer",
        "filename",
    ),
    asked="question",
)

# The questions ask for yes or no: a good model that answers in one word says it in more than half
# the rows.
_SAME_ANSWER_SHARE = 0.8


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    records = _records(upload, len(questions))
    named = _named_rows(records)
    reading = collect_answers(
        named.records,
        questions,
        id_field=named.id_field,
        answer_field=named.answer_field,
        same_answer_share=_SAME_ANSWER_SHARE,
    )
    rows = records.records
    is_of_a_kit = any(is_of_vlmevalkit(row) or is_of_lmms_eval(row) for row in rows)
    more = _kit_problems(questions) if is_of_a_kit else ()
    return replace(reading, problems=(*more, *reading.problems))


def named_ids(upload: Upload, most_rows: int) -> tuple[str, ...]:
    return _named_rows(_records(upload, most_rows)).ids()


def _records(upload: Upload, most_rows: int) -> Records:
    forms = (_OFFICIAL, PLAIN, VLMEVALKIT, LMMS_EVAL)
    return read_records(upload, forms, most_rows, wrapping=LMMS_EVAL_DOCUMENT)


def _named_rows(records: Records) -> NamedRecords:
    named = _named(records)
    fields = {name for record in named.records for name in record.fields}
    return NamedRecords(
        named,
        id_field="index" if any(map(is_of_vlmevalkit, records.records)) else "id",
        answer_field="model_prediction" if "model_prediction" in fields else "prediction",
    )


def _kit_problems(questions: Sequence[QuestionView]) -> Iterator[Problem]:
    """Said first where a kit's file cannot be whole, whatever stands in it."""
    without = sum(question.facts.get("visual_input") == 0 for question in questions)
    if without:
        message = (
            f"This is the file of a kit that asks only questions with an image; {without} of this "
            f"release's {len(questions)} have none. Submit it to a release of HallusionBench with "
            "images only; the operators import one with --only images."
        )
        yield Problem("images-only", message, expected="answers to all questions of the release")


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    return (
        *floor_rows(questions, descriptions),
        *yes_no_rows(
            questions,
            rng,
            about_yes=(
                "Answers Yes to every question without reading it. Right where the true answer is "
                "yes, provided the judge sees that the bare word agrees with the reference "
                "sentence."
            ),
            about_no=(
                "Answers No to every question without reading it. Right where the true answer is "
                "no, provided the judge sees that the bare word agrees with the reference "
                "sentence."
            ),
            about_coin=(
                "Yes or No by the toss of a fair coin, question by question. One draw, not an "
                "average over many: another draw scores a little more or less."
            ),
        ),
        Baseline(
            "ids",
            "From the ids alone",
            "Answers from a question's id alone: undecided where there is no picture (which counts "
            "as right), Yes for an original picture, No for an edited one. No question is read and "
            "no picture is seen.",
            {question.public_id: _from_id(question) for question in questions},
        ),
    )


def _from_id(question: QuestionView) -> str:
    """The ids tell the figure: 0 is the original for VD and "no picture" for VS, where 1 is the
    original."""
    category, figure = question.facts.get("category"), question.facts.get("figure_id")
    if category == "VS" and str(figure) == "0":
        return "I cannot tell."
    return "Yes" if str(figure) == ("1" if category == "VS" else "0") else "No"


def _named(records: Records) -> Records:
    """The records with `id`, whatever form they came in."""
    named: list[Record] = []
    problems: list[Problem] = []
    for record in records.records:
        row, found = record, list[Problem]()
        if is_of_vlmevalkit(record):
            row, found = named_row(record)
        elif is_of_lmms_eval(record):
            row, found = unwrapped_row(record)
        problems += found
        if row.fields.keys().isdisjoint(("id", "prediction", "index")):
            problems += _naming_problems(row)
            row = _official_record(row)
        named.append(row)
    return replace(records, records=tuple(named), problems=(*records.problems, *problems))


def _official_record(record: Record) -> Record:
    """Without an id where a part of it is absent or of a wrong type: that has been reported."""
    parts = [record.fields.get(name) for name in _NAMING]
    fields = {name: record.fields[name] for name in (ASKED,) if name in record.fields}
    if all(_is_naming(part) for part in parts):
        fields["id"] = "/".join(map(str, parts))
    if "model_prediction" in record.fields:
        fields["model_prediction"] = record.fields["model_prediction"]
    return replace(record, fields=fields)


def _is_naming(part: object) -> bool:
    return isinstance(part, str | int | float) and not isinstance(part, bool)


def _naming_problems(record: Record) -> Iterator[Problem]:
    for name in _NAMING:
        if name in record.fields and not _is_naming(record.fields[name]):
            found = visible(json.dumps(record.fields[name]))
            message = f'The field "{name}" holds {found}. Write it as the dataset does.'
            yield Problem(
                "type-of-id", message, record.line, name, "a string or a whole number", found
            )
