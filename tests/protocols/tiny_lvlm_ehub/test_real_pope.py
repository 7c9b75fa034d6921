"""The 1,500 real POPE questions from import to scoresheet; expected figures are counted here, from
the file."""

import io
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks.protocols.base import Upload
from benchmarks.protocols.tiny_lvlm_ehub import PROTOCOL
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.services import accept_submission
from tests.conftest import judged

FILE = (
    Path(__file__).resolve().parents[4] / "shared" / "data" / "tiny_lvlm_ehub" / "pope_1500.jsonl"
)
pytestmark = pytest.mark.skipif(
    not FILE.exists(),
    reason="the POPE questions are not beside this checkout (../shared/data/tiny_lvlm_ehub)",
)


def says(model: str, number: int) -> str:
    tosses = np.random.default_rng(5).integers(2, size=1500)
    return {"yes": "Yes, there is.", "no": "No.", "coin": ("No", "Yes")[tosses[number]]}[model]


def counted(truths: list[str], said: list[str]) -> dict[str, float | None]:
    pairs = list(zip(truths, said, strict=True))
    true_yes, false_yes = pairs.count(("yes", "yes")), pairs.count(("no", "yes"))
    true_no, all_yes = pairs.count(("no", "no")), truths.count("yes")
    precision = true_yes / (true_yes + false_yes) if true_yes + false_yes else None
    recall = true_yes / all_yes
    return {
        "accuracy": (true_yes + true_no) / len(pairs),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if precision else 0.0,
        "yes": (true_yes + false_yes) / len(pairs),
        "unparsed": 0.0,
    }


@pytest.mark.slow
@pytest.mark.parametrize("model", ["yes", "no", "coin"])
def test_figures_are_those_counted_by_hand(db, model):
    records = [json.loads(line) for line in FILE.read_text().splitlines()]
    release = import_release(
        protocol=PROTOCOL, stream=io.BytesIO(FILE.read_bytes()), slug="pope"
    ).release
    answers = [
        {"dataset": r["dataset"], "question_id": r["question_id"], "answer": says(model, i)}
        for i, r in enumerate(records)
    ]
    upload = Upload("a.jsonl", "".join(json.dumps(answer) + "\n" for answer in answers).encode())
    submission = accept_submission(
        release=release,
        upload=upload,
        model=EvaluatedModel(name=model),
        owner=None,
        visibility="public",
    )
    sheet = judged(submission).scoresheet
    by_dataset: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for record, answer in zip(records, answers, strict=True):
        truths, said = by_dataset[record["dataset"]]
        truths.append(record["gt_answers"])
        said.append("yes" if answer["answer"].startswith("Yes") else "no")
    assert len(by_dataset) == 3
    for dataset, (truths, said) in by_dataset.items():
        for name, value in counted(truths, said).items():
            found = sheet.figures[f"pope_{name}@{dataset}"][0]
            assert found == (None if value is None else pytest.approx(value)), (
                f"{name} of {dataset}"
            )
        assert sheet.figures[f"cee@{dataset}"][0] == pytest.approx(
            counted(truths, said)["accuracy"]
        )
