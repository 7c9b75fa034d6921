"""Which release a file of answers is for, told by the ids in it.

Each benchmark that takes submissions reads the file as its own and says which ids its rows name,
in a process of its own (files/), and so does a reader that looks for ids under other names than
the template's. Whoever found them, they are counted among those of every release: what is wrong
with a column is for the reader of the right release to say.
"""

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count

from benchmarks.models import Release, ReleaseQuestion
from benchmarks.protocols.base import Note, Problem, Upload
from benchmarks.protocols.files import visible
from benchmarks.protocols.files.lookalikes import loose_endings, loose_reading
from benchmarks.registry import protocol
from benchmarks.submissions.files.reading import NamedIds, NoAnswerError, ids_apart
from benchmarks.submissions.intake.drafts import same_draft
from benchmarks.submissions.intake.incoming import noted
from benchmarks.submissions.intake.refusals import keep_refusal
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import (
    CheckedFile,
    SubmissionRefusedError,
    accept_submission,
    check_file,
    readers_refusal,
    shown_name,
    submission_of_token,
)

RECOGNISED = "recognised"  # code of the note that says for which release a file was read
SAMPLE = 300
"""Ids by which releases are looked for: spread over the file, so that of one that was put together
from two benchmarks neither is passed over."""
MOST_RELEASES = 5
"""Of a benchmark, whose ids are read whole: a file seldom fits more than two."""
MOST_COMPARED = 20
"""Open releases with which ids in another writing are compared: 1,100 ids of each take 20 ms."""
NEARLY = 0.95
"""Share of the ids of file and release that both have, from which a few typing errors or missing
rows are likelier than another release. Those of 951 and 1,129 questions share 0.84."""
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A release with more than half of a file's ids. `named`: ids in the file, `known`: those of
    them that are the release's; `is_exact`: as they are written there, not only alike."""

    release: Release
    named: int
    known: int
    is_exact: bool = True

    @property
    def likeness(self) -> float:
        """Ids that both have, of those that either has; 1.0 where file and release have the
        same."""
        return self.known / (self.named + self.release.question_count - self.known)

    @property
    def questions(self) -> str:
        count = self.release.question_count
        return f"{self.known:,} of its {count:,}" if self.known < count else f"all {count:,}"

    @property
    def sentence(self) -> str:
        return f"“{self.release.title}” ({self.release.slug}; {self.questions} questions)"

    @property
    def detected(self) -> str:
        return f"{self.release.title}, {self.questions} questions"


@dataclass(frozen=True, slots=True)
class Recognition:
    """`release` is None where the file fits several `candidates` alike: its sender is to choose."""

    release: Release | None
    candidates: tuple[Candidate, ...]

    @property
    def sentence(self) -> str:
        fitting = "; ".join(candidate.sentence for candidate in self.candidates)
        if self.release is None:
            return f"The file matches several releases: {fitting}. Choose the right one."
        if not self.candidates[0].is_exact:
            title, slug = self.release.title, self.release.slug
            return f"Detected: probably “{title}” ({slug})."
        return f"Detected: {self.candidates[0].detected}."

    @property
    def note(self) -> Note:
        return Note(RECOGNISED, self.sentence)


class ReleaseUnclearError(Exception):
    """The file fits several releases; the message names them and asks which is meant."""

    def __init__(self, recognition: Recognition):
        self.candidates = recognition.candidates
        super().__init__(recognition.sentence)


def accept_from_outside(
    *,
    release: Release | None,
    upload: Upload,
    model: EvaluatedModel,
    owner: User,
    client_token: uuid.UUID | None,
    **more: Any,
) -> Submission:
    """`accept_submission` for what comes over the network. Where no release is given, the ids of
    the file tell it. Raises ReleaseUnclearError too. What is wrong with a refused file
    is kept for its sender (refusals.py)."""
    if client_token and (earlier := submission_of_token(owner, client_token)):
        return earlier
    if not more.get("confirm", True):
        rest = {name: more.get(name) for name in ("team", "replaces")}
        sha256 = hashlib.sha256(upload.content).hexdigest()
        if draft := same_draft(
            owner=owner, sha256=sha256, model_name=model.name, release=release, **rest
        ):
            return draft
    token = client_token or uuid.uuid4()
    with (
        noted(owner, file_name=shown_name(upload.name), client_token=token),
        _keeping_refusals(upload, owner),
    ):
        release, notes = _named_or_recognised(release, upload, owner)
        with _naming_release(notes):
            return accept_submission(
                release=release,
                upload=upload,
                model=model,
                owner=owner,
                client_token=token,
                from_outside=True,
                notes=notes,
                **more,
            )


