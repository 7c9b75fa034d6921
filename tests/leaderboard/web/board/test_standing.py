"""Marked entries are not ranked where rules judge, until staff decide; the rule and the decision
are public."""

import io
import json
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.marks.flagging import FLAGS_VERSION
from benchmarks.submissions.marks.flags import decide_ranking, ensure_flags
from benchmarks.submissions.models import EvaluatedModel, RankingDecision, Submission
from benchmarks.submissions.samples.floor import ensure_baselines, jsonl_upload
from benchmarks.submissions.services import accept_submission
from judging.engine.engine import judge_run
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.selectors import read_board
from leaderboard.results.services import score_finished_runs, score_run
from leaderboard.web.caching.version import shown_version
from leaderboard.web.exports import export_csv
from tests.conftest import import_spelling, judged, submit
from tests.judging.scripted import ScriptedJudge

CONSTANT = [{"code": "constant", "count": 4, "of": 4}]
OTHER = b"1=two\n2=colour\n3=knight\n4=see\n"
LIST = "/admin/submissions/submission/"


def mark(submission: Submission, flags=CONSTANT) -> Submission:
    Submission.objects.filter(pk=submission.pk).update(flags=flags, flags_version=FLAGS_VERSION)
    submission.refresh_from_db()
    return submission


def board(**era):
    return read_board(Benchmark.objects.get(slug="spelling"), **era)


def ranks() -> dict[str, int | None]:
    return {entry.model: entry.rank for entry in board().entries}


@pytest.fixture(scope="module")
def made(module_rows) -> tuple[UUID, UUID, int]:
    """Two entries judged by rules, of which the better one is marked, and somebody of the staff."""
    release = import_spelling()
    owner = User.objects.create_user("rosa", "rosa@example.org")
    marked = mark(submit(release, owner))
    plain = mark(submit(release, owner, OTHER, name="Plain"), [])
    judged(marked)
    judged(plain)
    staff = User.objects.create_superuser("mod", "mod@example.org", "a long enough password")
    return marked.pk, plain.pk, staff.pk


@pytest.fixture
def marked(made, db) -> Submission:
    return Submission.objects.select_related("release", "owner").get(pk=made[0])


@pytest.fixture
def plain(made, db) -> Submission:
    return Submission.objects.get(pk=made[1])


@pytest.fixture
def staff(made, db) -> User:
    return User.objects.get(pk=made[2])


def test_a_marked_entry_is_not_ranked_until_staff_decide_and_the_newest_decision_counts(
    marked, plain, staff
):
    """Each decision makes another version of the board."""
    versions = [shown_version()]
    assert ranks() == {"Speller": None, "Plain": 1}
    (entry,) = [e for e in board().entries if e.model == "Speller"]
    assert entry.standing.sentence == "not ranked: constant answers"
    decide_ranking(submission=marked, is_ranked=True, reason="They are poems.", by=staff)
    versions.append(shown_version())
    assert ranks() == {"Speller": 1, "Plain": 2}
    sentence = board().entries[0].standing.sentence
    assert sentence.startswith("marked: constant answers; ranked by decision of staff 20")
    assert sentence.endswith(": They are poems.")
    # staff may keep out what no rule finds
    decide_ranking(submission=plain, is_ranked=False, reason="Padded.", by=staff)
    versions.append(shown_version())
    assert ranks() == {"Speller": 1, "Plain": None}
    decide_ranking(submission=plain, is_ranked=True, reason="Looked again.", by=staff)
    assert ranks() == {"Speller": 1, "Plain": 2}
    assert RankingDecision.objects.filter(submission=plain).count() == 2
    assert len(set(versions)) == 3


