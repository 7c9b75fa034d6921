"""A site in which every text that must stay hidden holds a canary, judged by a model that repeats
its whole prompt.

A canary is a word that stands nowhere else: "cnry-reference-touchstone-3". Where one is read by who
must not read it, its name says what leaked.
"""

import base64
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.test import override_settings

from benchmarks.models import Description, Figure, Release
from benchmarks.protocols.base import Upload
from benchmarks.protocols.touchstone.dataset import COLUMNS
from benchmarks.registry import protocol
from benchmarks.selectors import release_questions
from benchmarks.services.archives import make_archive
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import accept_submission
from benchmarks.submissions.tokens import create_token
from judging.coordination import limits
from judging.engine.engine import judge_run
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run, start_dry_run
from leaderboard.results.services import score_run
from tests.benchmarks.pictures import picture
from tests.conftest import confirmed
from tests.judging.endpoint import Served, completion, document, serve

CANARY = re.compile(r"cnry-[a-z]+(?:-[a-z0-9]+)*")
QUESTIONS = 9  # one for each way in which the judge replies, and one more
ENDPOINT_KEY = "cnry-key-of-the-endpoint"
NUMBER = re.compile(r"number (\d)")

# --- datasets -------------------------------------------------------------------------------------


def spelling() -> bytes:
    lines = (f"{i}|number {i}|cnry-reference-spelling-{i}|{i}.png" for i in range(QUESTIONS))
    return "\n".join(lines).encode()


def hallusionbench() -> bytes:
    """The first reference contradicts its label, which the import tells as an anomaly."""
    rows = [
        {
            "category": "VD",
            "subcategory": "figure",
            "visual_input": "1",
            "set_id": "0",
            "figure_id": str(i),
            "sample_note": "logo",
            "question_id": "0",
            "question": f"Is this number {i}?",
            "gt_answer_details": f"Yes, this is cnry-reference-hallusionbench-{i}.",
            "gt_answer": str(int(i > 0)),
            "filename": f"./VD/figure/0_{i}.png",
        }
        for i in range(QUESTIONS)
    ]
    return json.dumps(rows).encode()


def touchstone() -> bytes:
    lines = ["\t".join(COLUMNS)]
    for i in range(QUESTIONS):
        row = {
            "index": str(i),
            "image": base64.b64encode(picture(size=(3, 2 + i))).decode(),
            "question": f"What is number {i}?",
            "human_annotation": f"A kettle, cnry-description-touchstone-{i}.",
            "gpt4_ha_answer": f"It is cnry-reference-touchstone-{i}.",
            "category": "Visual Recognition Ability",
            "task_name": "Brand recognition",
        }
        lines.append("\t".join(row[name] for name in COLUMNS))
    return "\n".join([*lines, ""]).encode()


def tiny_lvlm_ehub() -> bytes:
    """The answer to a question of POPE is neither yes nor no, which the import tells as an
    anomaly."""
    return json.dumps(
        {
            dataset: [
                {
                    "question_id": f"{i:06}",
                    "question": f"What is number {i}?",
                    "gt_answers": f"cnry-reference-{dataset[:4].lower()}-{i}",
                    "image_path": f"{i}.png",
                }
                for i in range(count)
            ]
            for dataset, count in (("IC15", QUESTIONS), ("MSCOCO-Random", 1))
        }
    ).encode()


@dataclass(frozen=True)
class Family:
    """`verdict`: how a reply begins that its parser reads a verdict in, whatever follows."""

    slug: str
    dataset: Callable[[], bytes]
    verdict: str
    parser: str = "strict"


FAMILIES = (
    Family("spelling", spelling, ""),
    Family("hallusionbench", hallusionbench, "correct", "official"),
    Family("touchstone", touchstone, "8 5\n"),
    Family("touchstone_hallucination", touchstone, "3\n"),
    Family("tiny_lvlm_ehub", tiny_lvlm_ehub, "Final Score: 1\nMost Likely Score: 1\n", "official"),
)


# --- the judge ------------------------------------------------------------------------------------


def echo_of(body: Mapping[str, Any]) -> str:
    """The whole prompt, with what is hidden in it first."""
    prompt = "\n".join(message["content"] for message in body["messages"])
    return " ".join([*CANARY.findall(prompt), prompt])


def echoing(family: Family) -> Callable[[dict[str, Any]], Served]:
    """A model that repeats its prompt: in each reply, in each way, by the number in the
    question."""

    def script(body: dict[str, Any]) -> Served:
        echo = echo_of(body)
        number = NUMBER.search(echo)
        if body["model"] == "renamed":
            name = echo if number and int(number[1]) % 2 else "scribe-1"
            return document({**json.loads(completion("right").body), "model": name})
        ways = (
            completion(family.verdict + echo),
            completion(echo),
            completion(None, refusal=echo),
            completion(echo, finish_reason="length"),
            completion(echo, finish_reason=echo),
            document({"error": {"message": echo, "code": echo, "type": echo}}, 400),
            document({"error": {"message": echo, "code": echo, "type": echo}}, 500),
            document({"echo": echo}),
        )
        return ways[int(number[1]) % len(ways)] if number else ways[0]

    return script


