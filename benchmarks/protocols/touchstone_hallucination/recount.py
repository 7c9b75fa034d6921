"""What each answer adds to the metrics of TouchStone's H-score, for verify.py (Python 3.11 and
NumPy alone).

A verdict is a score from 0 to 10; the board shows its mean times 100. Lengths, and the share of the
description that an answer mentions, need no verdict.
"""

import re
from typing import Any

import numpy as np

SCORE = r"(\d{1,2}(?:\.\d{1,9})?)"
MARKS = "[*_`]{0,3}+"


def reread(slot: str, reply: str, said: str | None, judge: Any) -> str | None:
    """The verdict of a reply, None where there is none in it. said: the reply after its thoughts,
    which version 2 read too; None where nobody can tell where they end."""
    is_old = judge["parser_version"] == "2"
    line = ((reply if is_old else said) or "").strip().partition("\n")[0].strip()
    form = SCORE if is_old else rf"{MARKS}{SCORE}{MARKS}\.?{MARKS}"
    found = re.fullmatch(form, line, re.ASCII)
    return f"{float(found[1]):.12g}" if found and float(found[1]) <= 10 else None


def recount(questions: Any, answers: Any, said: Any) -> Any:
    """How many runs, (over, under, asked, judged) by metric, nothing that is made of other metrics,
    the coverage, and what people rate. said: of each run the verdicts by slot."""
    scores = numbers([run["hallucination"] for run in said])
    everything, has_score = np.ones(len(answers), dtype=bool), ~np.isnan(scores)
    read = [answer["readings"] for answer in answers]
    mentioned = numbers([one.get("mentioned") for one in read])
    told = ~np.isnan(mentioned)
    tallies = {
        "h_score": (
            100 * np.nan_to_num(scores),
            has_score,
            everything,
            has_score.all(axis=0),
        ),
        "mentions": (np.nan_to_num(mentioned), told, everything, told),
        **{
            f"answer_{name}": (np.array([one[name] for one in read]), *[everything] * 3)
            for name in ("length", "words")
        },
    }
    rated = [one.get("people", (np.nan, 1)) for one in read]
    labels = np.array([100 * total / number for total, number in rated])
    people = {"h_score": (everything, 100 * scores, labels, False)}
    return len(said), tallies, {}, float(has_score.mean()), people


def numbers(texts: Any) -> Any:
    """nan where there is none."""
    return np.array(texts, dtype=object).astype(float)
