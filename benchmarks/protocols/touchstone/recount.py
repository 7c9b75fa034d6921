"""What each answer adds to the metrics of TouchStone, for verify.py (Python 3.11 and NumPy alone).

A verdict is "REFERENCE MODEL", two scores from 1 to 10, in two rounds: the reference is shown first
or the answer is. A score of the board is a mean over rounds times 100. "-" is no score. Lengths are
in characters.
"""

import math
import re
from itertools import chain
from typing import Any

import numpy as np

Array = Any  # of NumPy
LEAST_COMPARED = 30  # answers beside the first of their subtask, for a slope
ROUNDS = ("reference_first", "answer_first")
SCORE = r"(\d{1,2}(?:\.\d{1,9})?)"
MARKS = "[*_`]{0,3}+"
PLAIN = rf"{SCORE}(?:[ \t]*,[ \t]*|[ \t]+){SCORE}"
MARKED = rf"{MARKS}{SCORE}{MARKS}(?:[ \t]*,[ \t]*|[ \t]+){MARKS}{SCORE}{MARKS}\.?{MARKS}"


def reread(slot: str, reply: str, said: str | None, judge: Any) -> str | None:
    """The verdict of a reply, None where there is none in it. said: the reply after its thoughts,
    which version 2 read too; None where nobody can tell where they end."""
    is_official, is_old = judge["parser"] == "official", judge["parser_version"] == "2"
    line = ((reply if is_official or is_old else said) or "").strip().partition("\n")[0].strip()
    found = re.fullmatch(PLAIN if is_old else MARKED, line, re.ASCII)
    try:
        texts = line.split(" ") if is_official else found.groups() if found else ()
        scores = [float(text) for text in texts]
    except ValueError:
        return None
    can_be = math.isfinite if is_official else (lambda score: 1 <= score <= 10)
    if len(scores) != 2 or not all(map(can_be, scores)):
        return None
    return " ".join(f"{one:.12g}" for one in (scores if slot == ROUNDS[0] else scores[::-1]))


def recount(questions: Any, answers: Any, said: Any) -> Any:
    """How many runs, (over, under, asked, judged) by metric, (function, parts, counted) of metrics
    made of others, the coverage, and what people vote. said: of each run the verdicts by slot."""
    scores = np.array([[[pair(text) for text in run[name]] for name in ROUNDS] for run in said])
    reference, model = scores[..., 0], scores[..., 1]  # (runs, 2, answers)
    complete = ~np.isnan(model).any(axis=1)
    always, tallies = complete.all(axis=0), {}
    for scope, weight in scopes(questions).items():
        for name, shown in (("overall", model), ("reference", reference)):
            total, number = np.nansum(shown, axis=1), (~np.isnan(shown)).sum(axis=1)
            asked = weight > 0
            row = 100 * total * weight, number * weight, asked, asked & always
            if name == "overall" or "/" not in scope:
                tallies[name + scope] = row
    # an answer that says nothing has the lowest score without a comparison: it is behind by 1
    margin = np.where(np.isnan(reference) & ~np.isnan(model), -1.0, model - reference)
    margin = np.where(complete[:, np.newaxis], margin, 0.0)
    lead = margin.mean(axis=1)
    everything = np.ones(len(questions), dtype=bool)
    for name, hits in (
        ("win", lead > 0),
        ("tie", lead == 0),
        ("loss", lead < 0),
        ("flip", np.sign(margin[:, 0]) != np.sign(margin[:, 1])),
        ("order_effect", 100 * (model[:, 0] - model[:, 1])),
    ):
        tallies[name] = np.where(complete, hits, 0.0), complete, everything, always
    length = np.array([a["readings"]["length"] for a in answers])
    tallies["answer_length"] = length, everything, everything, everything
    tallies |= by_length(questions, answers, reference, model, always)
    made = {
        "length_controlled": (
            lambda of: of["overall"] - of["length_slope"] * of["length_edge"],
            ["overall", "length_slope", "length_edge"],
            ["overall"],
            "a line",  # which tells nothing where it leads out of the scale
        )
    }
    votes = np.array([a["readings"].get("people", np.nan) for a in answers], dtype=float)
    people = {
        name: (
            everything,
            np.where(complete, above(lead), np.nan),
            np.where(np.isnan(votes), np.nan, above(votes)),
            True,
        )
        for name, above in (("at_least", at_least), ("win", better))
    }
    return len(said), tallies, made, float((~np.isnan(model)).mean()), people


def at_least(lead: Array) -> Array:
    return lead >= 0


def better(lead: Array) -> Array:
    return lead > 0


def pair(text: str | None) -> tuple[float, float]:
    reference, model = text.split(" ") if text else ("-", "nan")
    return float("nan" if reference == "-" else reference), float(model)


def by_length(questions: Any, answers: Any, reference: Array, model: Array, always: Array) -> Any:
    """How much longer answers are than their references, as the tanh of the difference over the
    mean reference (edge); and by how much scores rise with it among questions of one subtask: least
    squares less the means of subtasks, over rounds in which two texts were compared (slope)."""
    read = [answer["readings"] for answer in answers]
    expected = np.array([float(one.get("reference_length") or "nan") for one in read])
    longer = np.array([one["length"] for one in read]) - expected
    edge = np.tanh(longer / np.nanmean(expected)) if (expected > 0).any() else np.nan * expected
    compared = ~np.isnan(model) & ~np.isnan(reference) & ~np.isnan(edge)
    total, number = 100 * np.where(compared, model, 0).sum(axis=1), 1.0 * compared.sum(axis=1)
    edge, everything = np.nan_to_num(edge), np.ones(len(answers), dtype=bool)
    subtasks = np.unique([question["subtask"] for question in questions], return_inverse=True)[1]

    def mean(values: Array, run: int) -> Array:
        """Of each answer's subtask, over what is counted."""
        counts = np.bincount(subtasks, number[run])
        return (np.bincount(subtasks, values) / np.where(counts == 0, 1, counts))[subtasks]

    over, under = np.zeros((2, *number.shape))
    for run, counts in enumerate(number):
        far = np.where(counts > 0, edge - mean(counts * edge, run), 0)
        far[np.abs(far) <= 1e-12 * np.abs(edge).max()] = 0  # rounding, where all are alike
        if np.count_nonzero(far) - len(set(subtasks[far != 0])) < LEAST_COMPARED:
            far[:] = 0
        above = np.where(counts > 0, total[run] - counts * mean(total[run], run), 0)
        squares = counts * far**2
        factor = counts.sum() / squares.sum() if squares.any() else 0
        over[run], under[run] = far * above * factor, squares * factor
    scored = (~np.isnan(model)).sum(axis=1) * bool(number.any())
    return {
        "length_slope": (over, under, everything, always),
        "length_edge": (number * edge, scored, everything, always),
    }


def scopes(questions: Any) -> dict[str, Array]:
    """How often each question counts in all, in an ability and in a subtask."""
    named = [str(question["facts"]["categories"]).split(",") for question in questions]
    own = [question["subtask"] for question in questions]
    return {
        "": np.ones(len(questions)),
        **{f"@{a}": np.array([n.count(a) for n in named]) for a in {*chain(*named)} - {""}},
        **{f"@{slug}": np.array([s == slug for s in own]) * 1.0 for slug in {*own} - {""}},
    }
