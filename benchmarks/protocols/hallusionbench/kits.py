"""Results of the two kits most models are run with, and the score that one of them makes of yes and
no.

VLMEvalKit (open-compass/VLMEvalKit at e8e78f0, `dataset/image_yorn.py` and `dataset/utils/yorn.py`)
writes a row per question as .xlsx, .tsv or .json. Between underscores, the fourth to sixth part of
its `index` are set, figure and question; `l2-category` is category and subcategory ("VD_ocr").
lmms-eval (EvolvingLMMs-Lab/lmms-eval at 75571cf, `tasks/hallusion_bench/evaluate_hb.py`) writes
JSON lines that hold the row, with `model_prediction`, once under each metric; earlier versions one
document with these rows under "logs". Both ask the 951 questions that have an image, and no others.
"""

import re
from dataclasses import replace
from typing import Literal

from benchmarks.protocols.base import Problem
from benchmarks.protocols.files import (
    Form,
    Record,
    Wrapping,
    is_nan,
    text_problems,
    type_name,
    visible,
)
from benchmarks.protocols.remembering import remembering

VLMEVALKIT = Form(
    required=("index", "category", "l2-category", "prediction"),
    ignored=("answer", "image_path", "thinking", "extra_records", "extracted", "score"),
    ignores_others=True,
    asked="question",
)
LMMS_EVAL = Form(
    required=("aAcc",),
    ignored=(
        "fAcc",
        "qAcc",
        "doc_id",
        "doc",
        "target",
        "input",
        "input_media",
        "arguments",
        "resps",
        "filtered_resps",
        "token_counts",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    ),
    ignores_others=True,
)
LMMS_EVAL_DOCUMENT = Wrapping("logs", ("args", "model_configs", "time"))
"""Of its earlier versions, which say how they were run beside the rows."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_NUMBERS = slice(3, 6)
_NAMING = ("category", "subcategory", "set_id", "figure_id", "question_id")


def is_of_vlmevalkit(record: Record) -> bool:
    return not record.fields.keys().isdisjoint(("index", "l2-category"))


def is_of_lmms_eval(record: Record) -> bool:
    return "aAcc" in record.fields


# --- rows of VLMEvalKit ---------------------------------------------------------------------------


def named_row(record: Record) -> tuple[Record, list[Problem]]:
    """The row with a public id as its `index`; without one where that cannot be told. A prediction
    of null or NaN, which JSON has where tables have an empty cell, is an empty answer here too."""
    fields = dict(record.fields)
    given = fields.get("prediction", "")
    if given is None or is_nan(given):
        fields["prediction"] = ""
        record = replace(record, fields=fields)
    given = fields.get("index")
    if not isinstance(given, str):
        return record, []  # absent or no text: that is reported with the ids
    del fields["index"]
    numbers = given.split("_")[_NUMBERS]
    if len(numbers) < 3 or not all(_NUMBER.fullmatch(number) for number in numbers):
        expected = (
            "six parts between underscores, the last three the numbers of set, figure and question"
        )
        message = "The index does not name a question."
        problem = record.problem("type-of-id", message, "index", expected, visible(given))
        return replace(record, fields=fields), [problem]
    problems = []
    category, subcategory = fields.get("category"), fields.get("l2-category")
    for name, value in (("category", category), ("l2-category", subcategory)):
        if name in fields and (not isinstance(value, str) or not value):
            message = f'The field "{name}" holds {type_name(value)} or nothing, not a name.'
            problems.append(record.problem("type-of-id", message, name, "VD, or VD_ocr"))
    if isinstance(category, str) and isinstance(subcategory, str) and category and subcategory:
        subcategory = subcategory.removeprefix(f"{category}_")
        fields["index"] = "/".join((category, subcategory, *numbers))
    return replace(record, fields=fields), problems


# --- rows of lmms-eval ----------------------------------------------------------------------------


def unwrapped_row(record: Record) -> tuple[Record, list[Problem]]:
    """The official row inside of a sample, of which only what names it and the answer are kept."""
    inner = record.fields["aAcc"]
    if not isinstance(inner, dict):
        message = f'The field "aAcc" holds {type_name(inner)}, not the row of a question.'
        message += " Submit the file as the kit wrote it."
        expected = "an object with model_prediction"
        problem = record.problem("shape", message, "aAcc", expected, visible(str(inner)))
        return replace(record, fields={}), [problem]
    names = (*_NAMING, "model_prediction")
    row = replace(record, fields={name: inner[name] for name in names if name in inner})
    absent = [name for name in names if name not in inner]
    problems = [
        record.problem("missing-field", f'The field "{name}" is missing.', f"aAcc.{name}")
        for name in absent
    ]
    return row, [*problems, *text_problems(row)]


# --- yes and no as VLMEvalKit reads them ----------------------------------------------------------

WordReply = Literal["yes", "no", "unknown"]

_MARKS = (";", "/", "[", "]", '"', "{", "}", "(", ")", "=", "+", "\\", "_", "-", ">", "<", "@", "`")
_MARKS_TOO = (",", "?", "!")
_DIGITS_WITH_COMMA = re.compile(r"\d,\d")
_PERIOD = re.compile(r"(?<!\d)\.(?!\d)")
_PERIODS_TAKEN = 32  # the published code hands the flag re.UNICODE, which is 32, to `count`


@remembering
def reply_of_words(answer: str) -> WordReply:
    """What the answer says by whole words, without a model to extract it: yes, or no, or neither or
    both of them.

    Marks that stand beside a blank anywhere, or all of them if a comma stands between digits, are
    deleted, the others become blanks; colons, asterisks and quotation marks stay, so that "**Yes**"
    is no yes.
    """
    lowered = answer.lower()
    deletes_all = _DIGITS_WITH_COMMA.search(lowered) is not None
    plain = lowered
    for mark in (*_MARKS, *_MARKS_TOO):
        deletes = deletes_all or f"{mark} " in lowered or f" {mark}" in lowered
        plain = plain.replace(mark, "" if deletes else " ")
    words = set(_PERIOD.sub("", plain, count=_PERIODS_TAKEN).split())
    if ("yes" in words) == ("no" in words):
        return "unknown"
    return "yes" if "yes" in words else "no"
