"""Marked entries are not ranked where rules judge, until staff decide; the rule and the decision
are public."""

import io
import json

import pytest
from django.contrib.auth.models import Permission, User

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.marks.flagging import FLAGS_VERSION
from benchmarks.submissions.marks.flags import decide_ranking, ensure_flags
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.services import (
    ModelDetails,
    accept_submission,
    ensure_baselines,
    jsonl_upload,
)
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.caching.version import shown_version
from leaderboard.exports import export_csv
from leaderboard.selectors import read_board
from leaderboard.services import score_finished_runs, score_run
from tests.conftest import judged, submit

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


@pytest.fixture
def marked(submission, owner, spelling):
    """Two entries judged by rules; the better one is marked."""
    judged(mark(submission))
    judged(mark(submit(spelling, owner, OTHER, name="Plain"), []))
    return submission


@pytest.fixture
def staff(db) -> User:
    return User.objects.create_superuser("mod", "mod@example.org", "a long enough password")


def test_a_marked_entry_is_not_ranked_and_takes_no_place(marked):
    assert ranks() == {"Speller": None, "Plain": 1}
    (entry,) = [e for e in board().entries if e.model == "Speller"]
    assert entry.standing.sentence == "not ranked: constant answers"


def test_staff_may_rank_it_all_the_same(marked, staff):
    decide_ranking(submission=marked, is_ranked=True, reason="They are poems.", by=staff)
    assert ranks() == {"Speller": 1, "Plain": 2}
    sentence = board().entries[0].standing.sentence
    assert sentence.startswith("marked: constant answers; ranked by decision of staff 20")
    assert sentence.endswith(": They are poems.")


def test_staff_may_keep_out_what_no_rule_finds_and_the_newest_decision_counts(marked, staff):
    plain = Submission.objects.get(model__name="Plain")
    decide_ranking(submission=plain, is_ranked=False, reason="Padded.", by=staff)
    assert ranks()["Plain"] is None
    decide_ranking(submission=plain, is_ranked=True, reason="Looked again.", by=staff)
    assert ranks()["Plain"] == 1
    assert RankingDecision.objects.filter(submission=plain).count() == 2


