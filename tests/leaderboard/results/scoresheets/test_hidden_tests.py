"""The rounding of a hidden test's scores: what is stored, and what an attacker can make of it."""

import base64
import hashlib
import io
import json
import math
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from itertools import product

import numpy as np
import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from bench.large_runs import tiny_lvlm_ehub
from benchmarks.common.triggers import install
from benchmarks.models import Release
from benchmarks.protocols.base import NOT_RATED, Anomaly, Upload
from benchmarks.protocols.tiny_lvlm_ehub.judging import SCORE_KEYS
from benchmarks.protocols.touchstone.dataset import COLUMNS
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.services.next_release import make_next_release
from benchmarks.submissions.intake import quota
from benchmarks.submissions.intake.quota import HIDDEN_TEST_LIMIT, attempts_left
from benchmarks.submissions.marks.flags import find_flags
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.selectors import answer_sheet
from benchmarks.submissions.services import (
    SubmissionRefusedError,
    accept_submission,
    withdraw_submission,
)
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from judging.models import Judgement
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import (
    BoardEdition,
    BoardSnapshot,
    BoardVersion,
    JudgeRecord,
    QuestionStatistics,
    Scoresheet,
)
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.chain.links import link_waiting, public_links
from leaderboard.results.judges.records import read_record
from leaderboard.results.scoresheets.hidden_tests import (
    ANSWERS,
    SHARES,
    random_share,
    rounded,
    sealed,
    worth_of_an_answer,
)
from leaderboard.results.services import (
    exact_score,
    score_again,
    score_finished_runs,
    score_run,
    verdicts_and_ratings,
)
from leaderboard.results.snapshots.triggers import GUARDS
from leaderboard.web.evidence.archive import make_evidence_archives
from tests.api_clients import session_client
from tests.benchmarks.pictures import picture
from tests.conftest import import_words, judged, submit
from tests.slow import slow_except

SCALE = (0.0, 1.0)
shares = st.sampled_from(SHARES)
chances = st.floats(0, 1, exclude_max=True)


def secret(number: int) -> Release:
    return Release(rounding_secret=hashlib.sha256(str(number).encode()).hexdigest())


# --- rounding -------------------------------------------------------------------------------------


@given(st.floats(0, 1), shares, chances)
def test_a_score_is_rounded_to_one_of_the_two_steps_beside_it(value, share, chance):
    shown = rounded(value, SCALE, share, chance)
    assert 0 <= shown <= 1 + 1e-12
    assert abs(shown - value) <= share + 1e-9
    assert math.isclose(shown / share, round(shown / share), abs_tol=1e-9)


def test_what_is_on_the_grid_stays_there_and_the_mean_over_chances_is_the_score_itself():
    for value, chance in product((0.0, 0.25, 0.5, 1.0), (0.0, 0.5, 1 - 2**-53)):
        assert rounded(value, SCALE, 1 / 4, chance) == value
    chances = (np.arange(1000) + 0.5) / 1000
    shown = [rounded(400.0, (100.0, 1000.0), 1 / 10, chance) for chance in chances]
    assert {*shown} == {370.0, 460.0}
    assert np.mean(shown) == pytest.approx(400.0, abs=0.1)


def test_the_same_answers_have_the_same_chance_and_others_another():
    """Chances are spread evenly, and that of one figure tells nothing of another's."""
    release = secret(1)
    assert random_share(release, ["a", "b"]) == random_share(release, iter(["a", "b"]))
    others = (["a", "c"], ["ab", ""], ["b", "a"], ["a"])
    assert len({random_share(release, one) for one in (["a", "b"], *others)}) == 5
    assert random_share(release, ["a", "b"]) != random_share(secret(2), ["a", "b"])
    score = [random_share(release, [str(n)]) for n in range(4000)]
    coverage = [random_share(release, [str(n)], of="coverage") for n in range(4000)]
    counts, _ = np.histogram(score, bins=10, range=(0, 1))
    assert 320 < counts.min() <= counts.max() < 480
    assert abs(np.corrcoef(score, coverage)[0, 1]) < 0.1


# --- an attacker ----------------------------------------------------------------------------------


