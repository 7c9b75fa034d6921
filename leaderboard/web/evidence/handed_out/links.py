"""What holds the files of this folder together: manifest, chain, hashes, and a witness."""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

CLOSE = 1e-6  # of a figure: ends of intervals are roots of sums, whose order moves 1e-14 of them
OUT = ("withdrawal", "made_private")
CUT = "the reply did not end by itself"  # one that may say a verdict and gives none


def lines(file: Path) -> Iterator[Any]:
    with file.open(encoding="utf-8") as opened:
        for number, line in enumerate(opened, start=1):
            yield document(line, f"{file.name}, line {number}")


def era_of(folder: Path) -> Any:
    return document((folder / "era.json").read_text(encoding="utf-8"), "era.json")


def document(text: str, where: str) -> Any:
    """The JSON. Raises ValueError for what readers of JSON do not all read alike: a name that is
    there twice, NaN and Infinity."""
    try:
        return json.loads(text, object_pairs_hook=named_once, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: {error}") from None


def named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"{repeated(name for name, _ in pairs)[0]!r} is there twice")
    return found


def no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def plain(text: str, encoding: str) -> str:
    """Text that every terminal shows: what moves a cursor, or is not in its encoding, is spelt
    out."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def wrong_files(folder: Path) -> list[str]:
    """Files that are changed, missing or too many by MANIFEST.sha256, or itself. Raises ValueError
    for a link or a pipe, which nobody can be sure to read twice alike."""
    names = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if not is_folder(p)}
    if odd := sorted(name for name, p in names.items() if p.is_symlink() or not p.is_file()):
        raise ValueError(f"{odd[0]} is no plain file")
    manifest = (folder / "MANIFEST.sha256").read_bytes()
    found = [f"{digest_of_file(names[n])}  {n}" for n in sorted(names) if n != "MANIFEST.sha256"]
    wrong = {*found, ""} ^ set(manifest.decode(errors="surrogateescape").split("\n"))
    is_whole = manifest == "".join(f"{line}\n" for line in found).encode(errors="surrogateescape")
    return sorted(
        {line[66:] or line for line in wrong} or ([] if is_whole else ["MANIFEST.sha256"])
    )


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def digest_of_file(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def digest_of_library(folder: Path) -> str:
    """SHA-256 of a line for each file of the scoring library, as of MANIFEST.sha256."""
    root = folder / "library"
    names = {p.relative_to(root).as_posix(): p for p in root.rglob("*") if p.is_file()}
    return sha256("".join(f"{digest_of_file(names[n])}  {n}\n" for n in sorted(names)))


def repeated(names: Iterable[str]) -> list[str]:
    return [name for name, number in Counter(names).items() if number > 1]


def is_same(stated: Any, found: Any) -> bool:
    """Of two figures, None where none is defined."""
    if not isinstance(stated, int | float) or found is None:
        return stated is found
    least = CLOSE * max(1.0, abs(stated), abs(found))
    return math.isfinite(stated) and bool(abs(stated - found) <= least)


# --- the chain ------------------------------------------------------------------------------------


class Chain:
    """wrong: what is wrong with it, in sentences. sheets: by submission the content of its newest
    scoresheet; out: submissions that are not public any more; kept_out, ranked: what staff decided
    last of a submission."""

    def __init__(self, folder: Path, head: Any) -> None:
        self.wrong: list[str] = []
        self.sheets: dict[str, Any] = {}
        self.digests: list[str] = []
        self.last: dict[str, str] = {}
        self.decided: dict[str, str] = {}
        previous = "0" * 64
        for number, link in enumerate(lines(folder / "chain.jsonl"), start=1):
            follows = (link["number"], link["previous"]) == (number, previous)
            content, previous = (
                link["content"],
                sha256(f"{link['previous']}\n{link['content_digest']}"),
            )
            is_content = content is None or sha256(content) == link["content_digest"]
            if not (follows and is_content and previous == link["digest"]):
                self.wrong.append(f"link {link['number']} does not follow from the one before")
            self.digests.append(previous)
            if content is not None:
                self.note(own := document(content, f"link {number}"))
                said = [link[key] for key in ("kind", "submission", "judge")]
                if said != [own["kind"], own["submission"], own.get("judge", "")]:
                    self.wrong.append(f"link {link['number']} is not of what its content says")
        found = {"number": len(self.digests), "digest": previous} if self.digests else None
        if found != head:
            self.wrong.append("the head of the chain is not the one of era.json")

    def note(self, content: Any) -> None:
        kind, submission = content["kind"], content["submission"]
        if kind == "scoresheet":
            self.sheets[submission] = content
        elif kind in ("kept_out", "ranked"):
            self.decided[submission] = kind
        else:
            self.last[submission] = kind

    def wrong_entries(self, sheets: Any, board: Any, *, is_by_rules: bool) -> Iterator[str]:
        """Entries that are not those of the chain. Nobody is kept out where a model judges."""
        for name, sheet in sheets.items():
            linked = self.sheets.get(name)
            if linked is None or sheet != {key: linked.get(key) for key in sheet}:
                yield f"the scoresheet of {name} is not in the newest link of it"
        for name in self.sheets.keys() - sheets.keys():
            if self.last.get(name) == "publication":
                yield f"{name} is public by the chain and not among the entries"
        for e in board:
            decided = self.decided.get(e["id"]) if is_by_rules else None
            if decided and e["kept_out"] != (decided == "kept_out"):
                yield f"{e['id']} is not kept out or ranked as staff decided last by the chain"
            has_reason = decided or e["flags"] or "by decision" in e["standing"]
            if e["kept_out"] and not (is_by_rules and has_reason):
                yield f"{e['id']} is kept out, and neither a link nor a mark says why"
            if self.last.get(e["id"]) in OUT:
                yield f"{e['id']} is withdrawn or private by the chain, and on the board"


def wrong_rows(folder: Path, board: Any, scored: Any) -> Iterator[str]:
    """Entries that are there twice or in part, answers of nobody, and rows that do not stand by
    rank, those without one last."""
    rows, sheets = [e["id"] for e in board], [sheet["submission"] for sheet in scored]
    yield from (f"{one} stands twice on the board" for one in repeated(rows))
    yield from (f"{one} has two scoresheets" for one in repeated(sheets))
    yield from (f"{one} has a scoresheet and no row" for one in {*sheets} - {*rows})
    yield from (f"{one} has a row and no scoresheet" for one in {*rows} - {*sheets})
    answers = {path.name for path in (folder / "answers").iterdir()}
    for name in sorted(answers ^ {f"{one}.jsonl" for one in rows}):
        yield f"answers/{name} is of no row of the board, or missing"
    ranks = [e["places"]["each"][0] or math.inf for e in board]
    if ranks != sorted(ranks):
        yield "the entries of board.jsonl do not stand by rank"


# --- the judge, and what is drawn -----------------------------------------------------------------


def wrong_judge(folder: Path, era: Any, sheets: Iterable[Any]) -> Iterator[str]:
    """What era.json and prompts/ say of judge, parser and seed must be what their hashes, which
    every scoresheet has, and the name of the release say."""
    judge, slug = era["judge"], era["benchmark"]
    files = sorted((folder / "prompts").glob("*"))
    texts = {file.name.removesuffix(".txt"): file.read_bytes().decode() for file in files}
    prompts = canonical([slug, judge["prompts"], texts]) if texts else None
    if prompts != judge["prompts_hash"]:
        yield "the prompts are not as their hash says"
    asked = [judge[key] for key in ("kind", "endpoint", "model", "parameters")]
    read = [judge[key] for key in ("parser", "parser_version", "repeats")]
    model = [judge["answers_as"]] if judge["answers_as"] else []
    if canonical([[slug, *asked], [*read, prompts or ""], *model]) != judge["hash"]:
        yield "the judge, or how its replies are read, is not as its hash says"
    by = (judge["slug"], judge["hash"])
    if any((sheet["judge"], sheet["judge_hash"]) != by for sheet in sheets):
        yield "a scoresheet is by another judge"
    of = era["release"]["slug"], era["release"]["checksum"]
    if any((sheet["release"], sheet["release_checksum"]) != of for sheet in sheets):
        yield "a scoresheet is of another release"
    if era["seed"] != crc32(of[0].encode()):
        yield "the seed of the resamples is not the one of the release"


def canonical(value: Any) -> str:
    """SHA-256 of it as JSON."""
    return sha256(json.dumps(value, sort_keys=True, ensure_ascii=False))


# --- one entry's files ----------------------------------------------------------------------------


def digest_of(rows: Iterable[Iterable[str]]) -> str:
    """SHA-256 over a line per row, its fields apart by a tab."""
    return sha256("".join("\t".join(row) + "\n" for row in rows))


def wrong_answers(answers: Any, questions: Any, sheet: Any) -> Iterator[str]:
    """What shows that answers or verdicts are not those that were scored: the chain has a digest of
    each."""
    asked = [answer["question"] for answer in answers]
    yield from (f"{one} is answered twice" for one in repeated(asked))
    yield from (f"{one} is no question of this release" for one in asked if one not in questions)
    if not questions.keys() <= set(asked):
        yield "a question has no answer"
    texts = [answer["answer"] for answer in answers]
    own = [answer["answer_sha256"] for answer in answers]
    if any(
        text is not None and sha256(text) != stated for text, stated in zip(texts, own, strict=True)
    ):
        yield "an answer is not as its hash says"
    if digest_of(zip(asked, own, strict=True)) != sheet["answers"]:
        yield "its answers, or their order, are not those that the chain has the digest of"
    slots = [(a["question"], *one) for a in answers for one in sorted(a["slots"].items())]
    rows = (
        (question, slot, one["state"], one["verdict"] or "", one["reply_sha256"] or "")
        for question, slot, one in slots
    )
    if digest_of(rows) != sheet["verdicts"]:
        yield "its verdicts, or their order, are not those that the chain has the digest of"
    for question, slot, one in slots:
        if one["reply"] is not None and sha256(one["reply"]) != one["reply_sha256"]:
            yield f"the reply on {question}, {slot}, is not as its hash says"


def misread(answers: Any, parse: Callable[[str, str], str | None], repeats: int) -> Iterator[str]:
    """Replies that do not give their verdict when the parser of the benchmark reads them again, by
    slot, verdicts that come from nowhere, and runs of the judge that are missing or too many."""
    runs = range(1, repeats + 1)
    for answer in answers:
        slots, question = answer["slots"], answer["question"]
        names = {slot.rpartition(".")[0] for slot in slots}
        if slots.keys() != {f"{name}.{run}" for name in names for run in runs}:
            yield f"{question}: its verdicts are not those of {len(runs)} runs"
        for slot, one in slots.items():
            reply, verdict, is_judged = one["reply"], one["verdict"], one["state"] == "judged"
            if is_judged and not (one["reply_sha256"] or one["reason"]):
                yield f"{question}, {slot}: a verdict without a reply, or a reason for none"
            is_unreadable = one["state"] == "unreadable" and one["reason"] != CUT
            if reply is not None and (is_judged or is_unreadable):
                found = parse(slot, reply)
                if found != verdict:
                    stated, read = verdict or "nothing", found or "nothing"
                    yield f"{question}, {slot}: the verdict is {stated!r}, its reply says {read!r}"


# --- a witness ------------------------------------------------------------------------------------


def unwitnessed(file: Path, folder: Path, digests: list[str]) -> list[str]:
    """What a witness noted elsewhere and this folder does not have. Its lines are "NUMBER DIGEST"
    of a link of the chain, "manifest DIGEST" of MANIFEST.sha256, or "library DIGEST"."""
    wrong, seen = [], 0
    manifest = digest_of_file(folder / "MANIFEST.sha256")
    named = {"manifest": manifest, "library": digest_of_library(folder)}
    for line in file.read_text(encoding="utf-8-sig").split("\n"):
        name, _, digest = line.strip().partition(" ")
        if not name:
            continue
        seen += 1
        if name in named:
            has = [named[name]]
        else:
            number = name.replace(",", "")  # as boards print it
            has = digests[int(number) - 1 : int(number)] if number.isdecimal() else []
        if has != [digest.strip()]:
            wrong.append(f"the witness has another {line.strip()!r}")
    return wrong if seen else [f"{file} has no line of a witness"]
