"""A doubted label from a reader's report to a new edition: one person proposes, another confirms,
rules read again, and what was opened stays as it was."""

import json
import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.test import Client

from benchmarks.models import (
    LabelCorrection,
    LabelDoubt,
    Question,
    QuestionReport,
    Reference,
    Release,
    UnsavedText,
)
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.releases.states import move_release
from benchmarks.selectors import kept_truths, question_views
from benchmarks.services.importing import import_release
from benchmarks.services.label_corrections import propose_label
from benchmarks.services.label_doubts import Suspect, dismiss_doubt, doubt_by_statistics
from benchmarks.services.next_release import make_next_release
from benchmarks.services.proposals import ProposalError
from benchmarks.services.question_reports import answer_report, report_question
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.services import accept_submission
from judging.desk.labels.corrections import LABEL_REVIEW, label_radius
from judging.desk.labels.doubt_page import open_doubts
from judging.desk.stale.staleness import stale_radius, with_cases
from judging.engine.engine import judge_run
from judging.models import EarlierVerdict, Judgement, JudgeRun
from judging.selectors import cases_of
from judging.services.proposals import REFERENCE_REVIEW, propose_reference
from judging.texts import content_edition
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_finished_runs, score_run
from tests.conftest import freeze_release, judged, make_groups
from tests.judging.room import says

FAMILY = protocol("hallusionbench")
LIST = "/admin/benchmarks/labeldoubt/"


def address(question: Question, step: str = "") -> str:
    return f"{LIST}question/{question.pk}/{step}"


def decision(correction: LabelCorrection, step: str) -> str:
    return f"{LIST}correction/{correction.pk}/{step}/"


@pytest.fixture(scope="module")
def module_mini(module_rows) -> Release:
    with FAMILY.bundled[0].dataset.open("rb") as stream:
        return import_release(protocol=FAMILY, stream=stream, disclosure="open").release


@pytest.fixture
def mini(module_mini, db) -> Release:
    return Release.objects.select_related("benchmark").get(pk=module_mini.pk)


def with_label_yes(release: Release, **more: str) -> Question:
    found = release.questions.select_related("benchmark", "subtask__ability", "figure")
    question: Question = found.filter(truth__gt_answer=1, **more).order_by("pk")[0]
    return question


@pytest.fixture
def asked(mini) -> Question:
    return with_label_yes(mini)


@pytest.fixture(scope="module")
def module_run(module_mini) -> JudgeRun:
    rows = "".join(
        json.dumps({"id": public_id, "prediction": "Yes."}) + "\n"
        for public_id in module_mini.questions.values_list("public_id", flat=True)
    )
    submission = accept_submission(
        release=module_mini,
        upload=Upload("answers.jsonl", rows.encode()),
        model=EvaluatedModel(name="Yes 7B"),
        owner=User.objects.create_user("yes", "yes@example.org"),
        visibility="public",
    )
    return judged(submission)


@pytest.fixture
def run(module_run, db) -> JudgeRun:
    """Every answer is "Yes.", judged by rules and scored."""
    return JudgeRun.objects.select_related("judge_spec", "submission").get(pk=module_run.pk)


GROUPS = {"ann": "annotators", "rae": "reviewers", "rob": "reviewers", "mod": "moderators"}


@pytest.fixture(scope="module")
def module_people(module_rows) -> list[str]:
    make_groups()
    for name in (*GROUPS, "sam"):
        user = User.objects.create_user(name, f"{name}@example.org", is_staff=True)
        user.groups.set(Group.objects.filter(name=GROUPS.get(name, "")))
    return [*GROUPS, "sam"]


def page_on(browser: Client, question: Question) -> str:
    return browser.get(address(question)).content.decode()


def ticket_on(browser: Client, question: Question) -> str:
    return page_on(browser, question).split('name="ticket" value="')[1].split('"')[0]


def decided_again(run: JudgeRun) -> None:
    judge_run(run_id=run.pk)
    score_finished_runs()


def proposed(asked: Question, author: User, label: str = "no", **more) -> LabelCorrection:
    given = {"reference": "", "reason": "There are three of them.", "before": "yes", **more}
    return propose_label(question=asked, label=label, author=author, **given)