def guesses(looks: int, tries: int, spent: int) -> float:
    """Share of labels guessed right by who knows every other label and sees `looks` scores, each of
    a file that answers the question in question by yes; `spent`: how many other answers of each are
    right, chosen so that the label lies where it tells most.

    The guess is the likelier label, as nobody can do better.
    """
    questions, share = 100, 1 / 10
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 2, tries)
    right = 0
    for number, label in enumerate(labels):
        release, likelihood = secret(number), np.zeros(2)
        for look in range(looks):
            chance = random_share(release, [str(look), *map(str, range(questions))])
            shown = rounded((spent + label) / questions, SCALE, share, chance)
            for guess in (0, 1):
                chance_of = probability(shown / share, (spent + guess) / questions / share)
                likelihood[guess] += math.log(max(chance_of, 1e-12))
        best = likelihood.argmax() if likelihood[0] != likelihood[1] else rng.integers(2)
        right += best == label
    return right / tries


def probability(shown: float, exact: float) -> float:
    """Of what is shown, where the score is `exact`; both in steps."""
    below = math.floor(exact + 1e-9)
    up = max(exact - below, 0.0)
    return {below: 1 - up, below + 1: up}.get(round(shown), 0.0)


@pytest.mark.parametrize(
    ("looks", "spent"),
    slow_except(product((1, HIDDEN_TEST_LIMIT), (30, 35, 39)), (HIDDEN_TEST_LIMIT, 39).__eq__),
)
def test_an_attacker_who_knows_all_other_labels_guesses_within_the_bound(looks, spent):
    """One look shifts what is shown with a chance of at most one in ANSWERS; so many looks, at most
    so many times."""
    tries = 3000
    bound = 0.5 + looks / ANSWERS / 2
    noise = 3 * 0.5 / math.sqrt(tries)
    assert guesses(looks, tries, spent) <= bound + noise


def test_without_the_random_number_one_pair_would_tell_a_label():
    """Or the test above would find nothing: at an edge a fixed grid tells it whole."""
    below, above = (rounded(n / 100, SCALE, 1 / 10, 0.0) for n in (39, 40))
    assert below != above
    # “Yes.” and “Yes!” have another chance, and are another file.
    padded = [random_share(secret(3), ["yes" + "!" * n]) for n in range(HIDDEN_TEST_LIMIT)]
    shown = {round(rounded(0.355, SCALE, 1 / 10, chance), 9) for chance in padded}
    assert shown <= {0.3, 0.4}


# --- what is stored -------------------------------------------------------------------------------


@pytest.fixture
def hidden(db) -> Release:
    release = import_words(range(40), slug="hidden")
    Release.objects.update(disclosure="hidden_test")
    release.refresh_from_db()
    return release


def answered(right: int) -> bytes:
    return "".join(f"{n}={f'word{n}' if n < right else 'x'}\n" for n in range(40)).encode()


def test_a_scoresheet_holds_one_rounded_score_and_records_of_judges_nothing(hidden, owner):
    run = judged(submit(hidden, owner, answered(23)))
    sheet = Scoresheet.objects.get(run=run)
    hidden.refresh_from_db()
    assert hidden.rounding_share == 1 / 4
    assert sheet.ranking in (0.5, 0.75)
    figures = {"accuracy": [sheet.ranking, None, None, None, 40, 40, 40, 0]}
    assert sheet.figures == sheet.board_figures == figures
    assert (bytes(sheet.draws), sheet.lengths, sheet.item_scores) == (b"", None, None)
    assert (sheet.ability_moves, sheet.record, sheet.coverage) == (None, None, 1.0)
    assert (sheet.judged, sheet.unreadable, sheet.failed, sheet.excluded) == (0, 0, 0, 0)
    assert not JudgeRecord.objects.exists()
    assert read_record(run.judge_spec).judged == 0
    assert Judgement.objects.filter(state="judged").exists()
    again = judged(submit(hidden, owner, answered(23), name="Again"))
    assert Scoresheet.objects.get(run=again).ranking == sheet.ranking
    out = io.StringIO()  # of operators, who compute the exact score
    call_command("exact_scores", "hidden", stdout=out)
    assert str(run.submission_id) in out.getvalue()
    assert out.getvalue().count("\t0.575\tshown as 0.") == 2
    with pytest.raises(CommandError, match="hidden tests: hidden"):
        call_command("exact_scores", "nowhere")


