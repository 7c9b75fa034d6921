"""The side of a judging benchmark that has a database: plans the runs, and is the worker that
judges one.

python -m bench.judging_worker plan FOLDER   what plans.json in FOLDER says; writes runs.json and
                                             requests.json there
python -m bench.judging_worker judge RUN CALLS   its endpoint is known to bear CALLS at once; 0:
                                                 nothing is known of it
"""

import base64
import io
import json
import os
import sys
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
django.setup()

from django.core.management import call_command  # noqa: E402 - Django is there
from PIL import Image  # noqa: E402 - Django is there

from bench.contenders import report_work  # noqa: E402 - Django is there
from benchmarks.models import Release  # noqa: E402 - Django is there
from benchmarks.protocols.touchstone.dataset import COLUMNS, TAXONOMY  # noqa: E402 - Django is there
from benchmarks.registry import protocol, protocols  # noqa: E402 - Django is there
from benchmarks.selectors import question_views  # noqa: E402 - Django is there
from benchmarks.services.importing import import_release  # noqa: E402 - Django is there
from benchmarks.submissions.models import (  # noqa: E402 - Django is there
    EvaluatedModel,
    Submission,
)
from benchmarks.submissions.samples.floor import (  # noqa: E402 - Django is there
    jsonl_upload,
)
from benchmarks.submissions.services import (  # noqa: E402 - Django is there
    accept_submission,
)
from judging.coordination import limits  # noqa: E402 - Django is there
from judging.coordination.spending import reason_to_wait  # noqa: E402 - Django is there
from judging.engine.engine import judge_run  # noqa: E402 - Django is there
from judging.engine.intake import request_of  # noqa: E402 - Django is there
from judging.judges import client  # noqa: E402 - Django is there
from judging.models import Judgement, JudgeRun  # noqa: E402 - Django is there
from judging.selectors import cases_of  # noqa: E402 - Django is there
from judging.services import ensure_spec, plan_run, request_run  # noqa: E402 - Django is there

PICTURES = 200
LIMIT_SECONDS = 120.0
DESCRIPTION = (
    "A street on a wet evening, a red tram, three people under umbrellas and a clock at ten "
    "to eight. "
) * 8
ANSWER = (
    "In the picture stands a red tram beside three people who hold umbrellas; the clock shows "
    "ten to eight. "
) * 4


def plan(folder: Path) -> None:
    """A release per number of questions and a planned run per plan, with its name for an
    endpoint."""
    call_command("migrate", verbosity=0, interactive=False)
    submissions: dict[int, Submission] = {}
    runs: dict[str, int] = {}
    for name, (questions, repeats) in json.loads((folder / "plans.json").read_text()).items():
        if questions not in submissions:
            submissions[questions] = submit(make_release(folder, questions))
        spec = ensure_spec(
            of=protocol("touchstone"), kind="openai", endpoint=name, model="judge", repeats=repeats
        )
        run = request_run(submission=submissions[questions], spec=spec)
        plan_run(run_id=run.pk)
        runs[name] = run.pk
    (folder / "runs.json").write_text(json.dumps(runs))
    (folder / "requests.json").write_text(
        json.dumps(requests_of(JudgeRun.objects.get(pk=max(runs.values()))))
    )


def make_release(folder: Path, questions: int) -> Release:
    """An official-format table with pictures of a few bytes."""
    file = folder / f"{questions}.tsv"
    subtasks = [
        (ability.title, subtask.title) for ability in TAXONOMY for subtask in ability.subtasks
    ]
    with file.open("w", encoding="utf-8", newline="") as out:
        out.write("\t".join(COLUMNS) + "\n")
        for number in range(questions):
            category, task = subtasks[number % len(subtasks)]
            place = number % PICTURES
            texts = (
                f"What is in picture {number}?",
                f"Picture {place}. {DESCRIPTION}",
                ANSWER,
                category,
                task,
            )
            out.write("\t".join((str(number), picture(place), *texts)) + "\n")
    with file.open("rb") as stream:
        imported = import_release(
            protocol=protocol("touchstone"), stream=stream, slug=f"bench-{questions}"
        )
    return imported.release


def picture(number: int) -> str:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), (number % 256, number // 256, 0)).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def submit(release: Release) -> Submission:
    answers = {
        view.public_id: f"#{number}# {ANSWER}"
        for number, view in enumerate(question_views(release))
    }
    return accept_submission(
        release=release,
        upload=jsonl_upload("answers.jsonl", answers),
        model=EvaluatedModel(name="bench"),
        owner=None,
        visibility=Submission.Visibility.PUBLIC,
    )


def requests_of(run: JudgeRun) -> list[list[dict[str, str]]]:
    """What a judge is asked in the run, for those who ask without a database."""
    rows = list(
        run.judgements.select_related(
            "answer__question__subtask__ability", "answer__question__figure"
        )
    )
    judging = protocol(run.judge_spec.protocol).judging
    requests = [
        request_of(case, run.judge_spec, judging) for case in cases_of(rows, run.judge_spec)
    ]
    return [
        [{"role": m.role, "content": m.content} for m in request.messages] for request in requests
    ]


def judge(run_id: int, at_once: int) -> None:
    """The calls reported are the judgements that have a verdict at the end, of whichever worker. As
    in a worker, what judging imports is there before there is a run."""
    reason_to_wait()  # which reads this code's migrations
    protocols()
    client("openai")
    spec = JudgeRun.objects.get(pk=run_id).judge_spec
    limits.known_to_bear(spec.endpoint)  # its row is there
    if at_once:  # as earlier runs of this judge leave it
        limits.note_bearing(spec.endpoint, at_once, was_cut=False)
        limits.note_replies(spec.endpoint, judge=spec)
    started_with = verdicts(run_id)

    def work() -> int:
        judge_run(run_id=run_id, seconds=LIMIT_SECONDS, wait=True)
        return verdicts(run_id) - started_with

    report_work(work)


def verdicts(run_id: int) -> int:
    return Judgement.objects.filter(run=run_id, state=Judgement.State.JUDGED).count()


if __name__ == "__main__":
    if sys.argv[1] == "plan":
        plan(Path(sys.argv[2]))
    else:
        judge(int(sys.argv[2]), int(sys.argv[3]))
