"""Judges on pages of their own and beside each other, where little or the opposite is known."""

from django.urls import reverse

from leaderboard.models import JudgeComparison
from tests.conftest import import_words, judged, submit
from tests.leaderboard.pages.test_judges import ENTRIES, QUESTIONS, answers, judge_by_model, stored


def test_a_judge_that_turns_the_ranking_round_is_told(db, owner):
    release = import_words(QUESTIONS)
    for place in range(1, ENTRIES + 1):
        submission = submit(release, owner, answers(2 * place), f"Speller {place}")
        judged(submission)
        judge_by_model(submission, "wrong", "right")
    (pair,) = stored().pairs
    assert pair.tau == -1.0
    assert pair.turned > 0


def test_before_any_board_is_stored_the_page_says_so(db, spelling, client):
    assert not JudgeComparison.objects.exists()
    text = client.get(reverse("judges")).content.decode()
    assert "This is computed with the board" in text


def test_a_judge_is_called_what_it_is_and_not_its_slug(client, spelling, owner):
    spec = judged(submit(spelling, owner)).judge_spec
    page = client.get(f"/judges/{spec.slug}/").content.decode()
    heading = page.partition("<h1>")[2].partition("</h1>")[0]
    assert heading.startswith("Offline rules, version ")
    assert f"<code>{spec.slug}</code>" in page
    assert spec.slug not in page.partition("<title>")[2].partition("</title>")[0]


def test_an_entry_judged_once_has_no_column_of_dashes(client, spelling, owner):
    run = judged(submit(spelling, owner))
    assert "Spread" not in client.get(f"/entries/{run.submission_id}/").content.decode()
