"""References written by a model: counted and priced first, proposed, and live once another person
approved them."""

import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command

from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.services.proposals import ProposalError
from benchmarks.services.references import add_reference
from judging.desk.stale.staleness import stale_radius
from judging.engine.references import (
    NoReferencesError,
    estimate_references,
    generate_references,
    request_references,
    stop_request,
    write_requested_references,
)
from judging.judges.base import JudgeHaltedError, JudgeUnavailableError, Reply
from judging.models import JudgeCall, ReferenceProposal, ReferenceRequest, Spend
from judging.services import REFERENCE_REVIEW
from leaderboard.operations.sweeps import sweep_here
from tests.conftest import SPELLING, judged, submit
from tests.judging.scripted import ScriptedJudge

PRICED = {"e": {"url": "http://127.0.0.1:9/v1", "key": "", "prices": {"m": (2.0, 4.0)}}}


@pytest.fixture(scope="module")
def world(module_rows) -> int:
    """A release of four questions, the first two about a figure with an approved description."""
    lines = SPELLING.replace(b"two|two", b"two|two|a.png").replace(
        b"colour|colour", b"colour|colour|a.png"
    )
    made: int = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(lines), slug="s"
    ).release.pk
    describe(1)
    return made


@pytest.fixture
def described(world, db) -> Release:
    return Release.objects.get(pk=world)


def describe(version: int) -> None:
    Description.objects.create(
        figure=Figure.objects.get(),
        version=version,
        text=f"Text {version}",
        state=Description.State.APPROVED,
    )


def ask(release: Release, by=None, *, calls: int = 99, **more) -> ReferenceRequest:
    return request_references(
        release=release, model="m", endpoint="e", requested_by=by, calls=calls, cost=0, **more
    )


def generate(release: Release, *script, **more):
    judge = ScriptedJudge(script or ["a reference"])
    return generate_references(request=ask(release, **more), judge=judge), judge


def approve_all(by) -> None:
    for proposal in ReferenceProposal.objects.filter(state="in review"):
        REFERENCE_REVIEW.approve(proposal=proposal, reviewer=by)


def test_described_questions_get_a_proposal_that_is_live_once_somebody_approves(
    described, owner, stranger
):
    judged(submit(described, owner))
    done, _ = generate(described)
    assert (done.made, done.current, done.undescribed) == (2, 0, 2)
    proposal = ReferenceProposal.objects.get(question__public_id="1")
    assert (proposal.text, proposal.origin, proposal.replaces) == ("a reference", "generated", 1)
    assert proposal.maker.startswith("m, prompts reference-v1 ")
    assert Reference.objects.count() == 4
    assert not stale_radius(figure=Figure.objects.get()).judgements
    approve_all(stranger)
    assert Reference.objects.count() == 6
    assert stale_radius(figure=Figure.objects.get()).judgements


def test_what_waits_or_is_current_is_not_paid_for_again_until_its_description_changes(
    described, stranger
):
    generate(described)
    done, judge = generate(described, everything=True)
    assert (done.made, done.current, judge.asked) == (0, 2, [])
    ReferenceProposal.objects.update(state="sent back", review_comment="Say which.")
    done, _ = generate(described, everything=True)
    assert (done.made, done.current) == (2, 0)
    approve_all(stranger)
    done, judge = generate(described)
    assert (done.made, done.current, judge.asked) == (0, 2, [])
    describe(2)
    done, judge = generate(described, "another reference")
    assert (done.made, "Text 2" in judge.asked[0].messages[0].content) == (2, True)


def test_no_more_is_asked_than_was_agreed_to(described):
    done, judge = generate(described, calls=1)
    assert done.made == len(judge.asked) == 1


def test_every_call_is_in_the_ledger_and_closed_with_its_cost(described, settings):
    settings.JUDGE_ENDPOINTS = PRICED
    paid = Reply("fine", request_id="r", prompt_tokens=10, reply_tokens=5)
    generate(described, JudgeUnavailableError("HTTP 500"), paid)
    calls = JudgeCall.objects.filter(judgement=None)
    assert set(calls.values_list("outcome", "cost")) == {("failed", 0), ("answered", 40)}
    assert Spend.objects.get(scope__startswith="site/").cost == 40


def test_a_budget_that_ends_stops_the_rest(described, settings):
    settings.JUDGE_ENDPOINTS, settings.BUDGET_SITE_DAY = PRICED, 0.000001
    with pytest.raises(NoReferencesError, match="Not paid for"):
        generate(described)
    assert not JudgeCall.objects.exists()


@pytest.mark.parametrize(
    "reply", ["  ", Reply("half", finish_reason="length"), JudgeUnavailableError("HTTP 500")]
)
def test_what_is_no_whole_reply_makes_no_reference(described, reply):
    done, _ = generate(described, reply)
    assert (done.made, sum(done.failed.values())) == (0, 2)
    assert not ReferenceProposal.objects.exists()


def test_a_halted_endpoint_stops_the_rest(described):
    with pytest.raises(JudgeHaltedError):
        generate(described, JudgeHaltedError("HTTP 401"))


def test_what_came_before_the_endpoint_halted_is_kept(described):
    with pytest.raises(JudgeHaltedError):
        generate(described, "a reference", JudgeHaltedError("HTTP 401"))
    assert ReferenceProposal.objects.count() == 1
    assert ReferenceRequest.objects.get().outcome == "HTTP 401"


