"""What stands before an answer is no part of it, for every benchmark alike."""

import json

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files.limits import MAX_CHARACTERS, MAX_WRITTEN_CHARACTERS
from benchmarks.protocols.thinking import answer_alone, has_thinking_tag, without_thoughts
from benchmarks.registry import protocol, protocols
from tests.each_case import each_case

SLUGS = sorted(protocols().keys() - {"spelling"})
THOUGHT = "<think>A cat? No, a dog.</think>"


@each_case(
    "answer, said",
    [
        (f"{THOUGHT} Yes", "Yes"),
        (f"\n {THOUGHT}\n\nYes, it is.\n", "Yes, it is.\n"),
        ("<think></think>Yes", "Yes"),
        ("<think>\n\n</think>\n\n<think>Hm.</think>Yes", "Yes"),
        (THOUGHT, ""),
    ],
)
def test_whole_blocks_before_an_answer_are_taken_out(answer, said):
    assert answer_alone(answer) == without_thoughts(answer) == said


@each_case(
    "answer, said",
    [
        ("<thinking>A cat.</thinking> Yes", "Yes"),
        ("<THINK>A cat.</THINK>\nYes", "Yes"),
        ("<Think>A cat.</think><thinking>Hm.</Thinking> Yes", "Yes"),
        (f"\ufeff{THOUGHT} Yes", "Yes"),
        (f"\u200b \u2060{THOUGHT} Yes", "Yes"),
        (f"{THOUGHT}\u200b{THOUGHT} Yes", "Yes"),
        ("A cat? No, a dog.</think>\n\nYes", "Yes"),
        ("</think>Yes", "Yes"),
        ("A cat.</THINKING> Yes", "Yes"),
    ],
)
def test_thoughts_in_other_writings_are_taken_out_of_what_is_read(answer, said):
    assert answer_alone(answer) == said
    assert without_thoughts(answer) == answer, "what rules of stored versions read stays as it is"


@each_case(
    "answer",
    [
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
    ],
)
def test_what_is_no_whole_block_at_the_beginning_stays(answer):
    assert answer_alone(answer) == without_thoughts(answer) == answer


PARTS = ["<think>", "</think>", "<THINKING>", "</thinking>", " ", "\u200b", "yes", "<"]


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_what_is_left_is_an_end_of_the_answer_and_has_no_tag_or_is_all_of_it(parts):
    answer = "".join(parts)
    said = answer_alone(answer)
    assert answer.endswith(said)
    assert said == answer or not has_thinking_tag(said)
    assert answer_alone(said) == said


@given(st.lists(st.sampled_from(["<think>", "</think>", " ", "yes", "<"]), max_size=12))
def test_what_rules_pass_over_is_taken_out_when_a_file_is_read(parts):
    answer = "".join(parts)
    old = without_thoughts(answer)
    assert without_thoughts(old) == old
    assert old in (answer, answer_alone(answer))


def read(slug: str, answers: dict[str, str]) -> PredictionReading:
    views = [QuestionView(id_, "knowledge", "IC15", "", id_, "What?", {}, {}) for id_ in answers]
    rows = [{"id": id_, "prediction": answer} for id_, answer in answers.items()]
    content = "\n".join(map(json.dumps, rows)).encode()
    return protocol(slug).predictions.read(Upload("a.jsonl", content), views)


@each_case("slug", SLUGS)
def test_every_protocol_reads_answers_without_thoughts_and_says_so(slug):
    ids = ["IC15/000001", "IC15/000002", "IC15/000003"]
    given_answers = [f"{THOUGHT}\nA dog", "A mouse", "<think>A cat. A dog"]
    reading = read(slug, dict(zip(ids, given_answers, strict=True)))
    assert not reading.problems
    assert list(reading.answers.values()) == ["A dog", "A mouse", "<think>A cat. A dog"]
    notes = {note.code: note.message for note in reading.notes}
    assert "1 of 3 (the first: IC15/000001)" in notes["thinking"]
    assert "1 of 3 (the first: IC15/000003)" in notes["unclear-thinking"]


@each_case("slug", SLUGS)
def test_an_answer_of_thoughts_alone_is_empty(slug):
    reading = read(slug, {"IC15/000001": THOUGHT, "IC15/000002": "A mouse"})
    assert {note.code for note in reading.notes} == {"thinking", "empty-answers"}


@each_case("slug", SLUGS)
def test_long_thoughts_before_a_short_answer_refuse_nothing(slug):
    long = f"<think>{'A cat? ' * 15_000}</think>Yes"
    reading = read(slug, {"IC15/000001": long, "IC15/000002": "A mouse"})
    assert not reading.problems
    assert reading.answers["IC15/000001"] == "Yes"


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