def test_where_a_model_judges_the_mark_stands_and_the_entry_is_ranked(marked):
    spec = ensure_spec(of=protocol("spelling"), kind="scripted", model="m")
    run = request_run(submission=marked, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"], makes_requests=False))
    score_run(run=run)
    (entry,) = board(judge=spec.slug).entries
    assert entry.rank == 1
    assert entry.standing.sentence == "marked: constant answers"


def test_of_equal_answers_under_several_names_the_later_carry_a_mark(marked):
    few = b"1=two\n2=x\n3=y\n4=z\n"
    for name, content in (("First", few), ("Second", few.upper())):
        judged(submit(marked.release, marked.owner, content, name=name))
    assert ranks() == {"Plain": 1, "First": 2, "Second": 2, "Speller": None}
    (twin,) = [e for e in board().entries if e.model == "Second"]
    assert twin.standing.codes == ("twin",)
    assert twin.standing.sentence == "marked: the same answers as an earlier entry"


def test_a_baseline_carries_no_flag_and_flags_are_told_once(marked, django_assert_num_queries):
    (baseline,) = ensure_baselines(release=marked.release)
    judged(baseline)
    baseline.refresh_from_db()
    told = (baseline.flags, baseline.answers_digest, baseline.flags_version)
    assert told == ([], "", FLAGS_VERSION)
    with django_assert_num_queries(0):
        ensure_flags(submission=marked)


def test_entries_scored_before_there_were_rules_get_their_flags_once(marked, plain):
    """Else what was bought before an upgrade would keep its rank, and its twins a place of their
    own."""
    judged(submit(marked.release, marked.owner, OTHER, name="Second"))
    Submission.objects.update(flags=[], flags_version=0, answers_digest="")
    Submission.objects.filter(pk=marked.pk).update(flags=CONSTANT)
    assert ranks() == {"Plain": 1, "Second": 1, "Speller": None}
    assert score_finished_runs() == 3
    assert ranks() == {"Speller": 1, "Plain": 2, "Second": 2}
    assert [entry.model for entry in board().entries if entry.same_answers_as] == ["Second"]
    assert set(Submission.objects.values_list("flags_version", flat=True)) == {FLAGS_VERSION}
    assert score_finished_runs() == 0


def test_board_entry_method_export_and_api_say_it(client, marked, plain, staff):
    decide_ranking(submission=marked, is_ranked=False, reason="One text <b>.", by=staff)
    sentence = "not ranked: constant answers; kept out by decision of staff"
    page = client.get("/boards/spelling/").text
    entry = client.get(f"/entries/{marked.pk}/").text
    assert sentence in page
    assert ("Not ranked" in entry, "4 of 4 answers" in entry) == (True, True)
    assert all("One text &lt;b&gt;." in text for text in (page, entry))
    assert "until staff decide" in client.get("/method/spelling/").text
    assert sentence in "".join(export_csv(board()))
    document = client.get("/api/v1/boards/spelling/").json()
    (row,) = [entry for entry in document["entries"] if entry["model"] == "Speller"]
    assert (row["rank"], row["flags"]) == (None, ["constant"])
    assert row["standing"].startswith(sentence)
    assert client.get(f"/api/v1/entries/{marked.pk}/").json()["flags"] == CONSTANT
    assert 'id="standing"' not in client.get(f"/entries/{plain.pk}/").text


def act(client, action: str, submission: Submission, **more):
    return client.post(
        LIST, {"action": action, "_selected_action": [str(submission.pk)], **more}, follow=True
    )


def test_staff_decide_in_the_admin_with_a_reason_that_is_public(client, marked, staff, stranger):
    """Who may only withdraw may not."""
    User.objects.filter(pk=stranger.pk).update(is_staff=True)
    codes = ["view_submission", "change_submission"]
    stranger.user_permissions.add(*Permission.objects.filter(codename__in=codes))
    client.force_login(stranger)
    act(client, "rank", marked, confirmed="yes", reason="Mine.")
    assert not RankingDecision.objects.exists()
    client.force_login(staff)
    waiting = client.get(f"{LIST}?marks=open").text
    assert ("Speller" in waiting, "Plain" in waiting) == (True, False)
    assert "The reason is public" in act(client, "rank", marked).text
    assert not RankingDecision.objects.exists()
    assert act(client, "rank", marked, confirmed="yes", reason="").status_code == 422
    act(client, "rank", marked, confirmed="yes", reason="Looked at twenty answers.")
    decision = RankingDecision.objects.get()
    assert (decision.is_ranked, decision.decided_by) == (True, staff)
    assert decision.reason == "Looked at twenty answers."
    act(client, "keep_out", marked, confirmed="yes", reason="Looked at all.")
    assert ranks()["Speller"] is None
    assert "constant answers" in client.get(f"{LIST}?marks=decided").text


def test_descriptions_of_one_word_are_worst_marked_and_not_ranked(marked):
    rows = [
        {
            "index": str(n),
            "image": f"{n}.png",
            "question": "What?",
            "human_annotation": (
                f"A red kettle number {n} stands on a black stove beside the window of a small "
                "kitchen, and a cat sleeps under the table."
            ),
            "gpt4_ha_answer": "A kettle.",
            "category": "Visual Recognition",
            "task_name": "Brand recognition",
        }
        for n in range(1, 13)
    ]
    family = protocol("touchstone_hallucination")
    release = import_release(
        protocol=family, stream=io.BytesIO(json.dumps(rows).encode()), slug="pictures"
    ).release
    honest = {str(n): f"A kettle, number {n}, is on a stove near a window." for n in range(1, 13)}
    for name, upload in (
        ("Terse", jsonl_upload("a.jsonl", dict.fromkeys(honest, "picture"))),
        ("Honest", jsonl_upload("b.jsonl", honest)),
    ):
        handed_in = accept_submission(
            release=release,
            upload=Upload(upload.name, upload.content),
            model=EvaluatedModel(name=name),
            owner=marked.owner,
            visibility="public",
        )
        judged(handed_in)
    entries = {e.model: e for e in read_board(Benchmark.objects.get(slug=family.slug)).entries}
    terse = entries["Terse"]
    assert (terse.value("h_score"), terse.value("mentions"), terse.value("answer_words")) == (
        1000,
        0,
        1,
    )
    assert terse.rank is None
    assert set(terse.standing.codes) == {"constant", "short", "hollow", "baseline"}
    assert entries["Honest"].rank == 1
    assert (entries["Honest"].value("mentions") or 0) > 0.2
