"""What happened to entries is told to the people whose they are: each thing once."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail, signing
from django.core.mail import EmailMessage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions.intake import replacing
from benchmarks.submissions.intake.replacing import version_number
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.services import withdraw_submission
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team, remove_member
from judging.coordination.clock import database_now
from judging.models import JudgeRun
from leaderboard.models import ChainLink
from leaderboard.models.notices import Notice, NoticeChoice, NoticeCursor
from leaderboard.operations.files.data_exports import SECTIONS
from leaderboard.people.notices import telling
from leaderboard.people.notices.choices import choose, mail_time
from leaderboard.people.notices.each_minute import tell_and_mail
from leaderboard.people.notices.telling import tell_people
from leaderboard.people.notices.unread import unread_count
from leaderboard.results.chain.links import link_waiting
from leaderboard.results.services import replace_entries, score_run
from tests.conftest import judged, submit
from tests.judging.services.test_review import planned
from tests.leaderboard.web.pages.shown_text import shown


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


MAIL = """Hello from The Site.

Speller on Spelling, 4 questions
Judged: Accuracy 75.00. It appears on its board within a minute or two.
https://site.example/submissions/{key}/

Questions? Write to people@site.example.
The Site, https://site.example/

You receive this because these emails are switched on for your account: Judging finished.
Unsubscribe without signing in: {stop}
Choose what you get by email, and when: https://site.example/notices/

