"""What each answer adds to the metrics of the ability-level benchmark, for verify.py (Python 3.11
and NumPy alone).

A verdict is 1 where guarded word matching finds a correct answer, else 0; "matched" says it
of word matching as published. The score is the sum of the abilities' shares.
"""

from typing import Any

import numpy as np

JUDGED = ("perception", "knowledge", "reasoning", "commonsense", "hallucination")


def reread(slot: str, reply: str, said: str | None, judge: Any) -> str | None:
    """The verdict of what the rules say, None where there is none in it."""
    return reply if reply in ("0", "1") else None


def recount(questions: Any, answers: Any, said: Any) -> Any:
    """One run, (over, under, asked, judged) by metric, (function, parts, counted) of metrics made
    of others, and the coverage. said: of each run the verdicts by slot."""
    verdicts = said[0].get("word_matching", [None] * len(answers))
    is_judged = np.array([verdict is not None for verdict in verdicts])
    is_right = np.array([verdict == "1" for verdict in verdicts])
    is_matched = np.array([answer["readings"]["matched"] for answer in answers])
    tallies = {}
    for ability in JUDGED:
        here = np.array([question["ability"] == ability for question in questions])
        counted = is_judged & here
        tallies[f"guarded@{ability}"] = is_right & counted, counted, here, counted
        tallies[f"words@{ability}"] = is_matched & here, here, here, here
    made = {
        score: (lambda values: sum(values.values()), [f"{score}@{a}" for a in JUDGED], ())
        for score in ("guarded", "words")
    }
    return 1, tallies, made, float(is_judged.mean())
