"""The worked example: what an answer chooses, what it scores, and that the pictures show what is
asked."""

import json
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.protocols.base import Problem, QuestionRow, QuestionView
from examples.picture_choice import PROTOCOL, scoring
from examples.picture_choice.judging import NONE, chosen
from tests.each_case import each_case
from tests.protocols.contract import bundled_rows, read_bytes
from tests.protocols.picture_choice.figures import BARS, SCENES, draw_figures

ROWS = bundled_rows(PROTOCOL)
QUESTION = QuestionView(
    "1", "scenes", "shapes", "a", "a", "?", {"options": ["2", "a circle", "red"]}, {"letter": "B"}
)


@each_case(
    "answer, letter",
    [
        ("B", "B"),
        ("b", "B"),
        ("(b)", "B"),
        ("**B**", "B"),
        ("B. a circle", "B"),
        ("A circle.", "B"),
        ("2", "A"),
        ("The answer is C.", "C"),
        ("It is round. Answer: (B)", "B"),
        ("The answer is a circle", NONE),
        ("A circle is what I see", NONE),
        ("D", NONE),
        ("A. The answer is B", NONE),
        ("I cannot tell", NONE),
        ("", NONE),
    ],
)
def test_an_answer_chooses_the_one_option_it_names(answer, letter):
    assert chosen(QUESTION, answer) == letter


def test_the_mini_set_has_32_questions_about_eight_pictures(tmp_path):
    """Which are those that the tables draw, whatever bytes a version of Pillow makes of them."""
    assert len(ROWS) == 32
    assert draw_figures(tmp_path) == 8
    assert {row.figure for row in ROWS} == {path.name for path in tmp_path.iterdir()}
    shipped = PROTOCOL.bundled[0].pictures
    for drawn in tmp_path.iterdir():
        with Image.open(drawn) as one, Image.open(shipped / drawn.name) as two:
            assert one.tobytes() == two.tobytes(), drawn.name


def test_the_pictures_show_what_is_asked():
    """Whatever can be counted in the tables that the pictures are drawn from."""
    kinds = {name: [shape.kind for shape in shapes] for name, shapes in SCENES.items()}
    rows = {row.public_id: row.reference.partition(". ")[2] for row in ROWS}
    assert rows["scene-1-1"] == str(kinds["scene-1"].count("circle"))
    assert rows["scene-1-4"] == str(sum(shape.colour != "red" for shape in SCENES["scene-1"]))
    assert rows["scene-2-1"] == str(kinds["scene-2"].count("triangle"))
    assert kinds["scene-2"].count("square") == kinds["scene-2"].count("circle")
    assert rows["scene-3-1"] == str(len(SCENES["scene-3"]))
    assert rows["scene-3-4"] == str(sum(shape.row == 2 for shape in SCENES["scene-3"]))
    assert rows["bars-1-1"] == max(BARS["bars-1"], key=BARS["bars-1"].__getitem__)
    assert rows["bars-1-3"] == str(BARS["bars-1"]["milk"] - BARS["bars-1"]["tea"])
    assert rows["bars-2-3"] == str(sum(BARS["bars-2"].values()))


def test_scores_by_hand():
    questions = [row.view() for row in ROWS[:4]]  # 3, red, a circle, 4: B, C, A, C
    found = scoring.contributions(questions, ["?"] * 4, {"choice.1": ["B", "C", "B", None]})
    sums = zip(found.numerator[0, 0].tolist(), found.denominator[0, 0].tolist(), strict=True)
    made = dict(zip(found.names, sums, strict=True))
    assert made["accuracy"] == (2, 3)
    assert made["accuracy@shapes"] == (1, 1), "one of the two has no verdict"
    assert made["accuracy@sides"] == (0, 1)
    assert made["chance"] == pytest.approx((1 / 4 + 1 / 4 + 1 / 3 + 1 / 4, 4))
    assert found.groups == ("scene-1.png",)
    assert found.coverage == 0.75


def row(**changes: object) -> bytes:
    good = json.loads((Path(scoring.__file__).parent / "questions.json").read_text())[0]
    return json.dumps([{**good, **changes}]).encode()


@each_case(
    "content, code",
    [
        (row(options="2, 3"), "options"),
        (row(options=["2"]), "options"),
        (row(options=["2", 3]), "options"),
        (row(answer="E"), "answer"),
        (row(answer=""), "type"),
        (row(picture=7), "type"),
        (row(score=1), "unknown-field"),
        (b"\xff\xfe[]", "encoding"),
    ],
)
def test_a_faulty_file_is_refused(content, code):
    items = read_bytes(PROTOCOL, content)
    assert not any(isinstance(item, QuestionRow) for item in items)
    assert code in {item.code for item in items if isinstance(item, Problem)}, items
