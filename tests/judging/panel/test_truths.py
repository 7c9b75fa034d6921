"""What people said under a label or reference that was corrected since stays, but counts in
nothing."""

import json

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from benchmarks.models import Question
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.services.label_corrections import propose_label
from benchmarks.services.references import add_reference
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import accept_submission
from judging.desk.labels.corrections import LABEL_REVIEW
from judging.engine.engine import judge_run
from judging.models import JudgeRun
from judging.panel.models import Rating, Vote
from judging.panel.selectors import ratings_of, ratings_of_answers
from judging.panel.studies.asking import items_given, items_gone, progress_of
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import close_study
from judging.panel.studies.reports import study_progress
from judging.services.proposals import REFERENCE_REVIEW, propose_reference
from leaderboard.results.services import score_finished_runs
from leaderboard.results.studies.stored import refresh_reports
from tests.conftest import freeze_release, judged
from tests.judging.panel.files import imported, labels, ratings
from tests.judging.panel.study_world import (
    compared,
    raters_of,
    study_of,
    vote_on_all,
)
from tests.judging.room import says

NOW = timezone.now()


@pytest.fixture(scope="module")
def module_people(module_rows) -> list[User]:
    return [User.objects.create_user(name, f"{name}@example.org") for name in ("ann", "rae")]


@pytest.fixture
def people(module_people, db) -> list[User]:
    return list(module_people)


def answered(family: str, prediction: str, owner: User) -> Submission:
    """An entry of the family's own release that says the same of every question."""
    kind = protocol(family)
    with kind.bundled[0].dataset.open("rb") as stream:
        release = import_release(protocol=kind, stream=stream).release
    ids = release.questions.values_list("public_id", flat=True)
    rows = "".join(json.dumps({"id": key, "prediction": prediction}) + "\n" for key in ids)
    return accept_submission(
        release=release,
        upload=Upload("answers.jsonl", rows.encode()),
        model=EvaluatedModel(name="Says the same"),
        owner=owner,
        visibility="public",
    )


@pytest.fixture(scope="module")
def module_rated(rosa) -> Submission:
    entry = answered("hallusionbench", "Yes.", rosa)
    ids = entry.release.questions.values_list("public_id", flat=True)
    imported(labels(entry, *(f"{key},{rater},correct" for key in ids for rater in ("bo", "cy"))))
    return entry


@pytest.fixture
def rated(module_rated, db) -> Submission:
    """An entry of HallusionBench that says yes to everything, of which two people labelled all."""
    rows = Submission.objects.select_related("release__benchmark", "model", "owner")
    return rows.get(pk=module_rated.pk)


def correct(entry: Submission, people: list[User], label: str) -> Question:
    """One question of the entry has another label afterwards, and its own once more with "yes"."""
    found = entry.release.questions.select_related("benchmark", "subtask__ability", "figure")
    question = found.filter(truth__gt_answer=1).order_by("pk")[0]
    proposal = propose_label(
        question=question,
        label=label,
        reference="",
        reason="Look again.",
        author=people[0],
        before="yes" if label == "no" else "no",
    )
    LABEL_REVIEW.approve(proposal=proposal, reviewer=people[1])
    return question


def said_of(entry: Submission, question: Question) -> tuple[int, int]:
    """How many ratings count of the question's answer, and of all."""
    ids = list(entry.answers.order_by("pk").values_list("question__public_id", flat=True))
    said = ratings_of(entry, ids).get("correct", [()] * len(ids))
    return len(said[ids.index(question.public_id)]), sum(map(len, said))


# --- ratings --------------------------------------------------------------------------------------


def test_labels_under_another_label_count_nowhere_until_it_is_as_it_was(rated, people):
    stored = Rating.objects.count()
    question = correct(rated, people, "no")
    assert said_of(rated, question) == (0, stored - 2)
    answer = rated.answers.get(question=question)
    assert ratings_of_answers(rated.release, [answer.pk]) == {}
    imported(labels(rated, f"{question.public_id},di,incorrect"))  # under the new one
    assert said_of(rated, question) == (1, stored - 1)
    correct(rated, people, "yes")
    assert said_of(rated, question) == (2, stored)
    assert Rating.objects.count() == stored + 1


