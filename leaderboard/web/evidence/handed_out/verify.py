"""Checks this folder without the site it came from, by Python 3.11, NumPy and SciPy:

    python verify.py [WITNESS]

Every file must be as MANIFEST.sha256 says, every link of chain.jsonl must follow from the one
before, every reply must give its verdict, and every figure of the board must follow from the
verdicts in answers/. links.py looks at files and chain; library/ is the project's scoring library,
whose digest is printed, to be compared with that of its release (README.md). WITNESS is a file that
somebody kept elsewhere. Status 1 unless all of it holds.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "library")
KNOWN = """MANIFEST.sha256 README.md answers board.jsonl chain.jsonl era.json library links.py
prompts published.jsonl questions.jsonl scoresheets.jsonl verify.py"""
SOURCE = (".py", ".toml", ".json")


def strangers() -> list[str]:
    """What is not of this folder, or no source of a library: Python would take a json.py or numpy/
    for what it looks for, and what was compiled beforehand for the source beside it."""
    found = {*os.listdir(HERE)} - {*KNOWN.split()}
    for name in os.listdir(LIBRARY):
        is_taken = name in {"numpy", "scipy"} or name in sys.stdlib_module_names
        found |= {f"library/{name}"} if is_taken or "." in name else set()
    for folder, folders, files in os.walk(LIBRARY):
        links = {name for name in folders if os.path.islink(os.path.join(folder, name))}
        odd = links | {name for name in files if not name.endswith(SOURCE)}
        found |= {os.path.relpath(os.path.join(folder, name), HERE) for name in odd}
    return sorted(found)


sys.dont_write_bytecode = True  # another file in the folder is one too many
if __name__ == "__main__":
    if strange := strangers():  # before anything is imported
        print("Take these out first, they are not of this folder:", *map(ascii, strange[:20]))
        sys.exit(1)
    sys.path.insert(0, LIBRARY)
sys.path.append(HERE)  # `python -I` does not look there by itself

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import astuple
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from links import (
    Chain,
    digest_of_library,
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

from benchmarks.protocols.base import BenchmarkProtocol, Metric, Slot, UnreadableError
from benchmarks.scoring.documents import question_of, rules_of, score_lines
from benchmarks.statistics.differences import paired_differences, smallest_difference, typical
from benchmarks.statistics.ranks import competition_ranks

NOTHING = [None, None, None, None, 0, 0, 0, 0]  # a metric that no question is asked of
COUNTS = ("coverage", "judged", "unreadable", "failed", "excluded")
FAILED = ("refused", "too long", "failed")
SHOWN = 20  # of what is wrong


def family_of(era: Any) -> BenchmarkProtocol:
    found: BenchmarkProtocol = import_module(era["family"]).PROTOCOL
    if found.slug != era["benchmark"]:
        raise ValueError(f"{era['family']} does not score {era['benchmark']}")
    return found


# --- one entry: [value, low, high, spread, n, asked, judged, groups] of every metric --------------


def parsing(family: BenchmarkProtocol, judge: Any) -> Callable[[str, str], str | None]:
    """What makes of a slot and a reply its verdict, None where there is none in it."""

    def verdict(slot: str, reply: str) -> str | None:
        name, _, run = slot.rpartition(".")
        try:
            return family.judging.parse(
                Slot(name, int(run)), reply, judge["parser"], judge["parser_version"]
            )
        except UnreadableError:
            return None

    return verdict


def entries(folder: Path, board: Any, sheets: Any, era: Any, draws: Any, faults: Any) -> Any:
    """(what, as said, as found) of every entry's metrics, coverage and counts; fills `draws`, and
    `faults` with sentences."""
    family, judge = family_of(era), era["judge"]
    listed = list(lines(folder / "questions.jsonl"))
    questions = {question["id"]: question_of(question) for question in listed}
    faults += [f"{one} is asked twice" for one in repeated(q["id"] for q in listed)]
    for e in board:
        answers, sheet = list(lines(folder / "answers" / f"{e['id']}.jsonl")), sheets[e["id"]]
        found = chain(
            wrong_answers(answers, questions, sheet),
            misread(answers, parsing(family, judge), judge["repeats"]),
        )
        faults += [f"{e['id']}: {what}" for what in found]
        answers = [answer for answer in answers if answer["question"] in questions]
        own = [questions[answer["question"]] for answer in answers]
        scored = score_lines(family, own, answers, seed=era["seed"])
        figures = {name: figure.packed() for name, figure in scored.sheet.figures.items()}
        draws[e["id"]] = scored.sheet.draws
        states = Counter(slot["state"] for a in answers for slot in a["slots"].values())
        failed = sum(states[state] for state in FAILED)
        counts = [scored.contributions.coverage, states["judged"], states["unreadable"]]
        counts += [failed, states["excluded"]]
        passed = era["not_told"].get(e["id"], ())
        for shown in (sheet, e):
            yield f"{e['id']}, counts", [shown[name] for name in COUNTS], counts
            for name, stated in shown["figures"].items():
                if name.partition("@")[0] not in passed:
                    yield f"{e['id']}, {name}", stated, figures.get(name, NOTHING)
        missing = (set(era["shown"]) & set(sheet["figures"])) ^ set(e["figures"])
        yield f"{e['id']}, figures that are missing or too many", [0], [len(missing)]
        for name, stated in e["figures"].items():  # also those that are not told
            yield f"{e['id']}, {name}, of its scoresheet", stated, sheet["figures"][name]
        ranking = family.board.BOARD.ranking
        yield f"{e['id']}, ranking", [sheet["ranking"]], figures[ranking][:1]


# --- who stands where -----------------------------------------------------------------------------


def standings(board: Any, draws: Any, era: Any) -> Iterator[Any]:
    """(what, as said, as found) of who stands where: by ranges that hold alone ("each"), and all of
    them together. Entries of equal answers share the place of one of them, which is compared."""
    rules = family_of(era).board
    ranking, metric = rules.BOARD.ranking, rules.METRICS[rules.BOARD.ranking]
    value = {e["id"]: e["figures"].get(ranking, NOTHING)[0] for e in board}
    ranked = {
        e["id"]
        for e in board
        if value[e["id"]] is not None and e["coverage"] >= rules.BOARD.min_coverage
        if not (e["kept_out"] or e["origin"] == "baseline")
    }
    compared = [e for e in board if e["id"] in ranked and not e["same_answers_as"]]
    for kind in ("each", "together"):
        places: dict[str, list[Any]] = {}
        if compared:
            places, smallest = placed(compared, draws, metric, is_joint=kind == "together")
            if kind in era["smallest_difference"]:
                stated = era["smallest_difference"][kind]
                yield f"smallest difference, {kind}", [stated], [smallest]
        for e in board:
            found = places.get(e["same_answers_as"] or e["id"]) if e["id"] in ranked else None
            yield f"{e['id']}, place, {kind}", e["places"][kind], found or [None] * 6


def placed(compared: Any, draws: Any, metric: Metric, *, is_joint: bool) -> Any:
    """By entry [rank, best and worst place, ahead of who leads, from, to]; and the difference that
    two typical entries, of each submitter the best, are told apart by."""
    figures = [e["figures"][metric.name] for e in compared]
    scores = np.array([figure[0] for figure in figures])
    higher = metric.higher_is_better is not False
    found = paired_differences(
        scores,
        np.array([draws[e["id"]] for e in compared]).T,
        higher_is_better=higher,
        simultaneous=is_joint,
        groups=min(figure[7] for figure in figures),
    )
    ranks = competition_ranks(scores, higher_is_better=higher)
    leader, places, best = int(ranks.argmin()), {}, dict[str, int]()
    for one, e in enumerate(compared):
        ahead = [None] * 3 if one == leader else astuple(found.between(one, leader))
        places[e["id"]] = [int(ranks[one]), int(found.best[one]), int(found.worst[one]), *ahead]
    for one in sorted(range(len(compared)), key=lambda one: int(ranks[one])):
        best.setdefault(compared[one]["submitter"], one)
    ones = sorted(best.values())
    error, critical = found.typical_error(ones), typical(found.critical[ones])
    if error is None or critical is None:
        return places, None
    return places, smallest_difference(error, critical)


# --- all of it ------------------------------------------------------------------------------------


def check(folder: Path, witness: Path | None = None) -> tuple[int, list[str], list[str]]:
    """How many figures there are, which differ, and what else is wrong, in sentences."""
    era, draws = era_of(folder), dict[str, Any]()
    files = (folder / f"{name}.jsonl" for name in ("board", "scoresheets", "published"))
    board, scored, _ = map(list, map(lines, files))
    sheets = {sheet["submission"]: sheet for sheet in scored}
    linked, is_by_rules = Chain(folder, era["chain"]), era["judge"]["kind"] == "rules"
    faults = [*linked.wrong, *linked.wrong_entries(sheets, board, is_by_rules=is_by_rules)]
    if any(era[name] != stated for name, stated in rules_of(family_of(era)).items()):
        faults.append("what ranks, or what metrics are, is not as the library has it")
    faults += [*wrong_rows(folder, board, scored), *wrong_judge(folder, era, scored)]
    faults += unwitnessed(witness, folder, linked.digests) if witness else []
    board = [e for e in board if e["id"] in sheets]
    rows = chain(entries(folder, board, sheets, era, draws, faults), standings(board, draws, era))
    number, differing = 0, []
    for what, stated, found in rows:
        number += len(stated)
        differing += [what for pair in zip(stated, found, strict=True) if not is_same(*pair)]
    return number, differing, faults


def show(found: list[str], *more: str) -> None:
    """The first of what is wrong, and more."""
    print(*(plain(one, sys.stdout.encoding) for one in (*found[:SHOWN], *more)), sep="\n")


def main(folder: Path, witness: Path | None = None) -> int:
    try:
        files = [f"{name}: not as MANIFEST.sha256 says" for name in wrong_files(folder)]
        show(files, f"{len(files)} files wrong")
        number, differing, faults = check(folder, witness)
        if passed := sorted({*chain(*era_of(folder)["not_told"].values())}):
            show([f"Passed over, for they need a hidden text: {', '.join(passed)}"])
    except Exception as error:  # files may be wrong in every way there is
        show([f"These files cannot be counted: {type(error).__name__}: {error}"])
        return 1
    show(faults, f"{len(faults)} faults of entries, replies or the chain")
    show([f"By the scoring library with the digest {digest_of_library(folder)}"])
    show(differing, f"{number:,} figures, {len(differing)} differing")
    return 1 if files or faults or differing else 0


if __name__ == "__main__":
    sys.exit(main(Path(HERE), *map(Path, sys.argv[1:2])))