def figure_of(run, name: str = "aAcc") -> float:
    return float(Scoresheet.objects.get(run=run).figures[name][0])


# --- the queue ------------------------------------------------------------------------------------


def test_reports_put_their_question_into_the_queue_once_until_all_are_answered(
    asked, owner, people
):
    report = report_question(question=asked, reporter=owner, category="reference", text="Three.")
    second = report_question(
        question=asked, reporter=people["sam"], category="picture", text="Blurred."
    )
    row: Any = open_doubts().get()
    assert (row.question, row.reports, row.corrections) == (asked, 2, 0)
    for one in (second, report):
        assert open_doubts().exists()
        answer_report(report=one, state="not a problem", answer="No.", by=people["rae"])
    assert not open_doubts().exists()
    answer_report(report=report, state="open", answer="", by=people["rae"], why="Look again.")
    assert open_doubts().count() == 1


def test_boards_do_not_open_what_people_decided_and_move_what_is_open(asked, people):
    assert doubt_by_statistics([Suspect(asked.pk, 1.2, 0.0, 12)]) == 1
    assert doubt_by_statistics([Suspect(asked.pk, 1.4, 0.1, 14)]) == 0
    assert LabelDoubt.objects.get().suspicion == 1.4
    dismiss_doubt(question=asked, by=people["rae"], answer="It says so on the sign.")
    assert doubt_by_statistics([Suspect(asked.pk, 1.9, 0.0, 20)]) == 0
    assert not open_doubts().exists()
    assert LabelDoubt.objects.get().suspicion == 1.4


def test_a_question_that_a_board_suspects_stays_when_its_reports_are_answered(asked, owner, people):
    doubt_by_statistics([Suspect(asked.pk, 1.2, 0.0, 12)])
    report = report_question(question=asked, reporter=owner, category="other", text="Hm.")
    answer_report(report=report, state="not a problem", answer="No.", by=people["rae"])
    assert open_doubts().get().question == asked


def test_what_waits_comes_first_then_reports_then_suspicion(mini, owner, people):
    questions = list(
        mini.questions.select_related("benchmark", "subtask__ability").order_by("pk")[:4]
    )
    low, high, reported, waiting = questions
    doubt_by_statistics([Suspect(low.pk, 1.1, 0.1, 9), Suspect(high.pk, 1.6, 0.0, 9)])
    for question in (reported, waiting):
        report_question(question=question, reporter=owner, category="other", text="Hm.")
    label = "no" if waiting.truth["gt_answer"] == 1 else "yes"
    proposed(waiting, people["ann"], label, before="yes" if label == "no" else "no")
    order = list(open_doubts().values_list("question", flat=True))
    assert order == [waiting.pk, reported.pk, high.pk, low.pk]


def test_doubts_are_next_for_whoever_can_do_something_about_them(asked, owner, visit):
    report_question(question=asked, reporter=owner, category="other", text="Hm.")
    found = {}
    for name in ("ann", "rae", "mod"):
        browser = visit(name)
        first, page = browser.get("/admin/").content.decode(), page_on(browser, asked)
        assert first.count("<h1>Next for you</h1>") == 1
        assert browser.get(LIST).status_code == 200
        found[name] = (
            first.count("<strong>1</strong> Label doubts"),
            "You can read this but not decide" in page,
            '<h2 id="dismiss">' in page,
        )
    assert found == {"ann": (1, False, False), "rae": (1, False, True), "mod": (0, True, False)}


# --- what is typed --------------------------------------------------------------------------------


