"""What people say is wrong with a question: sent once, answered by staff, shown once confirmed."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User

from benchmarks.models import Question, QuestionReport
from benchmarks.services.question_reports import (
    MOST_A_DAY,
    MOST_CHARACTERS,
    ReportRefusedError,
    answer_report,
    report_question,
)
from leaderboard.editions import refresh_boards
from tests.api_clients import session_client
from tests.conftest import import_words, judged

REPORT = {"category": "reference", "text": "The picture shows three, not two."}


@pytest.fixture
def asked(spelling) -> Question:
    return Question.objects.get(public_id="1")


@pytest.fixture
def reporter(owner):
    return session_client(owner)


@pytest.fixture
def reviewer(db) -> User:
    import_module("benchmarks.migrations.0012_who_answers_reports").grant(apps, None)
    user = User.objects.create_user("vera", "vera@example.org", is_staff=True)
    user.groups.add(Group.objects.get(name="reviewers"))
    return user


def address(asked: Question) -> str:
    return f"/questions/{asked.pk}/report/"


def page_of(client, asked: Question) -> str:
    return str(client.get(f"/questions/{asked.pk}/").content.decode())


def confirmed(asked: Question, reporter: User, by: User) -> QuestionReport:
    report = report_question(question=asked, reporter=reporter, **REPORT)
    answer_report(report=report, state="confirmed", answer="You are right.", by=by)
    return report


def test_the_question_leads_to_the_form_and_visitors_sign_in_first(client, reporter, asked):
    assert f'href="{address(asked)}"' in page_of(client, asked)
    response = client.get(address(asked))
    assert response.status_code == 302
    assert response["Location"].endswith(f"next={address(asked)}")
    assert reporter.get(address(asked)).status_code == 200


def test_a_report_is_kept_and_its_writer_is_told_so(reporter, owner, asked):
    response = reporter.post(address(asked), REPORT, follow=True)
    assert "Thank you. Staff look at your report" in response.content.decode()
    report = QuestionReport.objects.get()
    assert (report.question, report.reporter, report.state) == (asked, owner, "open")
    assert (report.category, report.text) == (REPORT["category"], REPORT["text"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"category": "nonsense"},
        {"category": ""},
        {"text": " "},
        {"text": "x" * (MOST_CHARACTERS + 1)},
        {"text": "a\x00b"},
    ],
)
def test_a_report_that_is_not_whole_is_refused(reporter, asked, wrong):
    response = reporter.post(address(asked), {**REPORT, **wrong})
    assert response.status_code == 422
    assert "Nothing was saved." in response.content.decode()
    assert not QuestionReport.objects.exists()


def test_a_second_open_report_of_one_person_is_refused_and_its_text_kept(reporter, asked):
    reporter.post(address(asked), REPORT)
    response = reporter.post(address(asked), {**REPORT, "text": "Once more."})
    assert response.status_code == 422
    assert "You have reported this question already" in response.content.decode()
    assert "Once more." in response.content.decode()
    assert QuestionReport.objects.count() == 1


def test_an_answered_report_makes_room_for_another(reporter, owner, stranger, asked):
    confirmed(asked, owner, stranger)
    assert reporter.post(address(asked), REPORT).status_code == 302


def test_reports_of_a_person_are_limited_by_day(owner, stranger):
    release = import_words(range(MOST_A_DAY + 2))
    questions = list(release.questions.all())
    for question in questions[:MOST_A_DAY]:
        report_question(question=question, reporter=owner, **REPORT)
    with pytest.raises(ReportRefusedError, match="within 24 hours"):
        report_question(question=questions[-1], reporter=owner, **REPORT)
    report_question(question=questions[-1], reporter=stranger, **REPORT)
    first = QuestionReport.objects.filter(reporter=owner).earliest("created")
    first.created -= timedelta(hours=25)
    first.save()
    report_question(question=questions[-1], reporter=owner, **REPORT)


def test_an_open_report_is_not_public(client, reporter, asked):
    reporter.post(address(asked), REPORT)
    assert REPORT["text"] not in page_of(client, asked)
    assert "No problem with this question has been confirmed." in page_of(client, asked)


def test_a_report_that_is_no_problem_is_not_public(client, owner, stranger, asked):
    report = report_question(question=asked, reporter=owner, **REPORT)
    answer_report(report=report, state="not a problem", answer="There are two.", by=stranger)
    page = page_of(client, asked)
    assert REPORT["text"] not in page
    assert "There are two." not in page


def test_a_confirmed_report_is_shown_and_counted_without_its_writer(
    client, owner, stranger, asked, submission
):
    confirmed(asked, owner, stranger)
    page = page_of(client, asked)
    assert REPORT["text"] in page
    assert "You are right." in page
    assert "1 confirmed report" in page
    assert owner.username not in page.partition('id="reports"')[2]
    judged(submission)
    refresh_boards()
    listed = client.get("/boards/spelling/questions/").content.decode()
    assert "1 problem of its questions is confirmed." in listed
    assert "1 confirmed problem</span>" in listed


def test_what_a_report_says_is_not_markup(client, owner, stranger, asked):
    report = report_question(
        question=asked, reporter=owner, category="other", text="<script>alert(1)</script>"
    )
    answer_report(report=report, state="confirmed", answer="<b>Yes</b>", by=stranger)
    page = page_of(client, asked)
    assert "<script>alert" not in page
    assert "<b>Yes</b>" not in page


# --- staff ----------------------------------------------------------------------------------------


def change_address(report: QuestionReport) -> str:
    return f"/admin/benchmarks/questionreport/{report.pk}/change/"


def test_a_reviewer_answers_a_report_in_the_admin(reviewer, owner, asked):
    report = report_question(question=asked, reporter=owner, **REPORT)
    client = session_client(reviewer)
    assert REPORT["text"] in client.get(change_address(report)).content.decode()
    data = {"state": "confirmed", "answer": "You are right."}
    assert client.post(change_address(report), data).status_code == 302
    report.refresh_from_db()
    assert (report.state, report.answer, report.answered_by) == (*data.values(), reviewer)
    assert report.answered is not None
    assert report.text == REPORT["text"]


def test_a_report_does_not_end_without_an_answer(reviewer, owner, asked):
    report = report_question(question=asked, reporter=owner, **REPORT)
    response = session_client(reviewer).post(
        change_address(report), {"state": "confirmed", "answer": ""}
    )
    assert "A report ends with an answer." in response.content.decode()
    report.refresh_from_db()
    assert report.state == "open"


def test_a_report_is_opened_again_unless_another_one_is(reviewer, owner, asked):
    report = confirmed(asked, owner, reviewer)
    client = session_client(reviewer)
    again = {"state": "open", "why": "The picture was replaced."}
    assert client.post(change_address(report), again).status_code == 302
    report.refresh_from_db()
    assert (report.state, report.answer, report.answered) == ("open", "", None)
    answer_report(report=report, state="confirmed", answer="Yes.", by=reviewer)
    report_question(question=asked, reporter=owner, **REPORT)
    response = client.post(change_address(report), again)
    assert "Its writer has another open report" in response.content.decode()


def test_no_report_is_opened_again_without_a_reason(reviewer, owner, asked):
    report = confirmed(asked, owner, reviewer)
    response = session_client(reviewer).post(change_address(report), {"state": "open"})
    assert "A report that is opened again says why." in response.content.decode()
    report.refresh_from_db()
    assert report.state == "confirmed"


def test_staff_see_every_change_of_a_report_with_who_and_why(reviewer, owner, asked):
    report = confirmed(asked, owner, reviewer)
    client = session_client(reviewer)
    again = {"state": "open", "why": "The <picture> was replaced."}
    client.post(change_address(report), again)
    client.post(change_address(report), {"state": "not a problem", "answer": "It fits now."})
    client.post(change_address(report), {"state": "not a problem", "answer": "It fits now."})
    found = [(c.state, c.by, c.why) for c in report.changes.all()]
    assert found == [
        ("confirmed", reviewer, ""),
        ("open", reviewer, again["why"]),
        ("not a problem", reviewer, ""),
    ]
    page = client.get(change_address(report)).content.decode()
    assert "The &lt;picture&gt; was replaced." in page
    assert page.index("It fits now.") < page.index("The &lt;picture&gt;")
    assert page.count(f"UTC, {reviewer.get_username()}: <b>") == 3


def test_an_answer_of_before_changes_were_kept_is_among_them(reviewer, owner, asked):
    report = confirmed(asked, owner, reviewer)
    report.changes.all().delete()
    answer_report(report=report, state="open", answer="", by=owner, why="Looked at again.")
    assert [(c.state, c.by) for c in report.changes.all()] == [
        ("confirmed", reviewer),
        ("open", owner),
    ]


def test_annotators_look_at_reports_and_do_not_answer_them(reviewer, owner, asked):
    report = report_question(question=asked, reporter=owner, **REPORT)
    reviewer.groups.set([Group.objects.get(name="annotators")])
    client = session_client(User.objects.get(pk=reviewer.pk))
    assert client.get(change_address(report)).status_code == 200
    answer = {"state": "confirmed", "answer": "Yes."}
    assert client.post(change_address(report), answer).status_code == 403


def test_an_answer_sent_after_the_sign_in_ended_is_in_the_form_behind_the_next(
    asked, owner, reviewer
):
    report = report_question(question=asked, reporter=owner, **REPORT)
    where, browser = change_address(report), session_client(reviewer)
    page = browser.get(where).content.decode()
    ticket = page.partition('name="ticket" value="')[2].partition('"')[0]
    sent = {"state": "not a problem", "answer": "I <b>counted</b> three.", "ticket": ticket}
    browser.logout()
    assert browser.post(where, sent)["Location"] == f"/admin/login/?next={where}"
    browser.force_login(reviewer)
    page = browser.get(where).content.decode()
    assert "I &lt;b&gt;counted&lt;/b&gt; three.</textarea>" in page
    assert "and did not send" in page
    browser.post(where, sent)
    report.refresh_from_db()
    assert report.answer == sent["answer"]
    assert "and did not send" not in browser.get(where).content.decode()


@pytest.mark.parametrize("page", ["change", "history", "delete"])
def test_a_report_whose_number_is_none_is_not_found(reviewer, client, settings, page):
    """PostgreSQL takes no text with a NUL, and what was typed is kept by address."""
    settings.STAFF_SECOND_FACTOR = False
    client.force_login(reviewer)
    response = client.get(f"/admin/benchmarks/questionreport/%00/{page}/")
    assert response.status_code in (302, 403)