def check_from_outside(
    *,
    release: Release | None,
    upload: Upload,
    model: EvaluatedModel,
    owner: User,
    **more: Any,
) -> CheckedFile:
    """`check_file` for what comes over the network. Where no release is given, ids tell it.
    Raises what `accept_from_outside` does."""
    with _keeping_refusals(upload, owner):
        release, notes = _named_or_recognised(release, upload, owner)
        with _naming_release(notes):
            return check_file(
                release=release, upload=upload, model=model, owner=owner, notes=notes, **more
            )


@contextmanager
def _keeping_refusals(upload: Upload, owner: User) -> Iterator[None]:
    try:
        yield
    except SubmissionRefusedError as error:
        name, problems = shown_name(upload.name), error.problems
        kept = keep_refusal(owner=owner, file_name=name, problems=problems, missing=error.missing)
        error.kept_id = kept.id if kept else None
        raise


@contextmanager
def _naming_release(notes: Sequence[Note]) -> Iterator[None]:
    """A refusal says which release the file was read for, where its sender named none."""
    try:
        yield
    except SubmissionRefusedError as error:
        error.recognised = " ".join(note.message for note in notes)
        raise


def _named_or_recognised(
    release: Release | None, upload: Upload, owner: User
) -> tuple[Release, Sequence[Note]]:
    if release is not None:
        return release, ()
    recognition = recognise_release(upload=upload, sender=owner)
    if recognition.release is None:
        raise ReleaseUnclearError(recognition)
    return recognition.release, (recognition.note,)


def recognise_release(*, upload: Upload, sender: User | None = None) -> Recognition:
    """The release that the file is for, or those it may be for. Raises SubmissionRefusedError with
    what was seen and what is expected where it fits none, or cannot be read, or not now."""
    releases = list(Release.objects.published().main_first().select_related("benchmark"))
    open_ones = [release for release in releases if release.is_open]
    if not open_ones:
        raise SubmissionRefusedError([Problem("release", "No release takes submissions now.")])
    found = _ids_by_benchmark(upload, open_ones, sender)
    if not any(found.ids):
        raise SubmissionRefusedError(_without_ids(found.problems))
    lists = list(dict.fromkeys(tuple(ids) for ids in found.ids if ids))
    candidates = _candidates(lists, releases)
    fitting: Sequence[Candidate] = [one for one in candidates if one.release.is_open]
    fitting = fitting or _written_otherwise(lists, open_ones)
    if not fitting:
        raise SubmissionRefusedError([_closed_or_unknown(candidates, lists, open_ones)])
    return _narrowed(fitting)


def _benchmarks(releases: Iterable[Release]) -> list[str]:
    return list(dict.fromkeys(release.benchmark.slug for release in releases))


def _ids_by_benchmark(upload: Upload, releases: Sequence[Release], sender: User | None) -> NamedIds:
    finders = [protocol(slug).predictions.named_ids for slug in _benchmarks(releases)]
    most_rows = max(release.question_count for release in releases)
    sender_id = sender.pk if sender else None
    try:
        with readers_refusal():
            return ids_apart(finders, upload, most_rows, sender_id=sender_id)
    except NoAnswerError as error:
        raise SubmissionRefusedError([Problem("unreadable", str(error))]) from None


def _candidates(lists: Sequence[Sequence[str]], releases: Sequence[Release]) -> Sequence[Candidate]:
    """Those of `releases` that have more than half of the ids of a list, each with the list that is
    most like it."""
    best: dict[int, Candidate] = {}
    for candidate in (one for ids in lists for one in _candidates_of(ids, releases)):
        known = best.setdefault(candidate.release.pk, candidate)
        if candidate.likeness > known.likeness:
            best[candidate.release.pk] = candidate
    return list(best.values())


