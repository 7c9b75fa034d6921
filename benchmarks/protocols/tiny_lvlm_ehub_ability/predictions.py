"""A submitted ability-level result, in every form that the suite's may have."""

from collections.abc import Sequence

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.tiny_lvlm_ehub.predictions import baselines, ids_in_suite, read_suite
from benchmarks.protocols.tiny_lvlm_ehub_ability.dataset import ABILITIES

__all__ = ["baselines", "named_ids", "read"]


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    return read_suite(upload, questions, ABILITIES)


def named_ids(upload: Upload, most_rows: int) -> tuple[str, ...]:
    return ids_in_suite(upload, most_rows, ABILITIES)
