"""Reference answers written by a model: versions, stale when the description changes, every call in the ledger."""

import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.references import LockedContentError, add_reference
from benchmarks.registry import protocol
from benchmarks.services import import_release
from judging.judges.base import JudgeHaltedError, JudgeUnavailableError, Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, ReferenceRequest
from judging.services import (
    NoReferencesError,
    generate_references,
    request_references,
    write_requested_references,
)
from leaderboard.sweeps import sweep_here
from tests.conftest import SPELLING


@pytest.fixture
def described(db) -> Release:
    """A release of four questions, the first two about a figure with an approved description."""
    lines = SPELLING.replace(b"two|two", b"two|two|a.png").replace(b"colour|colour", b"colour|colour|a.png")
    release = import_release(protocol=protocol("spelling"), stream=io.BytesIO(lines), slug="s").release
    describe(1)
    return release


def describe(version: int) -> Description:
    return Description.objects.create(
        figure=Figure.objects.get(), version=version, text=f"Text {version}", state=Description.State.APPROVED
    )


def generate(release: Release, *script, **more):
    judge = ScriptedJudge(script or ["a reference"])
    return generate_references(release=release, model="m", endpoint="e", judge=judge, **more), judge


def test_described_questions_get_a_new_version_that_names_its_maker(described):
    done, _ = generate(described)
    assert (done.made, done.current, done.undescribed) == (2, 0, 2)
    newest = Question.objects.get(public_id="1").references.latest("version")
    assert (newest.version, newest.text, newest.origin) == (2, "a reference", Reference.Origin.GENERATED)
    assert newest.maker.startswith("m, prompts reference-v1 ")


def test_current_references_are_not_asked_for_again(described):
    generate(described)
    done, judge = generate(described)
    assert (done.made, done.current) == (0, 2)
    assert judge.asked == []


def test_a_changed_description_makes_its_references_stale(described):
    generate(described)
    describe(2)
    done, judge = generate(described, "another reference")
    assert done.made == 2
    assert "Text 2" in judge.asked[0].messages[0].content


def test_every_call_is_in_the_ledger_and_closed(described):
    generate(described, JudgeUnavailableError("HTTP 500"), Reply("fine", request_id="r"))
    assert set(JudgeCall.objects.filter(judgement=None).values_list("outcome", flat=True)) == {"failed", "answered"}


@pytest.mark.parametrize("reply", ["  ", Reply("half", finish_reason="length"), JudgeUnavailableError("HTTP 500")])
def test_what_is_no_whole_reply_makes_no_reference(described, reply):
    done, _ = generate(described, reply)
    assert (done.made, sum(done.failed.values())) == (0, 2)
    assert not Reference.objects.filter(origin=Reference.Origin.GENERATED).exists()


def test_a_halted_endpoint_stops_the_rest(described):
    with pytest.raises(JudgeHaltedError):
        generate(described, JudgeHaltedError("HTTP 401"))


def test_a_frozen_release_gets_no_versions(described):
    Release.objects.update(state="frozen")
    with pytest.raises(LockedContentError):
        add_reference(question=Question.objects.earliest("pk"), text="x", origin=Reference.Origin.HUMAN)


def test_a_benchmark_with_references_of_its_own_is_refused(described):
    described.benchmark.slug = "hallusionbench"
    with pytest.raises(NoReferencesError):
        generate(described)


@pytest.fixture
def annotator(stranger):
    stranger.is_staff = True
    stranger.save()
    stranger.groups.add(Group.objects.get(name="annotators"))
    return stranger


def test_a_request_is_carried_out_once_and_says_what_became_of_it(described, owner):
    request = request_references(release=described, model="m", endpoint="e", requested_by=owner)
    judge = ScriptedJudge(["a reference"])
    assert write_requested_references(request_id=request.pk, judge=judge)
    assert not write_requested_references(request_id=request.pk, judge=judge)
    request.refresh_from_db()
    assert request.finished
    assert request.outcome == "2 made, 0 current, 0 failed"


def test_a_sweep_takes_up_requests_and_an_endpoint_that_is_gone_is_their_outcome(described, owner):
    request_references(release=described, model="m", endpoint="gone", requested_by=owner)
    sweep_here(grace=timedelta(0))
    assert "not in JUDGE_ENDPOINTS" in ReferenceRequest.objects.get().outcome


def test_an_annotator_writes_a_reference_as_a_new_version(client, described, annotator):
    client.force_login(annotator)
    question = Question.objects.get(public_id="1")
    client.post("/admin/benchmarks/reference/add/", {"question": question.pk, "text": "by hand"})
    newest = question.references.latest("version")
    assert (newest.version, newest.text, newest.origin, newest.maker) == (2, "by hand", "human", "sam")


def test_a_reference_of_a_closed_release_is_refused_in_the_form(client, described, annotator):
    Release.objects.update(state="frozen")
    client.force_login(annotator)
    question = Question.objects.get(public_id="1")
    page = client.post("/admin/benchmarks/reference/add/", {"question": question.pk, "text": "by hand"})
    assert "its reference stays as it is" in page.content.decode()
    assert question.references.count() == 1


def test_the_list_marks_stale_references(client, described, annotator):
    generate(described)
    describe(2)
    client.force_login(annotator)
    assert "icon-yes" in client.get("/admin/benchmarks/reference/").content.decode()


def test_staff_request_references_in_the_admin(client, described, admin_user, settings):
    settings.JUDGE_ENDPOINTS = {"e": {"url": "http://127.0.0.1:9/v1", "key": ""}}
    client.force_login(admin_user)
    client.post("/admin/judging/referencerequest/add/", {"release": described.pk, "endpoint": "e", "model": "m"})
    assert ReferenceRequest.objects.get().requested_by == admin_user
