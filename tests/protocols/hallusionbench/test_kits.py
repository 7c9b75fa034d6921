"""Results of VLMEvalKit and lmms-eval, in the shapes those kits write."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.protocols.base import PredictionReading, QuestionRow, QuestionView, Upload
from benchmarks.protocols.files.limits import MAX_CELL_CHARACTERS
from benchmarks.protocols.hallusionbench import dataset, scoring
from benchmarks.protocols.hallusionbench.kits import reply_of_words
from benchmarks.protocols.hallusionbench.predictions import read
from tests.each_case import each_case
from tests.growth import growth_fault
from tests.protocols.files.bad_workbooks import workbook

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "hallusionbench"
needs_official_files = pytest.mark.skipif(
    not (DATA / "gpt4v_answers.json").exists(),
    reason="the official files are not beside this checkout (../shared/data/hallusionbench)",
)

ANSWERS = {"VD/ocr/0/0/0": "Yes, it is.", "VD/ocr/0/1/0": "No.", "VS/ocr/12/1/3": "Sure"}
COLUMNS = ("index", "question", "answer", "category", "l2-category", "prediction")


def view(public_id: str, visual_input: int = 1) -> QuestionView:
    return QuestionView(public_id, "", "", "", "", "Is it?", {"visual_input": visual_input}, {})


QUESTIONS = [view(id_) for id_ in ANSWERS]


def vlmevalkit_row(public_id: str, prediction: object) -> list[object]:
    """A row as the kit's inference writes it: what its dataset says without the picture, and the
    prediction."""
    category, subcategory, *numbers = public_id.split("/")
    index = "_".join(("hallusion", category, subcategory, *numbers))
    return [index, "Is it?", "Yes", category, f"{category}_{subcategory}", prediction]


def kit_table(rows: Sequence[Sequence[object]]) -> bytes:
    """As pandas writes it for the kit: tabs, everything in quotes."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([COLUMNS, *rows])
    return text.getvalue().encode()


def as_tsv(rows: Sequence[Sequence[object]]) -> Upload:
    return Upload("model_HallusionBench.tsv", kit_table(rows))


def as_json(rows: Sequence[Sequence[object]]) -> Upload:
    records = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return Upload("model_HallusionBench.json", json.dumps(records, indent=4).encode())


def as_workbook(rows: Sequence[Sequence[object]]) -> Upload:
    return Upload("model_HallusionBench.xlsx", workbook([COLUMNS, *rows]))


FORMATS = (as_tsv, as_json, as_workbook)
Format = Callable[[Sequence[Sequence[object]]], Upload]


def lmms_sample(number: int, public_id: str, prediction: object) -> dict[str, object]:
    """A line as the kit logs it: the official row with the answer, once under each metric."""
    names = ("category", "subcategory", "set_id", "figure_id", "question_id")
    row = {
        **dict(zip(names, public_id.split("/"), strict=True)),
        "visual_input": "1",
        "question": "Is it?",
        "gt_answer_details": "It is.",
        "gt_answer": "1",
        "filename": "./x.png",
        "model_prediction": prediction,
    }
    return {
        "doc_id": number,
        "target": "It is.",
        "filtered_resps": prediction,
        "token_counts": [{"input_tokens": None, "output_tokens": 3}],
        "doc_hash": "f" * 64,
        **dict.fromkeys(("aAcc", "fAcc", "qAcc"), row),
        "input": "Is it?",
    }


def as_samples(samples: Sequence[object]) -> Upload:
    content = "".join(json.dumps(sample) + "\n" for sample in samples).encode()
    return Upload("20260102_030405_samples_hallusion_bench_image.jsonl", content)


def codes(reading: PredictionReading) -> list[tuple[str, int | None, str]]:
    return [(problem.code, problem.line, problem.column) for problem in reading.problems]


def test_an_empty_prediction_is_an_empty_answer_in_every_format() -> None:
    """What is not empty, failed, missing or damaged in other ways is read in
    tests/protocols/foreign."""
    rows = [vlmevalkit_row(*item) for item in ANSWERS.items()]
    rows[1][-1] = None
    nan = as_json(rows).content.replace(b"null", b"NaN")

    for upload in (*(form(rows) for form in FORMATS), Upload("model_HallusionBench.json", nan)):
        reading = read(upload, QUESTIONS)

        assert reading.problems == ()
        assert reading.answers == {**ANSWERS, "VD/ocr/0/1/0": ""}
        assert "empty-answers" in [note.code for note in reading.notes]


@each_case("mark", ["\u200b", "\ufeff ", "\n"])
def test_a_failed_call_behind_invisible_characters_is_no_answer(mark: str) -> None:
    failed = {**ANSWERS, "VD/ocr/0/1/0": f"{mark}Failed to obtain answer via API. "}

    reading = read(as_tsv([vlmevalkit_row(*item) for item in failed.items()]), QUESTIONS)

    assert [problem.code for problem in reading.problems] == ["failed-answer"]


def test_fields_that_a_newer_kit_adds_are_ignored_and_named() -> None:
    samples = [
        {**lmms_sample(n, *item), "split": "image", "stop_reason": None, "filter": "none"}
        for n, item in enumerate(ANSWERS.items())
    ]
    rows = [
        {**dict(zip(COLUMNS, vlmevalkit_row(*item), strict=True)), "split": "image"}
        for item in ANSWERS.items()
    ]
    for upload in (as_samples(samples), Upload("x.json", json.dumps(rows).encode())):
        reading = read(upload, QUESTIONS)

        assert reading.problems == ()
        assert reading.answers == ANSWERS
        (note,) = [note for note in reading.notes if note.code == "ignored-fields"]
        assert "split" in note.message


