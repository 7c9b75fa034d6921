"""The self-written set: all 27 subtasks, and every description the same for its picture."""

import json
from collections import Counter, defaultdict

from benchmarks.protocols.base import Problem, QuestionRow
from benchmarks.protocols.touchstone import PROTOCOL
from benchmarks.protocols.touchstone.dataset import read
from tests.each_case import each_case

ENGLISH, CHINESE = PROTOCOL.bundled


def rows(bundled) -> list[QuestionRow]:
    with bundled.dataset.open("rb") as stream:
        found = list(read(stream))
    assert not [item for item in found if isinstance(item, Problem)]
    return [item for item in found if isinstance(item, QuestionRow)]


def test_every_subtask_has_three_questions_or_more():
    counts = Counter(row.subtask for row in rows(ENGLISH))
    assert len(counts) == 27
    assert min(counts.values()) >= 3
    assert sum(counts.values()) >= 81


def test_fifteen_questions_or_more_are_chinese():
    found = rows(CHINESE)
    assert len(found) >= 15
    assert all(any("\u4e00" <= c <= "\u9fff" for c in row.text) for row in found)


def test_a_picture_has_one_description():
    texts = defaultdict(set)
    for row in rows(ENGLISH):
        texts[row.figure].add(row.description)
    assert {len(found) for found in texts.values()} == {1}


@each_case("bundled", PROTOCOL.bundled)
def test_sample_answers_are_complete(bundled):
    ids = {row.public_id for row in rows(bundled)}
    for sample in bundled.samples:
        answered = [json.loads(line)["id"] for line in sample.file.read_text().splitlines()]
        assert sorted(answered) == sorted(ids)
