"""Boards of the content that ships with the project, exported with their evidence."""

import random
import shutil
from pathlib import Path
from zlib import crc32

import pytest
from django.db import transaction

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.bundled import ensure_release, ensure_sample, load_bundled
from benchmarks.submissions.samples.floor import set_floor_version
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRequest, Reply
from judging.models import JudgeSpec
from judging.panel.bundled import load_sample_ratings
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.services import score_run
from leaderboard.web.evidence.folder import Written, settled_source, write_evidence
from tests.conftest import judged

SLUG = "hallusionbench"
REPLIES = {
    "touchstone": ["8 6", "6 8", "7 7", "9.5 3", "5 6", "hm"],
    "touchstone_hallucination": ["0", "2", "4.5", "9", "hm"],
    "hallusionbench": ["correct", "incorrect", "unclear", "same", "different", "hm"],
    "tiny_lvlm_ehub": ["1", "0", "1", "0", "hm"],
}
SCORE_KEYS = {1: "Most Likely Score", 2: "Final Score", 3: "Final Assessment Score"}


class CapriciousJudge:
    """Says something else whenever it is asked, and sometimes nothing that can be read."""

    makes_requests = False

    def __init__(self, slug: str, seed: int) -> None:
        self.slug, self.seed, self.random = slug, seed, random.Random(seed)

    async def ask(self, request: JudgeRequest) -> Reply:
        said = self.random.choice(REPLIES[self.slug])
        if self.slug == "tiny_lvlm_ehub":
            number = int(request.case.slot.name.removeprefix("prompt"))
            return Reply(f"{SCORE_KEYS[{4: 2, 5: 1}.get(number, number)]}: {said}")
        return Reply(said)

    async def close(self) -> None:
        return


def load(slug: str) -> list[Release]:
    releases = load_bundled(protocol=protocol(slug), owner=None)
    load_sample_ratings(protocol(slug))
    return releases


class ReadableJudge(CapriciousJudge):
    """Says of HallusionBench what can be read, but of one entry's answers to a question in
    forty."""

    async def ask(self, request: JudgeRequest) -> Reply:
        said = {"correctness": ["correct", "correct", "incorrect"], "same": ["same", "different"]}
        if self.seed == 1 and crc32(request.case.question.public_id.encode()) % 40 == 0:
            return Reply("hm")
        return Reply(self.random.choice(said[request.case.slot.name]))


def judge_by_model(
    slug: str, *, repeats: int, judge: type[CapriciousJudge] = CapriciousJudge
) -> JudgeSpec:
    """Every sample, and one baseline."""
    spec = ensure_spec(of=protocol(slug), kind="scripted", repeats=repeats)
    found = Submission.objects.filter(release__benchmark__slug=slug).order_by("origin", "created")
    baselines = [s for s in found if s.origin == "baseline"][:1]
    for seed, submission in enumerate([*(s for s in found if s.origin == "sample"), *baselines]):
        run = request_run(submission=submission, spec=spec)
        plan_run(run_id=run.pk)
        judge_run(run_id=run.pk, judge=judge(slug, seed))
        assert not run.judgements.filter(state="waiting").exists()
        score_run(run=run)
    return spec


def export(slug: str, folder: Path, *, judge: str = "") -> Written:
    source = settled_source(Benchmark.objects.get(slug=slug), judge=judge)
    return write_evidence(folder, source)


def load_samples() -> Benchmark:
    """The smallest board that a model may judge, with nothing but its sample answers."""
    family = protocol(SLUG)
    bundled = family.bundled[0]
    release = ensure_release(family, bundled)
    set_floor_version(release)
    for sample in bundled.samples:
        ensure_sample(release, sample, None, None)
    found: Benchmark = release.benchmark
    return found


@pytest.fixture(scope="module")
def judged_board(module_rows) -> Benchmark:
    benchmark = load_samples()
    for submission in Submission.objects.all():
        judged(submission)
    return benchmark


@pytest.fixture
def board(judged_board, db) -> Benchmark:
    """Judged by rules, which is quick."""
    return Benchmark.objects.get(pk=judged_board.pk)


@pytest.fixture(scope="session")
def whole(django_db_setup, django_db_blocker, tmp_path_factory) -> Path:
    """A board that a model judged, so that there are replies; not to be changed."""
    folder = Path(tmp_path_factory.mktemp("evidence"), SLUG)
    with django_db_blocker.unblock(), transaction.atomic():
        load_samples()
        spec = judge_by_model(SLUG, repeats=1, judge=ReadableJudge)
        export(SLUG, folder, judge=spec.slug)
        transaction.set_rollback(True)
    return folder


@pytest.fixture
def folder(whole, db, tmp_path) -> Path:
    """A copy of it, to be changed. (`db`: without a test that names it there is no database.)"""
    return Path(shutil.copytree(whole, tmp_path / "out"))
