"""Of what changed follow the tests that could see it (tests/changed.py)."""

import pytest

from tests import changed

PAGES = "tests/leaderboard/web/pages"


@pytest.mark.parametrize(
    ("path", "seen_by"),
    [
        ("leaderboard/web/pages/site/home.py", f"{PAGES}/site/test_home.py"),
        (
            "leaderboard/web/pages/people/notices.py",
            "tests/leaderboard/people/notices/test_telling.py",
        ),
        ("benchmarks/api/pagination.py", "tests/leaderboard/web/api/test_catalogue.py"),
        (
            "leaderboard/web/pages/people/invitations.py",
            "tests/leaderboard/people/staff/test_invitations.py",
        ),
        (
            "leaderboard/web/pages/studies/cells.py",
            "tests/leaderboard/results/studies/test_report.py",
        ),
        ("benchmarks/scoring/documents.py", "tests/leaderboard/web/evidence/test_verify.py"),
        ("benchmarks/admin.py", f"{PAGES}/questions/test_report.py"),
        ("leaderboard/people/staff/release_admin.py", "tests/judging/desk/releases/test_admin.py"),
        ("benchmarks/submissions/views.py", f"{PAGES}/people/test_team.py"),
        ("judging/coordination/money.py", "tests/judging/engine/test_bounds.py"),
        ("leaderboard/results/selectors/entries.py", "tests/test_permissions.py"),
        ("leaderboard/results/selectors/ranking.py", "tests/leaderboard/web/board/test_page.py"),
        (
            "benchmarks/submissions/marks/near_equals.py",
            "tests/submissions/marks/test_near_equals.py",
        ),
        ("leaderboard/management/commands/judge.py", "tests/test_commands.py"),
        ("templates/site/home.html", f"{PAGES}/site/test_home.py"),
        ("templates/boards/table.html", "tests/leaderboard/web/board/test_page.py"),
        ("templates/people/webhooks.html", "tests/test_journeys.py"),
        (
            "templates/account/email/email_confirmation_message.txt",
            "tests/leaderboard/people/accounts/test_sign_in.py",
        ),
        ("docs/visitor/intervals.md", "tests/test_documents.py"),
        ("templates/base.html", f"{PAGES}/entries/test_entry.py"),
        ("static/js/progress.js", f"{PAGES}/submissions/test_submission.py"),
        ("tests/leaderboard/conftest.py", f"{PAGES}/site/test_home.py"),
        ("tests/permissions.toml", "tests/test_permissions.py"),
        ("tests/mutants.py", "tests/test_mutants.py"),
        ("docs/operator/updating.md", "tests/deploy/test_files.py"),
    ],
)
def test_who_could_see_a_change_is_asked(path, seen_by):
    assert seen_by in changed.tests_of([path])


def test_a_change_in_one_room_asks_no_test_of_a_far_one():
    assert not any(
        "/statistics/" in test for test in changed.tests_of(["leaderboard/web/pages/site/home.py"])
    )
    assert changed.tests_of(["tests/test_changed.py"]) == ["tests/test_changed.py"]


@pytest.mark.parametrize(
    "path",
    [f"requirements-{0}.txt", "tests/settings.py", "leaderboard/migrations/0099_new.py"],
)
def test_what_leads_nowhere_or_is_seen_by_all_asks_every_test(path):
    assert changed.tests_of(["leaderboard/web/pages/site/home.py", path]) == changed.EVERYTHING


def test_what_git_does_not_know_is_said(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["changed", "--since", "no-such-branch", "--list"])
    assert changed.main() == 2
    assert "SINCE names no commit: no-such-branch" in capsys.readouterr().err