def test_its_verdicts_are_handed_out_to_nobody_its_owner_included(hidden, owner, client):
    submission = judged(submit(hidden, owner, answered(23))).submission
    entry, names = f"/entries/{submission.pk}", ("csv", "jsonl", "parquet")
    addresses = [f"{entry}/answers.{name}" for name in names]
    addresses += [f"/submissions/{submission.pk}/verdicts.{name}" for name in names]
    client.force_login(owner)
    for address in (*addresses, f"/api/v1{entry}/verdicts/"):
        refused = client.get(address)
        assert refused.status_code == 404, address
        assert "verdicts on single answers are shown to no one" in refused.content.decode()


def test_an_entry_that_lacks_nearly_all_of_a_subtask_has_no_score(hidden):
    """Its one answer left would be worth the whole subtask: 1.3 steps of such a release."""
    family, records = protocol("tiny_lvlm_ehub"), json.loads(tiny_lvlm_ehub())
    suite = json.dumps({name: rows[:50] for name, rows in records.items()}).encode()
    read = family.dataset.read(io.BytesIO(suite))
    views = [item.view() for item in read if not isinstance(item, Anomaly)]
    pope = [n for n, view in enumerate(views) if view.subtask == "MSCOCO_pope_adversarial"]
    Release.objects.update(rounding_share=0.05)

    def score_without(missing: Collection[int]) -> float | None:
        column = [None if n in missing else "01"[n % 2] for n in range(len(views))]
        verdicts = {f"{key}.1": column for key in SCORE_KEYS}
        texts = ["x"] * len(views)
        contributions = family.contributions(views, texts, verdicts, NOT_RATED)
        score: float | None = sealed(
            replace(contributions, coverage=1.0),  # as if it were rounded up
            score=0.5,
            release=hidden,
            board=family.board.BOARD,
            metrics=family.board.METRICS,
            texts=texts,
        )["ranking"]
        return score

    assert score_without(pope[1:]) is None
    assert score_without(()) is not None
    assert score_without(range(0, len(views), 11)) is not None


def test_what_is_imported_is_a_hidden_test_unless_it_is_said(db, tmp_path):
    dataset = tmp_path / "words.txt"
    for slug, more in (("one", {}), ("two", {"disclosure": "open"})):
        dataset.write_bytes(f"{slug}|two|two\n".encode())
        out = io.StringIO()
        call_command("import_release", "spelling", str(dataset), slug=slug, stdout=out, **more)
        assert ("Say --disclosure open" in out.getvalue()) == (not more)
    levels = Release.objects.order_by("slug").values_list("slug", "disclosure")
    assert [*levels] == [("one", "hidden_test"), ("two", "open")]


def test_a_release_of_too_few_questions_shows_no_score(db, owner):
    release = import_words(range(12), slug="few")
    Release.objects.update(disclosure="hidden_test")
    release.refresh_from_db()
    content = "".join(f"{n}=word{n}\n" for n in range(12)).encode()
    sheet = Scoresheet.objects.get(run=judged(submit(release, owner, content)))
    assert (sheet.ranking, sheet.coverage) == (None, 0.0)


def test_an_entry_that_no_judge_could_judge_decides_no_step(hidden, owner, stranger):
    run = request_run(
        submission=submit(hidden, owner, answered(23)),
        spec=ensure_spec(of=protocol("spelling"), kind="rules"),
    )
    plan_run(run_id=run.pk)
    Judgement.objects.filter(run=run).update(state="failed", settled=timezone.now())
    assert score_run(run=run).ranking is None
    hidden.refresh_from_db()
    assert hidden.rounding_share is None
    later = judged(submit(hidden, stranger, answered(30), name="Later"))
    assert Scoresheet.objects.get(run=later).ranking in (0.75, 1.0)


