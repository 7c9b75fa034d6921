"""What the demo's models answer, judged by the offline rules as the site does it."""

import io
from dataclasses import dataclass

import numpy as np
import pytest

from benchmarks.bundled.synthetic_models import (
    DAYS,
    MODELS,
    SyntheticEntry,
    entries_of_day,
    qualities,
    withdrawn_on,
)
from benchmarks.protocols.base import AnswerSource, BenchmarkProtocol, BundledRelease, QuestionRow
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import Sheet, release_seed, score_sheet
from benchmarks.submissions.samples.synthetic import synthetic_answers
from tests.each_case import each_case
from tests.protocols.contract import judged

FAMILIES = (
    "hallusionbench",
    "touchstone",
    "touchstone_hallucination",
    "tiny_lvlm_ehub",
    "tiny_lvlm_ehub_ability",
)
BUNDLED = [
    pytest.param(protocol(slug), bundled, id=bundled.slug)
    for slug in FAMILIES
    for bundled in protocol(slug).bundled
]
ENTRIES = [entry for day in range(1, DAYS + 1) for entry in entries_of_day(day)]


@dataclass(frozen=True)
class Questions:
    """A bundled release as it is read, without a database."""

    family: BenchmarkProtocol
    slug: str
    rows: list[QuestionRow]
    sources: list[AnswerSource]

    def answers(self, entry: SyntheticEntry) -> list[str]:
        assert self.family.synthesise is not None
        said = synthetic_answers(self.slug, entry, self.sources, self.family.synthesise)
        return [said[row.public_id] for row in self.rows]

    def sheet(self, entry: SyntheticEntry) -> Sheet:
        answers, board = self.answers(entry), self.family.board
        views = [row.view() for row in self.rows]
        verdicts = judged(self.family, self.rows, answers)
        made = self.family.contributions(views, answers, verdicts, {})
        seed = release_seed(self.slug)
        return score_sheet(made, metrics=board.METRICS, ranking=board.BOARD.ranking, seed=seed)


def read(family: BenchmarkProtocol, bundled: BundledRelease) -> Questions:
    items = family.dataset.read(io.BytesIO(bundled.dataset.read_bytes()))
    rows = [item for item in items if isinstance(item, QuestionRow)]
    sources = [AnswerSource(row.view(), row.reference, row.description) for row in rows]
    return Questions(family, bundled.slug, rows, sources)


def named(name: str) -> SyntheticEntry:
    return next(entry for entry in ENTRIES if entry.model.name.startswith(f"Synthetic {name}"))


@pytest.mark.slow
@pytest.mark.parametrize(("family", "bundled"), BUNDLED)
def test_boards_have_the_models_in_the_order_of_their_rates(family, bundled):
    from scipy.stats import kendalltau  # two seconds, in each process that collects

    questions, ranking = read(family, bundled), family.board.BOARD.ranking
    values = [questions.sheet(entry).figures[ranking].value for entry in ENTRIES]
    found = kendalltau([entry.rate for entry in ENTRIES], values).statistic
    is_better = family.board.METRICS[ranking].higher_is_better is not False
    assert (found if is_better else -found) >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["hallusionbench", "touchstone", "tiny_lvlm_ehub"])
def test_two_models_are_told_apart_though_their_intervals_overlap_and_two_are_not(slug):
    family = protocol(slug)
    questions, ranking = read(family, family.bundled[0]), family.board.BOARD.ranking
    birch, cedar, elm, fir = (questions.sheet(named(n)) for n in ("Birch", "Cedar", "Elm", "Fir"))
    assert birch.figures[ranking].low < cedar.figures[ranking].high
    assert np.quantile(birch.draws - cedar.draws, 0.025) > 0
    low, high = np.quantile(elm.draws - fir.draws, [0.025, 0.975])
    assert low < 0 < high


@each_case("family, bundled", [one.values for one in BUNDLED])
def test_no_answer_is_empty_and_the_same_entry_answers_the_same(family, bundled):
    questions = read(family, bundled)
    for entry in (ENTRIES[0], named("Oleander")):
        answers = questions.answers(entry)
        assert all(answer.strip() for answer in answers)
        assert answers == questions.answers(entry)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "bundled"), BUNDLED)
def test_no_two_entries_give_the_same_answers(family, bundled):
    questions = read(family, bundled)
    assert len({tuple(questions.answers(entry)) for entry in ENTRIES}) == len(ENTRIES)


def test_as_many_answers_are_right_as_the_rate_says():
    for entry in ENTRIES:
        right = qualities(entry, "a release", ["seeing", "reading"] * 500) >= 0.5
        assert abs(right.mean() - entry.rate) <= 0.011


def test_who_shares_the_luck_of_another_is_right_nowhere_else():
    birch, cedar = (qualities(named(n), "r", ["a"] * 200) >= 0.5 for n in ("Birch", "Cedar"))
    assert birch.sum() > cedar.sum()
    assert not (cedar & ~birch).any()


def test_there_are_fifteen_models_that_say_what_they_are_and_every_day_has_some():
    assert len(MODELS) == 15
    assert all(m.name.startswith("Synthetic ") and "nvented" in m.organisation for m in MODELS)
    assert all(entries_of_day(day) for day in range(1, DAYS + 1))
    assert sum(len(withdrawn_on(day)) for day in range(1, DAYS + 1)) == 1
    assert len(ENTRIES) == len(MODELS) + 1
