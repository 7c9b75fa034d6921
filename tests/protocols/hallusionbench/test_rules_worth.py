"""What pages say of the offline rules is recomputed from the recorded answers and people's verdicts
on them."""

import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.protocols.base import JudgeCase, Note, QuestionRow, QuestionView, Slot
from benchmarks.protocols.hallusionbench import dataset, judging, scoring
from benchmarks.protocols.hallusionbench.board import BOARD

SHARED = Path(__file__).resolve().parents[4] / "shared/data/hallusionbench"
SPOKEN = {"0": "incorrect", "1": "correct", "2": "unclear", ".": None}
BEGINS_WITH_YES_OR_NO = re.compile(r"\W*(?:yes|no)\b", re.IGNORECASE)
LINES = {line.title: line for line in BOARD.worth.lines} if BOARD.worth else {}
DIGITS = 6  # of the facts: four would print 44.15 % as 44.1

Verdicts = list[str | None]
Pair = tuple[str | None, str | None]


def test_what_is_told_is_told_of_todays_rules():
    """Whoever changes the rules measures them again."""
    assert BOARD.worth is not None
    assert BOARD.worth.version == judging.RULES_VERSION


def shared(name: str) -> Any:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout (../shared/data/hallusionbench)")
    return json.loads(path.read_bytes())


def rows_of(name: str) -> list[QuestionRow]:
    shared(name)
    content = io.BytesIO((SHARED / name).read_bytes())
    return [item for item in dataset.read(content) if isinstance(item, QuestionRow)]


def view(row: QuestionRow) -> QuestionView:
    return QuestionView(
        row.public_id,
        row.ability,
        row.subtask,
        row.figure,
        row.group,
        row.text,
        row.facts,
        row.truth,
    )


def by_rules(row: QuestionRow, answer: str) -> str:
    case = JudgeCase(Slot("correctness"), view(row), row.reference, "", answer)
    plain = judging.plain_verdict(case)
    return plain.verdict if plain else judging.rule(case)


@pytest.fixture(scope="module")
def rows() -> list[QuestionRow]:
    return rows_of("HallusionBench.json")


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    found: dict[str, str] = shared("gpt4v_answers.json")["answers"]
    return found


@pytest.fixture(scope="module")
def people(rows) -> Verdicts:
    return [SPOKEN[digit] for digit in shared("gpt4v_human.json")["verdicts"]]


@pytest.fixture(scope="module")
def rules(rows, answers, people) -> Verdicts:
    """None where people's verdict is not recorded."""
    return [
        by_rules(row, answers[row.public_id]) if said else None
        for row, said in zip(rows, people, strict=True)
    ]


def check(title: str, n: int, value: float, people: float | None = None) -> None:
    line = LINES[title]
    assert line.n == n
    assert line.rules == pytest.approx(value, abs=0.5 * 10**-DIGITS)
    assert (line.people is None) is (people is None)
    if people is not None:
        assert line.people == pytest.approx(people, abs=0.5 * 10**-DIGITS)


def share(pairs: Sequence[Pair]) -> float:
    return sum(one == other for one, other in pairs) / len(pairs)


def test_agreement_with_people_is_what_is_told(rows, answers, rules, people):
    both = [found for found in zip(rows, rules, people, strict=True) if found[2]]
    parts: dict[bool, list[Pair]] = {True: [], False: []}
    for row, r, p in both:
        parts[bool(BEGINS_WITH_YES_OR_NO.match(answers[row.public_id]))].append((r, p))
    told: dict[str, list[Pair]] = {
        "Same verdict": [(r, p) for _, r, p in both],
        "Same verdict where there is an image": [(r, p) for row, r, p in both if row.figure],
        "Same verdict where the answer begins with yes or no": parts[True],
        "Same verdict elsewhere": parts[False],
    }
    for title, pairs in told.items():
        check(title, len(pairs), share(pairs))
    pairs = told["Same verdict"]
    ours, theirs = Counter(r for r, _ in pairs), Counter(p for _, p in pairs)
    by_chance = sum(ours[verdict] * theirs[verdict] for verdict in theirs) / len(pairs) ** 2
    kappa = (share(pairs) - by_chance) / (1 - by_chance)
    check("Kappa of the three verdicts", len(pairs), kappa)
    right = [
        tuple(v == "correct" or (v == "unclear" and not row.figure) for v in (r, p))
        for row, r, p in both
    ]
    check("Same right or wrong", len(right), sum(r == p for r, p in right) / len(right))
    for name in ("aAcc", "fAcc", "qAcc"):
        (by_rules_, n), (by_people, same_n) = (accuracy(rows, v, name) for v in (rules, people))
        assert n == same_n
        check(name, n, by_rules_, by_people)


def accuracy(rows: Sequence[QuestionRow], verdicts: Verdicts, name: str) -> tuple[float, int]:
    found = scoring.contributions(
        [view(row) for row in rows], [""] * len(rows), {"correctness.1": verdicts}
    )
    place = found.names.index(name)
    hits, total = (array[0, :, place].sum() for array in (found.numerator, found.denominator))
    return hits / total, int(total)


def test_agreement_in_a_file_without_labels(rows, answers, people):
    said = {row.public_id: verdict for row, verdict in zip(rows, people, strict=True)}
    sample = rows_of("HallusionBench_result_sample.json")
    pairs = [(by_rules(row, answers[row.public_id]), said[row.public_id]) for row in sample]
    assert not any(row.truth for row in sample)
    assert all(verdict for _, verdict in pairs)
    check("Same verdict in a file without labels", len(pairs), share(pairs))


def test_a_file_without_labels_is_imported_with_these_figures():
    row = {
        **dict.fromkeys(("set_id", "figure_id", "question_id", "visual_input"), "0"),
        "category": "VS",
        "subcategory": "chart",
        "question": "Is it so?",
        "gt_answer_details": "It is so.",
    }
    *_, note = dataset.read(io.BytesIO(json.dumps([row]).encode()))
    assert isinstance(note, Note)
    for title in ("Same verdict", "Same verdict in a file without labels"):
        assert f"{LINES[title].rules:.0%}".replace("%", " %") in note.message


def test_every_line_is_recomputed_here():
    assert set(LINES) == {
        "Same verdict",
        "Kappa of the three verdicts",
        "Same right or wrong",
        "Same verdict where the answer begins with yes or no",
        "Same verdict elsewhere",
        "aAcc",
        "fAcc",
        "qAcc",
        "Same verdict in a file without labels",
        "Same verdict where there is an image",
    }
