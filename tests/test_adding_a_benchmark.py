"""docs/developer/adding_a_benchmark.md is followed: its code is the example's, and the example
gets a board by one line."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import reverse

from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import BenchmarkProtocol, Upload
from benchmarks.registry import protocols
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.samples.bundled import load_bundled
from benchmarks.submissions.services import accept_submission
from examples.picture_choice import PROTOCOL as EXAMPLE
from leaderboard import settings as delivered
from leaderboard.results.selectors import read_board
from tests.conftest import judged

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/developer/adding_a_benchmark.md").read_text()
LINE = "examples.picture_choice"
BLOCKS = re.findall(r"^`(examples/\S+\.py)`:\n\n```python\n(.+?)```$", TEXT, re.M | re.S)


def test_every_room_of_the_example_is_in_the_document():
    assert {Path(path).name for path, _ in BLOCKS} == {
        "__init__.py",
        "dataset.py",
        "predictions.py",
        "judging.py",
        "scoring.py",
        "board.py",
    }
    named = len(re.findall(r"^```python$", TEXT, re.M))
    assert named == len(BLOCKS) + 1, "but for the settings, every block says where it stands"


@pytest.mark.parametrize(("path", "block"), BLOCKS, ids=[path for path, _ in BLOCKS])
def test_a_block_of_code_stands_where_the_document_says(path, block):
    assert block in (ROOT / path).read_text()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(\w+\.\w+|\w+/\S+\.py)`", TEXT))))
def test_files_that_the_document_names_are_there(name):
    inside = ROOT / "benchmarks" / "protocols"
    own = [ROOT / name, inside / name, inside / "hallusionbench" / name]
    assert any(path.exists() for path in (*own, inside / "touchstone" / name)) or "." in name[-5:-2]


def test_only_those_who_name_the_example_have_it():
    assert LINE not in delivered.PROTOCOLS
    assert EXAMPLE.slug not in protocols()
    assert f'"{LINE}",' in TEXT


@pytest.fixture
def named(settings) -> Iterator[BenchmarkProtocol]:
    settings.PROTOCOLS = [*settings.PROTOCOLS, LINE]
    protocols.cache_clear()
    yield protocols()[EXAMPLE.slug]
    protocols.cache_clear()


@pytest.fixture
def release(named, owner) -> Release:
    (found,) = load_bundled(protocol=named, owner=owner)
    return found


def handed_in(release: Release, owner, name: str, answers: dict[str, str]) -> None:
    upload = Upload("answers.json", json.dumps(answers).encode())
    judged(
        accept_submission(
            release=release,
            upload=upload,
            model=EvaluatedModel(name=name),
            owner=owner,
            visibility="public",
        )
    )


def test_one_line_of_settings_makes_a_board(release, owner, client):
    questions = {q.public_id: q for q in release.questions.all()}
    assert release.question_count == 32
    right = {id_: question.truth["letter"] for id_, question in questions.items()}
    texts = {
        id_: question.facts["options"]["ABCD".index(question.truth["letter"])]
        for id_, question in questions.items()
    }
    other = {"A": "B", "B": "C", "C": "A", "D": "none of these"}
    half = {
        id_: letter if place % 2 else other[letter]
        for place, (id_, letter) in enumerate(right.items())
    }
    for name, answers in (("By letter", right), ("By text", texts), ("By half", half)):
        handed_in(release, owner, name, answers)
    board = read_board(Benchmark.objects.get(slug=EXAMPLE.slug))
    found = {entry.model: entry.figures["accuracy"].value for entry in board.entries if entry.rank}
    assert found == {"By letter": 1.0, "By text": 1.0, "By half": 0.5}
    page = client.get(reverse("board", args=[EXAMPLE.slug])).content.decode()
    assert "Picture Choice" in page
    assert "Clocks" in page
    entry = next(entry for entry in board.entries if entry.model == "By half")
    shown = client.get(f"/entries/{entry.id}/").content.decode()
    assert "no option" in shown


@pytest.mark.slow
@pytest.mark.parametrize("prompts", ["v1", ""])
def test_a_copy_under_another_name_passes_its_tests_and_linters_have_nothing_to_say(
    tmp_path, prompts
):
    """With prompts a model judges, without them rules alone do."""
    folder, tests = tmp_path / "begun" / "word_games", tmp_path / "tests" / "word_games"
    shutil.copytree(ROOT / "examples" / "short_answers", folder)
    shutil.copytree(ROOT / "tests" / "protocols" / "short_answers", tests)
    if not prompts:
        shutil.rmtree(folder / "prompts")
    changes = {
        folder / "__init__.py": {
            "short_answers": "word_games",
            "Short": "Word",
            '"v1"': f'"{prompts}"',
        },
        tests / "test_benchmark.py": {"examples.short_answers": "begun.word_games"},
    }
    for path, words in changes.items():
        text = path.read_text()
        for word, other in words.items():
            assert word in text
            text = text.replace(word, other)
        path.write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", str(folder), str(tests)]
    isort = ["--config", 'lint.isort.known-first-party=["benchmarks", "begun", "tests"]']
    pytest_here = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--import-mode=importlib"]
    for command in (
        ["ruff", "check", *isort, *settings],
        ["ruff", "format", "--check", *settings],
        ["pytest", *pytest_here, "--rootdir", str(tmp_path), str(tests)],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            capture_output=True,
            text=True,
            timeout=120,
            env={"PYTHONPATH": f"{ROOT}:{tmp_path}", "DJANGO_SETTINGS_MODULE": "tests.settings"},
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stdout + done.stderr
