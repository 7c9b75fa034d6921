"""What people say is wrong with a question: sent once, answered by staff, shown once confirmed."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User

from benchmarks.models import Question, QuestionReport
from benchmarks.services.question_reports import (
    MOST_A_DAY,
    MOST_CHARACTERS,
    ReportRefusedError,
    answer_report,
    report_question,
)
from leaderboard.results.boards.editions import refresh_boards
from tests.api_clients import session_client
from tests.conftest import import_words, judged, make_groups
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, shown
from tests.person import words

REPORT = {"category": "reference", "text": "The picture shows three, not two."}


@pytest.fixture
def asked(spelling) -> Question:
    return Question.objects.get(public_id="1")


@pytest.fixture
def reporter(owner):
    return session_client(owner)


@pytest.fixture
def reviewer(db) -> User:
    make_groups()
    user = User.objects.create_user("vera", "vera@example.org", is_staff=True)
    user.groups.add(Group.objects.get(name="reviewers"))
    return user


def address(asked: Question) -> str:
    return f"/questions/{asked.pk}/report/"


def confirmed(asked: Question, reporter: User, by: User) -> QuestionReport:
    report = report_question(question=asked, reporter=reporter, **REPORT)
    answer_report(report=report, state="confirmed", answer="You are right.", by=by)
    return report


def test_who_is_signed_in_reports_a_problem_once_and_is_told_so(client, reporter, owner, asked):
    where = address(asked)
    assert where in links(page_at(client, f"/questions/{asked.pk}/")).values()
    assert client.get(where)["Location"].endswith(f"next={where}")
    assert reporter.get(where).status_code == 200
    for wrong in (
        {"category": "nonsense"},
        {"category": ""},
        {"text": " "},
        {"text": "x" * (MOST_CHARACTERS + 1)},
        {"text": "a\x00b"},
    ):
        refused = reporter.post(where, {**REPORT, **wrong})
        assert (refused.status_code, "Nothing was saved." in refused.text) == (422, True), wrong
    assert not QuestionReport.objects.exists()
    kept = reporter.post(where, REPORT, follow=True)
    assert "Thank you. Staff will check your report" in kept.text
    second = reporter.post(where, {**REPORT, "text": "Once more."})
    assert second.status_code == 422
    for said in ("You have reported this question already", "Once more."):
        assert said in second.text
    report = QuestionReport.objects.get()
    assert (report.question, report.reporter, report.state) == (asked, owner, "open")
    assert (report.category, report.text) == (REPORT["category"], REPORT["text"])


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


def test_a_report_is_public_once_it_is_confirmed_without_its_writer(
    client, owner, stranger, asked, submission
):
    page, text = f"/questions/{asked.pk}/", "<b>Three</b>, not two."
    report = report_question(question=asked, reporter=owner, category="other", text=text)
    assert text not in shown(client, page)
    answer_report(report=report, state="not a problem", answer="There are two.", by=stranger)
    said = shown(client, page)
    assert "No problem with this question has been confirmed." in said
    for hidden in (text, "There are two."):
        assert hidden not in said
    report = report_question(question=asked, reporter=owner, category="other", text=text)
    answer_report(report=report, state="confirmed", answer="<i>You</i> are right.", by=stranger)
    said = words(part(page_at(client, page), "reports"))
    for public in ("1 confirmed report", text, "<i>You</i> are right."):
        assert public in said
    assert owner.username not in said
    judged(submission)
    refresh_boards()
    listed = page_at(client, "/boards/spelling/questions/")
    assert "1 confirmed problem with its questions." in words(listed)
    assert "1 confirmed problem" in cells(part(listed, "questions"))[0][0]


# --- staff ----------------------------------------------------------------------------------------


def change_address(report: QuestionReport) -> str:
    return f"/admin/benchmarks/questionreport/{report.pk}/change/"


def test_a_reviewer_ends_a_report_with_an_answer_and_opens_it_again_with_a_reason(
    reviewer, owner, asked
):
    report = report_question(question=asked, reporter=owner, **REPORT)
    where, client = change_address(report), session_client(reviewer)
    assert REPORT["text"] in shown(client, where)
    again = {"state": "open", "why": "The <picture> was replaced."}
    no_problem = {"state": "not a problem", "answer": "It fits now."}
    for data, said in (
        ({"state": "confirmed", "answer": ""}, "A report ends with an answer."),
        ({"state": "confirmed", "answer": "You are right."}, ""),
        ({"state": "open"}, "A report that is opened again says why."),
        (again, ""),
        (no_problem, ""),
        (no_problem, ""),
    ):
        reply = client.post(where, data)
        assert said in reply.text if said else reply.status_code == 302, data
    report.refresh_from_db()
    assert (report.state, report.answer, report.answered_by) == (*no_problem.values(), reviewer)
    assert report.text == REPORT["text"]
    assert [(c.state, c.by, c.why) for c in report.changes.all()] == [
        ("confirmed", reviewer, ""),
        ("open", reviewer, again["why"]),
        ("not a problem", reviewer, ""),
    ]
    page = shown(client, where)
    assert page.index("It fits now.") < page.index(again["why"])
    assert page.count(f"UTC, {reviewer.get_username()}:") == 3
    report_question(question=asked, reporter=owner, **REPORT)
    assert "Its writer has another open report" in client.post(where, again).text


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