def test_a_frozen_release_and_a_benchmark_with_references_of_its_own_get_none(described):
    Release.objects.update(state="frozen")
    question = Question.objects.earliest("pk")
    with pytest.raises(ProposalError, match="is closed"):
        add_reference(question=question, text="x", origin=Reference.Origin.HUMAN)
    described.benchmark.slug = "hallusionbench"
    with pytest.raises(NoReferencesError):
        generate(described)


def test_a_request_is_carried_out_once_and_says_what_became_of_it(described, owner):
    request, judge = ask(described, owner), ScriptedJudge(["a reference"])
    with pytest.raises(NoReferencesError, match="asked for already"):
        ask(described, owner)
    carried = [write_requested_references(request_id=request.pk, judge=judge) for _ in range(2)]
    request.refresh_from_db()
    assert (carried, request.finished is None) == ([True, False], False)
    assert request.outcome == "2 proposed, 0 current, 0 failed"


def test_a_sweep_takes_up_requests_and_an_endpoint_that_is_gone_is_their_outcome(described, owner):
    request_references(
        release=described, model="m", endpoint="gone", requested_by=owner, calls=2, cost=0
    )
    sweep_here(grace=timedelta(0))
    assert "not in JUDGE_ENDPOINTS" in ReferenceRequest.objects.get().outcome


@pytest.fixture
def annotator(stranger):
    stranger.is_staff = True
    stranger.save()
    stranger.groups.add(Group.objects.get(name="annotators"))
    return stranger


def test_the_list_marks_stale_references(client, described, annotator, owner):
    generate(described)
    approve_all(owner)
    describe(2)
    client.force_login(annotator)
    assert "icon-yes" in client.get("/admin/benchmarks/reference/").content.decode()


# --- count, price and a second press --------------------------------------------------------------

ADD = "/admin/judging/referencerequest/add/"


@pytest.fixture
def desk(client, admin_user, settings):
    settings.JUDGE_ENDPOINTS = PRICED
    client.force_login(admin_user)
    return client


def page_of(response) -> str:
    return " ".join(str(response.content, "utf-8").split())


def test_the_first_press_counts_and_prices_and_the_second_with_these_asks_once(
    desk, described, admin_user
):
    def press(**more) -> str:
        named = {"release": described.pk, "endpoint": "e", "model": "m"}
        return page_of(desk.post(ADD, {**named, **more}))

    page = press()
    assert "2 calls, at most 0.00" in page
    assert (
        "0 for questions without a reference, 2 beside one that is live (2 from the dataset)"
        in page
    )
    assert "Ask 2 times" in page
    assert "no price of this model" in press(model="unknown")
    changed = press(confirmed="x", calls=1, cost=1)
    assert "The count or price has changed since you saw it" in changed
    assert not ReferenceRequest.objects.exists()
    estimate = estimate_references(release=described, model="m", endpoint="e")
    told = {"confirmed": "x", "calls": estimate.calls, "cost": estimate.cost}
    press(**told)
    request = ReferenceRequest.objects.get()
    assert (request.requested_by, request.calls, request.cost) == (admin_user, 2, estimate.cost)
    assert "asked for already" in press(**told)
    assert ReferenceRequest.objects.count() == 1


def test_the_terminal_tells_count_and_price_and_asks_only_with_yes(described, settings):
    def said(*options: str) -> str:
        out = io.StringIO()
        call_command("generate_references", "s", "--model", "m@e", *options, stdout=out)
        return out.getvalue()

    settings.JUDGE_ENDPOINTS = PRICED
    for model in ("m", "@e", "m@f"):
        with pytest.raises(CommandError, match=r"with an endpoint of JUDGE_ENDPOINTS; known: e\."):
            call_command("generate_references", "s", "--model", model)
    assert said().endswith("Nothing was asked. Say --yes to ask and to pay.\n")
    assert not JudgeCall.objects.exists()
    assert not ReferenceRequest.objects.exists()
    # nothing listens there: both calls fail, and are told
    assert "0 proposed" in said("--yes")
    assert ReferenceRequest.objects.get().finished


# --- asking for no more ---------------------------------------------------------------------------


def test_a_request_that_nobody_has_begun_ends_at_once_and_another_may_follow(described, owner):
    request = ask(described, owner)
    stop_request(request=request, by=owner)
    request.refresh_from_db()
    assert request.finished
    assert request.outcome == "stopped by rosa"
    assert not write_requested_references(request_id=request.pk, judge=ScriptedJudge(["a"]))
    assert ask(described, owner).pk != request.pk
    with pytest.raises(NoReferencesError, match="already"):
        stop_request(request=request, by=owner)


def test_a_request_under_way_ends_after_the_calls_it_made_and_keeps_what_came(
    described, owner, settings
):
    settings.JUDGE_CONCURRENCY = 1
    request = ask(described, owner, claimed=True)
    with pytest.raises(NoReferencesError, match="1 proposed, then stopped by rosa"):
        generate_references(
            request=request,
            judge=ScriptedJudge(["a reference"]),
            on_progress=lambda asked: stop_request(request=request, by=owner),
        )
    request.refresh_from_db()
    assert request.outcome == "1 proposed, then stopped by rosa"
    assert request.proposals.count() == JudgeCall.objects.count() == 1


def test_who_asked_stops_it_on_its_page(desk, described, admin_user, annotator):
    request = ask(described, admin_user, claimed=True)
    where = f"/admin/judging/referencerequest/{request.pk}/"
    assert "Stop requesting" in page_of(desk.get(f"{where}change/"))
    assert "No more are requested" in page_of(desk.post(f"{where}stop/", follow=True))
    assert "Stopped by" in page_of(desk.get(f"{where}change/"))
    desk.force_login(annotator)
    assert desk.post(f"{where}stop/").status_code == 403