def test_a_proposal_that_came_second_stands_on_the_page_until_it_has_a_form(asked, people, visit):
    browser = visit("ann")
    sent = {"ticket": ticket_on(browser, asked), "text": "no", "reason": "Mine <b>too</b>."}
    first = proposed(asked, people["rob"])
    refused = browser.post(address(asked), {**sent, "before": "yes"})
    assert refused.status_code == 409
    for page in (refused.content.decode(), page_on(browser, asked)):
        says(page, "Mine &lt;b&gt;too&lt;/b&gt;.", "no longer has a form")
        assert "in the form below" not in page
    LABEL_REVIEW.send_back(proposal=first, reviewer=people["rae"], comment="It is right.")
    page = page_on(browser, asked)
    assert "in the form below" in page
    assert "no longer has a form" not in page
    browser.post(address(asked, "discard/"))
    assert "Unsaved text" not in page_on(browser, asked)
    assert not UnsavedText.objects.exists()


def test_an_answer_that_came_second_stands_on_the_page(asked, owner, people, visit):
    report_question(question=asked, reporter=owner, category="other", text="Hm.")
    browser = visit("rae")
    sent = {"ticket": ticket_on(browser, asked), "answer": "I looked at it.", "text": "yes"}
    dismiss_doubt(question=asked, by=people["rob"], answer="It is right.")
    refused = browser.post(address(asked, "dismiss/"), sent)
    assert refused.status_code == 409
    assert "rob decided about it. Your answer was not sent." in refused.content.decode()
    assert LabelDoubt.objects.get().decided_by == people["rob"]
    assert "I looked at it." in page_on(browser, asked)


# --- four eyes ------------------------------------------------------------------------------------


def test_nobody_confirms_a_correction_of_their_own(asked, people):
    correction = proposed(asked, people["rae"])
    with pytest.raises(ProposalError, match="of their own"):
        LABEL_REVIEW.approve(proposal=correction, reviewer=people["rae"])
    with pytest.raises(IntegrityError), transaction.atomic():
        LabelCorrection.objects.update(
            state="approved", reviewed_by=people["rae"], reviewed_at=correction.created
        )
    LABEL_REVIEW.send_back(proposal=correction, reviewer=people["rob"], comment="Count again.")
    once_more = proposed(asked, people["ann"])
    with pytest.raises(ProposalError, match="of their own"):
        LABEL_REVIEW.approve(proposal=once_more, reviewer=people["rae"])
    asked.refresh_from_db()
    assert asked.corrected_truth is None


def test_what_is_no_correction_is_refused(asked, people):
    refused = [
        ({"label": "maybe"}, "yes or no"),
        ({"label": "yes"}, "label that the question has"),
        ({"reason": " "}, "Say why"),
        ({"before": "no"}, "by now"),
    ]
    for given, sentence in refused:
        with pytest.raises(ProposalError, match=sentence):
            proposed(asked, people["ann"], **given)
    assert not LabelCorrection.objects.exists()


def test_one_correction_at_a_time_is_decided_once_and_none_of_a_closed_release(mini, asked, people):
    with pytest.raises(ProposalError, match=r"^No one doubts this label any more\. Your answer"):
        dismiss_doubt(question=asked, by=people["rob"], answer="It is right.")
    first = proposed(asked, people["ann"])
    with pytest.raises(ProposalError, match="waits already"):
        proposed(asked, people["rae"])
    with pytest.raises(ProposalError, match="waits"):
        dismiss_doubt(question=asked, by=people["rob"], answer="It is right.")
    LABEL_REVIEW.send_back(proposal=first, reviewer=people["rae"], comment="Count again.")
    with pytest.raises(ProposalError, match=r"is sent back, not in review\. rae decided about it"):
        LABEL_REVIEW.approve(proposal=first, reviewer=people["rob"])
    second = proposed(asked, people["ann"])
    freeze_release(release=mini)
    with pytest.raises(ProposalError, match="closed"):
        LABEL_REVIEW.approve(proposal=second, reviewer=people["rae"])


# --- what it does ---------------------------------------------------------------------------------


