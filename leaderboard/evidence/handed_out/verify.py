"""Checks this folder without the site it came from, by Python 3.11 and NumPy:

    python verify.py [WITNESS]

Every file must be as MANIFEST.sha256 says, every link of chain.jsonl must follow from the one
before, every reply must give its verdict, and every figure of the board must follow from the
verdicts in answers/. links.py looks at files and chain, intervals.py and anchored.py have the
statistics, recount.py the rules by which replies are read and verdicts count. WITNESS is a file
that somebody kept elsewhere (README.md). Status 1 unless all of it holds.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN = """MANIFEST.sha256 README.md anchored.py answers board.jsonl chain.jsonl era.json
intervals.py links.py prompts published.jsonl questions.jsonl recount.py scoresheets.jsonl
verify.py"""
sys.dont_write_bytecode = True  # another file in the folder is one too many
if __name__ == "__main__" and (strange := sorted({*os.listdir(HERE)} - {*KNOWN.split()})):
    # before anything is imported: Python would take a json.py or a numpy/ for what it looks for
    print("Take these out first, they are not of this folder:", *map(ascii, strange[:20]))
    sys.exit(1)
sys.path.append(HERE)  # `python -I` does not look there by itself

import math
import runpy
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from anchored import anchored
from intervals import (
    Array,
    Pairs,
    combined,
    deviation,
    effective_groups,
    interval,
    likeness,
    mean_of_runs,
    moves_by_group,
    ratio,
    room,
    slopes_of,
)
from links import (
    Chain,
    era_of,
    is_same,
    lines,
    misread,
    plain,
    repeated,
    unwitnessed,
    wrong_answers,
    wrong_files,
    wrong_judge,
    wrong_rows,
)

NOTHING = [None, None, None, None, 0, 0, 0, 0]  # a metric that no question is asked of
COUNTS = ("coverage", "judged", "unreadable", "failed", "excluded")
FAILED = ("refused", "too long", "failed")
SHOWN = 20  # of what is wrong

# --- one entry: [value, low, high, spread, n, asked, judged, groups] of every metric --------------


class Ratio:
    """A metric that is a ratio of two sums over answers, by group and run. row: what each answer
    adds above and below, whether it is asked at all, and whether it is judged in every run."""

    def __init__(self, row: Any, runs: int, group: Array, groups: int) -> None:
        *sums, self.asked, self.judged = row
        by_run = (np.broadcast_to(1.0 * rows, (runs, len(group))) for rows in sums)
        sums = [np.array([np.bincount(group, one, groups) for one in each]) for each in by_run]
        self.top, self.bottom = sums
        self.of_runs = ratio(self.top.sum(axis=1), self.bottom.sum(axis=1))
        self.units = self.bottom.mean(axis=0)

    def figure(self, metric: Any) -> list[Any]:
        """Also fills `room`, how far what is missing could move it."""
        value, is_share = mean_of_runs(self.of_runs), metric.get("unit") == "percent"
        number, asked, judged = np.rint(self.bottom[0].sum()), self.asked.sum(), self.judged.sum()
        lost = 0 if metric.get("needs_labels") else asked - judged
        missing = lost / (lost + number) if lost else 0.0  # each may be of a unit of its own
        low, high = interval(self.top.mean(axis=0), self.units, is_share, missing)
        self.room = room(value, missing, metric)
        low, high = (low, high) if is_share else (low - self.room[0], high + self.room[1])
        ends = np.minimum(low, value), np.maximum(high, value), deviation(self.of_runs)
        return [value, *ends, number, asked, judged, effective_groups(self.units)]

    def draws(self, weights: Array) -> Array:
        """Of each resample its value."""
        return mean_of_runs(ratio(self.top @ weights.T, self.bottom @ weights.T))


def figure_of_parts(rule: Any, parts: list[Ratio], figures: Any, counts: Any, draws: Array) -> Any:
    """Of a metric made of others: by its slopes, as far as its resamples reach, and moved as far as
    what is missing could move its parts."""
    seen = 1.0 * ((units := np.array([part.units for part in parts])) > 0)
    ends = np.array([figure[:3] for figure in figures], dtype=float).T
    rooms = np.array([part.room for part in parts]).T
    ends[1:] += rooms[0], -rooms[1]
    low, high = combined(rule, ends, likeness(draws, seen @ seen.T > 0))
    own = rule(draws)
    if not np.isnan(low) and np.isnan(own).mean() <= 0.5:
        tails = np.nanpercentile(own, [2.5, 97.5])
        low, high = np.fmin(low, tails[0]), np.fmax(high, tails[1])
    spread = deviation(rule(np.array([part.of_runs for part in parts])))
    value, slopes = slopes_of(rule, ends[0])
    groups = 0.0 if np.isnan(low) else effective_groups(moves_by_group(units, slopes))
    groups = groups or min(figure[7] for figure in figures)
    turned = np.where(slopes > 0, rooms, rooms[::-1]) * np.abs(slopes)
    down, up = np.where(slopes == 0, 0.0, turned).sum(axis=1)
    low, high = low - down, high + up
    return [value, low, high, spread, *(sum(row[i] for row in counts) for i in (4, 5, 6)), groups]


def scoresheet(recounted: Any, group: Array, era: Any, weights: Array) -> Any:
    """By metric its figure; and the resamples of the metric that ranks. recounted: what recount.py
    makes of an entry; group: of each of its answers the number of its group."""
    runs, tallies, made, *_ = recounted
    ratios = {name: Ratio(row, runs, group, weights.shape[1]) for name, row in tallies.items()}
    sheet = {name: one.figure(described(name, era)) for name, one in ratios.items()}
    draws = ratios[era["ranking"]].draws(weights) if era["ranking"] in ratios else None
    for name, (rule, parts, counted, *line) in made.items():
        some, by_row = [ratios[part] for part in parts], partial_of(rule, parts)
        drawn = np.array([one.draws(weights) for one in some])
        figures, counts = ([sheet[part] for part in those] for those in (parts, counted or parts))
        sheet[name] = figure_of_parts(by_row, some, figures, counts, drawn)
        if line and not is_within(sheet[name][0], described(name, era)):
            sheet[name][:4] = [math.nan] * 4
        draws = by_row(drawn) if name == era["ranking"] else draws
    return {name: on_scale(sheet[name], described(name, era)) for name in sheet}, draws


def is_within(value: float, metric: Any) -> bool:
    least, most = metric.get("scale", (None, None))
    return (least is None or value >= least) and (most is None or value <= most)


def on_scale(figure: Any, metric: Any) -> list[Any]:
    """Its interval ends where the scale does, and holds the value; None for what is not defined."""
    value, low, high, *_ = figure
    least, most = metric.get("scale", (None, None))
    low = low if least is None else np.minimum(np.maximum(low, least), value)
    high = high if most is None else np.maximum(np.minimum(high, most), value)
    shown = [None if np.isnan(x) else float(x) for x in (value, low, high, figure[3])]
    return shown + [int(x) for x in figure[4:7]] + [float(figure[7])]


def partial_of(rule: Any, parts: Any) -> Any:
    """The rule by rows in the order of its parts."""
    return lambda rows: rule(dict(zip(parts, rows, strict=True)))


def described(name: str, era: Any) -> Any:
    return era["metrics"].get(name) or era["metrics"].get(name.partition("@")[0]) or {}


# --- who stands where -----------------------------------------------------------------------------


def standings(board: Any, draws: Any, era: Any) -> Iterator[Any]:
    """(what, as said, as found) of who stands where: by ranges that hold alone ("each"), and all of
    them together. Entries of equal answers share the place of one of them, which is compared."""
    value = {e["id"]: e["figures"].get(era["ranking"], NOTHING)[0] for e in board}
    ranked = {
        e["id"]
        for e in board
        if value[e["id"]] is not None and e["coverage"] >= era["least_coverage"]
        if not (e["kept_out"] or e["origin"] == "baseline")
    }
    compared = [e for e in board if e["id"] in ranked and not e["same_answers_as"]]
    places: dict[str, Any] = {"each": {}, "together": {}}
    if compared:
        sign = -1 if described(era["ranking"], era)["higher_is_better"] is False else 1
        scores, drawn = (sign * np.array([of[e["id"]] for e in compared]) for of in (value, draws))
        pairs = Pairs(scores, drawn, min(e["figures"][era["ranking"]][7] for e in compared))
        alone = [pairs.told([one]) for one in range(len(compared))]
        joint = [pairs.told(range(len(compared)))] * len(compared)
        for kind, told in (("each", alone), ("together", joint)):
            for one, e in enumerate(compared):
                places[kind][e["id"]] = pairs.place(one, told[one])
            found = pairs.smallest([e["submitter"] for e in compared], [t[1] for t in told])
            if kind in era["smallest_difference"]:
                yield f"smallest difference, {kind}", [era["smallest_difference"][kind]], [found]
    for e in board:
        for kind, by_id in places.items():
            found = by_id.get(e["same_answers_as"] or e["id"]) if e["id"] in ranked else None
            yield f"{e['id']}, place, {kind}", e["places"][kind], found or [None] * 6


# --- all of it ------------------------------------------------------------------------------------


def verdicts(answers: Any) -> list[Any]:
    """Of each repeat of the judge, by slot; None where there is none."""
    keys = [key.rpartition(".") for key in {key for a in answers for key in a["slots"]}]
    return [
        {
            name: [a["slots"].get(f"{name}.{run}", {}).get("verdict") for a in answers]
            for name in {name for name, _, _ in keys}
        }
        for run in sorted({int(run) for _, _, run in keys}) or [1]
    ]


@cache
def weights(groups: int, seed: int) -> Array:
    """How often each group is drawn in each of 1,000 resamples."""
    rng = np.random.default_rng(seed)
    return 1.0 * rng.multinomial(groups, np.full(groups, 1 / groups), size=1_000)


def entries(folder: Path, board: Any, sheets: Any, era: Any, draws: Any, faults: Any) -> Any:
    """(what, as said, as found) of every entry's metrics, coverage and counts; fills `draws`, and
    `faults` with sentences."""
    rules = runpy.run_path(str(folder / "recount.py"))
    listed = list(lines(folder / "questions.jsonl"))
    questions = {question["id"]: question for question in listed}
    faults += [f"{one} is asked twice" for one in repeated(q["id"] for q in listed)]
    for e in board:
        answers, sheet = list(lines(folder / "answers" / f"{e['id']}.jsonl")), sheets[e["id"]]
        found = chain(
            wrong_answers(answers, questions, sheet),
            misread(answers, rules["reread"], era["judge"]),
        )
        faults += [f"{e['id']}: {what}" for what in found]
        answers = [answer for answer in answers if answer["question"] in questions]
        own = [questions[answer["question"]] for answer in answers]
        names, group = np.unique([question["group"] for question in own], return_inverse=True)
        recounted = rules["recount"](own, answers, verdicts(answers))
        found, draws[e["id"]] = scoresheet(recounted, group, era, weights(len(names), era["seed"]))
        for name, figure in anchored(dict(*recounted[4:]), own, group).items():
            found[name] = on_scale(figure, described(name, era))
        states = Counter(slot["state"] for a in answers for slot in a["slots"].values())
        failed = sum(states[state] for state in FAILED)
        counts = [recounted[3], states["judged"], states["unreadable"], failed, states["excluded"]]
        for shown in (sheet, e):
            yield f"{e['id']}, counts", [shown[name] for name in COUNTS], counts
            for name, said in shown["figures"].items():
                if name.partition("@")[0] not in era["not_told"]:
                    yield f"{e['id']}, {name}", said, found.get(name, NOTHING)
        missing = (set(era["shown"]) & set(sheet["figures"])) ^ set(e["figures"])
        yield f"{e['id']}, figures that are missing or too many", [0], [len(missing)]
        for name, said in e["figures"].items():  # also those that are not told
            yield f"{e['id']}, {name}, of its scoresheet", said, sheet["figures"][name]
        yield f"{e['id']}, ranking", [sheet["ranking"]], found[era["ranking"]][:1]


def check(folder: Path, witness: Path | None = None) -> tuple[int, list[str], list[str]]:
    """How many figures there are, which differ, and what else is wrong, in sentences."""
    era, draws = era_of(folder), dict[str, Array]()
    files = (folder / f"{name}.jsonl" for name in ("board", "scoresheets", "published"))
    board, scored, _ = map(list, map(lines, files))
    sheets = {sheet["submission"]: sheet for sheet in scored}
    linked, is_by_rules = Chain(folder, era["chain"]), era["judge"]["kind"] == "rules"
    faults = [*linked.wrong, *linked.wrong_entries(sheets, board, is_by_rules=is_by_rules)]
    faults += [*wrong_rows(folder, board, scored), *wrong_judge(folder, era, scored)]
    faults += unwitnessed(witness, folder, linked.digests) if witness else []
    board = [e for e in board if e["id"] in sheets]
    rows = chain(entries(folder, board, sheets, era, draws, faults), standings(board, draws, era))
    number, differing = 0, []
    for what, said, found in rows:
        number += len(said)
        differing += [what for pair in zip(said, found, strict=True) if not is_same(*pair)]
    return number, differing, faults


def show(found: list[str], *more: str) -> None:
    """The first of what is wrong, and more."""
    print(*(plain(one, sys.stdout.encoding) for one in (*found[:SHOWN], *more)), sep="\n")


def main(folder: Path, witness: Path | None = None) -> int:
    try:
        files = [f"{name}: not as MANIFEST.sha256 says" for name in wrong_files(folder)]
        show(files, f"{len(files)} files wrong")
        number, differing, faults = check(folder, witness)
        if passed := era_of(folder)["not_told"]:
            show([f"Passed over, for they need a hidden text: {', '.join(passed)}"])
    except Exception as error:  # files may be wrong in every way there is
        show([f"These files cannot be counted: {type(error).__name__}: {error}"])
        return 1
    show(faults, f"{len(faults)} faults of entries, replies or the chain")
    show(differing, f"{number:,} figures, {len(differing)} differing")
    return 1 if files or faults or differing else 0


if __name__ == "__main__":
    sys.exit(main(Path(HERE), *map(Path, sys.argv[1:2])))
