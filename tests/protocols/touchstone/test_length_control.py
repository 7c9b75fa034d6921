"""The score controlled for length: worked by hand, and on simulated judges, one that likes long
answers and one that does not. Simulations have a fixed seed."""

import io
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.protocols.base import Floats, QuestionView, Upload
from benchmarks.protocols.touchstone import PROTOCOL, scoring
from benchmarks.protocols.touchstone.board import METRICS
from benchmarks.protocols.touchstone.comparing import REFERENCE_LENGTH, compare
from benchmarks.protocols.touchstone.dataset import COLUMNS
from benchmarks.protocols.touchstone.judging import ANSWER_FIRST, REFERENCE_FIRST
from benchmarks.protocols.touchstone.scoring import SUBTASKS, contributions
from benchmarks.scoring.sheets import MetricValue, score_sheet
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import accept_submission
from leaderboard.results.services import score_run
from tests.conftest import judged

QUESTIONS = 908  # as the paper's
CHARACTERS = 400.0
"""What the judge looks at length by: another unit than that of the measure, which cannot know
it."""


def question(number: int, subtask: str = SUBTASKS[0]) -> QuestionView:
    ability = subtask.partition("/")[0]
    name = f"{number:04d}"
    return QuestionView(name, ability, subtask, name, name, "?", {"categories": ability}, {})


def figures_of(
    questions: Sequence[QuestionView],
    lengths: Sequence[int],
    references: Sequence[int | None],
    rounds: Sequence[Sequence[str | None]],
) -> dict[str, MetricValue]:
    verdicts = {
        f"{REFERENCE_FIRST}.1": rounds[0],
        f"{ANSWER_FIRST}.1": rounds[1],
        REFERENCE_LENGTH: [None if n is None else str(n) for n in references],
    }
    made = contributions(questions, ["x" * n for n in lengths], verdicts)
    return score_sheet(made, metrics=METRICS, ranking="overall", seed=1).figures


# --- by hand --------------------------------------------------------------------------------------


@pytest.fixture
def of_few(monkeypatch):
    """Slopes of as few answers as one works out by hand."""
    monkeypatch.setattr(scoring, "LEAST_COMPARED", 1)


def test_few_answers_tell_no_slope():
    rounds = [["5 4", "5 6"] * 15] * 2
    found = figures_of([question(n) for n in range(30)], [10, 20] * 15, [10] * 30, rounds)
    assert (found["length_slope"].value, found["length_controlled"].value) == (None, None)
    rounds = [["5 4", "5 6"] * 16] * 2
    found = figures_of([question(n) for n in range(32)], [10, 20] * 16, [10] * 32, rounds)
    assert found["length_controlled"].value == pytest.approx(400)


def test_where_the_line_leads_out_of_the_scale_nothing_is_said(of_few):
    """Two answers far longer than their references, by nearly as much."""
    rounds = [["5 4", "5 9"], ["5 4", "5 9"]]
    found = figures_of([question(1), question(2)], [20, 21], [10, 10], rounds)
    controlled = found["length_controlled"]
    assert (controlled.value, controlled.low, controlled.high) == (None, None, None)
    assert found["overall"].value == 650


def test_the_score_is_told_for_answers_as_long_as_their_references(of_few):
    edges = np.tanh([0.0, 1.0])  # references of 10 characters, answers of 10 and 20
    found = figures_of(
        [question(1), question(2)], [10, 20], [10, 10], [["5 4", "5 6"], ["5 4", "5 6"]]
    )
    assert found["length_slope"].value == pytest.approx(200 / edges[1])
    assert found["length_edge"].value == pytest.approx(edges.mean())
    assert found["overall"].value == 500
    assert found["length_controlled"].value == pytest.approx(400)
    assert found["length_controlled"].n == found["overall"].n == 4


