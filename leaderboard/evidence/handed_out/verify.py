"""Checks this folder without the site it came from, by Python 3.11 and NumPy: python verify.py

Every file must be as MANIFEST.sha256 says, every link of chain.jsonl must follow from the one
before, and every figure of the board must follow from the verdicts in answers/. intervals.py and
anchored.py have the statistics, recount.py the rules by which verdicts count. It prints how many
figures differ, and ends with status 1 unless all of it holds. README.md has what files hold.
"""

import hashlib
import json
import math
import runpy
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

sys.dont_write_bytecode = True  # another file in the folder is one too many
sys.path.append(str(Path(__file__).parent))  # `python -I` does not look there by itself

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
    slopes_of,
)

CLOSE = 1e-6  # of a figure: ends of intervals are roots of sums, whose order moves 1e-14 of them
NOTHING = [None, None, None, None, 0, 0, 0, 0]  # a metric that no question is asked of
COUNTS = ("coverage", "judged", "unreadable", "failed", "excluded")
FAILED = ("refused", "too long", "failed")
SHOWN = 20  # of what is wrong

# --- files and the chain --------------------------------------------------------------------------


def wrong_files(folder: Path) -> list[str]:
    """Files that are changed, missing or too many by MANIFEST.sha256, or itself."""
    names = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    manifest = names.pop("MANIFEST.sha256").read_bytes()
    found = [f"{hashlib.sha256(names[n].read_bytes()).hexdigest()}  {n}" for n in sorted(names)]
    wrong = {*found, ""} ^ set(manifest.decode(errors="replace").split("\n"))
    is_whole = manifest == "".join(f"{line}\n" for line in found).encode()
    return sorted(
        {line[66:] or line for line in wrong} or ([] if is_whole else ["MANIFEST.sha256"])
    )


def lines(file: Path) -> Iterator[Any]:
    with file.open(encoding="utf-8") as opened:
        yield from map(json.loads, opened)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def wrong_links(folder: Path, era: Any, sheets: Any) -> list[str]:
    """Links that do not follow from the one before, and scoresheets that no newest link has."""
    number, digest, wrong, newest = 0, "0" * 64, [], {}
    for link in lines(folder / "chain.jsonl"):
        content, number = link["content"], number + 1
        follows = (link["number"], link["previous"]) == (number, digest)
        is_content = content is None or sha256(content) == link["content_digest"]
        digest = sha256(f"{link['previous']}\n{link['content_digest']}")
        if not (follows and is_content and digest == link["digest"]):
            wrong.append(f"link {link['number']}")
        if content is not None and link["kind"] == "scoresheet":
            newest[link["submission"]] = json.loads(content)
    head = {"number": number, "digest": digest} if number else None
    wrong += ["the head of the chain"] if head != era["chain"] else []
    of_links = {name: {key: sheet[key] for key in sheets[name]} for name, sheet in newest.items()}
    return wrong + [f"the scoresheet of {n}" for n in sheets if sheets[n] != of_links.get(n)]


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

    def figure(self, is_share: bool) -> list[Any]:
        value = mean_of_runs(self.of_runs)
        low, high = interval(self.top.mean(axis=0), self.units, is_share)
        ends = np.minimum(low, value), np.maximum(high, value), deviation(self.of_runs)
        counts = np.rint(self.bottom[0].sum()), self.asked.sum(), self.judged.sum()
        return [value, *ends, *counts, effective_groups(self.units)]

    def draws(self, weights: Array) -> Array:
        """Of each resample its value."""
        return mean_of_runs(ratio(self.top @ weights.T, self.bottom @ weights.T))


def figure_of_parts(rule: Any, parts: list[Ratio], figures: Any, counts: Any, draws: Array) -> Any:
    """Of a metric made of others: by its slopes, and as far as its resamples reach."""
    seen = 1.0 * ((units := np.array([part.units for part in parts])) > 0)
    ends = np.array([figure[:3] for figure in figures], dtype=float).T
    low, high = combined(rule, ends, likeness(draws, seen @ seen.T > 0))
    own = rule(draws)
    if not np.isnan(low) and np.isnan(own).mean() <= 0.5:
        tails = np.nanpercentile(own, [2.5, 97.5])
        low, high = np.fmin(low, tails[0]), np.fmax(high, tails[1])
    spread = deviation(rule(np.array([part.of_runs for part in parts])))
    value, slopes = slopes_of(rule, ends[0])
    groups = 0.0 if np.isnan(low) else effective_groups(moves_by_group(units, slopes))
    groups = groups or min(figure[7] for figure in figures)
    return [value, low, high, spread, *(sum(row[i] for row in counts) for i in (4, 5, 6)), groups]


