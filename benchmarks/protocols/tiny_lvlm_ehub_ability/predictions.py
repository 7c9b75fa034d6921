"""A submitted ability-level result, in every form that the suite's may have."""

from collections.abc import Sequence

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.tiny_lvlm_ehub.predictions import baselines, read_suite
from benchmarks.protocols.tiny_lvlm_ehub_ability.dataset import ABILITIES

__all__ = ["baselines", "read"]


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return read_suite(upload, questions, ABILITIES)