def test_an_answer_that_says_nothing_keeps_its_score_and_tells_no_slope(of_few):
    rounds = [["5 4", "5 6", "- 1"], ["5 4", "5 6", "- 1"]]
    found = figures_of([question(n) for n in range(3)], [10, 20, 0], [10, 10, 10], rounds)
    assert found["length_slope"].value == pytest.approx(200 / np.tanh(1.0))
    assert found["length_controlled"].value == pytest.approx((400 + 400 + 100) / 3)


@pytest.mark.parametrize(
    ("lengths", "references"),
    [([10, 20], [None, None]), ([20, 20], [10, 10])],
    ids=["no reference", "all as long"],
)
def test_without_a_difference_in_length_it_is_not_defined(of_few, lengths, references):
    rounds = [["5 4", "5 6"], ["5 4", "5 6"]]
    found = figures_of([question(1), question(2)], lengths, references, rounds)
    assert (found["overall"].value, found["length_controlled"].value) == (500, None)


def test_what_is_asked_of_a_subtask_is_no_length(of_few):
    """Stories are long and score high, labels are short and score low: no slope."""
    questions = [question(n, SUBTASKS[n // 2]) for n in range(4)]
    rounds = [["5 3", "5 3", "5 8", "5 8"]] * 2
    found = figures_of(questions, [1, 5, 60, 90], [10] * 4, rounds)
    assert found["length_controlled"].value == pytest.approx(found["overall"].value)


def test_references_are_told_by_their_length():
    found = compare([question(1), question(2)], ["a", "b"], ["", ""], ["four", ""])
    assert found == {REFERENCE_LENGTH: ["4", None]}


# --- on the site ----------------------------------------------------------------------------------

PICTURE = (  # one red pixel: figures are verified when they are imported
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
REFERENCES = ("A red kettle by Aquella stands on a stove.", "It is a kettle.", "A red kettle.")


@pytest.fixture
def submission(db, settings, tmp_path, owner) -> Submission:
    settings.MEDIA_ROOT = str(tmp_path)
    where = ("Visual Recognition", "Brand recognition")
    rows = [
        (str(n), PICTURE, "What is it?", "A red kettle by Aquella.", reference, *where)
        for n, reference in enumerate(REFERENCES)
    ]
    table = "\n".join("\t".join(row) for row in (COLUMNS, *rows)).encode() + b"\n"
    release = import_release(protocol=PROTOCOL, stream=io.BytesIO(table), slug="kettles").release
    set_floor_version(release)
    answers = ["0\tA kettle by Aquella.", "1\tKettle.", "2\tA red kettle that somebody owns."]
    upload = Upload("a.tsv", "\n".join(["id\tprediction", *answers, ""]).encode())
    return accept_submission(
        release=release,
        upload=upload,
        model=EvaluatedModel(name="Ours"),
        owner=owner,
        visibility="public",
    )


def test_a_scoresheet_looks_at_the_references_that_were_read(submission, of_few):
    run = judged(submission)
    kept = submission.scoresheets.get().figures
    lengths = np.array([len(text) for text in submission.answers.values_list("text", flat=True)])
    references = np.array([len(text) for text in REFERENCES])
    edges = np.tanh((lengths - references) / references.mean())
    assert kept["length_edge"][0] == pytest.approx(edges.mean())
    assert kept["length_controlled"][0] is not None

    for question in submission.release.questions.all():
        question.references.create(version=2, text="It is " * 40, origin="human")
    score_run(run=run)
    assert submission.scoresheets.get().figures == kept


# --- simulated judges -----------------------------------------------------------------------------


def as_scores(opinions: Floats) -> NDArray[np.int64]:
    return np.clip(np.rint(opinions), 1, 10).astype(np.int64)


class Board:
    """Entries on one release: models of rising quality, of which every second one pads its
    answers."""

    def __init__(
        self,
        seed: int,
        *,
        step: float,
        gain: float,
        entries: int = 8,
        size: int = QUESTIONS,
        favour: Callable[[Floats], Floats] = np.tanh,
    ) -> None:
        rng, self.favour, self.size = np.random.default_rng(seed), favour, size
        subtasks = rng.integers(0, len(SUBTASKS), size)
        self.questions = [question(n, SUBTASKS[place]) for n, place in enumerate(subtasks)]
        self.references = rng.lognormal(5.8, 0.5, size).astype(int) + 40
        self.subtask = rng.normal(0.0, 0.8, len(SUBTASKS))[subtasks]
        self.hard = self.subtask + rng.normal(0.0, 0.8, size)
        self.quality = 4.2 + step * np.arange(entries)
        self.figures = [
            self.judged(rng, quality, gain, is_padded=place % 2 == 0)
            for place, quality in enumerate(self.quality)
        ]

    def judged(
        self, rng: np.random.Generator, quality: float, gain: float, *, is_padded: bool
    ) -> dict[str, MetricValue]:
        lengths = self.references * rng.lognormal(-0.3, 0.5, self.size)
        if is_padded:
            lengths += rng.uniform(0.0, 1200.0, self.size)
        favour = gain * self.favour((lengths - self.references) / CHARACTERS)
        noise = rng.normal(0.0, 1.0, (2, self.size))
        scores = as_scores(quality + self.hard + favour + noise)
        rounds = [[f"6 {score}" for score in row] for row in scores.tolist()]
        return figures_of(
            self.questions, lengths.astype(int).tolist(), self.references.tolist(), rounds
        )

    def without_favour(self, quality: float) -> float:
        """The mean score that a judge who does not look at length gives over all questions that
        there could be of these subtasks."""
        noise = np.random.default_rng(0).normal(0.0, np.hypot(0.8, 1.0), (200, self.size))
        return 100 * float(as_scores(quality + self.subtask + noise).mean())

    def values(self, name: str) -> Floats:
        found = [figures[name].value for figures in self.figures]
        return np.array(found, dtype=np.float64)

    def rank_changes(self, name: str) -> int:
        """Pairs of entries of which the worse one stands above the other."""
        values = self.values(name)
        ahead = values[:, np.newaxis] >= values
        return int(np.triu(ahead, 1).sum())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_padding_buys_no_place_from_a_judge_that_likes_length(seed):
    board = Board(seed, step=1 / 3, gain=1.5)
    assert board.rank_changes("overall") >= 3
    assert board.rank_changes("length_controlled") == 0


@pytest.mark.slow
def test_a_judge_that_does_not_care_for_length_gives_one_order():
    """And of 80 entries, each with 95 %, the plain score lies within the controlled one's
    interval."""
    held = 0
    for seed in range(10):
        board = Board(seed, step=1 / 3, gain=0.0)
        assert board.rank_changes("overall") == board.rank_changes("length_controlled") == 0
        for figures in board.figures:
            plain, controlled = figures["overall"], figures["length_controlled"]
            held += controlled.low <= plain.value <= controlled.high
    assert held >= 72, held


@pytest.mark.slow
def test_the_interval_holds_the_score_without_favour():
    """Of 160 entries each with 95 %: 92 % of them, for the unit of length is not the judge's."""
    held = total = 0
    for seed in range(20):
        board = Board(seed, step=1 / 3, gain=0.5)
        for quality, figures in zip(board.quality, board.figures, strict=True):
            found = figures["length_controlled"]
            held += found.low <= board.without_favour(quality) <= found.high
            total += 1
    assert held / total >= 0.9, held


def until_the_reference(edges: Floats) -> Floats:
    """What a judge gives for length who wants as much as the reference has, and no more."""
    return np.minimum(edges, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "least", "most"), [(101, 0.6, 0.8), (900, 0.05, 0.15)])
def test_where_length_pays_at_first_alone_the_line_misses_as_the_page_says(size, least, most):
    held = []
    for seed in range(25):
        board = Board(seed, step=1 / 3, gain=1.5, size=size, favour=until_the_reference)
        for quality, figures in zip(board.quality, board.figures, strict=True):
            found = figures["length_controlled"]
            held.append(found.low <= board.without_favour(quality) <= found.high)
    assert least <= np.mean(held) <= most