def scoresheet(recounted: Any, group: Array, era: Any, weights: Array) -> Any:
    """By metric its figure; and the resamples of the metric that ranks. recounted: what recount.py
    makes of an entry; group: of each of its answers the number of its group."""
    runs, tallies, made, *_ = recounted
    ratios = {name: Ratio(row, runs, group, weights.shape[1]) for name, row in tallies.items()}
    sheet = {
        name: one.figure(described(name, era).get("unit") == "percent")
        for name, one in ratios.items()
    }
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
            found = by_id[e["same_answers_as"] or e["id"]] if e["id"] in ranked else [None] * 6
            yield f"{e['id']}, place, {kind}", e["places"][kind], found


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


def entries(folder: Path, board: Any, sheets: Any, era: Any, draws: Any) -> Iterator[Any]:
    """(what, as said, as found) of every entry's metrics, coverage and counts; fills `draws`."""
    recount = runpy.run_path(str(folder / "recount.py"))["recount"]
    questions = {question["id"]: question for question in lines(folder / "questions.jsonl")}
    for e in board:
        answers, sheet = list(lines(folder / "answers" / f"{e['id']}.jsonl")), sheets[e["id"]]
        own = [questions[answer["question"]] for answer in answers]
        names, group = np.unique([question["group"] for question in own], return_inverse=True)
        recounted = recount(own, answers, verdicts(answers))
        found, draws[e["id"]] = scoresheet(recounted, group, era, weights(len(names), era["seed"]))
        for name, figure in anchored(dict(*recounted[4:]), own, group).items():
            found[name] = on_scale(figure, described(name, era))
        slots = [slot for answer in answers for slot in answer["slots"].values()]
        states = Counter(slot["state"] for slot in slots)
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
        changed = sum(sha256(s["reply"]) != s["reply_sha256"] for s in slots if s["reply"])
        yield f"{e['id']}, replies that are not as their hashes say", [0], [changed]
        yield f"{e['id']}, ranking", [sheet["ranking"]], found[era["ranking"]][:1]


def is_same(said: Any, found: Any) -> bool:
    if said is None or found is None:
        return said is found
    least = CLOSE * max(1.0, abs(said), abs(found))
    return math.isfinite(said) and bool(abs(said - found) <= least)


def check(folder: Path) -> tuple[int, list[str], list[str]]:
    """How many figures there are, which differ, and what is wrong with the chain."""
    era = json.loads((folder / "era.json").read_text(encoding="utf-8"))
    board = list(lines(folder / "board.jsonl"))
    scored = list(lines(folder / "scoresheets.jsonl"))
    sheets = {sheet["submission"]: sheet for sheet in scored}
    draws: dict[str, Array] = {}
    number, differing = 0, []
    rows = chain(entries(folder, board, sheets, era, draws), standings(board, draws, era))
    for what, said, found in rows:
        number += len(said)
        differing += [what for pair in zip(said, found, strict=True) if not is_same(*pair)]
    if sorted(e["id"] for e in board) != sorted(sheet["submission"] for sheet in scored):
        differing.append("the entries of board.jsonl are not those of scoresheets.jsonl")
    return number, differing, wrong_links(folder, era, sheets)


def main(folder: Path) -> int:
    files = [f"{name}: not as MANIFEST.sha256 says" for name in wrong_files(folder)]
    print(*files[:SHOWN], f"{len(files)} files wrong", sep="\n")
    try:
        number, differing, links = check(folder)
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        print(f"These files cannot be counted: {error!r}")
        return 1
    print(*links[:SHOWN], f"{len(links)} links wrong", sep="\n")
    print(*differing[:SHOWN], f"{number:,} figures, {len(differing)} differing", sep="\n")
    return 1 if files or links or differing else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent))
