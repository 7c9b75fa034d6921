"""The evidence of an era as plain files: questions, answers, verdicts, prompts, scoresheets, board
and chain, and programs that compute the board anew: handed_out/ and the scoring library.

Files are the same, byte by byte, as long as the board is: no clock is in them, their order is that
of the board and of the release. Entry by entry, so that an era of any size takes the memory of one.
Only what everybody may read is in them: entries by `read_board`, texts by
`leaderboard.results.disclosure`, links by `chain.links.public_links`.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.file_storage import whole_file
from benchmarks.models import Benchmark, FigureImage, ReleaseQuestion
from benchmarks.protocols.base import BenchmarkProtocol, QuestionView
from benchmarks.registry import package_of, protocol
from benchmarks.scoring.documents import question_of, rules_of, score_lines
from benchmarks.scoring.sheets import SCORING_VERSION, release_seed
from benchmarks.scoring.source import digest_of, library_files
from benchmarks.selectors import kept_truths, question_view
from benchmarks.submissions.models import Answer, Submission
from benchmarks.submissions.selectors import answer_sheet
from judging.models import JudgeRun, JudgeSpec
from judging.panel.selectors import ratings_of
from judging.texts import EVERY_KIND
from leaderboard.models import Scoresheet
from leaderboard.results.chain.digests import sha256
from leaderboard.results.chain.links import (
    content_of,
    link_waiting,
    public_links,
    sheet_content,
    unlinked,
)
from leaderboard.results.disclosure import (
    HIDDEN_TEST,
    ShownReply,
    public_kinds,
    shown_anomalies,
    shown_answer,
    shown_references,
    shown_replies,
)
from leaderboard.results.selectors import (
    EACH,
    TOGETHER,
    BoardEntry,
    BoardPart,
    BoardReading,
    Era,
    public_sheets,
    read_board,
    rows_of,
)
from leaderboard.results.services import comparing_columns
from leaderboard.results.versions.numbers import number_shown, numbers_of, slugs_shown
from leaderboard.web.exports import published_document

HANDED_OUT = Path(__file__).parent / "handed_out"
MANIFEST = "MANIFEST.sha256"
AT_ONCE = 200
"""Answers whose replies are read together: a reply may be 100 kB, mostly it is one."""
OPERATORS = "the operators of this site"

Advance = Callable[[int], object]
"""Told how many more rows are written."""


class NotSettledError(Exception):
    """The board and what is behind it do not belong together at this moment; the text says why."""


@dataclass(slots=True)
class EvidenceFolder:
    """Files below `path`, and the hash of each."""

    path: Path
    hashes: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, pieces: Iterable[str]) -> None:
        """In UTF-8 with the line ends that the pieces have."""
        target, digest = self.path / name, hashlib.sha256()
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(target, "wb") as stream:
            for piece in pieces:
                content = piece.encode()
                stream.write(content)
                digest.update(content)
        self.hashes[name] = digest.hexdigest()

    def write_lines(self, name: str, values: Iterable[Mapping[str, Any]]) -> None:
        self.write(name, (f"{content_of(value)}\n" for value in values))

    def write_json(self, name: str, value: Mapping[str, Any]) -> None:
        self.write(name, [json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"])

    def copy(self, source: Path, name: str) -> None:
        content, target = source.read_bytes(), self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        self.hashes[name] = hashlib.sha256(content).hexdigest()

    def close(self) -> str:
        """Writes the manifest; its hash, which names all of the folder."""
        lines = (f"{self.hashes[name]}  {name}\n" for name in sorted(self.hashes))
        self.write(MANIFEST, lines)
        return self.hashes[MANIFEST]


@dataclass(frozen=True, slots=True)
class Written:
    """What a folder holds. digest: SHA-256 of its manifest. library: digest of the scoring library.
    head: number and digest of the newest link of the chain, None where there is none."""

    era: Era
    entries: int
    answers: int
    digest: str
    library: str
    head: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Source:
    """An era and its board, read once by each kind of rank range."""

    each: BoardReading
    together: BoardReading
    number: int
    questions: dict[str, QuestionView] = field(default_factory=dict)
    """By public id, once they are written, as readers of the folder know them."""
    shown: set[str] = field(default_factory=set)
    """Names of the figures of its rows, once these are written."""

    @property
    def era(self) -> Era:
        assert self.each.era is not None
        return self.each.era

    @property
    def benchmark(self) -> Benchmark:
        return self.each.benchmark

    @property
    def family(self) -> BenchmarkProtocol:
        return protocol(self.benchmark.slug)

    def sheets(self) -> Any:
        return Scoresheet.objects.filter(
            public_sheets(),
            submission__release=self.era.release,
            judge_spec=self.era.judge_spec,
        )


def write_evidence(path: Path, source: Source, *, advance: Advance = lambda rows: None) -> Written:
    """The folder holds all of the era, and a manifest; whatever fails, what was written is gone.
    Raises NotSettledError where the board changed meanwhile, and OSError."""
    try:
        return write_files(EvidenceFolder(path), source, advance)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise


def write_files(folder: EvidenceFolder, source: Source, advance: Advance) -> Written:
    era = source.era
    not_told: dict[str, list[str]] = {}
    answers = 0
    folder.write_lines("questions.jsonl", question_documents(source))
    for entry in rows_of(source.each):
        written = EntryAnswers(source, entry)
        folder.write_lines(f"answers/{entry.id}.jsonl", counted(written.documents(), advance))
        if found := written.not_told():
            not_told[str(entry.id)] = found
        answers += written.number
    rows = zip(rows_of(source.each), rows_of(source.together), strict=True)
    folder.write_lines("board.jsonl", (entry_document(source, *both) for both in rows))
    sheets = source.sheets().select_related("judge_spec", "submission__release")
    in_order = (
        sheets.order_by("submission_id")
        .defer("board_figures", "ability_moves")
        .iterator(chunk_size=AT_ONCE)
    )
    folder.write("scoresheets.jsonl", (f"{sheet_content(sheet)}\n" for sheet in in_order))
    published = (
        published_document(row, source.each.board.metric_names()) for row in published_of(source)
    )
    folder.write_lines("published.jsonl", published)
    chain = ChainFile(source)
    folder.write_lines("chain.jsonl", chain.documents())
    folder.write_json("era.json", era_document(source, not_told, chain.head))
    for name, text in prompts_of(era.judge_spec).items():
        folder.write(f"prompts/{name}.txt", [text])
    for name in ("README.md", "verify.py", "links.py"):
        folder.copy(HANDED_OUT / name, name)
    library = library_files(package_of(source.benchmark.slug))
    for name, path in library.items():
        folder.copy(path, f"library/{name}")
    digest = digest_of({name: folder.hashes[f"library/{name}"] for name in library})
    if board_number(source.benchmark) != source.number:
        raise NotSettledError("The board changed while its evidence was written. Ask again.")
    entries = source.each.counts.entries
    return Written(era, entries, answers, folder.close(), digest, chain.head)


def counted(rows: Iterable[Mapping[str, Any]], advance: Advance) -> Iterator[Mapping[str, Any]]:
    for row in rows:
        yield row
        advance(1)


def published_of(source: Source) -> Sequence[Any]:
    return source.each.published


def board_number(benchmark: Benchmark) -> int:
    return number_shown(benchmark.slug, numbers_of(slugs_shown(benchmark.slug)))


# --- is it all of one moment ----------------------------------------------------------------------


def settled_source(benchmark: Benchmark, *, release: str = "", judge: str = "") -> Source:
    """The era asked for, and its links numbered. Raises NoSuchEraError and BoardNotStoredError as
    `read_board`, and NotSettledError where the board, its scoresheets, its verdicts and the chain
    are not of one moment, or where verdicts are public to nobody."""
    while link_waiting():
        pass
    number = board_number(benchmark)
    nothing = BoardPart(count=0)
    each, together = (
        read_board(benchmark, release=release, judge=judge, ranges=ranges, part=nothing)
        for ranges in (EACH, TOGETHER)
    )
    if each.era is None:
        raise NotSettledError("This benchmark has no public entries yet.")
    if not each.era.release.verdicts_are_public:
        raise NotSettledError(HIDDEN_TEST)
    source = Source(each, together, number)
    if reason := not_settled(source):
        raise NotSettledError(f"{reason} A worker sees to it; ask again in a minute.")
    return source


def not_settled(source: Source) -> str:
    """Why its parts do not belong together; empty where they do."""
    if source.each.as_of is not None or source.together.as_of is not None:
        return "The board is being stored anew."
    runs = JudgeRun.objects.filter(scoresheet__in=source.sheets())
    if waiting := runs.unscored().count():
        return f"Entries whose verdicts changed since they were scored: {waiting}."
    if older := source.sheets().filter(scoring__lt=SCORING_VERSION).count():
        return f"Entries that are still to be scored by the formulas of today: {older}."
    if unlinked().exists():
        return "Scoresheets wait for their places in the chain."
    return ""


# --- the files ------------------------------------------------------------------------------------


def era_document(
    source: Source, not_told: Mapping[str, Sequence[str]], head: Mapping[str, Any] | None
) -> dict[str, Any]:
    """not_told: by entry, names of metrics without their scopes."""
    each, release, spec = source.each, source.era.release, source.era.judge_spec
    smallest = {EACH: each.smallest, TOGETHER: source.together.smallest}
    return {
        "benchmark": source.benchmark.slug,
        "title": source.benchmark.title,
        "family": package_of(source.benchmark.slug),
        "release": {
            "slug": release.slug,
            "title": release.title,
            "language": release.language,
            "checksum": release.public_checksum,
            "questions": release.question_count,
            "references_are_public": release.references_are_public,
        },
        "judge": judge_document(spec),
        "content_edition": each.edition.number if each.edition else None,
        "computed": each.computed.isoformat() if each.computed else None,
        "scoring": SCORING_VERSION,
        "seed": release_seed(release.slug),
        "shown": sorted(source.shown),
        **rules_of(source.family),
        "smallest_difference": {}
        if names_are_shared(source)
        else {
            kind: found.value
            for kind, found in smallest.items()
            if found is not None and not found.is_assumed
        },
        "not_told": not_told,
        "beside": [neighbour.metric.name for neighbour in each.board.beside],
        "chain": head,
    }


def judge_document(spec: JudgeSpec) -> dict[str, Any]:
    return {
        "slug": spec.slug,
        "hash": spec.content_hash,
        "kind": spec.kind,
        "endpoint": spec.endpoint,
        "model": spec.model,
        "answers_as": spec.answers_as,
        "parameters": spec.parameters,
        "prompts": spec.prompt_set.version if spec.prompt_set else None,
        "prompts_hash": spec.prompt_set.content_hash if spec.prompt_set else None,
        "parser": spec.parser,
        "parser_version": spec.parser_version,
        "repeats": spec.repeats,
        "caution": spec.caution,
    }


def names_are_shared(source: Source) -> bool:
    """Whether accounts or teams are behind its entries that their public names do not tell apart:
    "a former member", "a former team". What is typical of the board counts each of them once, which
    nobody can do then."""
    uploads = source.sheets().filter(submission__origin=Submission.Origin.UPLOAD).order_by()
    people = uploads.filter(submission__team=None).exclude(submission__owner=None)
    former = people.filter(submission__owner__username__startswith="former-member")
    closed = uploads.filter(submission__team__closed__isnull=False)
    members = former.values("submission__owner").distinct().count()
    teams = closed.values("submission__team").distinct().count()
    return bool(members > 1 or teams > 1)


def prompts_of(spec: JudgeSpec) -> Mapping[str, str]:
    return dict(sorted(spec.prompt_set.texts.items())) if spec.prompt_set else {}


def question_documents(source: Source) -> Iterator[dict[str, Any]]:
    """In the order of the release; nothing of what should be answered where that is hidden."""
    release = source.era.release
    anomalies, kept = shown_anomalies(release), kept_truths(release)
    members = ReleaseQuestion.objects.filter(release=release).select_related(
        "question__subtask__ability", "question__figure"
    )
    rows = members.order_by("position").iterator(chunk_size=AT_ONCE)
    while some := [member.question for member in islice(rows, AT_ONCE)]:
        references = shown_references(release, [question.pk for question in some])
        images: dict[int, list[dict[str, str]]] = {}
        for image in FigureImage.objects.filter(figure__in={q.figure_id for q in some} - {None}):
            images.setdefault(image.figure_id, []).append(
                {"name": image.name, "sha256": image.sha256}
            )
        for question in some:
            truth = question_view(question, kept).truth if release.references_are_public else None
            document = {
                "id": question.public_id,
                "ability": question.subtask.ability.slug,
                "subtask": question.subtask.slug,
                "group": question.group,
                "text": question.text,
                "facts": question.facts,
                "images": images.get(question.figure_id or 0, []),
                "reference": references.get(question.pk),
                "truth": truth,
                "anomalies": list(anomalies.get(question.public_id, ())),
            }
            source.questions[question.public_id] = question_of(document)
            yield document


def entry_document(source: Source, entry: BoardEntry, at_once: BoardEntry) -> dict[str, Any]:
    """at_once: the entry by ranges that hold together."""
    beside = {neighbour.metric.name for neighbour in source.each.board.beside}
    packed = {name: figure.packed() for name, figure in entry.figures.items()}
    source.shown.update(packed.keys() - beside)
    is_members = entry.origin == Submission.Origin.UPLOAD and entry.handed_in_by != OPERATORS
    return {
        "id": str(entry.id),
        "model": entry.model,
        **entry.facts.document(),
        "origin": entry.origin,
        "submitted": entry.submitted.isoformat() if entry.submitted else None,
        "handed_in_by": entry.handed_in_by,
        "submitter": entry.handed_in_by if is_members else str(entry.id),
        "verified": entry.verified,
        "standing": entry.standing.sentence,
        "flags": list(entry.standing.codes),
        "kept_out": entry.standing.is_kept_out,
        "same_answers_as": str(entry.same_answers_as) if entry.same_answers_as else None,
        "older_texts": entry.texts.older,
        "unrecorded_texts": entry.texts.unknown,
        "places": {EACH: place_of(entry), TOGETHER: place_of(at_once)},
        "coverage": entry.coverage,
        "judged": entry.judged,
        "unreadable": entry.unreadable,
        "failed": entry.failed,
        "excluded": entry.excluded,
        "figures": {name: figure for name, figure in packed.items() if name not in beside},
        "beside": {name: figure for name, figure in packed.items() if name in beside},
    }


def place_of(entry: BoardEntry) -> list[float | int | None]:
    """Rank, ends of its range, how far ahead of the leader, ends of that."""
    ahead = entry.to_leader
    difference = (ahead.ahead, ahead.low, ahead.high) if ahead else (None, None, None)
    return [entry.rank, entry.rank_best, entry.rank_worst, *difference]


class EntryAnswers:
    """The answers of an entry as documents; once these are read, how many there are, and the
    metrics that cannot be told because what they need is hidden."""

    def __init__(self, source: Source, entry: BoardEntry) -> None:
        self.source = source
        found = source.sheets().filter(submission=entry.id)
        self.sheet = found.select_related("run__judge_spec", "submission__release__benchmark").get()
        self.number = 0
        self.kept: list[dict[str, Any]] = []
        """The documents, where something about them is hidden."""

    def documents(self) -> Iterator[dict[str, Any]]:
        run, submission = self.sheet.run, self.sheet.submission
        run.submission = submission
        answered = answer_sheet(submission)
        public = public_kinds(submission.release, answered.figures)
        found = comparing_columns(self.source.family, run, answered, public)
        ratings = ratings_of(submission, [view.public_id for view in answered.views])
        is_whole = all(kinds == EVERY_KIND for kinds in public)
        for start in range(0, len(answered.answers), AT_ONCE):
            keys = answered.answers[start : start + AT_ONCE]
            answers = Answer.objects.in_bulk(list(keys))
            replies = shown_replies(run, keys)
            for place, key in enumerate(keys, start):
                self.number += 1
                document = {
                    "question": answered.views[place].public_id,
                    "answer": shown_answer(answers[key], submission, public[place]),
                    "answer_sha256": sha256(answers[key].text),
                    "slots": {reply.slot: slot_document(reply) for reply in replies.get(key, ())},
                    "compared": {name: column[place] for name, column in found.items()},
                    "ratings": {
                        dimension: sorted(column[place])
                        for dimension, column in ratings.items()
                        if column[place]
                    },
                }
                self.kept += [] if is_whole else [document]
                yield document

    def not_told(self) -> list[str]:
        """Names of metrics, without their scopes, that are other ones by what is public. Raises
        NotSettledError where the score that ranks is one of them."""
        if not self.kept:
            return []
        views, release = self.source.questions, self.sheet.submission.release
        scored = score_lines(
            self.source.family,
            [views[document["question"]] for document in self.kept],
            self.kept,
            seed=release_seed(release.slug),
        )
        self.kept = []
        found = {name: figure.packed() for name, figure in scored.sheet.figures.items()}
        names = {
            name.partition("@")[0]
            for name, figure in self.sheet.figures.items()
            if name not in found or not are_close(figure, found[name])
        }
        if self.source.each.board.ranking in names:
            raise NotSettledError("What ranks this board follows from texts that are hidden.")
        return sorted(names)


def are_close(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    first, second = (np.array(figure, dtype=np.float64) for figure in (one, other))
    return np.allclose(first, second, equal_nan=True)


def slot_document(reply: ShownReply) -> dict[str, Any]:
    """`reply` is null where it is hidden or none came."""
    return {
        "state": reply.state,
        "verdict": reply.verdict if reply.state == "judged" else None,
        "reason": reply.reason,
        "reply": reply.text or None,
        "reply_sha256": reply.sha256 or None,
        "texts": {text.kind: text.version for text in reply.texts},
    }


class ChainFile:
    """All links, those of this era with what they are about; once they are read, the last one."""

    def __init__(self, source: Source) -> None:
        self.judge = source.era.judge_spec.slug
        self.submissions = {
            str(key) for key in source.sheets().values_list("submission", flat=True)
        }
        self.head: dict[str, Any] | None = None

    def documents(self) -> Iterator[dict[str, Any]]:
        for link in public_links():
            self.head = {"number": link.number, "digest": link.digest}
            is_own = link.submission in self.submissions and link.judge in ("", self.judge)
            hidden = (
                {} if is_own else {"kind": None, "submission": None, "judge": None, "content": None}
            )
            yield {**link._asdict(), **hidden}
