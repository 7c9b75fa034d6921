"""What happened to entries is told to the people whose they are: each thing once."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions import replacing
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.replacing import version_number
from benchmarks.submissions.services import withdraw_submission
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team, remove_member
from judging.clock import database_now
from judging.models import JudgeRun
from leaderboard.chain.links import link_waiting
from leaderboard.models import ChainLink
from leaderboard.notice_models import Notice, NoticeChoice, NoticeCursor
from leaderboard.notices import telling
from leaderboard.notices.choices import choose, mail_time
from leaderboard.notices.each_minute import tell_and_mail
from leaderboard.notices.telling import tell_people
from leaderboard.notices.unread import unread_count
from leaderboard.operations.data_exports import SECTIONS
from leaderboard.services import replace_entries, score_run
from tests.conftest import judged, submit
from tests.judging.services.test_review import planned


@pytest.fixture
def followed(db):
    """The site was looked at before: what comes now is told."""
    tell_people()


def told() -> list[tuple[str, str]]:
    link_waiting()
    tell_people()
    rows = Notice.objects.order_by("pk").values_list("owner__username", "kind")
    return list(rows)


def test_the_first_look_tells_nothing_of_before(submission):
    judged(submission)
    assert told() == []
    assert told() == []


def test_a_judged_entry_is_told_once_with_its_score(followed, submission):
    run = judged(submission)
    assert told() == [("rosa", "finished")]
    notice = Notice.objects.get()
    assert "Accuracy 75.00" in notice.sentence or "100.00" in notice.sentence
    assert "placed on its board" in notice.sentence
    score_run(run=run)  # the same figures again
    assert told() == [("rosa", "finished")]


def test_a_worker_that_looks_twice_at_the_same_tells_it_once(followed, submission):
    judged(submission)
    told()
    NoticeCursor.objects.update(link=0)
    assert told() == [("rosa", "finished")]


def test_a_private_entry_is_not_said_to_come_on_a_board(followed, spelling, owner):
    judged(submit(spelling, owner, visibility="private"))
    told()
    assert "It is private" in Notice.objects.get().sentence


def test_another_score_of_the_same_judge_is_told(followed, submission):
    run = judged(submission)
    told()
    sheet = run.scoresheet
    link = ChainLink.objects.get(submission=submission.pk, kind="scoresheet")
    other = link.content.replace(f'"ranking":{sheet.ranking}', '"ranking":0.25')
    assert other != link.content
    ChainLink.objects.create(
        kind="scoresheet", submission=submission.pk, judge=link.judge, content=other
    )
    assert told() == [("rosa", "finished"), ("rosa", "rejudged")]
    assert "25.00" in Notice.objects.last().sentence


def test_a_pause_is_told_once_each_time(followed, submission):
    run = planned(submission)
    JudgeRun.objects.filter(pk=run.pk).update(
        paused=timezone.now(), pause_kind="budget", pause_reason="secret of an endpoint"
    )
    assert told() == told() == [("rosa", "paused")]
    assert "midnight UTC" in Notice.objects.get().sentence
    assert "secret" not in Notice.objects.get().sentence


def pause(run: JudgeRun, ago: timedelta) -> None:
    paused = database_now() - ago
    JudgeRun.objects.filter(pk=run.pk).update(paused=paused, pause_kind="endpoint")


def test_a_run_that_comes_and_goes_is_one_notice_an_hour_with_its_count(followed, submission):
    run = planned(submission)
    for number in (3, 2, 1):
        pause(run, timedelta(minutes=number))
        assert told() == told() == [("rosa", "paused")]
    notice = Notice.objects.get()
    assert notice.times == 3
    assert notice.sentence.startswith(f"Judging was paused 3 times since {notice.created:%H:%M}")
    assert "opened it again" in notice.sentence
    tell_and_mail()
    assert len(mail.outbox) == 1
    Notice.objects.update(created=notice.created - telling.FLAPPING)
    pause(run, timedelta(seconds=30))
    assert told() == [("rosa", "paused")] * 2
    tell_and_mail()
    assert len(mail.outbox) == 2


def test_the_pause_of_another_run_is_counted_with_nobodys(followed, spelling, owner, submission):
    other = planned(submit(spelling, owner, name="Other"))
    for number, run in ((3, planned(submission)), (2, other), (1, other)):
        pause(run, timedelta(minutes=number))
        told()
    assert list(Notice.objects.order_by("pk").values_list("times", flat=True)) == [1, 2]


def replaced(submission: Submission, **more) -> Submission:
    newer = submit(
        submission.release, submission.owner, b"1=two\n2=x\n3=night\n4=sea\n", replaces=submission
    )
    judged(newer)
    assert replace_entries() == 1
    return newer


def test_a_replaced_entry_is_told_as_that_and_not_as_withdrawn(followed, submission):
    choose(owner=submission.owner, how_by_kind={"replaced": "instant", "finished": "off"})
    judged(submission)
    third = replaced(replaced(submission))
    assert told().count(("rosa", "replaced")) == 2
    assert not Notice.objects.filter(kind="decided").exists()
    first, second = Notice.objects.filter(kind="replaced").order_by("pk")
    assert (first.submission, second.submission.replaced_by) == (submission, third)
    assert first.sentence.startswith("It was replaced by version 2, which is judged and public")
    assert second.sentence.startswith("It was replaced by version 3, ")
    tell_and_mail()
    (sent,) = mail.outbox
    assert "replaced by version 2" in sent.body
    assert "withdrawn" not in sent.body


def test_a_replaced_entry_that_nobody_saw_is_not_said_to_have_a_page(followed, spelling, owner):
    judged(private := submit(spelling, owner, visibility="private"))
    replaced(private)
    told()
    assert "no page tells of it" in Notice.objects.get(kind="replaced").sentence


def test_very_many_versions_are_not_counted_to_their_end(submission, monkeypatch):
    judged(submission)
    newer = replaced(submission)
    assert (version_number(submission.pk), version_number(newer.pk)) == (1, 2)
    monkeypatch.setattr(replacing, "MOST_VERSIONS", 1)
    assert version_number(newer.pk) is None


def test_a_file_that_waits_for_a_day_needs_its_owner(followed, spelling, owner):
    now = timezone.now()
    waiting = submit(spelling, owner, confirm=False, visibility="private")
    assert told() == []
    old = Submission.objects.filter(pk=waiting.pk)
    old.update(created=now - telling.REMIND_AFTER - timedelta(minutes=1))
    assert told() == told() == [("rosa", "needs-you")]


def test_withdrawals_and_decisions_of_staff_are_told(followed, submission, stranger):
    RankingDecision.objects.create(
        submission=submission, is_ranked=False, reason="Copied.", decided_by=stranger
    )
    withdraw_submission(submission=submission)
    assert told() == [("rosa", "decided")] * 2
    first, second = Notice.objects.order_by("pk")
    assert first.sentence == "Staff keep it out of the ranks: Copied."
    assert "was withdrawn" in second.sentence


def test_every_active_member_of_a_team_is_told_and_nobody_else(followed, spelling, owner, stranger):
    gone = User.objects.create_user("gone", is_active=False)
    User.objects.create_user("nobody")
    team = found_team(name="Team One", by=owner)
    for user in (stranger, gone):
        Membership.objects.create(team=team, user=user)
    judged(submit(spelling, owner, team=team))
    assert sorted(told()) == [("rosa", "finished"), ("sam", "finished")]


def test_who_left_a_team_reads_no_more_of_its_entries(
    followed, spelling, owner, stranger, client, settings
):
    """What was told before stands on no page of theirs, and what waits is not mailed."""
    team = found_team(name="Lab", by=owner)
    Membership.objects.create(team=team, user=stranger)
    choose(owner=stranger, how_by_kind={"finished": "daily"})
    judged(submit(spelling, owner, visibility="private", team=team))
    assert len(told()) == 2
    client.force_login(stranger)
    assert b"It is judged" in client.get(reverse("notices")).content
    assert unread_count(stranger) == "1"

    remove_member(team=team, user_id=stranger.pk)
    assert b"It is judged" not in client.get(reverse("notices")).content
    assert unread_count(stranger) == ""
    assert list(SECTIONS["notices"](stranger)) == []
    Notice.objects.filter(owner=stranger).update(mail_at=timezone.now() - timedelta(hours=1))
    tell_and_mail()
    assert all("s@x.example" not in one.to for one in mail.outbox)
    assert Notice.objects.get(owner=stranger).mail_at is None


def test_what_a_look_costs_does_not_grow_with_what_was_told(
    followed, submission, django_assert_max_num_queries
):
    judged(submission)
    told()
    with django_assert_max_num_queries(11):
        tell_people()


# --- mail -----------------------------------------------------------------------------------------


def test_a_mail_is_sent_once_and_says_how_to_stop(followed, submission, settings):
    settings.SITE_URL, settings.SITE_NAME = "https://site.example", "The Site"
    settings.CONTACT_EMAIL = "people@site.example"
    judged(submission)
    link_waiting()
    tell_and_mail()
    tell_and_mail()
    (sent,) = mail.outbox
    assert sent.to == ["rosa@example.org"]
    assert f"https://site.example/submissions/{submission.pk}/" in sent.body
    assert "The Site" in sent.body
    assert "people@site.example" in sent.body
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert sent.extra_headers["List-Unsubscribe"].startswith("<https://site.example/notices/stop/")


def test_nobody_without_a_confirmed_address_is_mailed(followed, submission, owner):
    EmailAddress.objects.filter(user=owner).update(verified=False)
    judged(submission)
    link_waiting()
    tell_and_mail()
    assert mail.outbox == []
    assert Notice.objects.get().mail_at is None


def test_an_outbox_without_room_loses_no_notice(followed, submission, monkeypatch):
    judged(submission)
    link_waiting()
    with monkeypatch.context() as patched:
        patched.setattr(EmailMessage, "send", lambda self: 0)
        tell_and_mail()
    assert Notice.objects.get().mailed is None
    tell_and_mail()
    assert len(mail.outbox) == 1


def test_what_is_off_is_not_mailed_and_stands_on_the_page(followed, submission, owner):
    choose(owner=owner, how_by_kind={"finished": NoticeChoice.How.OFF.value})
    judged(submission)
    link_waiting()
    tell_and_mail()
    assert mail.outbox == []
    assert Notice.objects.count() == 1


def test_daily_mails_come_in_the_morning():
    early = datetime(2026, 3, 1, 6, 59, tzinfo=UTC)
    late = datetime(2026, 3, 1, 7, 0, tzinfo=UTC)
    assert mail_time("daily", early) == late
    assert mail_time("daily", late) == late + timedelta(days=1)
    assert mail_time("instant", early) == early
    assert mail_time("off", early) is None


def test_daily_notices_of_a_person_are_one_mail(followed, submission, owner):
    choose(owner=owner, how_by_kind={"finished": "daily", "decided": "daily"})
    judged(submission)
    told()
    withdraw_submission(submission=submission)
    link_waiting()
    tell_and_mail()
    assert mail.outbox == []
    Notice.objects.update(mail_at=timezone.now())
    tell_and_mail()
    (sent,) = mail.outbox
    assert "2 notices" in sent.subject
    assert sent.body.count(f"/submissions/{submission.pk}/") == 2


# --- pages ----------------------------------------------------------------------------------------


def test_one_click_stops_the_mails_of_its_kind_without_signing_in(
    followed, submission, owner, client
):
    judged(submission)
    link_waiting()
    tell_and_mail()
    header = mail.outbox[0].extra_headers["List-Unsubscribe"]
    found = re.fullmatch(r"<https?://[^/]+(/.*)>", header)
    assert found
    path = found[1]
    assert client.get(path).status_code == 200
    assert not NoticeChoice.objects.exists()  # a reader of links changes nothing
    done = client.post(path, {"List-Unsubscribe": "One-Click"})
    assert done.status_code == 200
    choice = NoticeChoice.objects.get()
    assert (choice.owner, choice.kind, choice.how) == (owner, "finished", "off")


def test_a_link_of_nobody_stops_nothing(client, db):
    address = reverse("notices-unsubscribe", args=["bm90:ours"])
    assert client.post(address).status_code == 404


def test_notices_are_of_their_owner_and_marked_as_read(
    followed, submission, owner, stranger, client
):
    judged(submission)
    told()
    client.force_login(stranger)
    assert "Speller" not in client.get(reverse("notices")).text
    client.post(reverse("notices-read"), {"id": Notice.objects.get().pk})
    assert Notice.objects.get().read is None
    client.force_login(owner)
    page = client.get(reverse("notices")).text
    assert "Speller" in page
    assert "1 unread" in page
    newest = Notice.objects.get().pk
    client.post(reverse("notices-read"), {"upto": newest})
    assert "unread" not in client.get(reverse("notices")).text


@pytest.mark.parametrize("before", ["", "x", "-1", "9" * 400, "٣", "1"])
def test_any_page_of_notices_can_be_asked_for(client, owner, before):
    client.force_login(owner)
    assert client.get(reverse("notices"), {"before": before}).status_code == 200


def test_notices_are_turned_page_by_page_with_a_few_queries(
    client, owner, django_assert_max_num_queries
):
    made = [
        Notice(owner=owner, kind="finished", key=str(i), title=f"<{i}>", sentence="x")
        for i in range(120)
    ]
    Notice.objects.bulk_create(made)
    client.force_login(owner)
    with django_assert_max_num_queries(6):
        page = client.get(reverse("notices")).text
    assert "99+ unread" in page
    assert "&lt;119&gt;" in page
    older = re.search(r"\?before=(\d+)", page)
    assert older
    assert "&lt;89&gt;" in client.get(reverse("notices"), {"before": older[1]}).text


def test_choices_of_the_form_are_kept(client, owner):
    client.force_login(owner)
    said = dict.fromkeys(Notice.Kind.values, "daily")
    assert client.post(reverse("notices-choose"), said).status_code == 302
    assert set(NoticeChoice.objects.values_list("kind", "how")) == set(said.items())
    bad = client.post(reverse("notices-choose"), said | {"finished": "weekly"})
    assert bad.status_code == 422


# --- in the navigation ----------------------------------------------------------------------------


def unread_asked(queries) -> int:
    return sum('"leaderboard_notice"' in query["sql"] for query in queries)


@pytest.mark.parametrize("page", ["home", "my-entries", "submit", "status"])
def test_every_page_of_a_person_says_how_many_are_unread_by_one_query(page, client, owner):
    made = [Notice(owner=owner, kind="finished", key=str(i), title="t") for i in range(3)]
    Notice.objects.bulk_create(made)
    client.force_login(owner)
    with CaptureQueriesContext(connection) as queries:
        shown = client.get(reverse(page)).text
    assert re.search(r'Notices <span class="count">3<span class="sr"> unread</span>', shown)
    assert unread_asked(queries.captured_queries) == 1
    Notice.objects.update(read=timezone.now())
    assert 'class="count"' not in client.get(reverse(page)).text


def test_nobody_reads_of_anothers_notices_and_visitors_ask_for_none(client, owner, stranger):
    Notice.objects.create(owner=owner, kind="finished", key="1", title="t")
    with CaptureQueriesContext(connection) as queries:
        assert "Notices" not in client.get(reverse("home")).text
    assert unread_asked(queries.captured_queries) == 0
    client.force_login(stranger)
    assert 'class="count"' not in client.get(reverse("home")).text


def test_more_than_a_hundred_unread_are_not_counted(client, owner):
    made = [Notice(owner=owner, kind="finished", key=str(i), title="t") for i in range(150)]
    Notice.objects.bulk_create(made)
    client.force_login(owner)
    with CaptureQueriesContext(connection) as queries:
        assert '<span class="count">99+' in client.get(reverse("home")).text
    (asked,) = [q["sql"] for q in queries if '"leaderboard_notice"' in q["sql"]]
    assert asked.endswith("LIMIT 100")
