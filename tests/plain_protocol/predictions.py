from collections.abc import Sequence

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files import PLAIN, collect_answers, read_records
from tests.tiny_protocol.predictions import baselines as baselines  # the port wants it here


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    forms = (PLAIN,)
    return collect_answers(read_records(upload, forms, len(questions)), questions)
