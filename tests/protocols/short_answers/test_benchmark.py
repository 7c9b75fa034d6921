"""What every benchmark keeps, and its own numbers by hand."""

import pytest

from examples.short_answers import PROTOCOL, scoring
from tests.protocols.contract import CLAUSES, bundled_rows, judged

ROWS = bundled_rows(PROTOCOL)


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_it_keeps_the_contract(clause):
    clause(PROTOCOL)


def test_scores_by_hand():
    answers = ["Eight.", "four", "", "mice"]
    found = scoring.contributions(
        [row.view() for row in ROWS], answers, judged(PROTOCOL, ROWS, answers)
    )
    right, asked = (array[0].sum(axis=0).tolist() for array in (found.numerator, found.denominator))
    assert dict(zip(found.names, zip(right, asked, strict=True), strict=True)) == {
        "accuracy": (2, 4),
        "accuracy@numbers": (1, 2),
        "accuracy@words": (1, 2),
    }
