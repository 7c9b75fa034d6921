"""A folder of evidence shows by itself that its board holds, and that anything else does not."""

import ast
import hashlib
import importlib.util
import json
import marshal
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.registry import protocols
from benchmarks.scoring.source import digest_of, library_files
from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import Submission
from leaderboard.web.evidence.folder import HANDED_OUT, MANIFEST
from tests.conftest import judged
from tests.leaderboard.web.evidence.checking import verify, write_manifest_anew
from tests.leaderboard.web.evidence.conftest import (
    REPLIES,
    ReadableJudge,
    export,
    judge_by_model,
    load,
)
from tests.slow import slow, slow_except_every

BENCHMARKS = [slug for slug, family in protocols().items() if family.bundled]
PROGRAMS = [HANDED_OUT / f"{name}.py" for name in ("verify", "links")]
MOST_LINES = 300
CHANGED_BYTES = 1_000
MAY_IMPORT = {"numpy", "links", "benchmarks", *sys.stdlib_module_names}


@pytest.mark.parametrize(
    ("slug", "entries"),
    [*((slug, 2) for slug in BENCHMARKS), *(slow((slug, None)) for slug in BENCHMARKS)],
)
def test_every_figure_of_a_bundled_board_follows_from_its_verdicts(db, tmp_path, slug, entries):
    load(slug)
    for submission in Submission.objects.filter(release__benchmark__slug=slug)[:entries]:
        judged(submission)
    export(slug, tmp_path / "out")
    number, differing, links = verify.check(tmp_path / "out")
    assert (differing, links, verify.wrong_files(tmp_path / "out")) == ([], [], [])
    assert number > (500 if entries is None else 50)


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


def test_every_figure_of_a_board_that_a_model_judged_follows_from_its_replies(whole, db):
    number, differing, faults = verify.check(whole)
    assert (differing, faults, verify.wrong_files(whole)) == ([], [], [])
    assert number > 500
    rows = list(verify.lines(whole / "board.jsonl"))
    assert sum(row["unreadable"] for row in rows) > 0
    assert list((whole / "prompts").iterdir())


@pytest.mark.slow
def test_each_of_a_thousand_changed_bytes_is_found(folder):
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.stat().st_size)
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
    assert not verify.wrong_files(folder)


def run_in(
    folder: Path, *options: str, witness: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *options, "verify.py", *([str(witness)] if witness else [])]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_its_reader_runs_it_in_the_folder_and_it_says_what_it_found(folder):
    whole = run_in(folder, "-I")
    assert whole.stdout.splitlines()[:2] == [
        "0 files wrong",
        "0 faults of entries, replies or the chain",
    ]
    assert whole.stdout.endswith(" figures, 0 differing\n")
    assert (whole.returncode, whole.stderr) == (0, "")
    row = first_line(folder, "board.jsonl")
    change_era(folder, not_told={row["id"]: ["aAcc"]})
    row["figures"]["qAcc"][0] += 0.001
    write_first_line(folder, "board.jsonl", row)
    changed = run_in(folder)
    assert changed.returncode == 1
    assert changed.stdout.splitlines()[:3] == [
        "board.jsonl: not as MANIFEST.sha256 says",
        "era.json: not as MANIFEST.sha256 says",
        "2 files wrong",  # the first run left nothing behind
    ]
    assert "Passed over, for they need a hidden text: aAcc\n" in changed.stdout
    assert changed.stdout.endswith(" figures, 2 differing\n")


def change_era(folder: Path, **changes: Any) -> None:
    era = folder / "era.json"
    era.write_text(json.dumps(json.loads(era.read_text()) | changes))


def first_line(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text().splitlines()[0])


def write_first_line(folder: Path, name: str, document: Any) -> None:
    lines = (folder / name).read_text().splitlines()
    (folder / name).write_text("\n".join([json.dumps(document), *lines[1:], ""]))


NOT_OF_IT = "Take these out first, they are not of this folder:"
PLANTED = "print('9 figures, 0 differing')\nraise SystemExit(0)\n"


def test_what_is_not_of_the_folder_is_named_and_never_run(folder):
    """Neither is a program compiled beforehand run for the one that is read."""
    cached = Path(importlib.util.cache_from_source(str(folder / "links.py"))).name
    code = compile(PLANTED, "links.py", "exec")
    compiled = importlib.util.MAGIC_NUMBER + bytes([1, *[0] * 11]) + marshal.dumps(code)
    for name, content in {
        "json.py": PLANTED.encode(),
        "numpy/__init__.py": PLANTED.encode(),
        "links/__init__.py": PLANTED.encode(),
        "notes.txt": PLANTED.encode(),
        f"__pycache__/{cached}": compiled,
        "library/json.py": PLANTED.encode(),
        "library/numpy/__init__.py": PLANTED.encode(),
        f"library/benchmarks/statistics/__pycache__/{cached}": compiled,
        "library/benchmarks/statistics/intervals.so": b"\x7fELF",
    }.items():
        path = folder / name
        (top,) = re.findall("^(?:library/numpy|library/.+|[^/]+)", name)
        is_new = not path.parent.exists()
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        write_manifest_anew(folder)
        found = run_in(folder)
        assert (found.returncode, found.stdout) == (1, f"{NOT_OF_IT} '{top}'\n")
        path.unlink()
        if is_new:
            path.parent.rmdir()


