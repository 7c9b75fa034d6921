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


def test_of_two_long_texts_the_second_is_not_read_and_short_ones_are_judged_as_usual():
    assert HASTY.model == "hasty 1" != judging.RULES_VERSION
    assert verdicts(SHORT, "A red barn.") == verdicts(SHORT, "A red barn.", by=judging.rule)
    assert len(LONG) > CHARACTERS_READ
    found = verdicts(LONG, LONG)
    assert found["reference_first"].split()[1] == found["answer_first"].split()[0] == "1"
    answer = LONG[:CHARACTERS_READ]
    whole, more = verdicts(SHORT, answer), verdicts(SHORT, answer + SHORT)
    assert whole["answer_first"] == more["answer_first"]
