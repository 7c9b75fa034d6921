"""Of what changed follow the tests that could see it (tests/changed.py)."""

import pytest

from tests import changed

PAGES = "tests/leaderboard/pages"


@pytest.mark.parametrize(
    ("path", "seen_by"),
    [
        ("leaderboard/pages/home.py", f"{PAGES}/test_home.py"),
        ("leaderboard/pages/notices.py", "tests/leaderboard/notices/test_telling.py"),
        ("benchmarks/api/pagination.py", "tests/leaderboard/api/test_catalogue.py"),
        ("leaderboard/views/invitations.py", "tests/leaderboard/staff/test_invitations.py"),
        ("leaderboard/pages/study_cells.py", "tests/leaderboard/studies/test_report.py"),
        ("benchmarks/scoring/documents.py", "tests/leaderboard/evidence/test_verify.py"),
        ("benchmarks/admin.py", f"{PAGES}/test_question_report.py"),
        ("leaderboard/staff/release_admin.py", "tests/judging/desk/test_release_admin.py"),
        ("benchmarks/submissions/views.py", f"{PAGES}/test_team.py"),
        ("judging/money.py", "tests/judging/engine/test_bounds.py"),
        ("leaderboard/selectors/entries.py", "tests/test_permissions.py"),
        ("leaderboard/selectors/ranking.py", "tests/leaderboard/board/test_page.py"),
        (
            "benchmarks/submissions/marks/near_equals.py",
            "tests/submissions/marks/test_near_equals.py",
        ),
        ("leaderboard/management/commands/judge.py", "tests/test_commands.py"),
        ("templates/home.html", f"{PAGES}/test_home.py"),
        ("templates/board_table.html", "tests/leaderboard/board/test_page.py"),
        ("templates/webhooks.html", "tests/test_journeys.py"),
        (
            "templates/account/email/email_confirmation_message.txt",
            "tests/leaderboard/accounts/test_sign_in.py",
        ),
        ("docs/visitor/intervals.md", "tests/test_documents.py"),
        ("templates/base.html", f"{PAGES}/test_entry.py"),
        ("static/js/progress.js", f"{PAGES}/test_submission.py"),
        ("tests/leaderboard/conftest.py", f"{PAGES}/test_home.py"),
        ("tests/permissions.toml", "tests/test_permissions.py"),
        ("tests/mutants.py", "tests/test_mutants.py"),
        ("docs/operator/updating.md", "tests/deploy/test_files.py"),
    ],
)
def test_who_could_see_a_change_is_asked(path, seen_by):
    assert seen_by in changed.tests_of([path])


def test_a_change_in_one_room_asks_no_test_of_a_far_one():
    assert not any(
        "/statistics/" in test for test in changed.tests_of(["leaderboard/pages/home.py"])
    )
    assert changed.tests_of(["tests/test_changed.py"]) == ["tests/test_changed.py"]


@pytest.mark.parametrize(
    "path",
    [f"requirements-{0}.txt", "tests/settings.py", "leaderboard/migrations/0099_new.py"],
)
def test_what_leads_nowhere_or_is_seen_by_all_asks_every_test(path):
    assert changed.tests_of(["leaderboard/pages/home.py", path]) == changed.EVERYTHING


def test_what_git_does_not_know_is_said(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["changed", "--since", "no-such-branch", "--list"])
    assert changed.main() == 2
    assert "SINCE names no commit: no-such-branch" in capsys.readouterr().err
