"""Malformed dataset files: which fault is named, on which line, and that reading never crashes or
swallows memory."""

import base64
import io
import json
import tracemalloc

from benchmarks.protocols.base import Anomaly, Problem, QuestionRow
from benchmarks.protocols.files.limits import MAX_PROBLEMS
from benchmarks.protocols.touchstone.dataset import COLUMNS, read
from tests.each_case import each_case

HEADER = "\t".join(COLUMNS)
GOOD = {
    "index": "7",
    "image": base64.b64encode(b"a picture").decode(),
    "question": "Which brand is it?",
    "human_annotation": "A red kettle by Aquella.",
    "gpt4_ha_answer": "It is Aquella.",
    "category": "Visual Recognition",
    "task_name": "Brand recognition",
}


def line(**changes: str) -> str:
    return "\t".join({**GOOD, **changes}[name] for name in COLUMNS)


def table(*lines: str) -> bytes:
    return "\n".join([HEADER, *lines, ""]).encode()


def document(**changes: object) -> bytes:
    return json.dumps([{**GOOD, "image": "brand/kettle.png", **changes}]).encode()


def items(content: bytes) -> list[object]:
    return list(read(io.BytesIO(content)))


def problems(content: bytes) -> list[Problem]:
    return [item for item in items(content) if isinstance(item, Problem)]


def rows(content: bytes) -> list[QuestionRow]:
    return [item for item in items(content) if isinstance(item, QuestionRow)]


@each_case(
    "content, code, number",
    [
        (table(line(image=GOOD["image"][:-1])), "invalid-base64", 2),
        (table(line(image="")), "empty-field", 2),
        (table(line(), line(index="8") + "\tmore"), "long-row", 3),
        (table(line(), "8\tabc", line(index="9")), "short-row", 3),
        (table(line(), line(index="8")[:30])[:-1], "cut-off", 3),
        (table(line(), line(index="8", question='"open')), "cut-off", 3),
        (table(line(question="a\0b")), "bad-character", 2),
        (table(line(category="Visual Recognition,,")), "unknown-category", 2),
        (table(line(task_name="?!")), "unknown-subtask", 2),
        (table(line(), line()), "duplicate", 3),
        (table(line(index="7" * 101)), "too-long", 2),
        (table(line(question="é")).replace("é".encode(), b"\xe9"), "not-utf8", 2),
        ((HEADER + "\tindex\n").encode(), "duplicate-column", 1),
        (HEADER.replace("\t", ",").encode(), "missing-column", 1),
        (HEADER.encode("utf-16"), "not-utf8", 1),
        (b" \n\n", "empty-file", None),
        (b"[]", "empty-file", None),
        (b"[{]", "invalid-json", 1),
        (b"[" * 100_000, "invalid-json", None),
        (b'["\xe9"]', "not-utf8", 1),
        (b"[1]", "not-an-object", 1),
        (document(image="../secret.png"), "unsafe-path", 1),
        (document(image="/etc/passwd"), "unsafe-path", 1),
        (document(question=5), "wrong-type", 1),
    ],
)
def test_a_malformed_file_has_one_problem_with_its_place(content, code, number):
    assert [(problem.code, problem.line) for problem in problems(content)] == [(code, number)]


def test_of_many_problems_the_first_are_listed_and_the_rest_counted():
    for count in (MAX_PROBLEMS - 1, MAX_PROBLEMS, 150):
        found = problems(table(*(line(index=str(n), image="abc") for n in range(count))))
        assert len(found) == min(count, MAX_PROBLEMS)
        assert found[-1].line == (None if count == 150 else count + 1)
    told = ("more-problems", "51 more problems are not listed.")
    assert (found[-1].code, found[-1].message) == told


def test_columns_may_stand_in_any_order_after_a_mark():
    header = "\t".join(reversed(COLUMNS))
    row = "\t".join(GOOD[name] for name in reversed(COLUMNS))
    (found,) = rows(b"\xef\xbb\xbf" + f"{header}\r\n{row}\r\n".encode())
    assert (found.public_id, found.subtask) == ("7", "recognition/brand-recognition")


def test_a_base64_cell_may_be_broken_into_lines_and_categories_keep_their_order():
    several = "visual recognition ability, Basic Descriptive Ability"
    broken = base64.encodebytes(bytes(200)).decode()
    (found,) = rows(table(line(image=f'"{broken}"', category=several)))
    assert found.images[0].content == bytes(200)
    assert (found.ability, found.facts["categories"]) == ("recognition", "recognition,description")
    (ours,) = rows(document())
    assert (ours.figure, ours.images[0].name) == ("brand/kettle.png",) * 2
    assert ours.images[0].content is None


def test_a_name_of_the_paper_is_reported_once():
    renamed = [
        line(index=str(n), category="Visual Storytelling", task_name="Poetry") for n in range(3)
    ]
    found = [item for item in items(table(*renamed)) if isinstance(item, Anomaly)]
    assert [(item.question, item.code) for item in found] == [("0", "subtask-renamed")]


@each_case(
    "category, code",
    [
        ("Visual Storytelling", "category-contradicts-subtask"),
        ("Visual Recognition,Visual Recognition", "repeated-category"),
    ],
)
def test_a_doubtful_category_is_imported_and_flagged(category, code):
    question, anomaly = items(table(line(category=category)))
    assert isinstance(question, QuestionRow)
    assert isinstance(anomaly, Anomaly)
    assert anomaly.code == code


def test_memory_does_not_grow_with_the_file():
    picture = base64.b64encode(bytes(1_000_000)).decode()
    content = table(*(line(index=str(n), image=picture) for n in range(30)))
    stream = io.BytesIO(content)
    tracemalloc.start()
    count = sum(isinstance(item, QuestionRow) for item in read(stream))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 30
    assert peak < 15_000_000 < len(content)
