"""The judges of the demo, of the quickest of the benchmarks."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from benchmarks.protocols.base import Rules
from benchmarks.registry import protocol, protocols
from leaderboard.models import Scoresheet
from leaderboard.operations.demo.world import load_world
from leaderboard.results.judges.comparisons import read_comparisons

NOW = datetime(2031, 5, 20, 12, tzinfo=UTC)
BASELINES, SAMPLES = 9, 3

pytestmark = pytest.mark.slow


def test_samples_are_judged_by_all_rules_and_baselines_by_the_usual_ones(db, owner, monkeypatch):
    other = Rules("generous", "1", "", lambda case: "1")
    family = replace(protocol("tiny_lvlm_ehub_ability"), other_rules=(other,))
    monkeypatch.setitem(protocols(), family.slug, family)
    load_world(
        families=[family], owner=owner, now=NOW, say=lambda line: None, judge_last=True, days=0
    )
    counts = Counter(Scoresheet.objects.values_list("judge_spec__model", "submission__origin"))
    usual = family.judging.RULES_VERSION
    assert counts == {
        (usual, "baseline"): BASELINES,
        (usual, "sample"): SAMPLES,
        ("generous 1", "sample"): SAMPLES,
    }
    (pair,) = read_comparisons()[family.slug].pairs
    assert pair.common == SAMPLES
