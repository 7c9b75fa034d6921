"""A submission's own page: how far its judging is."""

from hashlib import sha256
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from judging.coordination.clock import database_now
from judging.models import Judgement, JudgeRun
from judging.progress import RunPace
from judging.services import find_spec, pause_run_by_person, plan_run, request_run
from leaderboard.models import BoardRow, Scoresheet
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.web.pages.submissions.cost import RULES_ARE_FREE
from leaderboard.web.pages.submissions.progress import pace_sentence, seconds_until_look
from leaderboard.web.pages.submissions.submission import submission_page
from tests.conftest import judged, submit
from tests.deleting import delete_linked
from tests.judging.services.test_review import planned
from tests.leaderboard.web.pages.shown_text import links, page_at, part, told
from tests.overwriting import overwrite
from tests.person import Person, words


@pytest.fixture(autouse=True)
def paid_judge(settings):
    settings.JUDGE_ENDPOINTS = {
        "paid": {"url": "http://127.0.0.1:1", "key": "", "prices": {"scribe": (2.5, 10.0)}}
    }


def line_of(run: JudgeRun) -> dict[str, Any]:
    (line,) = submission_page(run.submission, run.submission.owner)["progress"]["runs"]
    return dict(line)


def test_the_page_is_what_was_handed_in_and_where_it_is_from_draft_to_board(
    spelling, owner, client
):
    file = b"1=two\n2=color\n3=night\n4=sea\n"
    entry = submit(spelling, owner, file, name="A <b>model</b>", confirm=False)
    address, received = f"/submissions/{entry.pk}/", f"{entry.created:%Y-%m-%d %H:%M} UTC"
    client.force_login(owner)
    draft = part(page_at(client, address))
    kept = {
        "Name": "answers.txt · Download",
        "Answers": "4",
        "Received": f"{received} , just now",
        "SHA-256": sha256(file).hexdigest(),
    }
    assert words(draft).startswith(f"My entries · Spelling · {spelling.title} A <b>model</b>")
    assert told(draft) == kept | {
        "Judge": "offline rules , a program that compares words",
        "Model calls": "0 (4 judged without a model)",
        "Price": "Free: rules on this machine decide, without a model.",
    }
    assert draft.xpath(".//input[@name='visibility'][@checked]/@value") == ["private"]
    assert "4 answers, 4 judgements. Free." in words(draft)
    assert links(draft) == {
        "My entries": "/submissions/",
        "offline rules": f"/judges/{find_spec(of=protocol('spelling')).slug}/",
        "Download": f"{address}file/",
        "Withdraw": f"{address}withdraw/",
    }

    person = Person(client)
    person.go(address)
    assert "Confirm and judge" not in person.press("Confirm and judge", visibility="public")
    judge = judged(entry).judge_spec.slug
    refresh_boards()
    page = part(page_at(client, address))
    none = dict.fromkeys(("open", "unreadable", "failed", "excluded"), "0")
    assert told(page) == kept | none | {"judged": "4"}
    progress = words(part(page, "progress"))
    assert "offline rules , a program that compares words 100 % of 4 judgements" in progress
    assert "Accuracy 75.00 (95 % interval 30.06 to 95.44)" in progress
    assert links(page) == {
        "My entries": "/submissions/",
        "Download": f"{address}file/",
        "offline rules": f"/judges/{judge}/",
        "The board →": f"/boards/spelling/?judge={judge}",
        "Scores and every verdict →": f"/entries/{entry.pk}/?judge={judge}",
        **{
            name: f"{address}verdicts.{kind}?judge={judge}"
            for name, kind in {"CSV": "csv", "JSON lines": "jsonl", "Parquet": "parquet"}.items()
        },
        "Make private": f"{address}visibility/?visibility=private",
        "Replace with a new version": f"{address}replace/",
        "Withdraw": f"{address}withdraw/",
    }


def test_how_much_is_done_is_never_more_than_it_is(submission):
    run = planned(submission)
    three = run.judgements.order_by("pk")[:3].values_list("pk", flat=True)
    overwrite(run.judgements.filter(pk__in=list(three)), state="judged", verdict="right")
    count = run.judgements.count()
    assert line_of(run)["counts"].percent_done == 100 * 3 // count


def test_a_judged_run_is_whole(submission):
    line = line_of(judged(submission))
    assert (line["counts"].percent_done, line["counts"].open, line["is_scored"]) == (100, 0, True)


def test_what_ended_without_a_verdict_is_told_by_reason_the_most_frequent_first(submission):
    run = judged(submission)
    rows = list(run.judgements.order_by("pk"))
    for row, reason in zip(rows, ("cut", "refused", "refused"), strict=False):
        found = Judgement.objects.filter(pk=row.pk)
        overwrite(found, state="failed", verdict="", reason=reason)
    assert line_of(run)["reasons"] == (("refused", 2), ("cut", 1))


def test_calls_are_estimated_only_before_it_is_confirmed(submission, owner, stranger):
    page = submission_page(submission, owner)
    assert (page["progress"]["state"], page["estimate"], page["calls_planned"]) == (
        "waiting",
        None,
        0,
    )
    assert page["is_owner"]
    assert not submission_page(submission, stranger)["is_owner"]