def test_where_a_model_judges_the_mark_stands_and_the_entry_is_ranked(submission):
    spec = ensure_spec(of=protocol("spelling"), kind="scripted", model="m")
    run = request_run(submission=mark(submission), spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"], makes_requests=False))
    score_run(run=run)
    (entry,) = board().entries
    assert entry.rank == 1
    assert entry.standing.sentence == "marked: constant answers"


@pytest.mark.slow
def test_of_equal_answers_under_several_names_the_later_carry_a_mark(spelling, owner):
    for name, content in (("First", OTHER), ("Second", OTHER.upper()), ("Plain", None)):
        judged(submit(spelling, owner, name=name, **({"content": content} if content else {})))
    assert ranks() == {"First": 2, "Second": 2, "Plain": 1}
    (twin,) = [e for e in board().entries if e.model == "Second"]
    assert twin.standing.codes == ("twin",)
    assert twin.standing.sentence == "marked: the same answers as an earlier entry"


def test_a_baseline_carries_no_flag_and_is_nobodys_twin(spelling):
    (baseline,) = ensure_baselines(release=spelling)
    judged(baseline)
    baseline.refresh_from_db()
    assert (baseline.flags, baseline.answers_digest, baseline.flags_version) == (
        [],
        "",
        FLAGS_VERSION,
    )


def test_flags_are_told_once(submission, django_assert_num_queries):
    ensure_flags(submission=submission)
    with django_assert_num_queries(0):
        ensure_flags(submission=submission)


@pytest.mark.slow
def test_entries_scored_before_there_were_rules_get_their_flags_once(spelling, owner):
    """Else what was bought before an upgrade would keep its rank, and its twins a place of their
    own."""
    for name in ("First", "Second"):
        judged(submit(spelling, owner, OTHER, name=name))
    judged(submit(spelling, owner, name="Plain"))
    plain = Submission.objects.get(model__name="Plain")
    Submission.objects.update(flags=[], flags_version=0, answers_digest="")
    Submission.objects.filter(pk=plain.pk).update(flags=CONSTANT)
    assert ranks() == {"First": 1, "Second": 1, "Plain": None}
    assert score_finished_runs() == 3
    assert ranks() == {"First": 2, "Second": 2, "Plain": 1}
    assert [entry.model for entry in board().entries if entry.same_answers_as] == ["Second"]
    assert set(Submission.objects.values_list("flags_version", flat=True)) == {FLAGS_VERSION}
    assert score_finished_runs() == 0


def test_a_decision_makes_another_version_of_the_board(committed, marked, staff):
    before = shown_version()
    decide_ranking(submission=marked, is_ranked=True, reason="Fine.", by=staff)
    assert shown_version() != before


@pytest.mark.slow
def test_board_entry_method_export_and_api_say_it(client, marked, staff):
    decide_ranking(submission=marked, is_ranked=False, reason="One text <b>.", by=staff)
    sentence = "not ranked: constant answers; kept out by decision of staff"
    page = str(client.get("/boards/spelling/").content, "utf-8")
    assert sentence in page
    assert "One text &lt;b&gt;." in page
    entry = str(client.get(f"/entries/{marked.pk}/").content, "utf-8")
    assert "Not ranked" in entry
    assert "4 of 4 answers" in entry
    assert "One text &lt;b&gt;." in entry
    assert "until staff decide" in str(client.get("/method/spelling/").content, "utf-8")
    assert sentence in "".join(export_csv(board()))
    document = client.get("/api/v1/boards/spelling/").json()
    (row,) = [entry for entry in document["entries"] if entry["model"] == "Speller"]
    assert (row["rank"], row["flags"]) == (None, ["constant"])
    assert row["standing"].startswith(sentence)
    assert client.get(f"/api/v1/entries/{marked.pk}/").json()["flags"] == CONSTANT


def test_an_entry_without_marks_has_no_such_block(client, marked):
    plain = Submission.objects.get(model__name="Plain")
    assert 'id="standing"' not in str(client.get(f"/entries/{plain.pk}/").content, "utf-8")


def act(client, action: str, submission: Submission, **more):
    return client.post(
        LIST, {"action": action, "_selected_action": [str(submission.pk)], **more}, follow=True
    )


@pytest.mark.slow
def test_staff_decide_in_the_admin_with_a_reason_that_is_public(client, marked, staff):
    client.force_login(staff)
    waiting = str(client.get(f"{LIST}?marks=open").content, "utf-8")
    assert "Speller" in waiting
    assert "Plain" not in waiting
    asked = act(client, "rank", marked)
    assert "The reason is public" in str(asked.content, "utf-8")
    assert not RankingDecision.objects.exists()
    assert act(client, "rank", marked, confirmed="yes", reason="").status_code == 422
    act(client, "rank", marked, confirmed="yes", reason="Looked at twenty answers.")
    decision = RankingDecision.objects.get()
    assert (decision.is_ranked, decision.decided_by) == (True, staff)
    assert decision.reason == "Looked at twenty answers."
    act(client, "keep_out", marked, confirmed="yes", reason="Looked at all.")
    assert ranks()["Speller"] is None
    assert "constant answers" in str(client.get(f"{LIST}?marks=decided").content, "utf-8")


def test_who_may_only_withdraw_may_not_decide(client, marked, stranger):
    stranger.is_staff = True
    stranger.save()
    stranger.user_permissions.add(
        *Permission.objects.filter(codename__in=["view_submission", "change_submission"])
    )
    client.force_login(stranger)
    act(client, "rank", marked, confirmed="yes", reason="Mine.")
    assert not RankingDecision.objects.exists()


def test_descriptions_of_one_word_are_worst_marked_and_not_ranked(db, owner):
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
            model=ModelDetails(name),
            owner=owner,
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