def test_rules_read_again_the_entry_is_scored_anew_and_what_was_judged_is_kept(
    mini, asked, run, people
):
    """A label and its reference are one edition, and rules cost nothing."""
    before = figure_of(run)
    spec = run.judge_spec
    edition = content_edition(mini, spec).number
    old = Judgement.objects.get(answer__question=asked, run=run, verdict="correct")
    correction = proposed(asked, people["ann"], reference="No, there are three.")
    radius = label_radius(correction)
    assert radius.entries == 1
    assert radius.stale is not None
    assert radius.stale.is_empty
    done = LABEL_REVIEW.approve(proposal=correction, reviewer=people["rae"])
    read = re.search("Rules read ([0-9]+) answers again;", done)
    assert read
    assert 0 < int(read[1]) <= radius.read_again
    decided_again(run)
    old.refresh_from_db()
    assert old.verdict == "incorrect"
    assert EarlierVerdict.objects.filter(judgement=old, verdict="correct").exists()
    assert figure_of(run) == pytest.approx(before - 1 / mini.question_count)
    after = content_edition(mini, spec)
    assert (after.number, after.since) == (edition + 1, correction.reviewed_at)
    assert stale_radius(release=mini).is_empty


def refused(rows, **change) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(**change)


def test_what_the_release_was_opened_with_stays_and_the_database_says_so(mini, asked, people):
    correction = proposed(asked, people["ann"])
    checksum = mini.checksum
    question, corrections = Question.objects.filter(pk=asked.pk), LabelCorrection.objects.all()
    refused(question, corrected_truth={"gt_answer": 0})  # no correction of it is confirmed
    LABEL_REVIEW.approve(proposal=correction, reviewer=people["rae"])
    asked.refresh_from_db()
    mini.refresh_from_db()
    assert (asked.truth["gt_answer"], asked.current_truth["gt_answer"]) == (1, 0)
    assert mini.checksum == checksum
    for change in (
        {"corrected_truth": {"gt_answer": 1}},
        {"corrected_truth": None},
        {"truth": {"gt_answer": 0}},
        {"text": "Is it?"},
        {"group": "x"},
    ):
        refused(question, **change)
    for change in (
        {"label": "yes"},
        {"state": "sent back", "review_comment": "x"},
        {"reason": "x"},
    ):
        refused(corrections, **change)
    with pytest.raises(IntegrityError), transaction.atomic():
        corrections.delete()


def test_what_nobody_sees_is_refused(asked, visit):
    typed = {"text": "no", "reason": "There are three.", "before": "yes", "reference": "Three."}
    for field in ("text", "reference"):
        told = visit("ann").post(address(asked), {**typed, field: f"{typed[field]}\u200b"})
        assert told.status_code == 422
        assert "U+200B" in told.content.decode()
    assert not LabelCorrection.objects.exists()


def test_reports_are_answered_with_the_reason_and_the_reference_goes_live(asked, owner, people):
    report_question(question=asked, reporter=owner, category="reference", text="Three.")
    correction = proposed(asked, people["ann"], reference="No, there are three.")
    LABEL_REVIEW.approve(proposal=correction, reviewer=people["rae"])
    report = QuestionReport.objects.get()
    assert (report.state, report.answer) == ("confirmed", "There are three of them.")
    assert asked.references.order_by("-version").first().text == "No, there are three."
    assert LabelDoubt.objects.get().state == "corrected"


# --- the reference that goes with a label ---------------------------------------------------------


@pytest.fixture
def approved_since(asked, people):
    """Approves other words for the reference."""

    def approve(text: str = "No, there are three.") -> Reference:
        live = asked.references.order_by("-version").first()
        proposal = propose_reference(
            question=asked, text=text, author=people["rob"], base=live.version if live else 0
        )
        REFERENCE_REVIEW.approve(proposal=proposal, reviewer=people["rae"])
        assert proposal.reference
        return proposal.reference

    return approve


def live_text(asked: Question) -> str:
    return str(asked.references.order_by("-version").values_list("text", flat=True)[0])


def test_a_label_corrected_alone_leaves_a_newer_reference_live(asked, people, approved_since):
    filled_in = approved_since("Two of them.").text
    correction = proposed(asked, people["ann"], reference=filled_in)
    newer = approved_since()
    LABEL_REVIEW.approve(proposal=correction, reviewer=people["rae"])
    assert live_text(asked) == newer.text
    assert asked.references.count() == newer.version
    asked.refresh_from_db()
    assert asked.current_truth["gt_answer"] == 0