def test_a_closed_release_keeps_what_was_said_under_its_truth(rated, people):
    freeze_release(release=rated.release)
    rated.release.refresh_from_db()
    question = rated.release.questions.filter(truth__gt_answer=1).order_by("pk")[0]
    other = rated.release.__class__.objects.create(
        benchmark=rated.release.benchmark, slug="next", title="Next", question_count=1
    )
    other.members.create(question=question, position=1)
    correct(rated, people, "no")
    assert said_of(rated, question)[0] == 2


def test_ratings_that_look_at_the_picture_alone_outlive_a_reference(owner):
    entry = answered("touchstone_hallucination", "A cat.", owner)
    question = entry.release.questions.order_by("pk")[0]
    imported(ratings(entry, f"{question.public_id},bo,hallucination,3"))
    for text in ("One.", "Two."):
        add_reference(question=question, text=text, origin="human")
    assert ratings_of(entry, [question.public_id])["hallucination"] == [(3,)]


def test_an_approved_reference_has_the_entries_scored_again_that_people_compared_with_it(
    owner, people
):
    entry, other = compared(owner)
    judged(entry)
    judged(other)
    question = entry.release.questions.order_by("pk")[0]
    imported(ratings(entry, f"{question.public_id},bo,comparison,1"))
    score_finished_runs()
    live = question.references.order_by("-version").first()
    proposal = propose_reference(
        question=question, text="Better.", author=people[0], base=live.version if live else 0
    )
    REFERENCE_REVIEW.approve(proposal=proposal, reviewer=people[1])
    assert [run.submission for run in JudgeRun.objects.unscored()] == [entry]
    assert ratings_of(entry, [question.public_id]) == {}


def test_the_report_counts_what_is_left_out_and_says_so(rated, people, client):
    run = judged(rated)
    refresh_reports()
    file = rated.rating_files.get()
    page = reverse("study", args=[file.pk])
    assert "corrected since" not in client.get(page).text
    votes = client.get(reverse("study-file", args=[file.pk, "json"])).json()["parts"][0]["votes"]
    correct(rated, people, "no")
    judge_run(run_id=run.pk)
    score_finished_runs()
    assert refresh_reports() == 1
    assert "2 labels were given before the label was corrected" in client.get(page).text
    (part,) = client.get(reverse("study-file", args=[file.pk, "json"])).json()["parts"]
    assert (part["votes"], part["outdated"]) == (votes - 2, 2)


# --- open studies ---------------------------------------------------------------------------------


def test_nobody_is_asked_any_more_with_a_reference_that_was_corrected_and_staff_read_so(
    entry, staff
):
    study = study_of([entry])
    first, second, third = raters_of(study)
    for rater in (first, second):
        vote_on_all(rater, now=NOW)
    give_out(third, NOW)
    assert study_progress(study).corrected_items == 0
    question: Question = entry.release.questions.get(public_id="1")
    add_reference(question=question, text="another word", origin="human")
    item = study.items.get(answer__question=question)
    assert item.pk not in {asked.pk for asked in items_given(third)}
    assert items_gone(third) == [item.pk]
    vote_on_all(third, now=NOW)
    third.refresh_from_db()
    assert progress_of(third) == (5, 5)
    found = study_progress(study)
    assert (found.items, found.votes, found.complete) == (5, 15, 5)
    assert (found.corrected_items, found.corrected_votes) == (1, 2)
    page = staff.get(reverse("admin:panel_study_change", args=[study.pk])).text
    says(page, "1 answer is left out", "corrected after it was drawn")
    (file,) = close_study(study=study)
    assert Vote.objects.count() == file.rating_count == 17
    assert said_of(entry, question) == (0, 15)
