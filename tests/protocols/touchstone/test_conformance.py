import copy
import json
from pathlib import Path

import pytest

from benchmarks.protocols.touchstone.conformance import CONFORMANCE

FILE = Path(__file__).resolve().parents[4] / "shared" / "data" / "touchstone" / "conformance.json"


@pytest.fixture(scope="module")
def cases():
    if not FILE.exists():
        pytest.skip(
            "the conformance cases are not beside this checkout (../shared/data/touchstone)"
        )
    return json.loads(FILE.read_text())["cases"]


def test_every_mean_of_the_official_script_is_reproduced(cases):
    assert cases
    assert [list(CONFORMANCE[""](case, ())) for case in cases] == [[] for _ in cases]


def test_a_changed_number_is_reported(cases):
    case = copy.deepcopy(cases[0])
    case["expected"]["overall"]["M"] += 0.01
    assert CONFORMANCE[""](case, ())
