import time

from benchmarks.protocols.answer_texts.repeated_question import without_question
from tests.each_case import each_case


@each_case(
    "answer, left",
    [
        ("Is it red or blue? Blue.", "Blue."),
        ("IS IT RED, OR BLUE?\nblue", "blue"),
        ('You asked: "Is it red\nor blue?" It is blue.', 'You asked: " " It is blue.'),
        ("Blue. Is it red or blue? Is it red or blue?", "Blue."),
        ("Is it red or blue?", ""),
        ("isitredorblue", ""),
        ("Is it red? It is blue.", "Is it red? It is blue."),
        ("It is blue.", "It is blue."),
        ("", ""),
    ],
)
def test_the_question_is_taken_out_wherever_it_stands(answer, left):
    assert without_question(answer, "Is it red or blue?").strip() == left


def test_questions_in_scripts_without_blanks_are_found():
    assert without_question("图片里有没有一只猫?有。", "图片里有没有一只猫？").strip() == "有。"


def test_a_short_question_stays_for_it_may_be_an_answer():
    assert without_question("Blue", "Blue?") == "Blue"


def test_letters_that_fold_into_several_are_found():
    assert without_question("STRASSE ODER WEG: Weg", "Straße oder Weg?").strip() == ": Weg"


@each_case(
    "unit, question",
    [
        ("is it a", "is it a" * 20 + "?"),
        ("a", "a" * 200 + "b"),
        ("\ufdfa", "Is it red?"),
        ("? ", "Is it red?"),
        ("Is it red? ", "Is it red?"),
    ],
)
def test_time_grows_with_length_alone(unit, question):
    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        started = time.process_time()
        for _ in range(5):
            without_question(text, question)
        return time.process_time() - started

    seconds(1000)
    assert seconds(80_000) < 40 * max(seconds(8_000), 0.002)
