import io
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.base import Anomaly, ImageSource, Problem, QuestionRow
from benchmarks.protocols.hallusionbench import dataset
from tests.each_case import each_case

SHARED = Path(__file__).resolve().parents[4] / "shared/data/hallusionbench"

ROW = {
    "category": "VD",
    "subcategory": "figure",
    "visual_input": "1",
    "set_id": "0",
    "figure_id": "0",
    "sample_note": "logo",
    "question_id": "0",
    "question": "Is this the logo of a bank?",
    "gt_answer_details": "This is the logo of a bank.",
    "gt_answer": "1",
    "filename": "./VD/figure/0_0.png",
}


def row(**changes):
    """A sound row with some fields changed; None takes a field out."""
    return {name: value for name, value in {**ROW, **changes}.items() if value is not None}


def read(content):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return list(dataset.read(io.BytesIO(data)))


def questions(items):
    return [item for item in items if isinstance(item, QuestionRow)]


def anomalies(items, code=None):
    return [item for item in items if isinstance(item, Anomaly) and code in (None, item.code)]


def problem(content):
    """The only thing read from a file with one fault."""
    (item,) = read(content)
    assert isinstance(item, Problem)
    return item


# --- questions ------------------------------------------------------------------------------------


def test_row_becomes_a_question_named_by_its_five_keys():
    question = QuestionRow(
        public_id="VD/figure/0/0/0",
        ability="VD",
        subtask="VD/figure",
        figure="VD/figure/0/0",
        group="VD/figure/0",
        text="Is this the logo of a bank?",
        reference="This is the logo of a bank.",
        images=(ImageSource("VD/figure/0_0.png"),),
        facts={
            "category": "VD",
            "subcategory": "figure",
            "visual_input": 1,
            "set_id": 0,
            "figure_id": 0,
            "question_id": 0,
            "original": "VD/figure/0/0/0",
        },
        truth={"gt_answer": 1},
    )
    numbers = row(visual_input=1, set_id=0, figure_id=0, question_id=0, gt_answer=1)
    with_mark = b"\xef\xbb\xbf" + json.dumps([row()]).encode()
    assert read([row()]) == read([numbers]) == read(with_mark) == [question]


def test_row_without_image_has_no_figure_and_keeps_its_texts_as_they_are():
    texts = {"question": "  Is angleA > 180°? ", "gt_answer_details": " 热干面\n"}
    free = {"category": "VS", "subcategory": "chart", "visual_input": "0"}
    (question,) = read([row(**free, **texts) | {"filename": None}])
    assert (question.figure, question.images, question.group) == ("", (), "VS/chart/0")
    assert (question.text, question.reference) == tuple(texts.values())


def test_edited_row_names_the_original_of_its_pair_wherever_it_stands():
    edited = row(figure_id="1", visual_input="2", filename="./VD/figure/0_1.png")
    first, second = questions(read([edited, row()]))
    assert first.facts["original"] == second.facts["original"] == "VD/figure/0/0/0"


def test_rows_of_the_sample_schema_have_neither_truth_nor_image():
    question, note = read([row(gt_answer=None, filename=None, model_prediction="Yes.")])
    assert note.code == "no-labels"
    assert (question.truth, question.images, question.figure) == ({}, (), "VD/figure/0/0")


@each_case(
    "filename, name",
    [
        ("./VS/chart/0_1.png", "VS/chart/0_1.png"),
        ("VS/chart/0_1.png", "VS/chart/0_1.png"),
        ("./hallusion_bench/VS/chart/0_1.png", "hallusion_bench/VS/chart/0_1.png"),
        ("a..b.png", "a..b.png"),
    ],
)
def test_image_is_named_below_the_images_folder(filename, name):
    (question,) = read([row(filename=filename)])
    assert question.images == (ImageSource(name),)


# --- problems -------------------------------------------------------------------------------------