def test_a_reference_of_a_correction_is_not_put_over_a_newer_one(asked, people, approved_since):
    correction = proposed(asked, people["ann"], reference="There are three things.")
    newer = approved_since()
    with pytest.raises(ProposalError, match=f"Version {newer.version} of the reference went"):
        LABEL_REVIEW.approve(proposal=correction, reviewer=people["rae"])
    asked.refresh_from_db()
    assert asked.corrected_truth is None
    assert live_text(asked) == newer.text


def test_a_form_opened_before_a_reference_went_live_is_refused_and_kept(
    asked, visit, approved_since
):
    old = approved_since("Two of them.")
    page = page_on(visit("ann"), asked)
    assert f'name="base" value="{old.version}"' in page
    approved_since()
    typed = {"text": "no", "reason": "Three.", "before": "yes", "reference": old.text}
    refused = visit("ann").post(address(asked), {**typed, "base": old.version})
    assert refused.status_code == 409
    assert "of the reference went live since this was written" in refused.content.decode()
    assert old.text in refused.content.decode()
    assert not LabelCorrection.objects.exists()


def test_whoever_confirms_sees_what_the_reference_changes_or_nothing_of_it(
    asked, people, visit, approved_since
):
    live = approved_since("There are two.")
    correction = proposed(asked, people["ann"], reference=live.text)
    assert "this reference goes live" not in page_on(visit("rae"), asked)
    LABEL_REVIEW.send_back(
        proposal=correction, reviewer=people["rae"], comment="And the reference?"
    )
    proposed(asked, people["ann"], reference="There are three.")
    page = page_on(visit("rae"), asked)
    assert "This reference goes live" in page
    assert "<del" in page.split("This reference goes live")[1]


# --- a closed release keeps the truth it was closed with ------------------------------------------


@pytest.fixture
def following(mini) -> Release:
    """The release that came after `mini`, which is closed."""
    freeze_release(release=mini)
    mini.refresh_from_db()
    made = make_next_release(of=mini, slug="next-mini", title="Next mini")
    move_release(release=made, found="draft", to="open")
    return made


def truth_of(question: Question, release: Release) -> object:
    truths = {view.public_id: view.truth["gt_answer"] for view in question_views(release)}
    return truths[question.public_id]


def test_a_label_corrected_elsewhere_changes_nothing_of_a_closed_release(
    client, mini, asked, run, people, following
):
    figures, edition = (
        Scoresheet.objects.get(run=run).figures,
        content_edition(mini, run.judge_spec),
    )
    LABEL_REVIEW.approve(proposal=proposed(asked, people["ann"]), reviewer=people["rae"])
    decided_again(run)
    assert score_run(run=JudgeRun.objects.get(pk=run.pk)).figures == figures
    assert content_edition(mini, run.judge_spec) == edition
    rows = Judgement.objects.filter(run=run, answer__question=asked)
    assert rows.filter(verdict="correct").exists()
    for case in cases_of(list(with_cases(rows)), run.judge_spec):
        assert case.question.truth["gt_answer"] == 1
    assert (truth_of(asked, mini), truth_of(asked, following)) == (1, 0)
    for release, is_told in ((mini, False), (following, True)):
        page = client.get(f"/releases/{release.slug}/").content.decode()
        assert ("became" in page) is is_told


def test_a_correction_from_before_it_was_closed_stays_with_a_closed_release(
    mini, asked, run, people
):
    LABEL_REVIEW.approve(proposal=proposed(asked, people["ann"]), reviewer=people["rae"])
    decided_again(run)
    figures = Scoresheet.objects.get(run=run).figures
    freeze_release(release=mini)
    following = make_next_release(of=mini, slug="next-mini", title="Next mini")
    move_release(release=following, found="draft", to="open")
    back = proposed(asked, people["ann"], "yes", before="no")
    LABEL_REVIEW.approve(proposal=back, reviewer=people["rae"])
    assert score_run(run=JudgeRun.objects.get(pk=run.pk)).figures == figures
    mini.refresh_from_db()
    assert kept_truths(mini)[asked.pk]["gt_answer"] == 0


