"""A file that is scored without a site has the figures of the site's scoresheet."""

import json
from pathlib import Path

import pytest

from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol, protocols
from benchmarks.scoring.offline import NotScoredError, rows_of, score_file
from benchmarks.scoring.sheets import MetricValue
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.samples.bundled import ensure_release
from benchmarks.submissions.services import accept_submission
from judging.engine.engine import judge_run
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_run
from tests.protocols.contract import varied_answers
from tests.slow import slow, slow_except

BUNDLED = [
    (family.slug, release.slug) for family in protocols().values() for release in family.bundled
]


def answers_to(slug: str, release: str, path: Path) -> Path:
    """Some that are right, some that are not, and some that say nothing."""
    family = protocol(slug)
    (found,) = (one for one in family.bundled if one.slug == release)
    with found.dataset.open("rb") as stream:
        rows = rows_of(family, stream)
    said = zip(rows, varied_answers(rows), strict=True)
    lines = [json.dumps({"id": row.public_id, "prediction": text}) for row, text in said]
    path.write_text("\n".join(lines))
    return path


def figures_of(document):
    return {name: MetricValue(**figure).packed() for name, figure in document["figures"].items()}


def scored_by_the_site(slug: str, release: str, file: Path, owner, rules: str) -> Scoresheet:
    family = protocol(slug)
    (bundled,) = (one for one in family.bundled if one.slug == release)
    submission = accept_submission(
        release=ensure_release(family, bundled),
        upload=Upload(file.name, file.read_bytes()),
        model=EvaluatedModel(name="A model"),
        owner=owner,
        visibility="private",
    )
    spec = ensure_spec(of=family, kind="rules", rules=rules)
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    return score_run(run=run)


@pytest.mark.parametrize(("slug", "release"), slow_except(BUNDLED, lambda one: "hall" in one[0]))
def test_the_figures_are_those_of_the_site(db, owner, tmp_path, slug, release):
    file = answers_to(slug, release, tmp_path / "answers.jsonl")
    sheet = scored_by_the_site(slug, release, file, owner, "")
    found = score_file(slug, file, release=release)
    assert found["judge"] == f"rules {sheet.judge_spec.model}"
    assert found["coverage"] == sheet.coverage == 1
    assert figures_of(found) == sheet.figures
    assert len(found["metrics"]) > 3


@pytest.mark.parametrize(
    ("slug", "rules"),
    [
        ("hallusionbench", "first-sentence"),
        *(
            slow((slug, one.name))
            for slug, family in protocols().items()
            for one in family.other_rules
            if slug != "hallusionbench"
        ),
    ],
)
def test_so_are_those_by_other_rules(db, owner, tmp_path, slug, rules):
    release = protocol(slug).bundled[0].slug
    file = answers_to(slug, release, tmp_path / "answers.jsonl")
    sheet = scored_by_the_site(slug, release, file, owner, rules)
    assert figures_of(score_file(slug, file, rules=rules)) == sheet.figures
    assert figures_of(score_file(slug, file)) != sheet.figures


def test_an_official_file_is_scored_by_the_name_of_its_release(tmp_path):
    bundled = protocol("hallusionbench").bundled[0]
    file, dataset = bundled.samples[0].file, tmp_path / "HallusionBench.json"
    dataset.write_bytes(bundled.dataset.read_bytes())
    own = score_file("hallusionbench", file)
    assert score_file("hallusionbench", file, dataset=dataset, release=bundled.slug) == own
    other = score_file("hallusionbench", file, dataset=dataset, release="another")
    assert other["figures"]["aAcc"] == own["figures"]["aAcc"]
    assert other["figures"]["overall"] != own["figures"]["overall"]  # other resamples


def test_what_cannot_be_scored_is_said_in_sentences(tmp_path):
    file = protocol("hallusionbench").bundled[0].samples[0].file
    lines = file.read_text().splitlines()
    (short := tmp_path / "short.jsonl").write_text("\n".join(lines[1:]))
    (no_dataset := tmp_path / "questions.json").write_text("[1, 2")
    for arguments, sentence in (
        (("nothing", file, {}), "There is no benchmark 'nothing'. Known: hallusionbench"),
        (("hallusionbench", file, {"release": "full"}), "full does not ship with the benchmark"),
        (("hallusionbench", file, {"rules": "mine"}), "HallusionBench has no rules 'mine'"),
        (("hallusionbench", short, {}), "1 of 80 answers is missing"),
        (("hallusionbench", file, {"dataset": no_dataset}), "JSON"),
    ):
        slug, given, more = arguments
        with pytest.raises(NotScoredError, match=sentence):
            score_file(slug, given, **more)


def test_rules_that_read_texts_which_a_file_lacks_say_that_a_model_is_needed(tmp_path):
    bundled = protocol("touchstone").bundled[0]
    rows = json.loads(bundled.dataset.read_text())
    rows[0]["gpt4_ha_answer"] = ""
    (dataset := tmp_path / "questions.json").write_text(json.dumps(rows))
    with pytest.raises(NotScoredError, match="answers need a model's verdicts"):
        score_file("touchstone", bundled.samples[0].file, dataset=dataset)
