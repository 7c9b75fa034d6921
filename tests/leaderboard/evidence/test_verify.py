"""A folder of evidence shows by itself that its board holds, and that anything else does not."""

import ast
import importlib.util
import json
import marshal
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

from benchmarks.registry import protocols
from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import Submission
from leaderboard.evidence.folder import HANDED_OUT, MANIFEST
from tests.conftest import judged
from tests.leaderboard.evidence.checking import verify, write_manifest_anew
from tests.leaderboard.evidence.conftest import (
    REPLIES,
    ReadableJudge,
    export,
    judge_by_model,
    load,
)

BENCHMARKS = [slug for slug, family in protocols().items() if family.evidence is not None]
PROGRAMS = [HANDED_OUT / f"{name}.py" for name in ("verify", "links", "intervals", "anchored")] + [
    family.evidence.recount for family in protocols().values() if family.evidence
]
MOST_LINES = 300
CHANGED_BYTES = 1_000
MAY_IMPORT = {"numpy", "links", "intervals", "anchored", *sys.stdlib_module_names}


@pytest.mark.slow
@pytest.mark.parametrize("slug", BENCHMARKS)
def test_every_figure_of_a_bundled_board_follows_from_its_verdicts(db, tmp_path, slug):
    load(slug)
    for submission in Submission.objects.filter(release__benchmark__slug=slug):
        judged(submission)
    export(slug, tmp_path / "out")
    number, differing, links = verify.check(tmp_path / "out")
    assert (differing, links, verify.wrong_files(tmp_path / "out")) == ([], [], [])
    assert number > 500


@pytest.mark.slow
@pytest.mark.parametrize("slug", REPLIES)
def test_so_does_every_figure_where_a_model_judged_twice_and_not_always_readably(
    db, tmp_path, slug
):
    load(slug)
    spec = judge_by_model(slug, repeats=2)
    export(slug, tmp_path / "out", judge=spec.slug)
    number, differing, links = verify.check(tmp_path / "out")
    assert (differing, links) == ([], [])
    assert number > 80
    board = list(verify.lines(tmp_path / "out" / "board.jsonl"))
    assert any(row["unreadable"] for row in board)
    assert any(figure[3] for row in board for figure in row["figures"].values())  # spread over runs
    assert list((tmp_path / "out" / "prompts").iterdir())