# --- how much one answer is worth -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["hallusionbench", "touchstone", "tiny_lvlm_ehub"])
def test_no_answer_moves_the_score_by_more_than_it_is_said_to_be_worth(db, owner, slug):
    """Each answer of a good sample in turn is that of a bad one, with the verdicts on it."""
    family = protocol(slug)
    bundled = family.bundled[0]
    release = import_release(
        protocol=family, stream=io.BytesIO(bundled.dataset.read_bytes()), slug="hidden"
    ).release
    runs = [judged(handed_in(release, owner, sample)) for sample in bundled.samples[:2]]
    sheets = [answer_sheet(run.submission) for run in runs]
    pairs = zip(runs, sheets, strict=True)
    said = [verdicts_and_ratings(run, sheet).verdicts for run, sheet in pairs]
    ranking, metrics = family.board.BOARD.ranking, family.board.METRICS
    exact, contributions = exact_score(runs[0], sheets[0], said[0], {})
    worth = worth_of_an_answer(contributions, ranking, metrics)
    moved = []
    for row in range(0, len(sheets[0].texts), 7):
        texts = list(sheets[0].texts)
        texts[row] = sheets[1].texts[row]
        verdicts = {
            slot: [*column[:row], said[1][slot][row], *column[row + 1 :]]
            for slot, column in said[0].items()
        }
        changed, _ = exact_score(runs[0], replace(sheets[0], texts=tuple(texts)), verdicts, {})
        moved.append(abs((changed or 0) - (exact or 0)))
    assert max(moved) <= worth + 1e-9
    assert max(moved) > worth / 20


def handed_in(release, owner, sample):
    return accept_submission(
        release=release,
        upload=Upload(sample.file.name, sample.file.read_bytes()),
        model=EvaluatedModel(name=sample.name),
        owner=owner,
        visibility="private",
    )


HALLUCINATIONS = "touchstone_hallucination"


def ehub_of(label: str) -> bytes:
    answers = {("IC15", 0): label}
    return json.dumps(
        {
            dataset: [
                {
                    "question_id": f"{n:06}",
                    "question": f"What is number {n}?",
                    "gt_answers": answers.get((dataset, n), right),
                    "image_path": f"{n}.png",
                }
                for n in range(20)
            ]
            for dataset, right in (("IC15", "word"), ("MSCOCO-Random", "yes"))
        }
    ).encode()


def described_by(text: str) -> bytes:
    rows = ["\t".join(COLUMNS)]
    for n in range(40):
        row = {
            "index": str(n),
            "image": base64.b64encode(picture(size=(3, 2 + n))).decode(),
            "question": f"Describe number {n}?",
            "human_annotation": f"A river, a bridge and a {text if n == 7 else 'zebra'}",
            "gpt4_ha_answer": "one",
            "category": "Visual Recognition Ability",
            "task_name": "Brand recognition",
        }
        rows.append("\t".join(row[name] for name in COLUMNS))
    return "\n".join([*rows, ""]).encode()


@pytest.mark.parametrize(
    ("family", "made", "texts"),
    [
        ("tiny_lvlm_ehub", ehub_of, ("kettle", "yes")),
        (HALLUCINATIONS, described_by, ("giraffe", "leopard")),
    ],
)
def test_no_flag_counts_what_is_hidden(db, owner, family, made, texts):
    """One label, or one word of a description, made the count of a flag another."""
    found = []
    for text in texts:
        with transaction.atomic():
            release = import_release(
                protocol=protocol(family),
                stream=io.BytesIO(made(text)),
                slug="hidden",
                disclosure="hidden_test",
            ).release
            answers = {
                view.public_id: f"I see a giraffe {n}"
                for n, view in enumerate(question_views(release))
            }
            submission = accept_submission(
                release=release,
                upload=jsonl_upload("a.jsonl", answers),
                model=EvaluatedModel(name="Flagged"),
                owner=owner,
            )
            find_flags(submission)
            found.append(submission.flags)
            transaction.set_rollback(True)
    assert found[0] == found[1]
    assert {"undecided", "hollow", "short", "baseline"}.isdisjoint(one["code"] for one in found[0])


