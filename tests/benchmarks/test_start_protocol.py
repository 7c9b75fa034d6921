"""A benchmark that was just begun works: it keeps the contract, and linters have nothing to say."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchmarks.management.commands import start_protocol
from benchmarks.management.commands.start_protocol import LONGEST_NAME
from benchmarks.protocols.base import BenchmarkProtocol
from tests.each_case import each_case
from tests.protocols.contract import CLAUSES

ROOT = Path(__file__).parents[2]


def start(root: Path, name: str, *options: str) -> Path:
    call_command("start_protocol", name, "--root", str(root), "--package", "begun", *options)
    return root / "begun" / name


@pytest.fixture(scope="module", params=["rules", "model"])
def begun(request, tmp_path_factory) -> Iterator[BenchmarkProtocol]:
    root, name = tmp_path_factory.mktemp("root"), f"word_games_{request.param}"
    start(root, name, *(["--judge"] if request.param == "model" else []))
    sys.path.insert(0, str(root))
    try:
        yield importlib.import_module(f"begun.{name}").PROTOCOL
    finally:
        sys.path.remove(str(root))
        for module in [known for known in sys.modules if known.partition(".")[0] == "begun"]:
            del sys.modules[module]


@each_case("clause", CLAUSES)
def test_a_benchmark_just_begun_keeps_the_contract(begun, clause):
    clause(begun)


def test_a_model_judges_only_where_that_was_asked(begun):
    assert begun.title in ("Word Games Rules", "Word Games Model")
    assert bool(begun.default_prompts) == begun.slug.endswith("model")
    assert begun.prompts.exists() == begun.slug.endswith("model")


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--judge"]])
def test_its_own_tests_pass_and_linters_have_nothing_to_say(tmp_path, options):
    folder = start(tmp_path, "word_games", *options)
    tests = tmp_path / "tests" / "protocols" / "word_games"
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    for module in (*folder.glob("*.py"), *tests.glob("*.py")):
        assert "PROTOCOL_" not in module.read_text(), f"{module.name} has a word to fill in"
        assert max(map(len, module.read_text().splitlines()), default=0) <= 100
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", str(folder), str(tests)]
    isort = ["--config", 'lint.isort.known-first-party=["benchmarks", "begun", "tests"]']
    for command in ([*ruff, "check", *isort, *settings], [*ruff, "format", "--check", *settings]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
    environment = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "DJANGO_SETTINGS_MODULE": "tests.settings"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = subprocess.run(
        [*command, "--import-mode=importlib", "--rootdir", str(tmp_path), str(tests)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


REFUSED = {
    f"at most {LONGEST_NAME}": "|Words|1words|words-games|words__two|a.b|../a|é|class!|" + "x" * 41,
    "already": "touchstone|spelling",
    "word of Python's own": "class|import|lambda|match",
}


@each_case("told, names", REFUSED.items())
def test_a_name_that_is_none_or_taken_or_a_word_of_the_language_is_refused(
    tmp_path_factory, told, names
):
    folder = tmp_path_factory.mktemp("refused")
    for name in names.split("|"):
        with pytest.raises(CommandError, match=told):
            start(folder, name)
        assert not list(folder.iterdir()), name


def test_nothing_is_written_over_whatever_has_the_name(tmp_path):
    folder = start(tmp_path / "own", "word_games")
    (folder / "board.py").write_text("mine")
    with pytest.raises(CommandError, match="Nothing was written"):
        start(tmp_path / "own", "word_games")
    assert (folder / "board.py").read_text() == "mine"
    places = ("begun/runs.py", "begun/runs/", "tests/protocols/runs.py", "tests/protocols/runs/")
    for number, place in enumerate(places):
        root = tmp_path / str(number)
        there = root / place
        there.parent.mkdir(parents=True)
        there.mkdir() if place.endswith("/") else there.touch()
        before = sorted(root.rglob("*"))
        with pytest.raises(CommandError, match="Nothing was written"):
            start(root, "runs")
        assert sorted(root.rglob("*")) == before, place


def test_no_module_that_protocols_share_can_be_hidden(tmp_path, monkeypatch):
    """As the command is run, in the folders there are; writing them would break all protocols."""
    written = []
    monkeypatch.setattr(start_protocol, "write_protocol", lambda *args, **_: written.append(args))
    shared = (ROOT / "benchmarks" / "protocols").iterdir()
    names = [path.stem for path in shared if path.suffix == ".py" and path.stem != "__init__"]
    assert "runs" in names
    for name in (*names, "base", "files"):
        with pytest.raises(CommandError, match="already"):
            call_command("start_protocol", name)
    assert written == []
