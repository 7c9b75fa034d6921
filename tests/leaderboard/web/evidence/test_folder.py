"""What a folder of evidence holds, and when none is written."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from benchmarks.models import Benchmark
from benchmarks.submissions.models import Submission
from benchmarks.submissions.team_models import Team
from judging.models import JudgeRun, JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.web.evidence import folder as folder_module
from leaderboard.web.evidence.folder import NotSettledError, settled_source, write_evidence
from tests.leaderboard.web.evidence.checking import verify
from tests.leaderboard.web.evidence.conftest import SLUG, export

OTHER = "touchstone"  # which no test here imports


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_the_same_board_gives_the_same_bytes_and_public_fields_alone(board, tmp_path):
    first, second = export(SLUG, tmp_path / "1"), export(SLUG, tmp_path / "2")
    assert first.digest == second.digest
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert b"\r" not in b"".join(files(tmp_path / "1").values())
    fields = "id ability subtask group text facts images reference truth anomalies"
    for question in verify.lines(tmp_path / "1" / "questions.jsonl"):
        assert set(question) == set(fields.split())


def test_what_is_not_public_is_only_a_digest_in_the_chain(board, tmp_path):
    hidden, *others = Submission.objects.filter(origin="sample")
    Submission.objects.filter(pk=hidden.pk).update(visibility="private")
    written = export(SLUG, tmp_path / "out")
    assert written.entries == len(others)
    found = files(tmp_path / "out")
    text = b"".join(found[name] for name in found if not name.startswith("library/")).decode()
    assert str(hidden.pk) not in text
    assert hidden.model.name not in text
    assert verify.check(tmp_path / "out")[1:] == ([], [])


def test_former_members_and_former_teams_share_a_name_where_there_are_two(board):
    """Nobody who counts each account once could tell them apart."""
    entries = list(Submission.objects.filter(origin="sample"))
    one, two = (User.objects.create_user(f"former-member-{n}") for n in (1, 2))
    old, older = (Team.objects.create(closed=timezone.now()) for _ in range(2))
    source = settled_source(board)
    for owners, teams, are_shared in (
        ((None, None, None), (None, None, None), False),
        ((one, one, None), (None, None, None), False),
        ((one, two, None), (None, None, None), True),
        ((one, two, None), (None, old, None), False),
        ((one, two, one), (old, older, None), True),
    ):
        for entry, owner, team in zip(entries, owners, teams, strict=True):
            Submission.objects.filter(pk=entry.pk).update(origin="upload", owner=owner, team=team)
        assert folder_module.names_are_shared(source) is are_shared


def test_none_is_written_of_a_board_that_changes_meanwhile(board, tmp_path, monkeypatch):
    numbers = iter([7, 8])
    monkeypatch.setattr(folder_module, "board_number", lambda benchmark: next(numbers))
    with pytest.raises(NotSettledError, match="changed while"):
        write_evidence(tmp_path / "out", settled_source(board))
    assert not (tmp_path / "out").exists()


def test_none_is_written_while_verdicts_or_formulas_are_newer_than_scores(board):
    JudgeRun.objects.update(unscored=1)
    with pytest.raises(NotSettledError, match="verdicts changed since they were scored: 3"):
        settled_source(board)
    JudgeRun.objects.update(unscored=None)
    Scoresheet.objects.update(scoring=1)
    with pytest.raises(NotSettledError, match="by the formulas of today: 3"):
        settled_source(board)


def test_none_is_written_without_entries(db):
    benchmark = Benchmark.objects.create(slug=OTHER, title="Nothing yet")
    with pytest.raises(NotSettledError, match="no public entries"):
        settled_source(benchmark)


def test_the_command_says_what_it_wrote_and_how_to_check_it(board, tmp_path, capsys):
    JudgeSpec.objects.update(kind="openai", model="x", endpoint="main")
    call_command("export_evidence", SLUG, out=tmp_path / "out", judge="openai:x@main")
    said = capsys.readouterr().out
    assert "3 entries, 240 answers" in said
    assert f"cd {tmp_path / 'out'} && python verify.py" in said
    assert verify.wrong_files(tmp_path / "out") == []
    for arguments, sentence in (
        ({"out": tmp_path / "out"}, "not an empty folder"),
        ({"out": tmp_path / "no", "judge": "openai:y@main"}, "has no entries"),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("export_evidence", SLUG, **arguments)


def test_the_command_refuses_what_there_is_not(db, tmp_path):
    with pytest.raises(CommandError, match="imported yet"):
        call_command("export_evidence", OTHER, out=tmp_path / "out")
    with pytest.raises(CommandError):
        call_command("export_evidence", "nothing", out=tmp_path / "out")
