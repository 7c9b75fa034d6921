"""What each answer adds to the metrics of HallusionBench, for verify.py (Python 3.11 and NumPy
alone).

A verdict on "correctness" is correct, incorrect or unclear, which is right where a row was asked
without its picture; one on "same" says whether an answer says what the answer to the original row
of its pair says. "says" and "kit" are what our rules and VLMEvalKit's read in an answer, "label" is
the truth, absent where it is not public.
"""

import re
import unicodedata
from collections import defaultdict
from functools import cache
from itertools import product
from typing import Any

import numpy as np

Array = Any  # of NumPy
VERDICTS = ("incorrect", "correct", "unclear")
KINDS = ("lh", "vi", "mixed")  # language hallucination, visual illusion, mixed
OPEN = "open"  # a verdict that is missing decides the label
WORDS = {
    "correct": ("correct", "not incorrect"),
    "incorrect": ("incorrect", "not correct"),
    "unclear": ("unclear", "not clear"),
    "same": ("same", "the same", "not different"),
    "different": ("different", "not same", "not the same"),
}
OF_SLOT = {"correctness": VERDICTS, "same": ("same", "different")}
NAMED = "(final )?(verdict|judgment|judgement|answer|label|output|result)( is)? ?[:=] ?"


def reread(slot: str, reply: str, said: str | None, judge: Any) -> str | None:
    """The verdict of a reply, None where there is none in it. said: the reply after its thoughts,
    which version 3 read too; None where nobody can tell where they end."""
    lower, choices = reply.lower(), OF_SLOT[slot]
    if judge["parser"] == "official":
        return next((one for one in choices if one in lower), choices[-1])
    said = reply if judge["parser_version"] == "3" else said
    if said is None or "```" in said:
        return None
    bare = re.sub(r"[*_`~#()\[\]]", "", unicodedata.normalize("NFKC", said).casefold())
    word = re.sub(f"^{NAMED}", "", " ".join(bare.split())).rstrip(".! ")
    return next((choice for choice in choices if word in WORDS[choice]), None)