# --- looks ----------------------------------------------------------------------------------------


def send(release: Release, owner, number: int, **more):
    return submit(release, owner, answered(number), from_outside=True, **more)


def test_an_account_has_a_few_looks_for_good(hidden, owner, stranger):
    """A file whose requests failed is one too: whoever makes an endpoint refuse some answers would
    look for ever. The same file is no other, nor one that was cancelled before it was confirmed."""
    draft = send(hidden, owner, 7, confirm=False)
    assert attempts_left(owner, hidden) == HIDDEN_TEST_LIMIT - 1
    withdraw_submission(submission=draft)
    assert attempts_left(owner, hidden) == HIDDEN_TEST_LIMIT
    for number in range(HIDDEN_TEST_LIMIT):
        for name in ("One", "Again")[: 1 if number else 2]:
            submission = send(hidden, owner, number, name=name)
        Submission.objects.filter(owner=owner).update(
            created=timezone.now() - timedelta(days=400), finished=timezone.now(), is_spent=False
        )
        withdraw_submission(submission=submission)
        assert attempts_left(owner, hidden) == HIDDEN_TEST_LIMIT - number - 1
    with pytest.raises(SubmissionRefusedError) as refusal:
        send(hidden, owner, HIDDEN_TEST_LIMIT)
    assert "accepts 5 files of yours in all" in refusal.value.problems[0].message
    assert (refusal.value.problems[0].code, refusal.value.next_place) == ("quota", None)
    assert send(hidden, stranger, HIDDEN_TEST_LIMIT)


@pytest.fixture
def few_looks(monkeypatch) -> int:
    """Fewer than there are: each file is read in a process of its own."""
    monkeypatch.setattr(quota, "HIDDEN_TEST_LIMIT", 2)
    return 2


def test_a_release_that_corrects_a_hidden_test_takes_no_more_files(
    hidden, few_looks, owner, stranger
):
    """Both ask the same labels."""
    for number in range(few_looks):
        send(hidden, owner, number)
    Release.objects.filter(pk=hidden.pk).update(state="frozen")
    hidden.refresh_from_db()
    following = make_next_release(of=hidden, slug="hidden-2", title="The next one")
    Release.objects.filter(pk=following.pk).update(state="open")
    following.refresh_from_db()
    assert attempts_left(owner, following) == 0
    with pytest.raises(SubmissionRefusedError) as refusal:
        send(following, owner, few_looks + 1)
    assert refusal.value.problems[0].code == "quota"
    assert attempts_left(stranger, following) == few_looks


@pytest.mark.slow
def test_no_evidence_is_written_of_a_hidden_test(db, owner, tmp_path):
    family = protocol("hallusionbench")
    dataset = io.BytesIO(family.bundled[0].dataset.read_bytes())
    release = import_release(protocol=family, stream=dataset, disclosure="hidden_test").release
    entry = handed_in(release, owner, family.bundled[0].samples[0])
    Submission.objects.filter(pk=entry.pk).update(visibility="public")
    judged(entry)
    link_waiting()
    refresh_boards()
    assert make_evidence_archives() == 0
    with pytest.raises(CommandError, match="This release is a hidden test"):
        call_command("export_evidence", "hallusionbench", out=tmp_path / "evidence")


def test_the_same_bytes_read_as_another_kind_of_file_are_another_look(db, owner):
    """A table by commas says Yes to every question, and by tabs No."""
    family = protocol("hallusionbench")
    release = import_release(
        protocol=family,
        stream=io.BytesIO(family.bundled[0].dataset.read_bytes()),
        slug="images",
        part="images",
        disclosure="hidden_test",
    ).release
    head = ["index", "category", "l2-category", "prediction"]
    rows = [(head, head)]
    for public_id in release.questions.values_list("public_id", flat=True):
        category, kind, *numbers = public_id.split("/")
        row = ["_".join((category, kind, "0", *numbers)), category, f"{category}_{kind}"]
        rows.append(([*row, "Yes"], [*row, "No"]))
    content = "\n".join(f"{','.join(a)},z\t{chr(9).join(b)}" for a, b in rows).encode()
    said = [
        set(answer_sheet(sent_as(name, release, owner, content)).texts)
        for name in ("a.csv", "a.tsv", "again.CSV")
    ]
    assert said == [{"Yes"}, {"No"}, {"Yes"}]
    assert attempts_left(owner, release) == HIDDEN_TEST_LIMIT - 2


