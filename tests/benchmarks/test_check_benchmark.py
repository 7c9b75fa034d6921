"""`manage.py check_benchmark` says in one go what is wrong with a family."""

import sys
from dataclasses import replace
from types import ModuleType

import pytest
from django.core.management import CommandError, call_command

from examples.picture_choice import PROTOCOL as EXAMPLE
from tests.protocols.test_contract_finds import changed, in_percent


def test_nothing_is_said_of_the_example(capsys):
    call_command("check_benchmark", "examples.picture_choice")
    assert capsys.readouterr().out == "Nothing is wrong with Picture Choice.\n"


def test_everything_that_is_wrong_is_said_at_once(tmp_path, monkeypatch, capsys):
    (release,) = EXAMPLE.bundled
    (tmp_path / "scene-1.png").write_bytes((release.pictures / "scene-1.png").read_bytes())
    family = changed(EXAMPLE, "scoring", contributions=in_percent)
    module = ModuleType("faulty_benchmark.family")
    vars(module)["PROTOCOL"] = replace(family, bundled=(replace(release, pictures=tmp_path),))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(SystemExit) as ended:
        call_command("check_benchmark", module.__name__)
    assert ended.value.code == 1
    said = capsys.readouterr().out.splitlines()
    clauses = [line.partition(":")[0] for line in said]
    assert clauses[0] == "pictures are there"
    assert "metrics are in bounds" in clauses
    assert "picture-choice-mini: scene-2.png of question" in said[0]
    assert "is not in the folder" in said[0]


def test_a_family_that_is_not_there_or_cannot_be_imported_is_a_sentence():
    for name, sentence in (
        ("nothing", "benchmarks.protocols.nothing: ModuleNotFoundError"),
        ("benchmarks.protocols.base", "has no attribute 'PROTOCOL'"),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("check_benchmark", name)