@each_case(
    "content, code, line, column",
    [
        (b"", "empty-file", None, ""),
        (b" \n ", "empty-file", None, ""),
        (b"[]", "empty-file", None, ""),
        (b"{}", "not-an-array", None, ""),
        (b'"VD"', "not-an-array", None, ""),
        (b'[{"a": 1},\n {"b" 2}]', "invalid-json", 2, "column 7"),
        (b"[1, 2", "invalid-json", 1, "column 6"),
        (b'["a",\n"b\xff"]', "not-utf8", 2, "byte 3"),
        (b"\xff\xfe[\x00]\x00", "not-utf8", 1, "byte 1"),
        (b"[" * 100_000, "invalid-json", None, ""),
        (b"[" + b"9" * 5_000 + b"]", "invalid-json", None, ""),
    ],
)
def test_file_that_is_no_array_of_rows_is_refused(content, code, line, column):
    found = problem(content)
    assert (found.code, found.line, found.column) == (code, line, column)


@each_case(
    "changes, code, column, expected, found",
    [
        ({"category": "VX"}, "unknown-category", "category", "VD or VS", "VX"),
        (
            {"subcategory": "chart"},
            "unknown-subcategory",
            "subcategory",
            "illusion or math or ocr or figure or video",
            "chart",
        ),
        ({"visual_input": "3"}, "unknown-visual-input", "visual_input", "0 or 1 or 2", "3"),
        ({"gt_answer": "yes"}, "unknown-gt-answer", "gt_answer", "0 or 1", "yes"),
        ({"gt_answer": ""}, "empty-field", "gt_answer", "a string with text in it", ""),
        ({"gt_answer": True}, "wrong-type", "gt_answer", "a string", "true"),
        ({"set_id": "a"}, "not-a-number", "set_id", "digits, at most nine", "a"),
        ({"set_id": "-1"}, "not-a-number", "set_id", "digits, at most nine", "-1"),
        ({"set_id": "²"}, "not-a-number", "set_id", "digits, at most nine", "²"),
        ({"figure_id": "1.0"}, "not-a-number", "figure_id", "digits, at most nine", "1.0"),
        (
            {"question_id": "1234567890"},
            "not-a-number",
            "question_id",
            "digits, at most nine",
            "1234567890",
        ),
        ({"question_id": 0.5}, "wrong-type", "question_id", "a string", "0.5"),
        ({"question_id": None}, "missing-field", "question_id", "a string", ""),
        ({"question": "  "}, "empty-field", "question", "a string with text in it", ""),
        ({"question": ["Is it?"]}, "wrong-type", "question", "a string", "an array"),
        ({"question": "Is\x00it?"}, "bad-character", "question", "text", "Is\ufffdit?"),
        ({"question": "Is\ud800it?"}, "bad-character", "question", "text", "Is\ufffdit?"),
        ({"gt_answer_details": None}, "missing-field", "gt_answer_details", "a string", ""),
        ({"filename": "../a.png"}, "unsafe-path", "filename", "a relative path", "../a.png"),
        (
            {"filename": "./a/../../b.png"},
            "unsafe-path",
            "filename",
            "a relative path",
            "./a/../../b.png",
        ),
        ({"filename": "/etc/passwd"}, "unsafe-path", "filename", "a relative path", "/etc/passwd"),
        (
            {"filename": ".//etc/passwd"},
            "unsafe-path",
            "filename",
            "a relative path",
            ".//etc/passwd",
        ),
        ({"filename": "C:/a.png"}, "unsafe-path", "filename", "a relative path", "C:/a.png"),
        ({"filename": "..\\a.png"}, "unsafe-path", "filename", "a relative path", "..\\a.png"),
        ({"filename": "./"}, "unsafe-path", "filename", "a relative path", "./"),
        ({"filename": 7.5}, "wrong-type", "filename", "a string", "7.5"),
        ({"visual_input": "0"}, "image-not-expected", "filename", "null", "VD/figure/0_0.png"),
    ],
)
def test_faulty_field_is_named_with_its_row(changes, code, column, expected, found):
    sound = row(set_id="9", filename="./VD/figure/9_0.png")
    reported = problem([sound, row(**changes)])
    assert (reported.code, reported.line, reported.column) == (code, 2, column)
    assert (reported.expected, reported.found) == (expected, found)
    assert reported.message.startswith(f"Row 2: {column} ")