def test_an_answer_that_excel_cut_off_is_named() -> None:
    cut = {**ANSWERS, "VS/ocr/12/1/3": "Yes " * (MAX_CELL_CHARACTERS // 4) + "Yes"}

    reading = read(as_workbook([vlmevalkit_row(*item) for item in cut.items()]), QUESTIONS)

    assert ("cut-off", 4, "prediction") in codes(reading)


@each_case("form", FORMATS)
def test_rows_of_another_dataset_are_named(form: Format) -> None:
    rows = [vlmevalkit_row(*item) for item in ANSWERS.items()]
    rows[1][0] = "existence/000000006040.jpg_1"
    rows[2][0] = "hallusion_VS_ocr_99_1_3"

    found = read(form(rows), QUESTIONS).problems

    assert [(p.code, p.column) for p in found if p.line] == [
        ("type-of-id", "index"),
        ("unknown", "index"),
    ]
    assert "VS/ocr/99/1/3" in found[-1].message


def test_a_file_of_another_benchmark_of_the_kit_is_refused() -> None:
    content = b'"index","question","answer","category","prediction"\n"1","Q","A","color","A"\n'

    reading = read(Upload("model_MME.csv", content), QUESTIONS)

    assert ("missing-field", 1, "l2-category") in codes(reading)


def test_a_sample_without_its_row_and_one_with_a_part_of_it_are_named() -> None:
    first, second, third = (lmms_sample(n, *item) for n, item in enumerate(ANSWERS.items()))
    first["aAcc"] = 1.0
    second["aAcc"] = {"category": "VD", "model_prediction": "No."}

    found = codes(read(as_samples([first, second, third]), QUESTIONS))

    assert ("shape", 1, "aAcc") in found
    assert ("missing-field", 2, "aAcc.figure_id") in found


def test_a_release_with_all_questions_says_that_the_kits_ask_fewer() -> None:
    questions = [*QUESTIONS, view("VS/ocr/12/0/3", visual_input=0)]

    reading = read(as_tsv([vlmevalkit_row(*item) for item in ANSWERS.items()]), questions)

    assert [problem.code for problem in reading.problems] == ["images-only", "missing"]
    assert "1 of this release's 4 have none" in reading.problems[0].message


# --- the release of questions with an image -------------------------------------------------------


@needs_official_files
def test_images_only_are_951_questions_346_figures_and_455_pairs() -> None:
    with (DATA / "HallusionBench.json").open("rb") as stream:
        items = list(dataset.read_images_only(stream))
    rows = [item for item in items if isinstance(item, QuestionRow)]

    facts = [row.facts for row in rows]
    pairs = {
        (row.subtask, fact["set_id"], fact["question_id"])
        for row, fact in zip(rows, facts, strict=True)
    }
    assert (len(rows), len({row.figure for row in rows}), len(pairs)) == (951, 346, 455)
    assert all(fact["original"] is None for fact in facts if fact["category"] == "VS")
    assert "original-missing" not in {getattr(item, "code", "") for item in items}


@needs_official_files
def test_gpt4v_scores_as_vlmevalkits_own_functions_score_it() -> None:
    """513 of 945 rows, 94 of 344 figures, 120 of 453 pairs, 177 unread: what the kit's functions
    give for the answers that are on record; six with an image are not."""
    answers = json.loads((DATA / "gpt4v_answers.json").read_text())["answers"]
    with (DATA / "HallusionBench.json").open("rb") as stream:
        rows = [item for item in dataset.read(stream) if isinstance(item, QuestionRow)]
    asked = [row for row in rows if row.public_id in answers]
    questions = [
        QuestionView(r.public_id, r.ability, r.subtask, r.figure, r.group, r.text, r.facts, r.truth)
        for r in asked
    ]

    found = scoring.contributions(questions, [answers[r.public_id] for r in asked], {})

    def ratio(name: str) -> tuple[float, float]:
        place = found.names.index(name)
        return found.numerator[0, :, place].sum(), found.denominator[0, :, place].sum()

    assert ratio("kit_aAcc") == (513, 945)
    assert ratio("kit_fAcc") == (94, 344)
    assert ratio("kit_qAcc") == (120, 453)
    assert ratio("kit_unknown") == (177, 945)


# --- yes and no -----------------------------------------------------------------------------------


@each_case(
    "answer, expected",
    [
        ("Yes", "yes"),
        ("no.", "no"),
        ("Yes, it is.", "yes"),
        ("There is no such line, so yes", "unknown"),
        ("It is not.", "unknown"),
        ("", "unknown"),
        ("**Yes**", "unknown"),
        ("Answer:yes", "unknown"),
        ("(Yes)", "yes"),
        ("yes-no", "unknown"),
        ("1,000 people/yes", "unknown"),  # a comma between digits deletes every mark
        ("1 000 people/yes", "yes"),
        ("yes.3", "unknown"),
        ("a. " * 32 + "yes.", "unknown"),  # the thirty-third period stays
        ("a. " * 31 + "yes.", "yes"),
    ],
)
def test_yes_and_no_are_read_as_the_kit_reads_them(answer: str, expected: str) -> None:
    assert reply_of_words(answer) == expected


def test_reading_yes_and_no_grows_with_length_alone() -> None:
    assert growth_fault(lambda size: reply_of_words(". ,-" * (size // 4))) == ""
