from benchmarks.protocols.base import JudgeCase, QuestionView
from benchmarks.protocols.touchstone import judging
from benchmarks.protocols.touchstone.hasty_rules import CHARACTERS_READ, HASTY, rule

QUESTION = QuestionView("1", "d", "d", "", "1", "What is there?", {}, {})
SHORT = "A red barn beside two silver birches."
LONG = " ".join(f"detail{number}" for number in range(100))


def verdicts(reference: str, answer: str, *, by=rule) -> dict[str, str]:
    """What both rounds say, reference before answer, by slot."""
    cases = (
        JudgeCase(slot, QUESTION, reference, reference, answer)
        for slot in judging.slots(QUESTION, 1)
    )
    return {c.slot.name: judging.parse(c.slot, by(c), "strict") for c in cases}


def test_short_texts_are_judged_as_by_the_usual_rules():
    assert verdicts(SHORT, "A red barn.") == verdicts(SHORT, "A red barn.", by=judging.rule)


def test_of_two_long_texts_the_second_is_not_read():
    assert len(LONG) > CHARACTERS_READ
    found = verdicts(LONG, LONG)
    assert found["reference_first"].split()[1] == "1"
    assert found["answer_first"].split()[0] == "1"


def test_what_is_said_beyond_what_is_read_changes_nothing():
    answer = LONG[:CHARACTERS_READ]
    assert (
        verdicts(SHORT, answer)["answer_first"] == verdicts(SHORT, answer + SHORT)["answer_first"]
    )


def test_its_spec_is_not_that_of_the_usual_rules():
    assert HASTY.model == "hasty 1"
    assert HASTY.model != judging.RULES_VERSION
