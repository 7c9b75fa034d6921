"""Readers as no protocol has them. Each runs in a process of its own, which finds it by its name:
no Django here."""

import ctypes
import importlib
import os
import signal
import sys
import time
from collections.abc import Sequence

from benchmarks.protocols.base import Note, PredictionReading, QuestionView, Upload
from benchmarks.protocols.files import read_plain
from benchmarks.submissions.files.reader import REPLY_BYTES


def all_ids(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    text = upload.content.decode()
    answers = {question.public_id: f"{question.facts} {text}" for question in questions}
    return PredictionReading(answers, notes=(Note("remark", upload.name),))


def endless(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    while True:
        pass


def asleep(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    time.sleep(60)
    return PredictionReading({})


def slowed(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    time.sleep(2.5)  # more than a test lets it compute
    return PredictionReading({"0": "late"})


def greedy(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return PredictionReading({}, notes=(Note("x" * 600_000_000, ""),))


def unbounded(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    """As a table is read that says it is small."""
    parquet = importlib.import_module("benchmarks.protocols.files.parquet")
    vars(parquet).update(MAX_UNPACKED_BYTES=10**12)
    return read_plain(upload, questions)


def raising(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    raise KeyError(f"secret {upload.content!r}")


def killed(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def crashing(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    ctypes.string_at(0)
    raise AssertionError


def chatty(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    sys.stdout.buffer.write(b"x" * (REPLY_BYTES + 1))
    return PredictionReading({})


def of_environment(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    known = {"django": "django" in sys.modules, "secret": "SECRET_KEY" in os.environ}
    return PredictionReading({"0": str(known)})


def strangers(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return PredictionReading({"0": "zero", "elsewhere": "x"})
