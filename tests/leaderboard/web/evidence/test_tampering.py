"""What somebody changed in a folder of evidence, with the manifest written anew, is named in a
sentence; what only a witness can show is shown by one."""

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from leaderboard.web.evidence.folder import MANIFEST
from tests.leaderboard.web.evidence.checking import verify, write_manifest_anew
from tests.slow import slow_except, slow_except_every

Rows = list[Any]
Change = Callable[[Path], object]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read(folder: Path, name: str) -> Rows:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def write(folder: Path, name: str, rows: Rows) -> None:
    (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def rewrite(name: str, change: Callable[[Rows], Rows | None]) -> Change:
    def apply(folder: Path) -> None:
        rows = read(folder, name)
        write(folder, name, change(rows) or rows)

    return apply


def leading(folder: Path) -> str:
    """The answers of the entry that leads."""
    rows = read(folder, "board.jsonl")
    return f"answers/{next(row['id'] for row in rows if row['places']['each'][0] == 1)}.jsonl"


def of_answers(change: Callable[[Rows], Rows | None]) -> Change:
    return lambda folder: rewrite(leading(folder), change)(folder)


def exchange(rows: Rows, key: str, one: int, other: int) -> None:
    rows[one][key], rows[other][key] = rows[other][key], rows[one][key]


def slots(rows: Rows) -> Iterator[dict[str, Any]]:
    yield from (slot for row in rows for key, slot in row["slots"].items() if "correctness" in key)


def of_slots(verdict: str, changes: dict[str, Any], *, most: int = 1) -> Change:
    """Of the first slots that a reply gave this verdict, so many."""

    def change(rows: Rows) -> None:
        found = (slot for slot in slots(rows) if slot["verdict"] == verdict and slot["reply"])
        for slot in islice(found, most):
            slot |= changes

    return of_answers(change)


def reply(said: str) -> dict[str, str]:
    return {"reply": said, "reply_sha256": sha256(said)}


def unreadable_becomes_right(folder: Path) -> None:
    for path in sorted((folder / "answers").iterdir()):
        rows = read(folder, f"answers/{path.name}")
        for slot in slots(rows):
            if slot["state"] == "unreadable":
                slot |= {"state": "judged", "verdict": "correct"}
        write(folder, f"answers/{path.name}", rows)


def other_answer(text: str, **more: str) -> Callable[[Rows], None]:
    return lambda rows: rows[2].update(answer=text, **more)


def other_label(rows: Rows) -> None:
    rows[0]["truth"]["gt_answer"] = 1 - rows[0]["truth"]["gt_answer"]


def drop_a_slot(rows: Rows) -> None:
    del rows[0]["slots"][next(iter(rows[0]["slots"]))]


def both(*names: str) -> Change:
    """The entry that leads is left out of these files."""

    def apply(folder: Path) -> None:
        gone = Path(leading(folder)).stem
        for name in names:
            rows = read(folder, name)
            kept = [r for r in rows if gone not in (r.get("id"), r.get("submission"))]
            write(folder, name, kept)

    return apply


def twice(folder: Path) -> None:
    for name in ("board.jsonl", "scoresheets.jsonl"):
        rows = read(folder, name)
        write(folder, name, [rows[0], *rows])


def keep_out_the_leader(folder: Path) -> None:
    """Places are computed anew, as if it had none."""
    rows = read(folder, "board.jsonl")
    leader = next(row for row in rows if row["places"]["each"][0] == 1)
    leader["kept_out"] = True
    write(folder, "board.jsonl", rows)
    era = json.loads((folder / "era.json").read_text())
    draws: dict[str, Any] = {}
    sheets = {sheet["submission"]: sheet for sheet in read(folder, "scoresheets.jsonl")}
    list(verify.entries(folder, rows, sheets, era, draws, []))
    for what, _, found in verify.standings(rows, draws, era):
        name, _, kind = what.partition(", place, ")
        for row in rows:
            if row["id"] == name:
                row["places"][kind] = [None if x is None else float(x) for x in found]
    write(
        folder,
        "board.jsonl",
        sorted(rows, key=lambda row: row["places"]["each"][0] or len(rows) + 1),
    )


def forge_mark(folder: Path) -> None:
    keep_out_the_leader(folder)
    rows = read(folder, "board.jsonl")
    for row in rows:
        row["flags"] = ["constant"] if row["kept_out"] else row["flags"]
    write(folder, "board.jsonl", rows)


def swap_files(folder: Path) -> None:
    one, other, *_ = sorted((folder / "answers").iterdir())
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def without_link(folder: Path) -> None:
    rows = read(folder, "chain.jsonl")
    write(folder, "chain.jsonl", [row for row in rows if row["number"] != 2])


def older_sheet(folder: Path) -> None:
    """A figure is changed in scoresheet, board and the newest link of the entry."""
    name = Path(leading(folder)).stem

    def change(sheet: Any) -> None:
        sheet["figures"]["aAcc"][0] += 0.01

    for file, key in (("scoresheets.jsonl", "submission"), ("board.jsonl", "id")):
        rows = read(folder, file)
        for row in rows:
            if row[key] == name:
                change(row)
        write(folder, file, rows)
    links = read(folder, "chain.jsonl")
    link = [li for li in links if li["submission"] == name and li["kind"] == "scoresheet"][-1]
    content = json.loads(link["content"])
    change(content)
    link["content"] = json.dumps(content)
    write(folder, "chain.jsonl", links)


def new_chain(folder: Path) -> None:
    """Every link is made anew after one of them was changed, and the head too."""
    older_sheet(folder)
    links, previous = read(folder, "chain.jsonl"), "0" * 64
    for link in links:
        if link["content"] is not None:
            link["content_digest"] = sha256(link["content"])
        link["previous"] = previous
        previous = link["digest"] = sha256(f"{previous}\n{link['content_digest']}")
    write(folder, "chain.jsonl", links)
    era = json.loads((folder / "era.json").read_text())
    era["chain"]["digest"] = previous
    (folder / "era.json").write_text(json.dumps(era))


def second_run(rows: Rows) -> None:
    rows[0]["slots"]["correctness.2"] = rows[0]["slots"]["correctness.1"]


def answers_of_nobody(folder: Path) -> None:
    shutil.copy(folder / leading(folder), folder / "answers" / "nobody.jsonl")


def withdrawn_and_shown(folder: Path) -> None:
    """The chain goes on with the withdrawal of the entry that leads."""
    links, whose = read(folder, "chain.jsonl"), Path(leading(folder)).stem
    columns = {"kind": "withdrawal", "submission": whose}
    content = json.dumps(columns)
    link = {"number": len(links) + 1, "previous": links[-1]["digest"], "judge": "", **columns}
    link |= {"content": content, "content_digest": sha256(content)}
    link["digest"] = sha256(f"{link['previous']}\n{link['content_digest']}")
    write(folder, "chain.jsonl", [*links, link])
    of_era(lambda era: era["chain"].update(number=link["number"], digest=link["digest"]))(folder)


def rename_release(era: Any) -> None:
    era["release"]["slug"] += "-2"
    era["seed"] = crc32(era["release"]["slug"].encode())


def of_era(change: Callable[[Any], None]) -> Change:
    def apply(folder: Path) -> None:
        era = json.loads((folder / "era.json").read_text())
        change(era)
        (folder / "era.json").write_text(json.dumps(era))

    return apply


def change_a_prompt(folder: Path) -> None:
    prompt = next((folder / "prompts").iterdir())
    prompt.write_bytes(prompt.read_bytes() + b" Be kind.")


def of_row(change: Callable[[Any], object]) -> Change:
    """Of the first one of the board."""

    def of_first(rows: Rows) -> None:
        change(rows[0])

    return rewrite("board.jsonl", of_first)


def endless(folder: Path) -> None:
    """As a number in JSON may be written."""
    path = folder / "board.jsonl"
    path.write_text(re.sub(r'"qAcc": ?\[[0-9.]+', '"qAcc":[1e999', path.read_text(), count=1))


def not_told(folder: Path) -> None:
    """A figure is another, and said to need a hidden text."""
    of_row(lambda row: row["figures"]["qAcc"].__setitem__(0, 0.123))(folder)
    whose = read(folder, "board.jsonl")[0]["id"]
    of_era(lambda era: era.update(not_told={whose: ["qAcc"]}))(folder)


OF_JUDGE = "the judge, or how its replies are read, is not as its hash says"
OF_LIBRARY = "what ranks, or what metrics are, is not as the library has it"
OF_ANSWERS = "answers, or their order, are not those"
OF_VERDICTS = "verdicts, or their order, are not those"
NAMED: dict[str, tuple[Change, str]] = {
    "answers reordered": (of_answers(lambda rows: rows[::-1]), OF_ANSWERS),
    "two answers reordered": (of_answers(lambda rows: [rows[1], rows[0], *rows[2:]]), OF_ANSWERS),
    "questions exchanged": (of_answers(lambda rows: exchange(rows, "question", 3, 7)), OF_ANSWERS),
    "answer changed": (
        of_answers(other_answer("Something else.")),
        "an answer is not as its hash says",
    ),
    "answer and hash changed": (
        of_answers(other_answer("No.", answer_sha256=sha256("No."))),
        OF_ANSWERS,
    ),
    "answer doubled": (of_answers(lambda rows: [rows[0], *rows]), "is answered twice"),
    "answer dropped": (of_answers(lambda rows: rows[1:]), "a question has no answer"),
    "answers of another entry": (swap_files, OF_ANSWERS),
    "replies changed": (
        of_slots("correct", reply("incorrect"), most=5),
        "the verdict is 'correct', its reply says 'incorrect'",
    ),
    "reply and verdict changed": (
        of_slots("incorrect", reply("correct") | {"verdict": "correct"}),
        OF_VERDICTS,
    ),
    "reply hidden": (of_slots("incorrect", {"reply": None, "verdict": "correct"}), OF_VERDICTS),
    "unreadable counted": (unreadable_becomes_right, "its reply says 'nothing'"),
    "wrong excluded": (of_slots("incorrect", {"state": "excluded", "verdict": None}), OF_VERDICTS),
    "slot dropped": (of_answers(drop_a_slot), OF_VERDICTS),
    "rules read otherwise": (of_era(lambda era: era["judge"].update(parser="official")), OF_JUDGE),
    "judge renamed": (of_era(lambda era: era["judge"].update(model="another")), OF_JUDGE),
    "fewer verdicts asked of who is ranked": (
        of_era(lambda era: era.update(least_coverage=0.5)),
        OF_LIBRARY,
    ),
    "ranked by another metric": (of_era(lambda era: era.update(ranking="qAcc")), OF_LIBRARY),
    "scale changed": (
        of_era(lambda era: era["metrics"]["qAcc"].update(scale=[0.1, 0.9])),
        OF_LIBRARY,
    ),
    "prompt changed": (change_a_prompt, "prompts are not as their hash says"),
    "prompt added": (
        lambda folder: (folder / "prompts" / "more.md").write_text("Be kind."),
        "prompts are not as their hash says",
    ),
    "resamples of another seed, by another name": (
        of_era(rename_release),
        "a scoresheet is of another release",
    ),
    "judge's page exchanged": (
        of_era(lambda era: era["judge"].update(slug="another")),
        "a scoresheet is by another judge",
    ),
    "verdict dropped as unreadable": (
        of_slots("incorrect", {"state": "unreadable", "verdict": None}),
        "the verdict is 'nothing', its reply says 'incorrect'",
    ),
    "verdict from nowhere": (
        of_slots("incorrect", {"reply": None, "reply_sha256": None, "reason": ""}),
        "a verdict without a reply, or a reason for none",
    ),
    "run added": (of_answers(second_run), "its verdicts are not those of 1 runs"),
    "answers of nobody": (answers_of_nobody, "answers/nobody.jsonl is of no row of the board"),
    "withdrawn entry shown": (
        withdrawn_and_shown,
        "is withdrawn or private by the chain, and on the board",
    ),
    "mark forged where a model judges": (forge_mark, "is kept out, and neither a link nor a mark"),
    "resamples of another seed": (of_era(lambda era: era.update(seed=7)), "the seed of the"),
    "question doubled": (rewrite("questions.jsonl", lambda rows: [rows[0], *rows]), "asked twice"),
    "question dropped": (rewrite("questions.jsonl", lambda rows: rows[1:]), "no question of this"),
    "board reversed": (rewrite("board.jsonl", lambda rows: rows[::-1]), "do not stand by rank"),
    "row and sheet doubled": (twice, "stands twice on the board"),
    "sheet doubled": (
        rewrite("scoresheets.jsonl", lambda rows: [*rows, rows[0]]),
        "has two scoresheets",
    ),
    "entry dropped from the board": (both("board.jsonl"), "has a scoresheet and no row"),
    "entry dropped from the sheets": (both("scoresheets.jsonl"), "has a row and no scoresheet"),
    "entry dropped": (
        both("board.jsonl", "scoresheets.jsonl"),
        "is public by the chain and not among the entries",
    ),
    "leader kept out": (keep_out_the_leader, "is kept out, and neither a link nor a mark says why"),
    "kind of a link changed": (
        rewrite("chain.jsonl", lambda rows: rows[0].update(kind="withdrawal")),
        "link 1 is not of what its content says",
    ),
    "link dropped": (without_link, "does not follow from the one before"),
    "sheet, board and link changed": (older_sheet, "does not follow from the one before"),
    "links written from another site": (
        rewrite("chain.jsonl", lambda rows: rows[:-1]),
        "the head of the chain is not the one",
    ),
    # what does not follow
    "endless figure": (endless, "qAcc"),
    "figure as text": (of_row(lambda row: row["figures"]["qAcc"].__setitem__(0, "0.5")), "qAcc"),
    "equal answers of nobody": (of_row(lambda row: row.update(same_answers_as="x")), "place, each"),
    "figure not told": (not_told, "qAcc, of its scoresheet"),
    "figure removed": (of_row(lambda row: row["figures"].pop("qAcc")), "missing or too many"),
    "figure removed everywhere": (
        rewrite("board.jsonl", lambda rows: [row["figures"].pop("qAcc") for row in rows] and None),
        "figures that are missing or too many",
    ),
    "label changed": (
        rewrite("questions.jsonl", other_label),
        "pct_diff",
    ),
    "group": (rewrite("questions.jsonl", lambda rows: rows[0].update(group="another")), "Acc"),
    "number of a link": (
        rewrite("chain.jsonl", lambda rows: rows[0].update(number=rows[0]["number"] + 1)),
        "link",
    ),
}


QUICK = {
    *("replies changed", "prompt changed", "entry dropped", "sheet, board and link changed"),
    *("figure not told", "mark forged where a model judges"),
}
"""One of each file that is looked at, and of what nothing else would show."""


def check_anew(folder: Path, witness: Path | None = None) -> tuple[list[str], list[str]]:
    write_manifest_anew(folder)
    assert not verify.wrong_files(folder)
    _, differing, faults = verify.check(folder, witness)
    return differing, faults


@pytest.mark.parametrize("name", slow_except(NAMED, lambda name: name in QUICK))
def test_a_change_is_named(folder, name):
    change, sentence = NAMED[name]
    change(folder)
    differing, faults = check_anew(folder)
    assert any(sentence in one for one in (*faults, *differing)), (faults, differing)


def test_each_changed_figure_is_found(folder):
    first, row, *others = read(folder, "board.jsonl")
    sheets = read(folder, "scoresheets.jsonl")
    for place in (0, 1, 2, 4, 5, 6):
        row["figures"]["qAcc"][place] += 1 if place > 3 else 0.001
    for count in ("judged", "unreadable", "failed", "excluded", "coverage"):
        row[count] += 0.001 if count == "coverage" else 1
    for places in row["places"].values():
        places[:] = [place + 1 for place in places]
    sheets[0]["ranking"] += 0.001
    write(folder, "board.jsonl", [first, row, *others])
    write(folder, "scoresheets.jsonl", sheets)
    key, differing = row["id"], Counter(check_anew(folder)[0])
    assert differing == {
        f"{key}, qAcc": 6,
        f"{key}, qAcc, of its scoresheet": 6,
        f"{key}, counts": 5,
        f"{key}, place, each": 6,
        f"{key}, place, together": 6,
        f"{sheets[0]['submission']}, ranking": 1,
    }


def hide_a_link(folder: Path) -> None:
    """As if it were of an entry that is not public: the digests remain."""
    none = dict.fromkeys(("kind", "submission", "judge", "content"))
    rewrite("chain.jsonl", lambda rows: rows[0].update(none))(folder)


def unsigned(folder: Path) -> None:
    """What docs/visitor/evidence.md names as held by the manifest alone."""

    def of_question(rows: Rows) -> None:
        rows[0] |= {"reference": "Another.", "anomalies": ["It is wrong."], "images": []}

    def of_row(rows: Rows) -> None:
        rows[0] |= {"submitted": "1999-01-01", "open_weights": None, "verified": "by staff"}
        rows[0] |= {"organisation": "Another", "handed_in_by": "another", "flags": ["constant"]}
        rows[0] |= {"standing": "marked", "older_texts": 7, "unrecorded_texts": 7}
        rows[0]["beside"] = {"another": [1.0] * 8}

    def of_answer(rows: Rows) -> None:
        rows[0]["answer"] = None
        for slot in rows[0]["slots"].values():
            slot |= {"reply": None, "texts": {"reference": 7}}

    def of_folder(era: Any) -> None:
        era |= {"title": "Another", "computed": None, "content_edition": 7, "scoring": 7}
        era["release"] |= {"title": "Another", "language": "xx", "questions": 1}
        era["judge"]["caution"] = "another"

    rewrite("questions.jsonl", of_question)(folder)
    rewrite("board.jsonl", of_row)(folder)
    of_answers(of_answer)(folder)
    of_era(of_folder)(folder)


BY_WITNESS: dict[str, Change] = {
    "names exchanged": rewrite("board.jsonl", lambda rows: exchange(rows, "model", 0, 1)),
    "published row dropped": rewrite("published.jsonl", lambda rows: rows[1:] or [{}]),
    "question worded anew": rewrite("questions.jsonl", lambda rows: rows[0].update(text="Is it?")),
    "link given as private": hide_a_link,
    "what no digest holds": unsigned,
    "all links made anew": new_chain,
}


@pytest.mark.parametrize("change", slow_except_every(7, BY_WITNESS.values()))
def test_what_the_operator_alone_can_sign_a_witness_shows(whole, folder, tmp_path, change):
    manifest = hashlib.sha256((whole / MANIFEST).read_bytes()).hexdigest()
    head = json.loads((whole / "era.json").read_text())["chain"]
    witness = tmp_path / "witness.txt"
    witness.write_text(f"{head['number']} {head['digest']}\nmanifest {manifest}\n")
    assert check_anew(folder, witness) == ([], [])
    change(folder)
    assert check_anew(folder)[1] == []  # places may not be computed anew
    _, faults = check_anew(folder, witness)
    assert any("the witness has another" in fault for fault in faults)


@pytest.mark.slow
def test_a_witness_of_an_earlier_link_is_enough_and_one_that_says_nothing_confirms_nothing(
    folder, tmp_path
):
    witness = tmp_path / "witness.txt"
    empty = (
        "",
        "\n",
        "1\n",
        "manifest\n",
        "0 abc\n",
        "-1 abc\n",
        "99999 abc\n",
        "² abc\n",
        "a b c\n",
    )
    for text in empty:
        witness.write_text(text)
        assert verify.check(folder, witness)[2], text
    digest = read(folder, "chain.jsonl")[0]["digest"]
    assert re.fullmatch("[0-9a-f]{64}", digest)
    witness.write_text(f"1 {digest}\n")
    assert verify.check(folder, witness)[2] == []