def test_the_library_is_that_of_the_project_and_a_changed_one_has_another_digest(folder, tmp_path):
    hashes = {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in library_files().items()
    }
    own = digest_of(hashes)
    said = "By the scoring library with the digest"
    assert f"{said} {own}\n" in run_in(folder).stdout
    witness = tmp_path / "witness.txt"
    witness.write_text(f"library {own}\n")
    assert verify.check(folder, witness)[2] == []
    changed = folder / "library/benchmarks/scoring/sheets.py"
    changed.write_text(
        changed.read_text().replace('"percent": (0.0, 1.0)', '"percent": (0.0, 2.0)')
    )
    write_manifest_anew(folder)
    found = run_in(folder, witness=witness)
    assert f"{said} {own}\n" not in found.stdout
    assert f"the witness has another 'library {own}'" in found.stdout
    assert found.returncode == 1


ALONE = """
import runpy, sys
KNOWN = {"numpy", "scipy", "links", "benchmarks", *sys.stdlib_module_names}
class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in KNOWN and not name.startswith("_sysconfigdata"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refusing())
runpy.run_path("verify.py", run_name="__main__")
"""


def test_the_library_needs_nothing_but_numpy_and_scipy(folder):
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def nested(folder: Path) -> None:
    (folder / "board.jsonl").write_text("[" * 200_000 + "\n")


def moving_the_cursor(folder: Path) -> None:
    name = f"answers/{next((folder / 'answers').iterdir()).name}"
    row = first_line(folder, name) | {"question": "\x1b[2J\n0 files wrong"}
    write_first_line(folder, name, row)


def not_in_unicode(folder: Path) -> None:
    (folder / os.fsdecode(b"answers/\xff.jsonl")).write_text("")


def half_a_letter(folder: Path) -> None:
    row = first_line(folder, "board.jsonl") | {"same_answers_as": "\ud800"}
    write_first_line(folder, "board.jsonl", row)


def verdict_of_no_judge(folder: Path) -> None:
    name = f"answers/{next((folder / 'answers').iterdir()).name}"
    row = first_line(folder, name) | {"compared": {"correctness.2": "correct"}}
    write_first_line(folder, name, row)


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "no manifest": (lambda folder: (folder / MANIFEST).unlink(), "MANIFEST.sha256'"),
    "no answers": (lambda folder: next((folder / "answers").iterdir()).unlink(), ".jsonl'"),
    "nested without end": (nested, "board.jsonl, line 1: maximum recursion depth"),
    "a name that moves the cursor": (moving_the_cursor, r"\x1b[2J\n0 files wrong is no question"),
    "a name that is not in Unicode": (not_in_unicode, r"answers/\udcff.jsonl: not as MANIFEST"),
    "a verdict among what was compared": (verdict_of_no_judge, "correctness.2 is compared, and is"),
    "half a letter": (half_a_letter, "place, each"),
    "a link": (lambda folder: (folder / "answers/up").symlink_to(".."), "answers/up is no plain"),
    "a pipe": (lambda folder: os.mkfifo(folder / "answers/pipe"), "answers/pipe is no plain file"),
}


@pytest.mark.parametrize(("change", "sentence"), slow_except_every(8, ODD.values()))
def test_odd_files_end_in_a_sentence(folder, change, sentence):
    change(folder)
    found = run_in(folder)
    assert (found.returncode, found.stderr) == (1, "")
    assert sentence in found.stdout
    assert all(line.isprintable() for line in found.stdout.splitlines())


def test_what_readers_of_json_read_differently_is_refused(tmp_path, subtests):
    for text, sentence in {
        '{"id": 1, "id": 2}': "'id' is there twice",
        '{"a": {"b": NaN}}': "NaN is no number",
        '{"a": [-Infinity]}': "-Infinity is no number",
        "": "Expecting value",
        "\ufeff{}": "Unexpected UTF-8 BOM",
    }.items():
        (tmp_path / "some.jsonl").write_text(f"{{}}\n{text}\n")
        says = re.escape(f"some.jsonl, line 2: {sentence}")
        with subtests.test(text), pytest.raises(ValueError, match=says):
            list(verify.lines(tmp_path / "some.jsonl"))


@pytest.mark.slow
def test_who_staff_keep_out_where_rules_judge_may_be_ranked_where_a_model_does(db, tmp_path, owner):
    load("hallusionbench")
    spec = judge_by_model("hallusionbench", repeats=1, judge=ReadableJudge)
    sample = Submission.objects.filter(runs__judge_spec=spec, origin="sample").earliest("created")
    decide_ranking(submission=sample, is_ranked=False, reason="made by hand", by=owner)
    export("hallusionbench", tmp_path / "out", judge=spec.slug)
    assert verify.check(tmp_path / "out")[1:] == ([], [])
    assert '"kept_out"' in (tmp_path / "out" / "chain.jsonl").read_text()


def test_files_too_many_and_too_few_and_a_manifest_in_another_form_are_found(tmp_path):
    (tmp_path / "one.txt").write_text("1")
    (tmp_path / "two.txt").write_text("2")
    write_manifest_anew(tmp_path)
    assert verify.wrong_files(tmp_path) == []
    manifest = tmp_path / MANIFEST
    said = manifest.read_bytes()
    manifest.write_bytes(said.replace(b"\n", b"\n\n"))
    assert verify.wrong_files(tmp_path) == [MANIFEST]
    manifest.write_bytes(said)
    (tmp_path / "three.txt").write_text("3")
    (tmp_path / "one.txt").unlink()
    assert verify.wrong_files(tmp_path) == ["one.txt", "three.txt"]


def test_a_program_that_is_handed_out_is_short_and_needs_numpy_alone():
    long, strange = [], set()
    for program in PROGRAMS:
        text = program.read_text()
        if text.count("\n") > MOST_LINES:
            long.append(program)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                strange |= {alias.name.partition(".")[0] for alias in node.names} - MAY_IMPORT
            if isinstance(node, ast.ImportFrom):
                strange |= {(node.module or "").partition(".")[0]} - MAY_IMPORT
    assert (long, strange) == ([], set())