def recount(questions: Any, answers: Any, said: Any) -> Any:
    """How many runs, (over, under, asked, judged) by metric, (function, parts, counted) of metrics
    made of others, the coverage, and what people say. said: of each run the verdicts by slot."""
    facts = [question["facts"] for question in questions]
    kind = np.array([f["category"] for f in facts])
    is_original = np.array([f["figure_id"] == 0 for f in facts])
    is_edited = np.array([f["visual_input"] == 2 for f in facts])
    blank = is_original & (kind == "VS")
    row_of = {question["id"]: row for row, question in enumerate(questions)}
    original = [row_of.get(f["original"]) for f in facts]
    none = [None] * len(questions)
    verdict = np.array([run.get("correctness", none) for run in said], dtype=object)
    known = np.array([[one is not None for one in run] for run in verdict])
    right = (verdict == "correct") | ((verdict == "unclear") & blank)
    read = [answer["readings"] for answer in answers]
    says, kit, label = (np.array([r.get(n) for r in read]) for n in ("says", "kit", "label"))
    yes, no = label == "yes", label == "no"
    labelled, everything = yes | no, np.ones(len(questions), dtype=bool)
    whole = np.ones_like(right)

    def rows(hits: Any, counted: Any, asked: Any, known: Any) -> Any:
        counted = counted & asked
        return np.where(counted, hits, 0.0), counted, asked, asked & known.all(axis=0)

    def units(key: str, chosen: Any, known: Any = known, right: Any = right) -> Any:
        """By figure or pair, on its first row: the share of its rows that are right, whether all
        have a verdict; which rows belong to one, and which have a verdict in every run."""
        share, complete = np.zeros((2, *right.shape))
        for some in rows_by(questions, key, chosen).values():
            share[:, some[0]] = right[:, some].mean(axis=1)
            complete[:, some[0]] = known[:, some].all(axis=1)
        return share, complete > 0, chosen, chosen & known.all(axis=0)

    def having(found: Any, hits: Any) -> Any:
        return np.where(found[1], hits(found[0]), 0.0), *found[1:]

    figures = units("figure_id", ~blank)
    read_right = np.broadcast_to(((kit == "yes") & yes) | ((kit == "no") & no), right.shape)
    by_kit = (np.broadcast_to(labelled, right.shape), read_right)
    wrong = known & ~right
    tallies = {
        "aAcc": rows(right, known, everything, known),
        "fAcc": having(figures, lambda share: share == 1),
        "qAcc": having(units("question_id", everything), lambda share: share == 1),
        "easy": having(units("question_id", ~is_edited), lambda share: share == 1),
        "hard": having(units("question_id", is_edited), lambda share: share == 1),
        "unedited_rows": rows(right, known, ~is_edited, known),
        "edited_rows": rows(right, known, is_edited, known),
        "consistent": having(figures, lambda share: share == 1),
        "inconsistent": having(figures, lambda share: (share > 0) & (share < 1)),
        "all_wrong": having(figures, lambda share: share == 0),
        "consistency_score": having(figures, lambda share: share),
        "pct_diff": rows(1.0 * (says == "yes") - yes, whole, labelled, whole),
        "fp_ratio": rows(says == "yes", wrong, everything, known),
        "uncertain_answers": rows(says == "uncertain", whole, everything, whole),
        "pct_diff_code": rows(np.where(right, 0, np.where(no, 1, -1)), known, labelled, known),
        "fp_ratio_code": rows(no, wrong, labelled, known),
        "kit_aAcc": rows(read_right, by_kit[0], ~blank, by_kit[0]),
        "kit_fAcc": having(units("figure_id", ~blank, *by_kit), lambda share: share == 1),
        "kit_qAcc": having(units("question_id", ~blank, *by_kit), lambda share: share == 1),
        "kit_unknown": rows(kit == "unknown", whole, ~blank, whole),
    }
    edited = [{1: False, 2: True}.get(f["visual_input"]) for f in facts]
    beside = [(kind[i], original[i], edited[i], bool(is_original[i])) for i in range(len(facts))]
    same = [
        [{"same": True, "different": False}.get(s) for s in run.get("same", none)] for run in said
    ]
    by_row, by_control = (
        np.array([labels(beside, verdict[i], same[i], is_control) for i in range(len(said))])
        for is_control in (False, True)
    )
    by_pair = np.full(right.shape, "", dtype=object)
    for some in rows_by(questions, "question_id", everything).values():
        by_pair[:, some[0]] = [together(set(run[some])) for run in by_row]
    can = [possible(b[0], b[2], b[1] is not None, b[3], False) for b in beside]
    can_fail = [
        possible(b[0], b[2], True, False, True) if b[1] is not None and not b[3] else set()
        for b in beside
    ]
    limits = {}
    for name in KINDS:
        of_rows, of_controls = by_row != OPEN, by_control != OPEN
        tallies[f"diag_{name}"] = rows(
            by_row == name, np.isin(by_row, KINDS), (by_row != "").any(axis=0), of_rows
        )
        tallies[f"diag_group_{name}"] = rows(
            by_pair == name, np.isin(by_pair.astype(str), KINDS), everything, of_rows
        )
        tallies[f"pair_{name}"] = rows(
            by_control == name,
            np.isin(by_control, KINDS),
            (by_control != "").any(axis=0),
            of_controls,
        )
        limits[f"diag_{name}"] = np.array([name in some for some in can])
        either = {name, "lh"} if name == "mixed" else {name}
        limits[f"diag_group_{name}"] = np.array([bool(either & some) for some in can])
        limits[f"pair_{name}"] = np.array([name in some for some in can_fail])
    scoped, made = in_scopes(questions, tallies, limits)
    compared = np.array([place is not None for place in original])
    comparisons = np.array([[s is not None for s in run] for run in same])[:, compared]
    needed = known.size + comparisons.size
    coverage = float(known.sum() + comparisons.sum()) / needed
    return len(said), scoped, made, coverage, by_people(read, kind, blank, known, right)


def by_people(read: Any, kind: Any, blank: Any, known: Any, right: Any) -> Any:
    """Of all rows and of each category which they are, what the judge says of each in each run, and
    what people do: unclear, 2, is right where there was no picture, and wrong elsewhere."""
    people = np.array([one.get("people", np.nan) for one in read], dtype=float)
    people = np.where(people == 2, blank, people)
    judged = np.where(known, right, np.nan)
    scopes = {"": np.ones(len(read), dtype=bool), **{f"@{k}": kind == k for k in {*kind}}}
    return {f"aAcc{s}": (here, judged, people, True) for s, here in scopes.items()}


