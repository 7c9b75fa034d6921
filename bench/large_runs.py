"""Runs of 10,290 answers and three repeats, judged without a judge: the most a worker scores."""

import base64
import io
import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from django.db.models import Case, CharField, F, Value, When
from django.db.models.functions import Mod
from django.utils import timezone
from PIL import Image

from benchmarks.protocols.hallusionbench.dataset import TAXONOMY as SUBCATEGORIES
from benchmarks.protocols.tiny_lvlm_ehub.panel import CORRECT
from benchmarks.protocols.tiny_lvlm_ehub.suite import DATASETS, EMBODIED
from benchmarks.protocols.touchstone.dataset import COLUMNS, TAXONOMY
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.services import accept_submission
from judging.models import Judgement, JudgeRun
from judging.panel.models import Rating, RatingFile
from judging.services import ensure_spec, plan_run, request_run

ROWS = 10_290
"""42 datasets of 245 records; of the papers' releases none has more than 2,100."""
REPEATS = 3
ROWS_PER_SET = 6
SEED = 7
WORDS = ("exit", "taxi", "bank", "two", "red", "a", "the", "of", "12", "sign", "blue", "dog")
VERDICTS: Mapping[str, Sequence[str]] = {
    "correctness": ("correct", "incorrect", "correct", "unclear", "correct"),
    "same": ("same", "different"),
    "reference_first": ("8 6", "7 7", "9 4", "6 8", "5 5.5"),
    "answer_first": ("8 7", "6 7", "9 5", "7 8", "5 6"),
}
LABELS = ("1", "0", "1", "1", "0", "-1", "1")


def large_run(family: str) -> JudgeRun:
    """A judged run of a made release."""
    made = protocol(family)
    release = import_release(
        protocol=made, stream=io.BytesIO(DATASETS_OF[family]()), slug=f"large-{family}"
    ).release
    rng = np.random.default_rng(SEED)
    answers = {view.public_id: phrase(rng, 1, 40) for view in question_views(release)}
    submission = accept_submission(
        release=release,
        upload=jsonl_upload("answers.jsonl", answers),
        model=EvaluatedModel(name="large"),
        owner=None,
        visibility=Submission.Visibility.PUBLIC,
    )
    endpoint = "https://judge.example/v1"
    spec = ensure_spec(of=made, kind="openai", endpoint=endpoint, model="made-up", repeats=REPEATS)
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    settle_all(run)
    if family == "tiny_lvlm_ehub":
        label_all(submission)
    return run


def settle_all(run: JudgeRun) -> None:
    """Every judgement that waits has one of its slot's verdicts, by its number."""
    waiting = Judgement.objects.filter(run=run).exclude(state=Judgement.State.JUDGED)
    for slot in set(waiting.values_list("slot", flat=True)):
        texts = VERDICTS.get(slot.partition(".")[0], LABELS)
        chosen = Case(
            *(When(place=i, then=Value(text)) for i, text in enumerate(texts)),
            output_field=CharField(),
        )
        # 5 and 7 have no factor in common with the slots of an answer: each slot gets all texts
        waiting.filter(slot=slot).annotate(place=Mod(F("answer_id"), len(texts))).update(
            state=Judgement.State.JUDGED, verdict=chosen, raw_reply="made", settled=timezone.now()
        )


def label_all(submission: Submission) -> None:
    """Somebody called every answer with a reference right or wrong: more metrics per dataset."""
    answers = submission.answers.exclude(question__subtask__ability__slug=EMBODIED)
    keys = list(answers.values_list("pk", flat=True))
    file = RatingFile.objects.create(
        file="made.csv",
        file_name="made.csv",
        sha256="0" * 64,
        rating_count=len(keys),
        created=timezone.now(),
    )
    file.submissions.add(submission)
    Rating.objects.bulk_create(
        (
            Rating(file=file, answer_id=key, rater="made", dimension=CORRECT.slug, score=key % 2)
            for key in keys
        ),
        batch_size=1_000,
    )


def phrase(rng: np.random.Generator, fewest: int, most: int) -> str:
    return " ".join(rng.choice(WORDS, size=rng.integers(fewest, most + 1)))


def hallusionbench() -> bytes:
    places = [entry.slug.split("/") for ability in SUBCATEGORIES for entry in ability.subtasks]
    rows = []
    for number in range(ROWS // ROWS_PER_SET):
        category, subcategory = places[number % len(places)]
        for figure in range(2):
            is_blank = category == "VS" and not figure
            name = f"./{category}/{subcategory}/{number}_{figure}.png"
            rows += [
                {
                    "category": category,
                    "subcategory": subcategory,
                    "visual_input": "0" if is_blank else str(1 + figure),
                    "set_id": str(number),
                    "figure_id": str(figure),
                    "sample_note": "made",
                    "question_id": str(question),
                    "question": f"Is figure {figure} of set {number} number {question}?",
                    "gt_answer_details": f"It is number {question}.",
                    "gt_answer": str((number + figure + question) % 2),
                    "filename": None if is_blank else name,
                }
                for question in range(ROWS_PER_SET // 2)
            ]
    return json.dumps(rows).encode()


def tiny_lvlm_ehub() -> bytes:
    rng = np.random.default_rng(SEED)
    suite = {
        dataset.slug: [
            {
                "question_id": f"{number:06}",
                "question": f"What is number {number}?",
                "gt_answers": "BLANK" if dataset.capability == EMBODIED else phrase(rng, 1, 3),
            }
            for number in range(ROWS // len(DATASETS))
        ]
        for dataset in DATASETS
    }
    return json.dumps(suite).encode()


def touchstone() -> bytes:
    """One small picture per question, so that there are as many groups as questions."""
    subtasks = [(ability.title, task.title) for ability in TAXONOMY for task in ability.subtasks]
    lines = ["\t".join(COLUMNS)]
    for number in range(ROWS):
        category, task = subtasks[number % len(subtasks)]
        texts = (f"What is {number}?", f"Description {number}.", "Noise.", category, task)
        lines.append("\t".join((str(number), picture(number), *texts)))
    return "\n".join([*lines, ""]).encode()


def picture(number: int) -> str:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), (number % 256, number // 256, 0)).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


DATASETS_OF: Mapping[str, Callable[[], bytes]] = {
    "hallusionbench": hallusionbench,
    "touchstone": touchstone,
    "tiny_lvlm_ehub": tiny_lvlm_ehub,
}
