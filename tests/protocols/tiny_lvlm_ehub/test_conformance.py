import json
from pathlib import Path

import pytest

from benchmarks.protocols.tiny_lvlm_ehub.conformance import CONFORMANCE
from tests.each_case import each_case

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "tiny_lvlm_ehub"


@each_case("variant", CONFORMANCE)
def test_official_cases_agree(variant):
    file = FOLDER / f"{variant}_conformance.json"
    if not file.exists():
        pytest.skip(
            "the conformance cases are not beside this checkout (../shared/data/tiny_lvlm_ehub)"
        )
    cases = json.loads(file.read_text())["cases"]
    assert len(cases) >= 30
    assert [case for case in cases if CONFORMANCE[variant](case, ())] == []


@each_case(
    "variant, case, name",
    [
        ("word_matching", {"answer": "a cat", "references": ["cat"], "correct": 0}, "correct"),
        ("word_matching", {"answer": "a cat", "references": "cat", "correct": 1}, "case"),
        ("cee_vote", {"replies": ["Most Likely Score: 1"], "labels": [1], "vote": 1}, "case"),
        (
            "cee_vote",
            {"replies": ["Final Score: 1"] * 5, "labels": [-1, 1, -1, 1, -1], "vote": 1},
            "vote",
        ),
    ],
)
def test_a_case_that_differs_is_told(variant, case, name):
    assert name in [difference.name for difference in CONFORMANCE[variant](case, ())]