"""


def test_a_judged_entry_is_told_and_mailed_once_and_its_mail_says_how_to_stop(
    followed, submission, owner, settings, client, monkeypatch, django_assert_max_num_queries
):
    settings.SITE_URL, settings.SITE_NAME = "https://site.example", "The Site"
    settings.CONTACT_EMAIL = "people@site.example"
    run = judged(submission)
    link_waiting()
    with monkeypatch.context() as patched:
        patched.setattr(EmailMessage, "send", lambda self: 0)  # the outbox has no room
        tell_and_mail()
    assert Notice.objects.get().mailed is None
    for _ in range(2):
        tell_and_mail()
    (sent,) = mail.outbox
    stop = sent.extra_headers["List-Unsubscribe"][1:-1]
    assert sent.to == ["rosa@example.org"]
    assert sent.subject == "[Assay] Speller on Spelling, 4 questions: judging finished"
    assert sent.body == MAIL.format(key=submission.pk, stop=stop)
    assert sent.extra_headers == {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    score_run(run=run)  # the same figures again
    assert told() == [("rosa", "finished")]
    NoticeCursor.objects.update(link=0)  # as by a worker that looks at the same twice
    assert told() == [("rosa", "finished")]
    with django_assert_max_num_queries(11):
        tell_people()
    path = stop.removeprefix("https://site.example")
    assert client.get(path).status_code == 200
    assert not NoticeChoice.objects.exists()  # a reader of links changes nothing
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    choice = NoticeChoice.objects.get()
    assert (choice.owner, choice.kind, choice.how) == (owner, "finished", "off")
    assert client.post(reverse("notices-unsubscribe", args=["bm90:ours"])).status_code == 404


def test_a_link_in_a_mail_of_long_ago_still_stops_mails(client, owner):
    key = signing.dumps([owner.pk, ["finished"]], salt="leaderboard.notices.unsubscribe")
    assert client.post(reverse("notices-unsubscribe", args=[key])).status_code == 200
    assert NoticeChoice.objects.get().how == "off"


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


def pause(run: JudgeRun, ago: timedelta) -> None:
    paused = database_now() - ago
    rows = JudgeRun.objects.filter(pk=run.pk)
    rows.update(paused=paused, pause_kind="endpoint", pause_reason="secret of an endpoint")


def test_a_run_that_comes_and_goes_is_one_notice_an_hour_with_its_count(
    followed, submission, spelling, owner
):
    run = planned(submission)
    for number in (3, 2, 1):
        pause(run, timedelta(minutes=number))
        assert told() == told() == [("rosa", "paused")]
    notice = Notice.objects.get()
    assert notice.times == 3
    assert notice.sentence.startswith(f"Judging was paused 3 times since {notice.created:%H:%M}")
    assert "reopened it" in notice.sentence
    tell_and_mail()
    assert len(mail.outbox) == 1
    other = planned(submit(spelling, owner, name="Other"))
    for number in (3, 2):
        pause(other, timedelta(minutes=number))
        tell_and_mail()
    assert list(Notice.objects.order_by("pk").values_list("times", flat=True)) == [3, 2]
    Notice.objects.filter(pk=notice.pk).update(created=notice.created - telling.FLAPPING)
    pause(run, timedelta(seconds=30))
    assert told() == [("rosa", "paused")] * 3
    tell_and_mail()
    assert len(mail.outbox) == 3
    assert not Notice.objects.filter(sentence__contains="secret").exists()


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


def test_a_private_entry_is_not_said_to_come_on_a_board_or_to_have_a_page(
    followed, spelling, owner
):
    judged(private := submit(spelling, owner, visibility="private"))
    told()
    replaced(private)
    told()
    found = Notice.objects.filter(submission=private).values_list("kind", "sentence")
    assert dict(found) == {
        "finished": "Judged: Accuracy 75.00. It is private: nobody else sees it until you "
        "publish it.",
        "replaced": "It was replaced by version 2, which is judged and public. Nobody else saw "
        "this one, and no page mentions it.",
    }


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


def test_withdrawals_and_decisions_of_staff_are_told_and_daily_notices_are_one_mail(
    followed, submission, stranger
):
    choose(owner=submission.owner, how_by_kind={"decided": "daily"})
    RankingDecision.objects.create(
        submission=submission, is_ranked=False, reason="Copied.", decided_by=stranger
    )
    withdraw_submission(submission=submission)
    assert told() == [("rosa", "decided")] * 2
    first, second = Notice.objects.order_by("pk")
    assert first.sentence == "Staff excluded it from ranking: Copied."
    assert "was withdrawn" in second.sentence
    tell_and_mail()
    assert mail.outbox == []
    Notice.objects.update(mail_at=timezone.now())
    tell_and_mail()
    (sent,) = mail.outbox
    assert sent.subject == "[Assay] 2 notices about your entries"
    assert sent.body.count(f"/submissions/{submission.pk}/") == 2


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
    assert b"Judged:" in client.get(reverse("notices")).content
    assert unread_count(stranger) == "1"

    remove_member(team=team, user_id=stranger.pk)
    assert b"Judged:" not in client.get(reverse("notices")).content
    assert unread_count(stranger) == ""
    assert list(SECTIONS["notices"](stranger)) == []
    Notice.objects.filter(owner=stranger).update(mail_at=timezone.now() - timedelta(hours=1))
    tell_and_mail()
    assert all("s@x.example" not in one.to for one in mail.outbox)
    assert Notice.objects.get(owner=stranger).mail_at is None


# --- mail -----------------------------------------------------------------------------------------


def test_nobody_without_a_confirmed_address_is_mailed_nor_what_is_off(
    followed, spelling, submission, owner, stranger
):
    EmailAddress.objects.filter(user=owner).update(verified=False)
    choose(owner=stranger, how_by_kind={"finished": NoticeChoice.How.OFF.value})
    judged(submission)
    judged(submit(spelling, stranger, name="Other"))
    link_waiting()
    tell_and_mail()
    assert mail.outbox == []
    assert list(Notice.objects.values_list("mail_at", flat=True)) == [None, None]


def test_mails_go_to_the_address_that_was_chosen_of_several(followed, submission, owner):
    EmailAddress.objects.filter(user=owner).update(primary=False)
    EmailAddress.objects.create(user=owner, email="new@x.example", verified=True, primary=True)
    judged(submission)
    link_waiting()
    tell_and_mail()
    assert [one.to for one in mail.outbox] == [["new@x.example"]]


def test_daily_mails_come_in_the_morning():
    early = datetime(2026, 3, 1, 6, 59, tzinfo=UTC)
    late = datetime(2026, 3, 1, 7, 0, tzinfo=UTC)
    assert mail_time("daily", early) == late
    assert mail_time("daily", late) == late + timedelta(days=1)
    assert mail_time("instant", early) == early
    assert mail_time("off", early) is None


# --- pages ----------------------------------------------------------------------------------------


def finished(owner: User, numbers: Iterable[int]) -> None:
    made = [
        Notice(owner=owner, kind="finished", key=str(i), title=f"<{i}>", sentence="x")
        for i in numbers
    ]
    Notice.objects.bulk_create(made)


def test_notices_are_read_by_their_owner_alone_until_they_are_marked(
    followed, spelling, submission, owner, stranger, client
):
    judged(submission)
    judged(submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="<b>Other</b>"))
    told()
    first, second = Notice.objects.order_by("pk")
    client.force_login(stranger)
    assert "Speller" not in client.get(reverse("notices")).text
    client.post(reverse("notices-read"), {"id": first.pk})
    client.force_login(owner)
    page = client.get(reverse("notices"))
    assert "<b>Other" not in page.text
    words = shown(client, reverse("notices"))
    assert "your reports; 2 unread. Mark all as read" in words
    moment = f"{first.created:%Y-%m-%d %H:%M} UTC"
    lines = (
        f"Judging finished unread {moment} {each.title} {each.sentence} Mark as read : {each.title}"
        for each in (second, first)
    )
    assert " ".join(lines) in words
    assert page.text.count(f'href="/submissions/{second.submission_id}/"') == 1
    client.post(reverse("notices-read"), {"id": first.pk})
    words = shown(client, reverse("notices"))
    assert "; 1 unread." in words
    assert f"Judging finished {moment} {first.title} {first.sentence} Mails" in words
    client.post(reverse("notices-read"), {"upto": second.pk})
    assert "unread" not in client.get(reverse("notices")).text


def test_notices_are_turned_page_by_page_with_a_few_queries(
    client, owner, django_assert_max_num_queries
):
    finished(owner, range(70))
    client.force_login(owner)
    titles, before = [], ""
    for _ in range(3):
        with django_assert_max_num_queries(6):
            page = client.get(reverse("notices"), {"before": before}).text
        titles += re.findall(r"<h2><a [^>]*>&lt;(\d+)&gt;", page)
        before = "".join(re.findall(r"\?before=(\d+)", page))
    assert titles == [str(number) for number in reversed(range(70))]
    assert before == ""
    for odd in ("x", "-1", "9" * 400, "٣", "1"):
        assert client.get(reverse("notices"), {"before": odd}).status_code == 200, odd


def test_choices_of_the_form_are_kept(client, owner):
    client.force_login(owner)
    said = dict.fromkeys(Notice.Kind.values, "daily")
    assert client.post(reverse("notices-choose"), said).status_code == 302
    assert set(NoticeChoice.objects.values_list("kind", "how")) == set(said.items())
    bad = client.post(reverse("notices-choose"), said | {"finished": "weekly"})
    assert bad.status_code == 422


# --- in the navigation ----------------------------------------------------------------------------


def unread_asked(queries) -> list[str]:
    asked = (query["sql"] for query in queries.captured_queries)
    return [sql for sql in asked if '"leaderboard_notice"' in sql]


def test_every_page_of_a_person_says_how_many_are_unread_by_one_query(client, owner, stranger):
    finished(owner, range(3))
    with CaptureQueriesContext(connection) as queries:
        assert "Notices" not in client.get(reverse("home")).text
    assert unread_asked(queries) == []
    client.force_login(stranger)
    assert 'class="count"' not in client.get(reverse("home")).text
    client.force_login(owner)
    for page in ("home", "my-entries", "submit", "status"):
        with CaptureQueriesContext(connection) as queries:
            text = client.get(reverse(page)).text
        assert re.search(r'Account <span class="count">3<span class="sr"> unread</span>', text)
        assert len(unread_asked(queries)) == 1
    Notice.objects.update(read=timezone.now())
    assert 'class="count"' not in client.get(reverse("home")).text
    finished(owner, range(3, 153))
    with CaptureQueriesContext(connection) as queries:
        assert '<span class="count">99+' in client.get(reverse("home")).text
    (asked,) = unread_asked(queries)
    assert asked.endswith("LIMIT 100")