def test_opened_again_it_follows_the_labels_and_staff_are_told_before(
    mini, asked, run, people, following, admin_client
):
    LABEL_REVIEW.approve(proposal=proposed(asked, people["ann"]), reviewer=people["rae"])
    before = figure_of(run)
    place = f"/admin/benchmarks/release/{mini.pk}/step/open/"
    page = admin_client.get(place).content.decode()
    assert "Labels corrected in other releases since it was closed: 1." in page
    admin_client.post(place, {"reason": "Was a mistake.", "apply": "1", "confirmed": "1"})
    mini.refresh_from_db()
    assert mini.is_open
    decided_again(run)
    assert figure_of(run) == pytest.approx(before - 1 / mini.question_count)


# --- over HTTP ------------------------------------------------------------------------------------


def test_the_whole_way_over_http(client, asked, owner, visit, mini):
    report_question(question=asked, reporter=owner, category="reference", text="I see three.")
    ann, rae = visit("ann"), visit("rae")
    assert asked.public_id in ann.get(LIST).content.decode()
    page = page_on(ann, asked)
    assert "I see three." in page
    assert "The label is right" not in page, "annotators propose, reviewers decide"
    typed = {"text": "no", "reason": "There are three.", "before": "yes", "reference": ""}
    assert ann.post(address(asked), typed).status_code == 302
    correction = LabelCorrection.objects.get()
    page = page_on(rae, asked)
    assert "ann says the label is “no”" in page
    done = rae.post(decision(correction, "approve"), follow=True)
    assert "is “no” from now on" in done.content.decode()
    public = client.get(f"/releases/{mini.slug}/").content.decode()
    assert "“yes” became “no”" in public
    assert "“yes” became “no”" in client.get(f"/questions/{asked.pk}/").content.decode()


def test_a_hidden_release_does_not_tell_what_is_right(client, asked, people, mini):
    Release.objects.filter(pk=mini.pk).update(disclosure="hidden_references")
    LABEL_REVIEW.approve(proposal=proposed(asked, people["ann"]), reviewer=people["rae"])
    for url in (f"/releases/{mini.slug}/", f"/questions/{asked.pk}/"):
        page = client.get(url).content.decode()
        assert "There are three of them." in page
        assert "became" not in page


def test_what_was_typed_comes_back_after_a_refusal(asked, visit):
    ann = visit("ann")
    typed = {"text": "no", "reason": "Very well argued.", "before": "no", "reference": "Long one."}
    told = ann.post(address(asked), {**typed, "ticket": ticket_on(ann, asked)})
    assert told.status_code == 409
    for page in (told.content.decode(), page_on(ann, asked)):
        says(page, "Very well argued.", "Long one.")


def test_annotators_decide_nothing_but_take_back_their_own(asked, people, visit):
    correction = proposed(asked, people["rae"])
    sent = {"answer": "x", "comment": "I was wrong."}
    steps = (decision(correction, step) for step in ("approve", "send-back"))
    for step in (address(asked, "dismiss/"), *steps):
        assert visit("ann").post(step, sent).status_code == 403
    assert visit("sam").get(address(asked)).status_code == 403
    correction.refresh_from_db()
    assert correction.state == "in review"
    LABEL_REVIEW.send_back(proposal=correction, reviewer=people["rob"], comment="No.")
    own = proposed(asked, people["ann"])
    assert visit("ann").post(decision(own, "send-back"), sent).status_code == 302
    own.refresh_from_db()
    assert own.state == "sent back"


def test_the_list_shows_what_is_open_and_what_was_decided_on_demand(asked, people, visit):
    doubt_by_statistics([Suspect(asked.pk, 1.5, 0.0, 9)])
    dismiss_doubt(question=asked, by=people["rob"], answer="It is right.")
    link = f'<a href="{address(asked)}">'
    page = visit("rae").get(LIST).content.decode()
    assert link not in page
    assert ">Open</a>" in page
    assert link in visit("rae").get(LIST, {"state": "not a problem"}).content.decode()