@each_case(
    "second, code, line, column, message",
    [
        ("VD", "not-an-object", 2, "", "Row 2 is not an object."),
        (
            row(question_id="1", gt_answer=None),
            "missing-field",
            2,
            "gt_answer",
            "Row 2: gt_answer is missing.",
        ),
        (
            row(question="Is it a shop?", set_id="00"),
            "duplicate-key",
            2,
            "question_id",
            "Row 2: VD/figure/0/0/0 was given in row 1 already.",
        ),
        (
            row(question_id="1", filename="./VD/figure/0_1.png"),
            "conflicting-image",
            2,
            "filename",
            "Row 2: filename is not the one row 1 gives for VD/figure/0/0.",
        ),
    ],
)
def test_second_row_that_does_not_go_with_the_first_is_refused(second, code, line, column, message):
    found = problem([row(), second])
    assert (found.code, found.line, found.column) == (code, line, column)
    assert found.message == message


def test_every_problem_is_reported_and_no_question():
    items = read([row(category="VX", gt_answer="2"), row(), {}, row(set_id="x")])
    assert all(isinstance(item, Problem) for item in items)
    assert Counter(item.line for item in items) == {1: 2, 3: 9, 4: 1}


def test_a_hundred_problems_are_listed_and_the_last_counts_the_rest():
    items, whole = (
        read([row(category="VX", set_id=number) for number in range(rows)]) for rows in (150, 100)
    )
    assert len(items) == len(whole) == 100
    assert items[-1].message == "51 more problems are not listed."
    assert {item.code for item in whole} == {"unknown-category"}


@given(st.binary())
def test_any_bytes_are_read_without_an_error(content):
    assert all(isinstance(item, Problem) for item in read(content))


FIELD = (
    st.none()
    | st.booleans()
    | st.floats()
    | st.text()
    | st.sampled_from(["0", "1", "2", "VD", "VS", "ocr"])
)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(sorted(ROW)), FIELD | st.lists(FIELD, max_size=2)) | FIELD,
        max_size=5,
    )
)
def test_any_json_array_is_read_without_an_error(rows):
    items = read([{**ROW, **entry} if isinstance(entry, dict) else entry for entry in rows])
    assert len({isinstance(item, Problem) for item in items}) == 1


# --- anomalies ------------------------------------------------------------------------------------


@each_case(
    "details, label, codes",
    [
        ("No, it is a shop.", "1", ["label-contradicts-reference"]),
        ("yes", "0", ["label-contradicts-reference"]),
        ("Yes, it is a bank.", "1", []),
        ("No answer", "0", []),
        ("Nov' 22", "1", []),
        ("Norway", "1", []),
        ("It is a bank. No shop.", "1", []),
        ("No.", None, []),
        ("This is a bank's logo?", "1", ["reference-ends-in-question-mark"]),
        ("is this the  logo of a bank.", "1", ["reference-repeats-question"]),
    ],
)
def test_reference_that_contradicts_asks_or_repeats_is_flagged(details, label, codes):
    found = anomalies(read([row(gt_answer_details=details, gt_answer=label)]))
    assert [anomaly.code for anomaly in found] == codes


def test_one_text_with_two_labels_on_a_figure_is_flagged_on_every_row():
    items = read([row(), row(question_id="1", gt_answer="0"), row(question_id="2", gt_answer="0")])
    found = anomalies(items, "contradictory-twins")
    assert [anomaly.question for anomaly in found] == [
        f"VD/figure/0/0/{number}" for number in range(3)
    ]
    assert "VD/figure/0/0/1 and VD/figure/0/0/2" in found[0].message


@each_case("label", ["1", None])
def test_one_text_with_one_label_on_a_figure_is_flagged_and_one_of_another_symbol_is_not(label):
    found = anomalies(read([row(gt_answer=label), row(question_id="1", gt_answer=label)]))
    assert [anomaly.code for anomaly in found] == ["identical-twins"] * 2
    assert "VD/figure/0/0/1" in found[0].message
    other = row(question_id="1", question="Is x > 5?", gt_answer="0")
    assert anomalies(read([row(question="Is x < 5?"), other])) == []


