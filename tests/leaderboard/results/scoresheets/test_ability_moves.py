"""What a scoresheet keeps of how its values by ability move with each group of questions."""

import numpy as np
import pytest

from benchmarks.protocols.base import Contributions, Derived
from benchmarks.registry import protocol, protocols
from benchmarks.scoring.sheets import moves_of
from leaderboard.models import Scoresheet
from leaderboard.results.scoresheets.ability_moves import (
    ability_names,
    packed_moves,
    unpacked_moves,
)
from tests.conftest import judged, submit

RUNS, GROUPS = 2, 7


@pytest.fixture
def parts() -> Contributions:
    """Two shares of seven groups in two runs, one of which looks at four; and their mean."""
    rng = np.random.default_rng(5)
    denominator = rng.integers(1, 4, (RUNS, GROUPS, 2)).astype(float)
    denominator[:, 4:, 1] = 0.0
    return Contributions(
        names=("all", "some"),
        groups=tuple("abcdefg"),
        numerator=np.floor(denominator * rng.random(denominator.shape)),
        denominator=denominator,
        counts=np.array([9, 9]),
        asked=np.array([9, 9]),
        judged=np.array([9, 9]),
        coverage=1.0,
        derived={"mean": Derived(lambda by: (by["all"] + by["some"]) / 2, ("all", "some"))},
    )


def value(c: Contributions, place: int, kept: list[int]) -> float:
    tops, bottoms = (part[:, kept, place].sum(axis=1) for part in (c.numerator, c.denominator))
    return float((tops / bottoms).mean())


def test_a_move_is_what_the_value_is_without_the_group_less_what_it_is(parts):
    """What is made of others moves as they do."""
    moves, everything = moves_of(parts, ["mean", "all", "some", "unknown"]), list(range(GROUPS))
    assert list(moves) == ["mean", "all", "some"]
    for place, name in enumerate(("all", "some")):
        expected = [
            value(parts, place, [g for g in everything if g != left])
            - value(parts, place, everything)
            for left in everything
        ]
        assert moves[name] == pytest.approx(expected)
    assert list(moves["some"][4:]) == [0.0, 0.0, 0.0]
    assert moves["mean"] == pytest.approx((moves["all"] + moves["some"]) / 2)
    found = unpacked_moves(packed_moves(moves))
    assert list(found) == list(moves)
    assert np.array([*found.values()]) == pytest.approx(np.array([*moves.values()]), rel=1e-6)
    assert unpacked_moves(None) == unpacked_moves(packed_moves({})) == {}


def test_every_benchmark_that_shows_abilities_keeps_them():
    kept = {slug: ability_names(family.board.BOARD) for slug, family in protocols().items()}
    for slug, family in protocols().items():
        assert set(kept[slug]) <= set(family.board.BOARD.metric_names()), slug
    assert (len(kept["touchstone"]), len(kept["hallusionbench"])) == (32, 11)


@pytest.mark.django_db
def test_a_scoresheet_has_them(spelling, owner):
    judged(submit(spelling, owner))
    found = unpacked_moves(Scoresheet.objects.get().ability_moves)
    assert set(found) == set(ability_names(protocol("spelling").board.BOARD))
    assert all(len(move) for move in found.values())
