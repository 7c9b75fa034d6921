"""What stands before an answer is no part of it, for every benchmark alike."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.thinking import has_thinking_tag, without_thoughts
from benchmarks.registry import protocol, protocols

SLUGS = sorted(protocols().keys() - {"spelling"})
THOUGHT = "<think>A cat? No, a dog.</think>"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (f"{THOUGHT} Yes", "Yes"),
        (f"\n {THOUGHT}\n\nYes, it is.\n", "Yes, it is.\n"),
        ("<think></think>Yes", "Yes"),
        ("<think>\n\n</think>\n\n<think>Hm.</think>Yes", "Yes"),
        (THOUGHT, ""),
    ],
)
def test_whole_blocks_before_an_answer_are_taken_out(answer, said):
    assert without_thoughts(answer) == said


@pytest.mark.parametrize(
    "answer",
    [
        "Yes",
        "",
        "  Yes ",
        f"Yes. {THOUGHT}",
        "<think>A cat. Yes",
        "A cat.</think> Yes",
        f"{THOUGHT}<think>Or",
        f"{THOUGHT}Yes</think> No",
        f"{THOUGHT}Yes {THOUGHT}",
        f"<think>{THOUGHT} Yes",
        f"<think>{THOUGHT}</think> Yes",
        "<thinking>A cat.</thinking> Yes",
    ],
)
def test_what_is_no_whole_block_at_the_beginning_stays(answer):
    assert without_thoughts(answer) == answer


@given(st.lists(st.sampled_from(["<think>", "</think>", " ", "yes", "<"]), max_size=12))
def test_what_is_left_is_an_end_of_the_answer_and_has_no_tag_or_is_all_of_it(parts):
    answer = "".join(parts)
    said = without_thoughts(answer)
    assert answer.endswith(said)
    assert said == answer or not has_thinking_tag(said)
    assert without_thoughts(said) == said


def read(slug: str, answers: dict[str, str]) -> PredictionReading:
    views = [QuestionView(id_, "knowledge", "IC15", "", id_, "What?", {}, {}) for id_ in answers]
    rows = [{"id": id_, "prediction": answer} for id_, answer in answers.items()]
    content = "\n".join(map(json.dumps, rows)).encode()
    return protocol(slug).predictions.read(Upload("a.jsonl", content), views)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_protocol_reads_answers_without_thoughts_and_says_so(slug):
    ids = ["IC15/000001", "IC15/000002", "IC15/000003"]
    given_answers = [f"{THOUGHT}\nA dog", "A mouse", "<think>A cat. A dog"]
    reading = read(slug, dict(zip(ids, given_answers, strict=True)))
    assert not reading.problems
    assert list(reading.answers.values()) == ["A dog", "A mouse", "<think>A cat. A dog"]
    notes = {note.code: note.message for note in reading.notes}
    assert "1 of 3 (the first: IC15/000001)" in notes["thinking"]
    assert "1 of 3 (the first: IC15/000003)" in notes["unclear-thinking"]


@pytest.mark.parametrize("slug", SLUGS)
def test_an_answer_of_thoughts_alone_is_empty(slug):
    reading = read(slug, {"IC15/000001": THOUGHT, "IC15/000002": "A mouse"})
    assert {note.code for note in reading.notes} == {"thinking", "empty-answers"}