def test_the_list_asks_as_many_queries_of_a_hundred_questions(
    mini, owner, visit, django_assert_max_num_queries
):
    rae = visit("rae")
    doubt_by_statistics(
        Suspect(pk, 1.5, 0.0, 9) for pk in mini.questions.values_list("pk", flat=True)[:40]
    )
    with django_assert_max_num_queries(12):
        assert rae.get(LIST).status_code == 200


# --- a label and its reference --------------------------------------------------------------------


@pytest.fixture
def pointing(mini) -> Question:
    """The hand points at 3, says its label, and says its reference."""
    return with_label_yes(mini, text="Is the short hand pointing at the number 3?")


LABEL = {"text": "no", "reason": "It does not.", "before": "yes"}
SAYS_YES = "The short hand points at the number 3."


def test_a_label_that_its_reference_denies_is_named_before_it_is_sent(pointing, people, visit):
    ann = visit("ann")
    refused = ann.post(address(pointing), {**LABEL, "reference": SAYS_YES})
    page = refused.content.decode()
    assert refused.status_code == 409
    assert "reads as “yes”: it repeats what was asked as a statement" in page
    assert not LabelCorrection.objects.exists()
    spite = page.split('name="in_spite" value="')[1].split('"')[0]
    sent = ann.post(address(pointing), {**LABEL, "reference": SAYS_YES, "in_spite": spite})
    assert sent.status_code == 302
    assert "Despite: The reference" in LogEntry.objects.latest("pk").change_message
    assert "The label is proposed anyway" in page_on(visit("rae"), pointing)
    proposal = LabelCorrection.objects.get()
    LABEL_REVIEW.send_back(proposal=proposal, reviewer=people["rae"], comment="And the reference?")
    changed = {**LABEL, "reference": "The short hand points at the number 9."}
    assert ann.post(address(pointing), changed).status_code == 302  # it is not held up
    assert "proposed anyway" not in page_on(visit("rae"), pointing)


def test_a_proposed_label_stands_beside_the_reference_it_gets(pointing, people, visit):
    propose = {"label": "no", "author": people["ann"], "before": "yes", "reason": "x"}
    correction = propose_label(
        question=pointing,
        **propose,
        reference=SAYS_YES,
        in_spite="The reference for it reads as “yes”: it repeats what was asked as a statement.",
    )
    pair = pair_of(page_on(visit("rae"), pointing))
    says(pair, "<strong>no</strong>", "as it is now", SAYS_YES)
    LABEL_REVIEW.send_back(
        proposal=correction, reviewer=people["rae"], comment="And the reference?"
    )
    propose_label(question=pointing, **propose, reference="It points at 9.")
    pair = pair_of(page_on(visit("rae"), pointing))
    says(pair, "beside it, new", "It points at 9.")


def pair_of(page: str) -> str:
    return page.split('class="label-pair"')[2].split("</dl>")[0]


def test_a_corrected_label_stands_beside_its_reference_for_everybody(client, asked, people):
    LABEL_REVIEW.approve(
        proposal=proposed(asked, people["ann"], reference="No, three."), reviewer=people["rae"]
    )
    facts = client.get(f"/questions/{asked.pk}/").content.decode().split('<dl class="facts">')[1]
    assert facts.index("<dt>Expected answer</dt>") < facts.index("No, three.")


def test_a_copy_of_what_was_sent_is_not_said_to_be_unsent(asked, visit):
    """The page was left before the browser dropped its copy; 205 has it dropped."""
    ann = visit("ann")
    ticket = ticket_on(ann, asked)
    typed = {**LABEL, "reference": "Three of\r\nthem.", "ticket": ticket}
    copy = {"reference": "Three of\nthem.", "reason": LABEL["reason"], "ticket": ticket, "age": "3"}
    assert ann.post(address(asked, "typed/"), copy).status_code == 204
    assert ann.post(address(asked), typed).status_code == 302
    assert ann.post(address(asked, "typed/"), copy).status_code == 205
    newer = {**copy, "reason": "Another reason."}
    assert ann.post(address(asked, "typed/"), newer).status_code == 204
    assert "Another reason." in str(UnsavedText.objects.get().fields)
