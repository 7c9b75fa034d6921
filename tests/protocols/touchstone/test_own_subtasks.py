"""Categories and task names that are in no published list, Chinese ones among them."""

import io

import pytest

from benchmarks.models import Benchmark, Release, Subtask
from benchmarks.protocols.base import Anomaly, NewSubtask, Note, Problem, QuestionRow, Upload
from benchmarks.protocols.touchstone import PROTOCOL, scoring
from benchmarks.protocols.touchstone.dataset import COLUMNS, MAX_OWN_SUBTASKS, TAXONOMY, read
from benchmarks.protocols.touchstone.taxonomy import MAX_SLUG_CHARACTERS, own_slug
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import accept_submission
from leaderboard.results.selectors import read_board
from tests.conftest import judged
from tests.each_case import each_case

# One red pixel: figures are verified when they are imported.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
ROWS = (
    ("1", "视觉识别", "物体识别"),
    ("2", "视觉识别", "物体识别"),
    ("3", "Visual Recognition", "Basket weaving"),
    ("4", "Visual Recognition", "Brand recognition"),
)


def table(*rows: tuple[str, str, str]) -> bytes:
    texts = ("What is it?", "A red kettle by Aquella.", "It is a kettle.")
    lines = [(index, PICTURE, *texts, category, task) for index, category, task in rows]
    return "\n".join("\t".join(cells) for cells in (COLUMNS, *lines)).encode() + b"\n"


def items(*rows: tuple[str, str, str]) -> list[object]:
    return list(read(io.BytesIO(table(*rows))))


def test_an_unknown_name_is_a_subtask_of_its_own_told_before_its_first_question():
    found = [item for item in items(*ROWS) if not isinstance(item, Anomaly)]
    assert [type(item) for item in found] == [
        NewSubtask,
        QuestionRow,
        QuestionRow,
        NewSubtask,
        QuestionRow,
        QuestionRow,
        Note,
    ]
    assert found[0] == NewSubtask("视觉识别", "视觉识别", "视觉识别/物体识别", "物体识别")
    assert found[3] == NewSubtask(
        "recognition", "Visual Recognition", "recognition/basket-weaving", "Basket weaving"
    )
    assert [item.subtask for item in found if isinstance(item, QuestionRow)] == [
        "视觉识别/物体识别",
        "视觉识别/物体识别",
        "recognition/basket-weaving",
        "recognition/brand-recognition",
    ]


def test_the_note_counts_the_questions_of_each():
    (note,) = [item for item in items(*ROWS) if isinstance(item, Note)]
    assert "“视觉识别: 物体识别” (2), “Visual Recognition: Basket weaving” (1)" in note.message


@each_case(
    "name, subtask",
    [
        ("object recognition", "recognition/species-recognition"),
        ("Structure content recognition", "recognition/text-recognition"),
        ("image analysis", "comprehension/chart-analysis"),
        ("step-by-step analysis of images", "multi-image/summarizing-multiple-images"),
    ],
)
def test_the_four_names_of_the_papers_text_alone_are_aliases_and_flagged(name, subtask):
    ability = next(a for a in TAXONOMY if a.slug == subtask.partition("/")[0])
    found = items(("1", ability.title, name), ("2", ability.title, name))
    assert [item.subtask for item in found if isinstance(item, QuestionRow)] == [subtask] * 2
    flagged = [(item.question, item.code) for item in found if isinstance(item, Anomaly)]
    assert flagged == [("1", "subtask-nearest"), ("2", "subtask-nearest")]


def test_a_file_with_a_name_per_row_is_refused():
    rows = [(str(n), "Visual Recognition", f"name {n}") for n in range(MAX_OWN_SUBTASKS + 1)]
    (problem,) = [item for item in items(*rows) if isinstance(item, Problem)]
    assert (problem.code, problem.line) == ("too-many-subtasks", MAX_OWN_SUBTASKS + 2)


def test_long_names_keep_apart_in_short_slugs():
    first, second = own_slug("名" * 90 + "甲"), own_slug("名" * 90 + "乙")
    assert first != second
    assert len(first) <= MAX_SLUG_CHARACTERS


# --- on the site ----------------------------------------------------------------------------------


@pytest.fixture
def release(db, settings, tmp_path) -> Release:
    settings.MEDIA_ROOT = str(tmp_path)
    imported = import_release(
        protocol=PROTOCOL, stream=io.BytesIO(table(*ROWS)), slug="zh", language="zh"
    )
    assert [note.code for note in imported.notes if note.code != "size"] == ["own-subtasks"]
    set_floor_version(imported.release)
    return imported.release


def test_the_release_has_its_subtasks_and_the_taxonomy_keeps_its_places(release):
    own = Subtask.objects.get(slug="视觉识别/物体识别")
    assert (own.title, own.ability.title, own.ability.position) == (
        "物体识别",
        "视觉识别",
        len(TAXONOMY),
    )
    assert {question.ability for question in question_views(release)} == {"视觉识别", "recognition"}


def test_board_and_entry_of_such_a_release_show_its_figures(release, owner, client):
    answers = "".join(f"{index}\tA kettle by Aquella.\n" for index, *_ in ROWS)
    submission = accept_submission(
        release=release,
        upload=Upload("a.tsv", f"id\tprediction\n{answers}".encode()),
        model=EvaluatedModel(name="Ours"),
        owner=owner,
        visibility="public",
    )
    judged(submission)

    (entry,) = read_board(Benchmark.objects.get(slug="touchstone"), release="zh").entries
    page = client.get(f"/entries/{submission.pk}/").content.decode()

    assert entry.rank == 1
    assert client.get("/boards/touchstone/?release=zh").status_code == 200
    assert client.get("/boards/touchstone/export.csv?release=zh").status_code == 200
    assert "视觉识别/物体识别" in page
    assert submission.scoresheets.get().figures["overall@视觉识别"][0] is not None


def test_scopes_of_official_files_are_those_of_the_taxonomy():
    found = scoring.contributions((), (), {})
    scopes = {name.partition("@")[2] for name in found.names}
    listed = {s.slug for a in TAXONOMY for s in a.subtasks} | {a.slug for a in TAXONOMY}
    assert scopes - {""} == listed
