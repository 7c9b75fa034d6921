"""Files of what somebody handed in: the bytes as they were sent, and every verdict, of which the
scores of the page can be made again."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.models import Release
from benchmarks.protocols.base import BenchmarkProtocol
from benchmarks.registry import protocol
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.bundled import ensure_release, ensure_sample
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.selectors import answer_sheet
from benchmarks.submissions.services import accept_submission, withdraw_submission
from judging.engine.engine import judge_run
from judging.models import JudgeCall, JudgeRun
from judging.panel.selectors import ratings_of
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.results.services import comparing_columns, score_run
from leaderboard.web.sharing import answer_rows
from leaderboard.web.sharing.answer_rows import COLUMNS
from tests.api_clients import body_of, session_client
from tests.conftest import confirmed, import_spelling, judged, submit
from tests.judging.scripted import ScriptedJudge
from tests.overwriting import overwrite

FAMILIES = (
    "hallusionbench",
    "touchstone",
    "touchstone_hallucination",
    "tiny_lvlm_ehub",
    "tiny_lvlm_ehub_ability",
)


def address(submission: Submission, kind: str, judge: str = "") -> str:
    return f"/submissions/{submission.pk}/verdicts.{kind}" + (f"?judge={judge}" if judge else "")


def lines_of(client, submission: Submission, judge: str = "") -> list[dict[str, Any]]:
    response = client.get(address(submission, "jsonl", judge))
    assert response.status_code == 200
    return [json.loads(line) for line in body_of(response).splitlines()]


@pytest.fixture(scope="module")
def made(module_rows) -> UUID:
    owner = confirmed(User.objects.create_user("rosa", "rosa@example.org"))
    run = judged(submit(import_spelling(), owner, visibility="private"))
    return run.submission_id


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("release", "owner").get(pk=made)


@pytest.fixture
def owner(entry) -> User:
    owner: User = entry.owner
    return owner


@pytest.fixture
def spelling(entry: Submission) -> Release:
    return entry.release


@pytest.fixture
def mine(owner):
    return session_client(owner)


# --- the file as it was sent ----------------------------------------------------------------------


def test_the_file_comes_back_byte_for_byte(mine, spelling):
    for number, content in enumerate(
        (b"1=two\r\n2=color\r\n3=night\r\n4=sea", b"1=two\n2=caf\xc3\xa9\n3=\n4==1+1\n\n")
    ):
        sent = {
            "release": "spelling-1",
            "model_name": f"Speller {number}",
            "file": SimpleUploadedFile("mine.txt", content),
            "client_token": str(UUID(int=number)),
        }
        assert mine.post("/submit/", sent).status_code == 302
        kept = mine.get(f"/submissions/{Submission.objects.latest('created').pk}/file/")
        assert body_of(kept) == content
        assert 'filename="mine.txt"' in kept["Content-Disposition"]


# --- every verdict --------------------------------------------------------------------------------


def test_the_three_kinds_say_the_same_and_their_mean_is_the_score_of_the_page(mine, entry):
    lines = lines_of(mine, entry)
    assert all(tuple(line) == COLUMNS for line in lines)
    assert [line["question"] for line in lines] == ["1", "2", "3", "4"]
    assert {line["call"] for line in lines} == {None}  # rules call nobody
    assert all(line["decided"] for line in lines)
    printed = [{name: answer_rows.csv_cell(line[name]) for name in COLUMNS} for line in lines]
    table = body_of(mine.get(address(entry, "csv"))).decode()
    assert list(csv.DictReader(io.StringIO(table, newline=""))) == printed
    parquet = pq.read_table(io.BytesIO(body_of(mine.get(address(entry, "parquet")))))
    assert parquet.to_pylist() == lines
    mean = 100 * sum(line["points"] for line in lines) / len(lines)
    page = mine.get(f"/submissions/{entry.pk}/").text
    assert f"{mean:.2f}" == "75.00"
    assert f" {mean:.2f} (95 % interval" in page
    # the pages lead to each kind, and there are no others
    judge = entry.runs.get().judge_spec.slug
    public = mine.get(f"/entries/{entry.pk}/").text
    for kind in ("csv", "jsonl", "parquet"):
        assert f'href="{address(entry, kind, judge)}"' in page
        assert f'/entries/{entry.pk}/answers.{kind}?judge={judge}"' in public
        assert mine.get(address(entry, kind, "nobody")).status_code == 404
    assert mine.get(address(entry, "exe")).status_code == 404


def sample_of(release: Release, family: BenchmarkProtocol, owner: User) -> Submission:
    """One that ships; where none does, something is said to every question."""
    if samples := family.bundled[0].samples:
        return ensure_sample(release, samples[0], owner, None)
    ids = release.questions.values_list("public_id", flat=True)
    said = jsonl_upload("answers.jsonl", {key: f"A picture of {key}." for key in ids})
    return accept_submission(
        release=release, upload=said, model=EvaluatedModel(name="M"), owner=owner
    )


@pytest.mark.slow
@pytest.mark.parametrize("slug", FAMILIES)
def test_scores_can_be_made_again_of_the_lines(mine, owner, slug):
    family = protocol(slug)
    release = ensure_release(family, family.bundled[0])
    entry = sample_of(release, family, owner)
    run = judged(entry)
    lines = lines_of(mine, entry)
    places = {key: n for n, key in enumerate(dict.fromkeys(line["question"] for line in lines))}
    verdicts: dict[str, Sequence[str | None]] = {}
    for slot in {line["slot"] for line in lines if line["slot"]}:
        column: list[str | None] = [None] * len(places)
        for line in lines:
            if line["slot"] == slot:
                column[places[line["question"]]] = line["verdict"]
        verdicts[slot] = column
    sheet = answer_sheet(entry)
    assert [view.public_id for view in sheet.views] == list(places)
    verdicts |= comparing_columns(family, run, sheet)
    texts = list({line["question"]: line["answer"] for line in lines}.values())
    made = family.contributions(sheet.views, texts, verdicts, ratings_of(entry, list(places)))
    said = {name: n for n, name in enumerate(made.names)}
    figures = Scoresheet.objects.get(run=run).figures
    same = 0
    for name, place in said.items():
        below = made.denominator[:, :, place].sum(axis=1)
        if name in figures and (below > 0).all():
            value = (made.numerator[:, :, place].sum(axis=1) / below).mean()
            assert figures[name][0] == pytest.approx(value), name
            same += 1
    assert same > 3


def test_texts_cannot_act_as_formulas(mine, spelling, owner):
    entry = judged(submit(spelling, owner, b"1==1+1\n2=@x\n3=-2\n4=sea\n")).submission
    table = body_of(mine.get(address(entry, "csv"))).decode()
    answers = [row["answer"] for row in csv.DictReader(io.StringIO(table, newline=""))]
    assert answers == ["'=1+1", "'@x", "'-2", "sea"]
    assert [line["answer"] for line in lines_of(mine, entry)] == ["=1+1", "@x", "-2", "sea"]


# --- when, and by which call ----------------------------------------------------------------------


def asked(submission: Submission, **spec) -> JudgeRun:
    """By a judge that is called, and says that every answer is right."""
    family = protocol("spelling")
    run = request_run(
        submission=submission, spec=ensure_spec(of=family, kind="scripted", model="m", **spec)
    )
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    score_run(run=run)
    return run


def test_lines_name_the_call_and_the_moment(mine, spelling, owner):
    run = asked(submit(spelling, owner))
    lines = {line["call"]: line for line in lines_of(mine, run.submission) if line["call"]}
    calls = JudgeCall.objects.select_related("judgement__answer__question")
    assert len(lines) == calls.count() > 0
    for call in calls:
        assert lines[call.pk]["question"] == call.judgement.answer.question.public_id
        assert datetime.fromisoformat(lines[call.pk]["decided"]) == call.judgement.settled


def test_a_verdict_taken_over_names_the_call_that_made_it(mine, spelling, owner):
    first = asked(submit(spelling, owner, name="First"))
    second = asked(submit(spelling, owner, name="Second"))
    assert second.judgements.filter(reused_from__isnull=False).exists()
    told = [[line["call"] for line in lines_of(mine, run.submission)] for run in (first, second)]
    assert told[0] == told[1]
    anew = first.judgements.filter(calls__isnull=False).order_by("pk").first()
    later = JudgeCall.objects.get(judgement=anew)
    later.pk = None
    settled = second.judgements.latest("settled").settled
    assert settled
    later.started = settled + timedelta(days=1)
    later.save()
    assert [line["call"] for line in lines_of(mine, second.submission)] == told[1]


def test_of_a_run_under_way_there_is_what_is_judged(mine, spelling, owner):
    entry = submit(spelling, owner, name="Under way")
    run = request_run(submission=entry, spec=ensure_spec(of=protocol("spelling"), kind="rules"))
    assert mine.get(address(entry, "csv")).status_code == 404
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    overwrite(
        run.judgements.filter(answer__question__public_id="2"),
        state="waiting", verdict="", settled=None,
    )  # fmt: skip
    found = {line["question"]: (line["state"], line["decided"]) for line in lines_of(mine, entry)}
    assert found["2"] == ("waiting", None)
    assert found["1"][0] == "judged"
    assert "Verdicts so far" in mine.get(f"/submissions/{entry.pk}/").text


# --- who may --------------------------------------------------------------------------------------


def test_its_owner_has_them_of_a_withdrawn_one_too_without_hidden_references(mine, entry, stranger):
    assert {line["reference"] for line in lines_of(mine, entry)} == {None}
    Release.objects.update(disclosure="open")
    assert lines_of(mine, entry)[0]["reference"] == "two"
    withdraw_submission(submission=entry)
    assert len(lines_of(mine, entry)) == 4
    assert session_client(stranger).get(address(entry, "csv")).status_code == 404