@pytest.mark.slow
def test_each_of_a_thousand_changed_bytes_is_found(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sizes = np.array([path.stat().st_size for path in files], dtype=float)
    rng = random.Random(8)
    missed = []
    for _ in range(CHANGED_BYTES):
        # a file as likely as any other, so that small ones are changed too
        path = rng.choice(files)
        place, content = rng.randrange(path.stat().st_size), path.read_bytes()
        other = (content[place] + rng.randrange(1, 256)) % 256
        path.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
        if not verify.wrong_files(folder):
            missed.append((path.name, place))
        path.write_bytes(content)
    assert not missed
    assert len(files) > 10
    assert sizes.all()
    assert not verify.wrong_files(folder)


def change_line(
    name: str, change: Callable[[Any], None], number: int = 0
) -> Callable[[Path], None]:
    """A line of a file with something changed in it."""

    def apply(folder: Path) -> None:
        path = next(iter(sorted(folder.glob(name))))
        lines = path.read_text().splitlines()
        document = json.loads(lines[number])
        change(document)
        lines[number] = json.dumps(document)
        path.write_text("\n".join([*lines, ""]))

    return apply


def other_at(*path: Any) -> Callable[[Any], None]:
    """Adds a thousandth to the number at that place, and one to a whole one."""

    def change(document: Any) -> None:
        *way, last = path
        for step in way:
            document = document[step]
        value = document[last]
        document[last] = value + 1 if isinstance(value, int) else value * 1.001 + 1e-6

    return change


def other_verdict(document: Any) -> None:
    slot = document["slots"]["word_matching.1"]
    slot["verdict"] = str(1 - int(slot["verdict"]))


def without_verdict(document: Any) -> None:
    document["slots"]["word_matching.1"] |= {"verdict": None, "state": "unreadable"}


def other_without_telling(folder: Path) -> None:
    """A figure that is said to need a hidden text."""
    change_line("board.jsonl", other_at("figures", "words", 0))(folder)
    era = folder / "era.json"
    era.write_text(json.dumps(json.loads(era.read_text()) | {"not_told": ["words"]}))


def without_metric(folder: Path) -> None:
    """No row of the board says it any more."""
    path = folder / "board.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        del row["figures"]["words"]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def twice(name: str, change: Callable[[Any], None]) -> Callable[[Path], None]:
    """A changed line before the one that it was."""

    def apply(folder: Path) -> None:
        lines = (folder / name).read_text().splitlines()
        document = json.loads(lines[0])
        change(document)
        (folder / name).write_text("\n".join([json.dumps(document), *lines, ""]))

    return apply


def left_out(folder: Path) -> None:
    """A row of the board that no place of another depends on."""
    path = folder / "board.jsonl"
    rows = path.read_text().splitlines()
    unranked = next(row for row in rows if json.loads(row)["places"]["each"][0] is None)
    path.write_text("\n".join([*(row for row in rows if row != unranked), ""]))


def endless(folder: Path) -> None:
    """As a number in JSON may be written."""
    path = folder / "board.jsonl"
    path.write_text(re.sub(r'"words":\[[0-9.]+', '"words":[1e999', path.read_text(), count=1))


CHANGES: dict[str, Callable[[Path], None]] = {
    "endless figure": endless,
    "figure as text": change_line(
        "board.jsonl",
        lambda row: row["figures"]["words"].__setitem__(0, str(row["figures"]["words"][0])),
    ),
    "equal answers of nobody": change_line(
        "board.jsonl", lambda row: row.update(same_answers_as="nobody"), 1
    ),
    "figure not told": other_without_telling,
    "figure removed": change_line("board.jsonl", lambda row: row["figures"].pop("words")),
    "figure removed everywhere": without_metric,
    "scoresheet twice": twice("scoresheets.jsonl", other_at("ranking")),
    "entry left out": left_out,
    "reply": change_line(
        "answers/*.jsonl",
        lambda row: row["slots"]["word_matching.1"].update(reply="1", reply_sha256="0" * 64),
    ),
    **{
        f"figure {place}": change_line("board.jsonl", other_at("figures", "guarded", place))
        for place in (0, 1, 2, 4, 5, 6)
    },
    **{
        name: change_line("board.jsonl", other_at(name))
        for name in ("judged", "unreadable", "failed", "excluded", "coverage")
    },
    **{
        f"{kind} place {place}": change_line("board.jsonl", other_at("places", kind, place), 1)
        for kind in ("each", "together")
        for place in range(6)
    },
    "scoresheet": change_line("scoresheets.jsonl", other_at("ranking")),
    "verdict": change_line("answers/*.jsonl", other_verdict),
    "no verdict": change_line("answers/*.jsonl", without_verdict),
    "reading": change_line(
        "answers/*.jsonl",
        lambda row: row["readings"].update(matched=not row["readings"]["matched"]),
    ),
    "group": change_line("questions.jsonl", lambda row: row.update(group="another")),
    "link": change_line("chain.jsonl", lambda row: row.update(content_digest="0" * 64)),
    "head": change_line("chain.jsonl", lambda row: row.update(digest="0" * 64)),
    "number of a link": change_line("chain.jsonl", other_at("number")),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_figure_is_found_though_the_manifest_was_written_anew(folder, change):
    change(folder)
    assert verify.wrong_files(folder)
    write_manifest_anew(folder)
    assert not verify.wrong_files(folder)
    _, differing, links = verify.check(folder)
    assert differing or links


def run_in(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *options, "verify.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_its_reader_runs_it_in_the_folder_and_it_says_what_it_found(folder):
    run = partial(run_in, folder)
    whole = run()
    assert whole.stdout.splitlines()[:2] == [
        "0 files wrong",
        "0 faults of entries, replies or the chain",
    ]
    assert whole.stdout.endswith(" figures, 0 differing\n")
    assert (whole.returncode, whole.stderr) == (0, "")
    assert run().returncode == 0  # the first run left nothing behind
    assert run("-I").returncode == 0
    change_line("board.jsonl", other_at("figures", "words", 0))(folder)
    changed = run()
    assert changed.returncode == 1
    assert "board.jsonl: not as MANIFEST.sha256 says" in changed.stdout
    assert changed.stdout.endswith(" figures, 2 differing\n")
    (folder / "board.jsonl").write_text("{")
    assert run().returncode == 1


NOT_OF_IT = "Take these out first, they are not of this folder:"
PLANTED = "print('9 figures, 0 differing')\nraise SystemExit(0)\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["json.py", "numpy/__init__.py", "links/__init__.py", "notes.txt"])
def test_what_is_not_of_the_folder_is_named_and_never_run(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(PLANTED)
    write_manifest_anew(folder)
    found = run_in(folder)
    assert found.returncode == 1
    assert found.stdout == f"{NOT_OF_IT} '{name.partition('/')[0]}'\n"


@pytest.mark.slow
def test_a_program_compiled_beforehand_is_not_run_for_the_one_that_is_read(folder):
    code = compile(PLANTED, "links.py", "exec")
    cached = Path(importlib.util.cache_from_source(str(folder / "links.py")))
    cached = folder / "__pycache__" / cached.name
    cached.parent.mkdir()
    cached.write_bytes(importlib.util.MAGIC_NUMBER + bytes([1, *[0] * 11]) + marshal.dumps(code))
    found = run_in(folder)
    assert (found.returncode, found.stdout) == (1, f"{NOT_OF_IT} '__pycache__'\n")


def nested(folder: Path) -> None:
    (folder / "board.jsonl").write_text("[" * 200_000 + "\n")


def moving_the_cursor(folder: Path) -> None:
    change_line("answers/*.jsonl", lambda row: row.update(question="\x1b[2J\n0 files wrong"))(
        folder
    )


def not_in_unicode(folder: Path) -> None:
    (folder / os.fsdecode(b"answers/\xff.jsonl")).write_text("")


def half_a_letter(folder: Path) -> None:
    change_line("board.jsonl", lambda row: row.update(same_answers_as="\ud800"), 1)(folder)


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "no manifest": (lambda folder: (folder / MANIFEST).unlink(), "MANIFEST.sha256'"),
    "no answers": (lambda folder: next((folder / "answers").iterdir()).unlink(), ".jsonl'"),
    "nested without end": (nested, "board.jsonl, line 1: maximum recursion depth"),
    "a name that moves the cursor": (moving_the_cursor, r"\x1b[2J\n0 files wrong is no question"),
    "a name that is not in Unicode": (not_in_unicode, r"answers/\udcff.jsonl: not as MANIFEST"),
    "half a letter": (half_a_letter, "place, each"),
    "a link": (lambda folder: (folder / "answers/up").symlink_to(".."), "answers/up is no plain"),
    "a pipe": (lambda folder: os.mkfifo(folder / "answers/pipe"), "answers/pipe is no plain file"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("change", "sentence"), ODD.values(), ids=ODD)
def test_odd_files_end_in_a_sentence(folder, change, sentence):
    change(folder)
    found = run_in(folder)
    assert (found.returncode, found.stderr) == (1, "")
    assert sentence in found.stdout
    assert all(line.isprintable() for line in found.stdout.splitlines())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"id": 1, "id": 2}', "'id' is there twice"),
        ('{"a": {"b": NaN}}', "NaN is no number"),
        ('{"a": [-Infinity]}', "-Infinity is no number"),
        ("", "Expecting value"),
        ("\ufeff{}", "Unexpected UTF-8 BOM"),
    ],
)
def test_what_readers_of_json_read_differently_is_refused(tmp_path, text, sentence):
    (tmp_path / "some.jsonl").write_text(f"{{}}\n{text}\n")
    with pytest.raises(ValueError, match=re.escape(f"some.jsonl, line 2: {sentence}")):
        list(verify.lines(tmp_path / "some.jsonl"))


@pytest.mark.slow
def test_metrics_that_are_passed_over_are_named(folder):
    era = folder / "era.json"
    era.write_text(json.dumps(json.loads(era.read_text()) | {"not_told": ["words"]}))
    write_manifest_anew(folder)
    assert "Passed over, for they need a hidden text: words\n" in run_in(folder).stdout


@pytest.mark.slow
def test_who_staff_keep_out_where_rules_judge_may_be_ranked_where_a_model_does(db, tmp_path, owner):
    load("hallusionbench")
    spec = judge_by_model("hallusionbench", repeats=1, judge=ReadableJudge)
    sample = Submission.objects.filter(runs__judge_spec=spec, origin="sample").earliest("created")
    decide_ranking(submission=sample, is_ranked=False, reason="made by hand", by=owner)
    export("hallusionbench", tmp_path / "out", judge=spec.slug)
    assert verify.check(tmp_path / "out")[1:] == ([], [])
    assert '"kept_out"' in (tmp_path / "out" / "chain.jsonl").read_text()


def test_files_too_many_and_too_few_are_found(tmp_path):
    (tmp_path / "one.txt").write_text("1")
    (tmp_path / "two.txt").write_text("2")
    write_manifest_anew(tmp_path)
    assert verify.wrong_files(tmp_path) == []
    (tmp_path / "three.txt").write_text("3")
    (tmp_path / "one.txt").unlink()
    assert verify.wrong_files(tmp_path) == ["one.txt", "three.txt"]


def test_a_manifest_in_another_form_is_found(tmp_path):
    (tmp_path / "one.txt").write_text("1")
    write_manifest_anew(tmp_path)
    manifest = tmp_path / MANIFEST
    manifest.write_bytes(manifest.read_bytes().replace(b"\n", b"\n\n"))
    assert verify.wrong_files(tmp_path) == [MANIFEST]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_program_that_is_handed_out_is_short_and_needs_numpy_alone(program):
    text = program.read_text()
    assert text.count("\n") <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= MAY_IMPORT
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] in MAY_IMPORT


@pytest.mark.parametrize("above", [0.025, 1e-3, 1e-5])
@pytest.mark.parametrize("degrees", [1.0, 1.01, 1.7, 4.0, 30.5, 60.0, 1_128.0, 10_289.0])
def test_quantiles_are_those_of_student(above, degrees):
    found = verify.interval.__globals__["student"](above, degrees)
    assert found == pytest.approx(-stdtrit(degrees, above), rel=1e-10)