def sent_as(name: str, release: Release, owner, content: bytes) -> Submission:
    sent = accept_submission(
        release=release, upload=Upload(name, content), model=EvaluatedModel(name=name), owner=owner
    )
    Submission.objects.filter(pk=sent.pk).update(is_spent=True)
    return sent


def test_a_team_shares_its_looks_and_other_releases_have_none(
    hidden, few_looks, owner, stranger, spelling
):
    team = found_team(name="The Spellers", by=owner)
    Membership.objects.create(team=team, user=stranger)
    for number in range(few_looks):
        send(hidden, owner, number, team=team)
    assert attempts_left(stranger, hidden) == few_looks
    assert attempts_left(stranger, hidden, team=team) == 0
    with pytest.raises(SubmissionRefusedError) as refusal:
        send(hidden, stranger, few_looks, team=team)
    assert "of your team's in all" in refusal.value.problems[0].message
    assert attempts_left(owner, spelling) is None


def test_the_form_and_the_api_say_how_many_are_left(hidden, few_looks, owner):
    client = session_client(owner)
    assert f"you can submit {few_looks} more files in all" in str(client.get("/submit/").content)
    for number in range(few_looks):
        send(hidden, owner, number)
    page = client.get("/submit/").content.decode()
    assert "It is a hidden test and accepts 2 files of yours in all" in page
    file = SimpleUploadedFile("a.txt", answered(9))
    fields = {"release": hidden.slug, "model": "Sixth", "file": file}
    response = client.post("/api/v1/submissions/", fields)
    assert response.status_code == 429
    assert "accepts 2 files of yours in all" in response.json()["detail"]


# --- an upgrade -----------------------------------------------------------------------------------


class SchemaEditor:
    """What a data migration uses of Django's, within the transaction of a test."""

    connection = connection

    def execute(self, sql: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql)


def test_what_was_kept_of_a_release_is_gone_once_it_is_a_hidden_test(spelling, submission):
    run = judged(submission)
    link_waiting()
    refresh_boards()
    assert BoardSnapshot.objects.exists()
    Release.objects.update(disclosure="hidden_test")
    seal = import_module("leaderboard.migrations.0037_hidden_tests").seal
    try:
        seal(apps, SchemaEditor())
    finally:
        install(GUARDS)
    sheet = Scoresheet.objects.get(run=run)
    assert (sheet.ranking, bytes(sheet.draws), sheet.item_scores) == (None, b"", None)
    assert sheet.figures == {"accuracy": [None, None, None, None, 4, 4, 4, None]}
    assert not BoardSnapshot.objects.exists()
    assert not BoardEdition.objects.exists()
    assert not QuestionStatistics.objects.exists()
    assert Client().get(f"/entries/{submission.pk}/").status_code == 200
    assert all(link.content is None for link in public_links())
    assert score_finished_runs() == 1
    assert refresh_boards() == 1


def store_now() -> int:
    """Boards rest a while after they were stored."""
    BoardVersion.objects.update(next_at=None)
    return refresh_boards()


def test_a_hidden_test_that_ends_is_scored_with_all_its_figures(hidden, owner):
    run = judged(submit(hidden, owner, answered(23)))
    refresh_boards()
    Release.objects.update(disclosure="hidden_references")
    hidden.refresh_from_db()
    assert score_again(hidden) == 1
    assert Client().get("/boards/spelling/").status_code == 200  # with a rounded score meanwhile
    assert store_now() == 1
    assert score_finished_runs() == 1
    sheet = Scoresheet.objects.get(run=run)
    assert sheet.ranking == pytest.approx(23 / 40)
    assert len(sheet.figures) > 1
    assert bytes(sheet.draws)
    assert store_now() == 1
    assert "57.50" in Client().get("/boards/spelling/").content.decode()