def test_the_pace_is_said_in_words():
    assert pace_sentence(RunPace(120.4, 90, 3)) == "120 a minute; about 90 s left."
    assert pace_sentence(RunPace(0.4, 5400, 0)) == "0.4 a minute; about 90 min left."
    assert "2 runs before it in the queue" in pace_sentence(RunPace(None, None, 2))
    assert "1 run before it" in pace_sentence(RunPace(None, None, 1))
    assert "it is next in the queue" in pace_sentence(RunPace(None, None, 0))


def test_the_end_is_the_score_and_the_place_once_there_is_one(submission):
    run = judged(submission)
    result = line_of(run)["result"]
    assert (result["place"], "being placed" in result["unplaced"]) == ("", True)
    refresh_boards()
    row = BoardRow.objects.get(sheet=run.scoresheet)
    result = line_of(run)["result"]
    if row.rank is None:
        assert "without a rank" in result["unplaced"]
    else:
        assert (result["place"], result["unplaced"]) == (f"{row.best}", "")
    BoardRow.objects.update(scored=None)
    assert "being placed" in line_of(run)["result"]["unplaced"]


def test_the_page_goes_on_looking_until_the_place_is_there(submission, owner, client):
    judged(submission)
    client.force_login(owner)
    path = f"/submissions/{submission.pk}/progress/"
    placing = client.get(path)
    assert "HX-Refresh" not in placing.headers
    assert 'data-look="10"' in placing.text
    assert "75.00 (95 % interval 30.06 to 95.44)</strong>" in placing.text
    refresh_boards()
    assert client.get(path)["HX-Refresh"] == "true"


def test_a_private_entry_is_not_said_to_be_placed(spelling, owner):
    run = judged(submit(spelling, owner, visibility="private"))
    assert line_of(run)["result"]["unplaced"].startswith("private, and on no board")


# --- polls ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["waiting", "judging", "paused", "failed", "scoring", "judged", "withdrawn"]
)
def test_a_look_at_the_progress_takes_three_queries_at_every_state(
    name, submission, owner, client, django_assert_max_num_queries
):
    """Session, account, and one for all the rest."""
    bring_to(name, submission)
    client.force_login(owner)
    address = reverse("submission-progress", args=[submission.pk])
    with django_assert_max_num_queries(3):
        page = client.get(address).text
    assert f'<span class="tag">{"judging" if name == "failed" else name}</span>' in page


def bring_to(name: str, submission: Submission) -> None:
    if name in ("scoring", "judged", "withdrawn"):
        judged(submission)
    elif name != "waiting":
        run = planned(submission)
        first = Judgement.objects.filter(pk=run.judgements.earliest("pk").pk)
        overwrite(first, state="judged", verdict="right", settled=database_now())
        if name == "failed":
            overwrite(first, state="failed", verdict="", reason="no reply")
        if name == "paused":
            pause_run_by_person(run=run, reason="A test wants it.")
    if name == "scoring":
        delete_linked(Scoresheet.objects.all())
    if name == "withdrawn":
        withdraw_submission(submission=submission)


def test_two_judges_are_one_look_and_nothing_of_one_is_told_of_the_other(
    submission, owner, client, django_assert_max_num_queries
):
    run = judged(submission)
    spec = find_spec(of=protocol("spelling"), name="openai:scribe@paid")
    other = request_run(submission=submission, spec=spec)
    plan_run(run_id=other.pk)
    keys = list(other.judgements.order_by("pk").values_list("pk", flat=True))
    overwrite(Judgement.objects.filter(pk=keys[0]), state="failed", reason="no reply")
    client.force_login(owner)
    with django_assert_max_num_queries(3):
        client.get(reverse("submission-progress", args=[submission.pk]))
    first, second = submission_page(submission, owner)["progress"]["runs"]
    assert (first["counts"].open, first["counts"].percent_done, first["reasons"]) == (0, 100, ())
    assert first["cost"] == RULES_ARE_FREE
    assert first["result"] is not None
    assert (second["counts"].open, second["counts"].failed) == (7, 1)
    assert second["reasons"] == (("no reply", 1),)
    assert (second["result"], second["cost"]) == (None, "Nothing spent so far.")
    assert run.pk < other.pk


def test_reasons_are_the_commonest_of_each_run_alone(submission):
    run = judged(submission)
    for row, reason in zip(run.judgements.order_by("pk"), "abcd", strict=True):
        overwrite(Judgement.objects.filter(pk=row.pk), state="failed", verdict="", reason=reason)
    assert line_of(run)["reasons"] == (("a", 1), ("b", 1), ("c", 1), ("d", 1))


def test_a_member_of_the_team_watches_in_three_queries_and_nobody_else_does(
    spelling, owner, stranger, client, django_assert_max_num_queries
):
    member = User.objects.create_user("mia")
    team = found_team(name="Team One", by=owner)
    Membership.objects.create(team=team, user=member)
    run = judged(submit(spelling, owner, team=team, visibility="private"))
    address = reverse("submission-progress", args=[run.submission_id])
    client.force_login(member)
    with django_assert_max_num_queries(3):
        assert client.get(address).status_code == 200
    Membership.objects.filter(user=owner).delete()
    for user in (stranger, owner):
        client.force_login(user)
        assert client.get(address).status_code == 404


def test_long_runs_are_looked_at_less_often(submission):
    line = line_of(planned(submission))
    seconds = {None: 2, 30: 2, 180: 3, 400: 6, 100_000: 10}
    assert {
        left: seconds_until_look([{**line, "pace": RunPace(1.0, left, 0)}]) for left in seconds
    } == seconds
