"""A submission's own page: how far its judging is."""

from judging.models import Judgement
from judging.selectors import RunPace
from leaderboard.editions import refresh_boards
from leaderboard.models import BoardRow
from leaderboard.pages.submission import pace_sentence, run_line, submission_page
from tests.conftest import judged, submit
from tests.judging.services.test_review import planned
from tests.overwriting import overwrite


def test_how_much_is_done_is_never_more_than_it_is(submission):
    run = planned(submission)
    three = run.judgements.order_by("pk")[:3].values_list("pk", flat=True)
    overwrite(run.judgements.filter(pk__in=list(three)), state="judged", verdict="right")
    count = run.judgements.count()
    assert run_line(run, is_owner=True).percent_done == 100 * 3 // count


def test_a_judged_run_is_whole(submission):
    line = run_line(judged(submission), is_owner=True)
    assert (line.percent_done, line.open, line.is_scored) == (100, 0, True)


def test_what_ended_without_a_verdict_is_told_by_reason_the_most_frequent_first(submission):
    run = judged(submission)
    rows = list(run.judgements.order_by("pk"))
    for row, reason in zip(rows, ("cut", "refused", "refused"), strict=False):
        found = Judgement.objects.filter(pk=row.pk)
        overwrite(found, state="failed", verdict="", reason=reason)
    assert run_line(run, is_owner=True).reasons == (("refused", 2), ("cut", 1))


def test_calls_are_estimated_only_before_it_is_confirmed(submission, owner, stranger):
    page = submission_page(submission, owner)
    assert (page.state, page.estimate, page.calls_planned) == ("waiting", None, 0)
    assert page.is_owner
    assert not submission_page(submission, stranger).is_owner


def test_the_pace_is_said_in_words():
    assert pace_sentence(RunPace(120.4, 90, 3)) == "120 a minute; about 90 s left."
    assert pace_sentence(RunPace(0.4, 5400, 0)) == "0.4 a minute; about 90 min left."
    assert "2 runs asked for earlier stand ahead" in pace_sentence(RunPace(None, None, 2))
    assert "1 run asked" in pace_sentence(RunPace(None, None, 1))
    assert "nothing stands ahead" in pace_sentence(RunPace(None, None, 0))


def test_the_end_is_the_score_and_the_place_once_there_is_one(submission, owner, client):
    run = judged(submission)
    result = run_line(run, is_owner=True).result
    assert result.score == "75.00 (95 % interval 30.06–95.44)"
    assert (result.place, "being placed" in result.unplaced) == ("", True)
    refresh_boards()
    row = BoardRow.objects.get(sheet=run.scoresheet)
    result = run_line(run, is_owner=True).result
    if row.rank is None:
        assert "without a rank" in result.unplaced
    else:
        assert (result.place, result.unplaced) == (f"{row.best}", "")
    client.force_login(owner)
    page = client.get(f"/submissions/{submission.pk}/").text
    assert f"/boards/{submission.release.benchmark.slug}/?judge={run.judge_spec.slug}" in page
    BoardRow.objects.update(scored=None)
    assert "being placed" in run_line(run, is_owner=True).result.unplaced


def test_a_private_entry_is_not_said_to_be_placed(spelling, owner):
    run = judged(submit(spelling, owner, visibility="private"))
    assert "It is private" in run_line(run, is_owner=True).result.unplaced
