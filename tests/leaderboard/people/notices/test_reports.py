"""Whoever reported a question is told what became of it, by a notice and as they wish by mail."""

import io

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from benchmarks.models import Question, QuestionReport
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.services.label_doubts import dismiss_doubt
from benchmarks.services.question_reports import answer_report, report_question
from leaderboard.models.notices import Notice, NoticeCursor
from leaderboard.people.notices.each_minute import tell_and_mail
from leaderboard.people.notices.telling import tell_people


@pytest.fixture
def question(db) -> Question:
    import_release(protocol=protocol("spelling"), stream=io.BytesIO(b"1|two|two\n"), slug="s-1")
    return Question.objects.get()


@pytest.fixture
def reader(db) -> User:
    made = User.objects.create_user("reader", "reader@a.example")
    EmailAddress.objects.create(user=made, email=made.email, verified=True, primary=True)
    return made


@pytest.fixture
def rev(db) -> User:
    return User.objects.create_user("rev", "rev@a.example")


@pytest.fixture
def report(question, reader) -> QuestionReport:
    tell_people()  # the site was looked at before
    return report_question(question=question, reporter=reader, category="other", text="Hm.")


def test_an_answer_is_told_once_on_the_page_and_by_mail(report, reader, rev):
    answer_report(report=report, state="confirmed", answer="You are right.", by=rev)
    tell_and_mail()
    tell_and_mail()
    (letter,) = mail.outbox
    assert letter.to == ["reader@a.example"]
    assert "Staff checked it and agree that something is wrong. You are right." in letter.body
    assert f"/questions/{report.question_id}/#reports" in letter.body
    visitor = Client()
    visitor.force_login(reader)
    assert "You are right." in visitor.get("/notices/").content.decode()


def test_a_label_that_is_right_is_told_with_the_reason(report, rev):
    dismiss_doubt(question=report.question, by=rev, answer="There are two.")
    tell_people()
    (notice,) = Notice.objects.all()
    assert notice.sentence == "Staff checked it and found no problem. There are two."


def test_another_answer_is_told_and_an_opened_report_is_not(report, rev):
    answer_report(report=report, state="not a problem", answer="No.", by=rev)
    tell_people()
    answer_report(report=report, state="open", answer="", by=rev, why="Too fast.")
    tell_people()
    assert Notice.objects.count() == 1
    answer_report(report=report, state="confirmed", answer="Yes.", by=rev)
    tell_people()
    assert [row.sentence[-4:] for row in Notice.objects.order_by("pk")] == [" No.", "Yes."]


def test_nobody_is_told_of_their_own_answer_nor_of_those_before_the_first_look(report, reader, rev):
    answer_report(report=report, state="not a problem", answer="My mistake.", by=reader)
    tell_people()
    User.objects.filter(pk=reader.pk).update(is_active=False)
    QuestionReport.objects.update(answered_by=None)
    tell_people()  # nor a closed account
    User.objects.filter(pk=reader.pk).update(is_active=True)
    answer_report(report=report, state="confirmed", answer="Yes.", by=rev)
    NoticeCursor.objects.update(answered=None)  # as on a site that was upgraded
    tell_people()
    assert not Notice.objects.exists()
