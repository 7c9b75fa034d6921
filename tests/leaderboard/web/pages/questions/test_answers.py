"""What a question's page opens with, the pictures of a control pair, and in which order the answers
stand: of releases of each kind of benchmark."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bundled.hallusionbench import BUNDLED as PAIRS
from benchmarks.bundled.tiny_lvlm_ehub import BUNDLED as VOTED
from benchmarks.bundled.touchstone import BUNDLED as SCORED
from benchmarks.models import FigureImage, Question, Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import accept_submission
from judging.models import JudgeRun
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.services import score_run
from leaderboard.web.pages.questions import question as question_pages
from tests.conftest import judged, make_owner
from tests.leaderboard.web.pages.shown_text import links, page_at, part, shown, told
from tests.overwriting import overwrite
from tests.person import words

ORIGINAL, EDITED = "VD/figure/1/0/0", "VD/figure/1/1/0"
BLANK, DRAWN, REDRAWN = (f"VS/chart/0/{figure}/0" for figure in range(3))
SAID = {"Sure": "Yes.", "Shy": "I am not sure; there is too little to go by.", "Stern": "No."}


def rows_of(folder: Path, ids: list[str]) -> list[Any]:
    """Of the bundled questions, those of these ids."""
    rows = json.loads((folder / "questions.json").read_text())
    return [row for row in rows if name_of(row) in ids]


def imported(name: str, family: str, folder: Path, rows: object) -> Release:
    """The release of this slug with these questions of a family, all of it public."""
    release: Release = import_release(
        protocol=protocol(family),
        stream=io.BytesIO(json.dumps(rows).encode()),
        images=folder / "pictures",
        slug=name,
        disclosure="open",
    ).release
    set_floor_version(release)
    return release


def name_of(row: Mapping[str, str]) -> str:
    keys = ("category", "subcategory", "set_id", "figure_id", "question_id")
    return row["index"] if "index" in row else "/".join(row[key] for key in keys)


def answered(release: Release, owner: Any, name: str, texts: Mapping[str, str]) -> JudgeRun:
    rows = ({"id": key, "prediction": text} for key, text in texts.items())
    upload = Upload("answers.jsonl", "\n".join(map(json.dumps, rows)).encode())
    model = EvaluatedModel(name=name)
    return judged(
        accept_submission(
            release=release, upload=upload, model=model, owner=owner, visibility="public"
        )
    )


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    """Three models, which say the same to every question."""
    owner, ids = make_owner(), [ORIGINAL, EDITED, BLANK, DRAWN, REDRAWN]
    release = imported("pairs", "hallusionbench", PAIRS, rows_of(PAIRS, ids))
    for name, text in SAID.items():
        answered(release, owner, name, dict.fromkeys(ids, text))
    refresh_boards()


@pytest.fixture
def pairs(made, db) -> Release:
    return Release.objects.get(slug="pairs")


def question(public_id: str) -> Question:
    return Question.objects.get(public_id=public_id)


def address(public_id: str, query: str = "") -> str:
    return f"/questions/{question(public_id).pk}/{query}"


def opens_with(page: Any) -> list[str]:
    return [words(one) for one in page.xpath("//p[@class='answer']")]


def pictures(page: Any) -> list[tuple[str, str]]:
    """Of each figure what stands above it, and where its picture is or why there is none."""
    return [
        (
            words(figure.xpath("./figcaption")[0]),
            " ".join(figure.xpath(".//img/@src")) or words(figure.xpath("./p")[0]),
        )
        for figure in page.xpath("//figure")
    ]


def picture_of(public_id: str) -> str:
    image = FigureImage.objects.get(figure=question(public_id).figure)
    return f"/figures/{image.pk}/small/"


def groups(page: Any) -> list[tuple[str, list[str]]]:
    """The headings of the answers, and who stands below each."""
    return [
        (words(head), [words(one) for one in head.xpath("following-sibling::ul[1]//a")])
        for head in page.xpath("//*[@id='answers']//h3")
    ]


def test_the_page_opens_with_how_many_are_right_and_what_is_expected(client, pairs):
    page = page_at(client, address(EDITED))
    assert opens_with(page) == ["1 of 3 entries answers this right; the expected answer is yes."]
    assert told(part(page))["Expected answer"] == "yes"
    page = page_at(client, address(ORIGINAL))
    assert opens_with(page) == ["1 of 3 entries answers this right; the expected answer is no."]


def test_both_pictures_of_a_control_pair_are_there_and_the_other_leads_to_its_question(
    client, pairs
):
    page = page_at(client, address(EDITED))
    assert pictures(page) == [
        ("This question: edited figure expected: yes · 1 of 3 right", picture_of(EDITED)),
        ("Its pair: original figure expected: no · 1 of 3 right", picture_of(ORIGINAL)),
    ]
    there = page_at(client, links(part(page))["Its pair: original figure"])
    assert ORIGINAL in words(there)
    assert [shows.partition(" expected")[0] for shows, _ in pictures(there)] == [
        "This question: original figure",
        "Its pair: edited figure",
    ]


def test_a_question_without_a_figure_says_so_beside_the_figures_of_its_pair(client, pairs):
    page = page_at(client, address(BLANK))
    assert [picture for _, picture in pictures(page)] == [
        "This question is asked without a figure.",
        picture_of(DRAWN),
        picture_of(REDRAWN),
    ]
    assert "2 of 3 entries answer this right" in opens_with(page)[0]
    assert ("Right", ["Shy", "Stern"]) in [(head, sorted(who)) for head, who in groups(page)]


def test_answers_stand_under_right_wrong_and_unclear(client, pairs):
    assert groups(page_at(client, address(EDITED))) == [
        ("Right", ["Sure"]),
        ("Wrong", ["Stern"]),
        ("Unclear", ["Shy"]),
    ]


def test_right_answers_stand_first_over_several_pages_and_nobody_is_left_out(
    client, pairs, monkeypatch
):
    monkeypatch.setattr(question_pages, "PER_PAGE", 2)
    first, second = (
        groups(page_at(client, address(EDITED, f"?page={number}"))) for number in (1, 2)
    )
    assert first == [("Right", ["Sure"]), ("Wrong", ["Stern"])]
    assert second == [("Unclear", ["Shy"])]
    monkeypatch.setattr(question_pages, "PAGES_SORTED", 1)
    found = [
        who
        for number in (1, 2)
        for _, some in groups(page_at(client, address(EDITED, f"?page={number}")))
        for who in some
    ]
    assert sorted(found) == sorted(SAID)
    assert "best first within each 2 entries of the board" in shown(client, address(EDITED))


# --- what is hidden -------------------------------------------------------------------------------


def test_hidden_labels_are_said_nowhere(client, pairs):
    Release.objects.update(disclosure="hidden_references")
    page = page_at(client, address(EDITED))
    assert opens_with(page) == ["1 of 3 entries answers this right."]
    assert "expected" not in words(page).casefold()
    assert [shows for shows, _ in pictures(page)] == [
        "This question: edited figure 1 of 3 right",
        "Its pair: original figure 1 of 3 right",
    ]


def test_a_hidden_test_tells_neither_label_nor_answers_nor_how_many_are_right(client, pairs):
    Release.objects.update(disclosure="hidden_test")
    page = page_at(client, address(EDITED))
    assert not opens_with(page)
    assert not groups(page)
    assert [shows for shows, _ in pictures(page)] == [
        "This question: edited figure",
        "Its pair: original figure",
    ]
    said = words(part(page))
    for hidden in (*SAID.values(), "expected", "1 of 3"):
        assert hidden not in said, hidden


def test_the_pair_is_that_of_the_release_and_nothing_that_others_hold_back(client, pairs):
    """Of the same set, the benchmark has an original, which this release does not ask."""
    release = imported("alone", "hallusionbench", PAIRS, rows_of(PAIRS, [EDITED]))
    alone = release.questions.get()
    assert alone.group == question(ORIGINAL).group
    page = page_at(client, f"/questions/{alone.pk}/")
    assert [shows.partition(" expected")[0] for shows, _ in pictures(page)] == [
        "This question: edited figure"
    ]


# --- benchmarks whose judge gives scores ----------------------------------------------------------


def test_scored_answers_stand_by_score_on_both_sides_of_the_average(client, owner):
    release = imported("scored", "touchstone", SCORED, rows_of(SCORED, ["A001", "A002"]))
    lines = (SCORED / "answers" / "lucid-9b.jsonl").read_text().splitlines()
    good = {row["id"]: row["prediction"] for row in map(json.loads, lines)}
    said = {"Poor": "A rocket.", "Empty": "", "Good": good["A001"]}
    for name, text in said.items():
        answered(release, owner, name, {"A001": text, "A002": good["A002"]})
    refresh_boards()
    page = page_at(client, address("A001"))
    share = told(part(page))["Average credit"]
    assert opens_with(page) == [f"On average, 3 entries earn {share} of the credit."]
    (above, best), (below, worse) = groups(page)
    average = f"the average of {int(share.removesuffix(' %')) / 100:.2f}"
    assert (above, below) == (f"At or above {average}", f"Below {average}")
    assert [*best, *worse] == ["Good", "Poor", "Empty"]


def test_of_answers_that_are_voted_right_those_with_more_votes_stand_first(client, owner):
    rows = json.loads((VOTED / "questions.json").read_text())["ImageNet"][:1]
    release = imported("voted", "tiny_lvlm_ehub", VOTED, {"ImageNet": rows})
    texts = {"Split": "Surely a teapot.", "Agreed": "This is a teapot.", "Wrong": "A boot."}
    runs = [
        answered(release, owner, name, {"ImageNet/000001": text}) for name, text in texts.items()
    ]
    two = runs[0].judgements.order_by("slot").values_list("pk", flat=True)[:2]
    overwrite(runs[0].judgements.filter(pk__in=list(two)), verdict="0")
    score_run(run=runs[0])
    refresh_boards()
    page = page_at(client, address("ImageNet/000001"))
    assert groups(page) == [("Right", ["Agreed", "Split"]), ("Wrong", ["Wrong"])]
    assert "2 of 3 entries answer this right; the expected answer is teapot." in opens_with(page)
