"""What a folder of evidence holds, and when none is written."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchmarks.models import Benchmark
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.models import Submission
from judging.models import JudgeRun, JudgeSpec
from leaderboard.evidence import folder as folder_module
from leaderboard.evidence.folder import NotSettledError, settled_source, write_evidence
from leaderboard.models import Scoresheet
from tests.conftest import judged
from tests.leaderboard.evidence.checking import verify
from tests.leaderboard.evidence.conftest import SMALLEST, export, load


@pytest.fixture
def board(db) -> Benchmark:
    """Of the samples alone, which is quick."""
    load(SMALLEST)
    for submission in Submission.objects.exclude(origin="baseline"):
        judged(submission)
    return Benchmark.objects.get(slug=SMALLEST)


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.slow
def test_the_same_board_gives_the_same_bytes(board, tmp_path):
    first, second = export(SMALLEST, tmp_path / "1"), export(SMALLEST, tmp_path / "2")
    assert first.digest == second.digest
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert b"\r" not in b"".join(files(tmp_path / "1").values())


@pytest.mark.slow
def test_what_is_not_public_is_only_a_digest_in_the_chain(board, tmp_path):
    hidden = Submission.objects.filter(origin="sample").first()
    Submission.objects.filter(pk=hidden.pk).update(visibility="private")
    written = export(SMALLEST, tmp_path / "out")
    assert written.entries == Submission.objects.filter(origin="sample").count() - 1
    text = b"".join(files(tmp_path / "out").values()).decode()
    assert str(hidden.pk) not in text
    assert hidden.model.name not in text
    assert verify.check(tmp_path / "out")[1:] == ([], [])


@pytest.mark.slow
def test_questions_have_their_public_fields_alone(board, tmp_path):
    export(SMALLEST, tmp_path / "out")
    for question in verify.lines(tmp_path / "out" / "questions.jsonl"):
        assert set(question) == {
            "id",
            "ability",
            "subtask",
            "group",
            "text",
            "facts",
            "images",
            "reference",
            "anomalies",
        }


@pytest.mark.slow
def test_none_is_written_of_a_board_that_changes_meanwhile(board, tmp_path, monkeypatch):
    numbers = iter([7, 8])
    monkeypatch.setattr(folder_module, "board_number", lambda benchmark: next(numbers))
    with pytest.raises(NotSettledError, match="changed while"):
        write_evidence(tmp_path / "out", settled_source(board))
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_none_is_written_while_verdicts_or_formulas_are_newer_than_scores(board):
    JudgeRun.objects.update(unscored=1)
    with pytest.raises(NotSettledError, match="verdicts changed since they were scored: 3"):
        settled_source(board)
    JudgeRun.objects.update(unscored=None)
    Scoresheet.objects.update(scoring=1)
    with pytest.raises(NotSettledError, match="by the formulas of today: 3"):
        settled_source(board)


def test_none_is_written_without_entries_or_rules_to_compute_by(spelling):
    with pytest.raises(NotSettledError, match="Nothing says how others compute"):
        settled_source(Benchmark.objects.get(slug="spelling"))
    benchmark = Benchmark.objects.create(slug=SMALLEST, title="Nothing yet")
    with pytest.raises(NotSettledError, match="no public entries"):
        settled_source(benchmark)


@pytest.mark.slow
def test_the_command_says_what_it_wrote_and_how_to_check_it(board, tmp_path, capsys):
    call_command("export_evidence", SMALLEST, out=tmp_path / "out")
    said = capsys.readouterr().out
    assert "3 entries, 180 answers" in said
    assert f"cd {tmp_path / 'out'} && python verify.py" in said
    assert verify.wrong_files(tmp_path / "out") == []
    with pytest.raises(CommandError, match="not an empty folder"):
        call_command("export_evidence", SMALLEST, out=tmp_path / "out")


@pytest.mark.slow
def test_the_command_takes_a_judge_by_what_people_call_it(board, tmp_path):
    JudgeSpec.objects.update(kind="openai", model="x", endpoint="main")
    call_command("export_evidence", SMALLEST, out=tmp_path / "out", judge="openai:x@main")
    with pytest.raises(CommandError, match="has no entries"):
        call_command("export_evidence", SMALLEST, out=tmp_path / "no", judge="openai:y@main")


def test_the_command_refuses_what_there_is_not(db, tmp_path):
    with pytest.raises(CommandError, match="imported yet"):
        call_command("export_evidence", SMALLEST, out=tmp_path / "out")
    with pytest.raises(CommandError):
        call_command("export_evidence", "nothing", out=tmp_path / "out")


def test_every_benchmark_of_the_site_can_be_exported():
    assert all(protocol(slug).evidence for slug in protocols() if slug in site_benchmarks())


def site_benchmarks() -> set[str]:
    """Those that ship with content."""
    return {slug for slug, family in protocols().items() if family.bundled}


@pytest.mark.slow
def test_readings_that_tell_of_hidden_texts_name_metrics_of_the_board():
    for family in protocols().values():
        known = {name.partition("@")[0] for name in family.board.METRICS}
        for tells in family.evidence.tells.values() if family.evidence else ():
            assert set(tells.metrics) <= known, json.dumps(sorted(known))
