"""What stands before an answer is no part of it, for every benchmark alike."""

import json

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.answer_texts.thinking import (
    answer_alone,
    has_thinking_tag,
    without_thoughts,
)
from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files.limits import MAX_CHARACTERS, MAX_WRITTEN_CHARACTERS
from benchmarks.registry import protocol, protocols
from tests.each_case import each_case

SLUGS = sorted(protocols().keys() - {"spelling"})
THOUGHT = "<think>A cat? No, a dog.</think>"


WHOLE = {
    f"{THOUGHT} Yes": "Yes",
    f"\n {THOUGHT}\n\nYes, it is.\n": "Yes, it is.\n",
    "<think></think>Yes": "Yes",
    "<think>\n\n</think>\n\n<think>Hm.</think>Yes": "Yes",
    THOUGHT: "",
}
OTHER_WRITINGS = [
    "<thinking>A cat.</thinking> Yes",
    "<THINK>A cat.</THINK>\nYes",
    "<Think>A cat.</think><thinking>Hm.</Thinking> Yes",
    f"\ufeff{THOUGHT} Yes",
    f"\u200b \u2060{THOUGHT} Yes",
    f"{THOUGHT}\u200b{THOUGHT} Yes",
    "A cat? No, a dog.</think>\n\nYes",
    "</think>Yes",
    "A cat.</THINKING> Yes",
]
NO_BLOCK = [
    "Yes",
    "",
    "  Yes ",
    "\ufeffYes",
    f"Yes. {THOUGHT}",
    "<think>A cat. Yes",
    "Yes</think>",
    "Yes</think> \n",
    "A cat.</think>A dog.</think> Yes",
    "<think>A cat.</thinking> Yes",
    f"{THOUGHT}<think>Or",
    f"{THOUGHT}Yes</think> No",
    f"{THOUGHT}Yes {THOUGHT}",
    f"<think>{THOUGHT} Yes",
    f"<think>{THOUGHT}</think> Yes",
    "< think>A cat.</think> Yes </think>",
]


def test_whole_blocks_before_an_answer_are_taken_out_and_nothing_else():
    """What rules of stored versions read stays as it is in other writings."""
    said = {**WHOLE, **dict.fromkeys(OTHER_WRITINGS, "Yes"), **{text: text for text in NO_BLOCK}}
    assert {answer: answer_alone(answer) for answer in said} == said
    kept = {**WHOLE, **{text: text for text in (*OTHER_WRITINGS, *NO_BLOCK)}}
    assert {answer: without_thoughts(answer) for answer in kept} == kept


PARTS = ["<think>", "</think>", "<THINKING>", "</thinking>", " ", "\u200b", "yes", "<"]


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_what_is_left_is_an_end_of_the_answer_and_has_no_tag_or_is_all_of_it(parts):
    """What rules pass over is taken out when a file is read, but where a tag in another writing,
    which they do not know, is left: after their block, or in it, and then all of the answer is."""
    answer = "".join(parts)
    said, old = answer_alone(answer), without_thoughts(answer)
    assert answer.endswith(said)
    assert said == answer or not has_thinking_tag(said)
    assert (answer_alone(said), without_thoughts(old)) == (said, old)
    assert old in (answer, said) or answer.endswith(old)
    assert old in (answer, said) or has_thinking_tag(old) or said == answer


def read(slug: str, answers: dict[str, str]) -> PredictionReading:
    views = [QuestionView(id_, "knowledge", "IC15", "", id_, "What?", {}, {}) for id_ in answers]
    rows = [{"id": id_, "prediction": answer} for id_, answer in answers.items()]
    content = "\n".join(map(json.dumps, rows)).encode()
    return protocol(slug).predictions.read(Upload("a.jsonl", content), views)


@each_case("slug", SLUGS)
def test_every_protocol_reads_answers_without_thoughts_and_says_so(slug):
    """However long they are; an answer of thoughts alone is empty."""
    long, ids = f"<think>{'A cat? ' * 15_000}</think>Yes", [f"IC15/00000{n}" for n in range(1, 5)]
    said = [f"{THOUGHT}\nA dog", "A mouse", "<think>A cat. A dog", long]
    reading = read(slug, dict(zip(ids, said, strict=True)))
    assert not reading.problems
    assert list(reading.answers.values()) == ["A dog", "A mouse", "<think>A cat. A dog", "Yes"]
    notes = {note.code: note.message for note in reading.notes}
    assert "2 of 4 (the first: IC15/000001" in notes["thinking"]
    assert "1 of 4 (the first: IC15/000003)" in notes["unclear-thinking"]
    alone = read(slug, {"IC15/000001": THOUGHT, "IC15/000002": "A mouse"})
    assert {note.code for note in alone.notes} == {"thinking", "empty-answers"}


@each_case(
    "text, words",
    [
        (f"{THOUGHT}{'x' * (MAX_CHARACTERS + 1)}", "20001 characters without the thoughts"),
        (f"<think>{'x' * MAX_CHARACTERS}", "20007 characters; at most 20000"),
        (
            f"<think>{'x' * MAX_WRITTEN_CHARACTERS}</think>Yes",
            "131090 characters, thoughts before the answer included; at most 131072",
        ),
    ],
)
def test_an_answer_too_long_without_its_thoughts_and_endless_thoughts_are_refused(text, words):
    (problem,) = read("touchstone", {"IC15/000001": text, "IC15/000002": "A mouse"}).problems
    assert problem.code == "too-long"
    assert words in problem.message