def rows_by(questions: Any, key: str, chosen: Any) -> Any:
    """The chosen rows of each figure ("figure_id") or pair ("question_id") of a set."""
    found = defaultdict(list)
    for row in np.flatnonzero(chosen):
        facts = questions[row]["facts"]
        found[questions[row]["subtask"], facts["set_id"], facts[key]].append(int(row))
    return found


def in_scopes(questions: Any, tallies: Any, limits: Any) -> Any:
    """Every metric over all rows, a category and a subcategory; and the means of three of them. A
    kind that no row of a scope can be of is not defined there."""
    scoped, made = {}, {}
    names = {q["ability"] for q in questions} | {q["subtask"] for q in questions}
    for scope in ("", *names):
        here = np.array([scope in ("", q["ability"], q["subtask"]) for q in questions])
        for name, row in tallies.items():
            is_possible = (limits.get(name, here) & here).any()
            scoped[at(name, scope)] = tuple(part * here * is_possible for part in row)
        for kit in ("", "kit_"):
            parts = [at(f"{kit}{part}", scope) for part in ("aAcc", "fAcc", "qAcc")]
            made[at(f"{kit}overall", scope)] = mean, parts, parts[:1]
    return scoped, made


def at(name: str, scope: str) -> str:
    return f"{name}@{scope}" if scope else name


def mean(values: Any) -> Any:
    return np.mean(list(values.values()), axis=0)


# --- why a row is wrong ---------------------------------------------------------------------------


def tree(is_paper: bool, kind: str, first: str, second: str, edited: bool, same: bool) -> str:
    """The label of a row by its verdict (second) and that of the original of its pair (first): by
    the official code, or of the two rows together by the paper; "" where nothing failed."""
    if kind == "VD":
        if first != "correct":
            return "vi" if is_paper or second != "correct" else ""
        if second == "incorrect" and same:
            return "lh" if is_paper else "mixed"
        return "" if second == "correct" else "vi"
    if second == "correct":
        return "lh" if is_paper and first == "incorrect" else ""
    if first == "incorrect":
        return "lh" if second == "incorrect" and same else "mixed"
    return "lh" if (first, second) == ("correct", "incorrect") and edited and same else "vi"


def alone(kind: str, verdict: str | None) -> str:
    """The label of an original row, by the official code."""
    if verdict is None:
        return OPEN
    if kind == "VD":
        return "" if verdict == "correct" else "vi"
    return "lh" if verdict == "incorrect" else ""


@cache
def label(is_paper: bool, kind: str, *values: Any) -> str:
    """As `tree`; what is missing (None) may be anything, and where that matters the label is
    open."""
    choices = (VERDICTS, VERDICTS, (False, True), (False, True))
    given = [some if one is None else (one,) for one, some in zip(values, choices, strict=True)]
    found = {tree(is_paper, kind, *chosen) for chosen in product(*given)}
    return found.pop() if len(found) == 1 else OPEN


def labels(beside: Any, verdicts: Any, same: Any, is_control: bool) -> list[str]:
    found = []
    for row, (kind, original, edited, is_original) in enumerate(beside):
        first = None if original is None else verdicts[original]
        if is_control and (is_original or original is None):
            found.append("")
        elif is_original:
            found.append(alone(kind, verdicts[row]))
        else:
            found.append(label(is_control, kind, first, verdicts[row], edited, same[row]))
    return found


def together(some: set[str]) -> str:
    """The label of a whole pair, by those of its rows."""
    if OPEN in some:
        return OPEN
    if "mixed" in some or {"lh", "vi"} <= some:
        return "mixed"
    return next((name for name in ("lh", "vi") if name in some), "")


@cache
def possible(kind: str, edited: Any, has_original: bool, is_original: bool, is_paper: bool) -> Any:
    """The labels that a row can have, whatever the verdicts."""
    if is_original:
        return {alone(kind, verdict) for verdict in VERDICTS}
    firsts: Any = VERDICTS if has_original else (None,)
    sames: Any = (False, True) if has_original else (None,)
    return {
        label(is_paper, kind, first, second, edited, same)
        for first, second, same in product(firsts, VERDICTS, sames)
    }
