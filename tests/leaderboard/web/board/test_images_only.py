"""The questions with an image as a release of their own, and the board as the common kits score
it."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from benchmarks.bundled.hallusionbench import BUNDLED
from benchmarks.models import Benchmark, Release
from benchmarks.protocols.hallusionbench import PROTOCOL
from benchmarks.selectors import question_views
from benchmarks.submissions.files.reading import read_apart
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import SubmissionRefusedError, accept_submission
from leaderboard.results.selectors import BoardReading, read_board, read_by_measure
from tests.conftest import judged
from tests.protocols.hallusionbench.test_kits import as_tsv, as_workbook, vlmevalkit_row

pytestmark = pytest.mark.django_db


def imported(slug: str, *options: str) -> Release:
    level = ("--disclosure", "open")
    file = BUNDLED / "questions.json"
    call_command("import_release", "hallusionbench", file, "--slug", slug, *level, *options)
    release = Release.objects.get(slug=slug)
    set_floor_version(release)
    return release


@pytest.fixture(scope="module")
def made(module_rows) -> int:
    return imported("with-images", "--only", "images").pk


@pytest.fixture
def images_only(made, db) -> Release:
    return Release.objects.get(pk=made)


def handed_in(
    release: Release, owner: User, wrong: int = 0, to: Release | None = None
) -> Submission:
    """A result of VLMEvalKit for the release that says every label, but for the first `wrong`
    ones."""
    return accept_submission(
        release=to or release,
        upload=as_tsv(truths(release, wrong)),
        model=EvaluatedModel(name=f"{wrong} wrong"),
        owner=owner,
        visibility="public",
    )


def truths(release: Release, wrong: int = 0) -> list[list[object]]:
    rows = []
    for place, question in enumerate(question_views(release)):
        is_yes = (question.truth["gt_answer"] == 1) != (place < wrong)
        rows.append(vlmevalkit_row(question.public_id, "Yes" if is_yes else "No"))
    return rows


def kits_board() -> BoardReading:
    return read_by_measure(read_board(Benchmark.objects.get(slug="hallusionbench")), "kits")


def test_the_part_with_images_is_a_release_with_a_name_of_its_own(images_only):
    whole = imported("whole")
    blank = [q for q in question_views(whole) if q.facts["visual_input"] == 0]
    assert images_only.question_count == whole.question_count - len(blank) < whole.question_count
    assert images_only.title.startswith("HallusionBench, images only, ")
    assert all(q.facts["visual_input"] for q in question_views(images_only))
    assert "original-missing" not in {anomaly["code"] for anomaly in images_only.anomalies}


def test_a_part_that_is_not_known_is_refused_with_those_that_are():
    with pytest.raises(CommandError, match="no part 'pictures'; it has: images"):
        call_command(
            "import_release", "hallusionbench", BUNDLED / "questions.json", "--only", "pictures"
        )


def test_a_kits_result_stands_on_the_board_by_both_measures(images_only, owner, client):
    judged(handed_in(images_only, owner))
    judged(handed_in(images_only, owner, wrong=2))

    reading = kits_board()

    assert reading.entries[0].value("kit_overall") == 1.0
    assert reading.entries[1].value("kit_aAcc") == 1 - 2 / images_only.question_count
    assert {table.slug for table in reading.shown.tables} == {"kits"}
    assert [e.rank for e in reading.entries] == [1, 2]
    judged_board = read_by_measure(reading, "judged")
    assert "kits" not in {table.slug for table in judged_board.shown.tables}
    assert judged_board.entries[0].value("overall") == 1.0
    page = client.get("/boards/hallusionbench/?measure=kits").text
    assert "As the common kits score" in page
    assert "Overall (kits)" in page


def test_the_same_file_for_the_whole_release_is_refused_with_the_reason(images_only, owner):
    whole = imported("whole")
    with pytest.raises(SubmissionRefusedError) as refusal:
        handed_in(images_only, owner, to=whole)
    assert refusal.value.problems[0].code == "images-only"


@pytest.mark.slow
def test_a_workbook_is_read_in_the_limited_process(images_only):
    rows = truths(images_only)

    reading = read_apart(PROTOCOL.predictions.read, as_workbook(rows), question_views(images_only))

    assert reading.problems == ()
    assert len(reading.answers) == images_only.question_count