@dataclass
class HiddenSite:
    owner: User
    other: User
    tokens: Mapping[str, str]
    submissions: list[Submission] = field(default_factory=list)
    runs: list[JudgeRun] = field(default_factory=list)

    @property
    def public(self) -> list[Submission]:
        return [s for s in self.submissions if s.visibility == s.Visibility.PUBLIC]


def answers_to(release: Release, text: str) -> bytes:
    lines = (
        {"id": question.public_id, "prediction": f"{text} number {place % QUESTIONS}"}
        for place, question in enumerate(release_questions(release))
    )
    return "\n".join(map(json.dumps, lines)).encode()


def hand_in(
    release: Release, owner: User, name: str, text: str, visibility: str = "public", **more: Any
) -> Submission:
    upload = Upload("answers.jsonl", answers_to(release, text))
    model = EvaluatedModel(name=name)
    return accept_submission(
        release=release, upload=upload, model=model, owner=owner, visibility=visibility, **more
    )


def import_hidden(family: Family, folder: Path) -> Release:
    """Where the file has no descriptions, every figure gets one; nothing of the release is public
    but its questions."""
    for i in range(QUESTIONS):
        (folder / f"{i}.png").write_bytes(picture(size=(2 + i, 2)))
    release = import_release(
        protocol=protocol(family.slug),
        stream=io.BytesIO(family.dataset()),
        images=folder if family.slug == "spelling" else None,
        slug=family.slug.replace("_", "-"),
    ).release
    Release.objects.filter(pk=release.pk).update(passes_pictures_on=True)
    release.refresh_from_db()
    make_archive(release)
    for figure in Figure.objects.filter(questions__releases=release, descriptions=None).distinct():
        Description.objects.create(
            figure=figure,
            version=1,
            state=Description.State.APPROVED,
            text=f"A page, cnry-description-{family.slug[:4]}-{figure.pk}.",
        )
    return release


def judge(
    site: HiddenSite, submission: Submission, kind: str = "rules", model: str = "", parser: str = ""
) -> None:
    chosen: dict[str, Any] = {}
    if kind == "openai":
        chosen = {"endpoint": "local", "model": model, "parser": parser}
    family = protocol(submission.release.benchmark.slug)
    run = request_run(submission=submission, spec=ensure_spec(of=family, kind=kind, **chosen))
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    while model == "scribe-1" and run.judgements.filter(state="waiting").exists():
        resume(run)  # a judge that says so little is paused again and again
    if model != "renamed":
        score_run(run=run)
    site.runs.append(run)


def tried(release: Release, owner: User) -> Submission:
    """A file that waits to be confirmed, with a dry run by a model that repeats its prompt."""
    draft = hand_in(release, owner, "Tried", "A draft,", "private", confirm=False)
    with override_settings(DEFAULT_JUDGE="openai:scribe-1@local"):
        run = start_dry_run(submission=draft)
    judge_run(run_id=run.pk)
    while run.judgements.filter(state="waiting").exists():
        resume(run)
    return draft


def resume(run: JudgeRun) -> None:
    limits.reopen("local")
    JudgeRun.objects.filter(pk=run.pk).resume()
    judge_run(run_id=run.pk)


def build_hidden_site(folder: Path) -> HiddenSite:
    owner, other = (
        confirmed(
            User.objects.create_user(name, f"cnry-mail-of-{who}@example.org", "a long password")
        )
        for name, who in (("rosa", "owner"), ("sam", "other"))
    )
    tokens = {
        scope: create_token(owner=other, name=scope, scope=scope).key
        for scope in ("read", "submit", "publish")
    }
    site = HiddenSite(owner, other, tokens)
    for family in FAMILIES:
        with serve(echoing(family)) as endpoint:
            named = {"local": {"url": endpoint.url, "key": ENDPOINT_KEY}}
            with override_settings(JUDGE_ENDPOINTS=named):
                build_family(site, family, folder)
    return site


def build_family(site: HiddenSite, family: Family, folder: Path) -> None:
    """An entry that everybody sees, a private one, and one that this project makes, judged by rules
    and by models."""
    release = import_hidden(family, folder)
    shown = hand_in(release, site.owner, f"Shown {family.slug}", "An answer,")
    private = hand_in(release, site.owner, "Private", "cnry-private-answer", "private")
    made = ensure_baselines(release=release)[:1]
    site.submissions += [shown, private, *made]
    for submission in (private, *made):
        judge(site, submission)
    judge(site, shown, "openai", "scribe-1", family.parser)
    site.submissions.append(tried(release, site.owner))
    judge(site, shown, "openai", "renamed", family.parser)
