"""A submission's own page: how far its judging is."""

from judging.models import Judgement
from leaderboard.pages.submission import run_line, submission_page
from tests.conftest import judged
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
