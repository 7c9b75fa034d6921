from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.answer_texts.thinking import without_thoughts
from benchmarks.protocols.base import Baseline, PredictionReading, Problem, QuestionView, Upload
from benchmarks.protocols.files import plain_ids, read_plain


def is_plain(upload: Upload) -> bool:
    return upload.name.endswith((".jsonl", ".json", ".csv")) and b"=" not in upload.content[:10]


def named_ids(upload: Upload, most_rows: int) -> tuple[str, ...]:
    if is_plain(upload):
        return plain_ids(upload, most_rows)
    lines = upload.content.decode(errors="replace").splitlines()
    return tuple(dict.fromkeys(line.split("=", 1)[0] for line in lines if "=" in line))


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    """The files that all benchmarks read, or lines of id=answer, which tests can be written
    with."""
    if is_plain(upload):
        return read_plain(upload, questions)
    try:
        lines = upload.content.decode().splitlines()
    except UnicodeDecodeError:
        return PredictionReading({}, (Problem("encoding", "The file is not UTF-8 text."),))
    answers = dict(line.split("=", 1) for line in lines if "=" in line)
    answers = {key: without_thoughts(answer) for key, answer in answers.items()}
    asked = [q.public_id for q in questions]
    missing = [
        Problem("missing", f"{key} has no answer", column="id")
        for key in asked
        if key not in answers
    ]
    unknown = [
        Problem("unknown", f"{key} is not asked", found=key) for key in answers if key not in asked
    ]
    return PredictionReading(answers, (*missing, *unknown))


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    answers = {q.public_id: "".join(rng.choice(list("abc"), size=3)) for q in questions}
    return (Baseline("letters", "Random letters", "Three letters, drawn once.", answers),)