def _candidates_of(ids: Sequence[str], releases: Sequence[Release]) -> Iterator[Candidate]:
    """A query, and one for each release with ids among the sample."""
    sample = ids[:: -(-len(ids) // SAMPLE)]
    members = ReleaseQuestion.objects.filter(release__in=[release.pk for release in releases])
    counts = dict(
        members.filter(question__public_id__in=sample)
        .order_by()
        .values_list("release")
        .annotate(Count("pk"))
    )
    likely = sorted(
        (release for release in releases if release.pk in counts),
        key=lambda release: -counts[release.pk],
    )
    of_benchmark = Counter[int]()
    for release in likely:
        of_benchmark[release.benchmark_id] += 1
        if of_benchmark[release.benchmark_id] > MOST_RELEASES:
            continue
        its_ids = members.filter(release=release).values_list("question__public_id", flat=True)
        known = len(set(its_ids).intersection(ids))
        if known * 2 > len(ids):
            yield Candidate(release, len(ids), known)


def _written_otherwise(
    lists: Sequence[Sequence[str]], releases: Sequence[Release]
) -> Sequence[Candidate]:
    """Releases that have more than half of the ids in another writing: their readers say of each id
    how it is written."""
    compared = releases[:MOST_COMPARED]
    rows = ReleaseQuestion.objects.filter(release__in=[one.pk for one in compared])
    by_release: dict[int, set[str]] = {}
    for pk, public_id in rows.values_list("release", "question__public_id"):
        by_release.setdefault(pk, set()).add(loose_reading(public_id))
    found: dict[int, Candidate] = {}
    for ids in lists:
        endings = [loose_endings(text) for text in ids]
        named = len({whole for whole, *_ in endings})
        every = {ending for those in endings for ending in those}
        for release in compared:
            known = len(by_release.get(release.pk, set()) & every)
            if known * 2 > named:
                found.setdefault(release.pk, Candidate(release, named, known, is_exact=False))
    return list(found.values())


def _narrowed(candidates: Sequence[Candidate]) -> Recognition:
    """The one candidate with just these ids, or nearly, or with more of them than any other has."""
    most = max(candidate.known for candidate in candidates)
    narrower = (
        [one for one in candidates if one.likeness == 1],
        [one for one in candidates if one.likeness >= NEARLY],
        [one for one in candidates if one.known == most],
    )
    left = next(found for found in narrower if found)
    left = sorted(left, key=lambda one: -one.likeness)
    return Recognition(left[0].release if len(left) == 1 else None, tuple(left))


# --- what is said of a file that fits none --------------------------------------------------------


NOT_OPENED = ("name", "type", "size")
"""Codes of what is wrong with a file of which nothing is read."""


def _without_ids(problems: Sequence[Problem]) -> Sequence[Problem]:
    """What was found wrong comes first: why no id was read mostly follows from it."""
    if problems and problems[0].code in NOT_OPENED:
        return problems
    message = (
        "No question id could be read, so the release could not be detected. Choose it to get a "
        "detailed check."
    )
    expected = "rows of id and prediction, as in the template of a release"
    return (*problems, Problem("no-ids", message, column="id", expected=expected))


def _closed_or_unknown(
    candidates: Sequence[Candidate], lists: Sequence[Sequence[str]], releases: Sequence[Release]
) -> Problem:
    if candidates:
        best = max(candidates, key=lambda one: one.likeness)
        message = f"The file matches {best.sentence}, which takes no submissions."
        return Problem("release", message, column="id")
    seen = max(lists, key=len)
    shown = ", ".join(f"“{visible(text)}”" for text in seen[:EXAMPLES])
    count = f"{len(seen):,} questions" if len(seen) != 1 else "one question"
    message = (
        f"The file answers {count}, such as {shown}, and no release has more than half of these "
        f"ids. If it was made for one of the releases, choose it to see what is wrong row by row."
    )
    return Problem("unknown", message, column="id", expected=_examples(releases), found=shown)


def _examples(releases: Sequence[Release]) -> str:
    """An id of the main release of each benchmark."""
    main = list({one.benchmark_id: one for one in reversed(releases)}.values())[::-1]
    firsts = ReleaseQuestion.objects.filter(release__in=main, position=0)
    by_release = dict(firsts.values_list("release", "question__public_id"))
    examples = [f"“{by_release[one.pk]}” ({one.title})" for one in main if one.pk in by_release]
    return f"ids such as {', '.join(examples)}"