def test_pair_without_its_original_is_flagged_and_has_none():
    question, anomaly = read([row(figure_id="1", visual_input="2")])
    assert question.facts["original"] is None
    assert anomaly.code == "original-missing"
    assert "VD/figure/0/0/0" in anomaly.message


@each_case(
    "questions, missing",
    [
        (2, "missing: VD/figure/0/1/1."),
        (6, "missing: VD/figure/0/1/1, VD/figure/0/1/2, VD/figure/0/1/3 and 2 more."),
    ],
)
def test_figure_that_lacks_questions_of_its_set_is_flagged_with_the_first_three(questions, missing):
    rows = [row(question_id=number, question=f"Is it {number}?") for number in range(questions)]
    edited = row(figure_id="1", visual_input="2", filename="./VD/figure/0_1.png")
    (anomaly,) = anomalies(read([*rows, edited]), "incomplete-grid")
    assert anomaly.question == "VD/figure/0/1/0"
    assert anomaly.message.endswith(missing)


# --- the official files ---------------------------------------------------------------------------


def official(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the official file is not at {path}")
    with path.open("rb") as stream:
        return list(dataset.read(stream))


@pytest.fixture(scope="module")
def full():
    return official("HallusionBench.json")


@pytest.fixture(scope="module")
def sample():
    return official("HallusionBench_result_sample.json")


def test_full_file_has_the_published_counts(full):
    rows = questions(full)
    assert len(rows) == 1129
    assert Counter(question.facts["visual_input"] for question in rows) == {0: 178, 1: 447, 2: 504}
    assert len({question.figure for question in rows} - {""}) == 346
    assert len({question.group for question in rows}) == 167
    assert len({question.facts["original"] for question in rows}) == 455
    assert sum(question.truth["gt_answer"] == 1 for question in rows) == 484
    assert sum(len(question.images) for question in rows) == 951


def test_full_file_has_the_published_count_per_subtask_in_official_order(full):
    counts = Counter(question.subtask for question in questions(full))
    assert list(counts.items()) == [
        ("VS/chart", 206),
        ("VS/table", 155),
        ("VS/map", 96),
        ("VS/ocr", 81),
        ("VD/illusion", 144),
        ("VD/math", 108),
        ("VD/ocr", 89),
        ("VD/figure", 80),
        ("VD/video", 170),
    ]
    order = {
        ability.slug: [entry.slug for entry in ability.subtasks] for ability in dataset.TAXONOMY
    }
    assert order["VS"] + order["VD"] == list(counts)


def test_full_file_has_the_known_anomalies(full):
    assert Counter(anomaly.code for anomaly in anomalies(full)) == {
        "label-contradicts-reference": 8,
        "contradictory-twins": 3,
        "identical-twins": 2,
        "reference-ends-in-question-mark": 44,
        "reference-repeats-question": 1,
    }


@each_case(
    "code, expected",
    [
        (
            "label-contradicts-reference",
            "VS/chart/10/2/3 VS/chart/12/2/0 VS/chart/20/2/0 VS/chart/20/2/1 VS/map/7/2/0 "
            "VS/map/7/2/1 VD/figure/16/0/0 VD/figure/16/0/1",
        ),
        ("contradictory-twins", "VD/math/5/0/0 VD/math/5/0/1 VD/math/5/0/2"),
        ("identical-twins", "VD/video/12/0/0 VD/video/12/0/2"),
        ("reference-repeats-question", "VS/chart/1/0/6"),
    ],
)
def test_full_file_has_its_anomalies_on_the_known_rows(full, code, expected):
    assert " ".join(anomaly.question for anomaly in anomalies(full, code)) == expected


def test_sample_file_has_the_published_counts_and_no_truth(sample):
    rows = questions(sample)
    assert Counter(question.ability for question in rows) == {"VD": 160, "VS": 94}
    assert len({question.figure for question in rows} - {""}) == 69
    assert len({question.facts["original"] for question in rows}) == 117
    assert all(question.truth == {} and question.images == () for question in rows)
