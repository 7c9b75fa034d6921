"""Importing what is asked. One release, one transaction: everything or nothing."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from benchmarks.images import ImageError, ImageFacts, examine_image
from benchmarks.models import (
    Ability,
    Benchmark,
    Description,
    Figure,
    FigureImage,
    Question,
    Reference,
    Release,
    ReleaseQuestion,
    Subtask,
)
from benchmarks.protocols.base import Anomaly, BenchmarkProtocol, ImageSource, Problem, QuestionRow

BATCH_ROWS = 500
BATCH_BYTES = 32 * 1024 * 1024


class ReleaseRefusedError(Exception):
    """The file cannot become a release; `problems` says why, all of it."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems")


@dataclass(frozen=True, slots=True)
class ImportedRelease:
    release: Release
    is_new: bool


@dataclass
class Intake:
    """What has been read so far of one file."""

    language: str = "en"
    problems: list[Problem] = field(default_factory=list)
    anomalies: list[Anomaly] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    count: int = 0


@transaction.atomic
def ensure_benchmark(protocol: BenchmarkProtocol) -> Benchmark:
    """The benchmark of a protocol with its abilities and subtasks exists afterwards."""
    benchmark, _ = Benchmark.objects.get_or_create(slug=protocol.slug, defaults={"title": protocol.title})
    for position, entry in enumerate(protocol.dataset.TAXONOMY):
        ability, _ = Ability.objects.get_or_create(
            benchmark=benchmark, slug=entry.slug, defaults={"title": entry.title, "position": position}
        )
        for place, subtask in enumerate(entry.subtasks):
            Subtask.objects.get_or_create(
                ability=ability, slug=subtask.slug, defaults={"title": subtask.title, "position": place}
            )
    return benchmark


def import_release(
    *,
    protocol: BenchmarkProtocol,
    stream: BinaryIO,
    images: Path | None = None,
    slug: str = "",
    title: str = "",
    language: str = "en",
    references_are_public: bool = False,
    on_progress: Callable[[int], object] = lambda rows: None,
) -> ImportedRelease:
    """The questions of an official file are an open release afterwards; the same file again changes nothing.

    Raises ReleaseRefusedError with every problem found, having stored nothing.
    """
    intake = Intake(language)
    try:
        with transaction.atomic():
            release = build_release(protocol, stream, images, intake, on_progress)
            same = Release.objects.published().filter(benchmark=release.benchmark, checksum=release.checksum)
            if (found := same.filter(slug=slug).first() if slug else same.first()) is not None:
                release.delete()
                return ImportedRelease(found, is_new=False)
            release.slug = slug or f"{protocol.slug}-{release.checksum[:8]}"
            if Release.objects.filter(slug=release.slug).exclude(pk=release.pk).exists():
                intake.problems.append(
                    Problem("slug", f"There is a release {release.slug!r} with other content; choose another --slug.")
                )
            if intake.problems:
                raise ReleaseRefusedError(intake.problems)
            release.title = title or f"{protocol.title}, {release.question_count:,} questions"
            release.references_are_public = references_are_public
            release.state, release.opened = Release.State.OPEN, timezone.now()
            release.save()
            return ImportedRelease(release, is_new=True)
    except BaseException:
        for name in intake.written:
            default_storage.delete(name)
        raise


def build_release(
    protocol: BenchmarkProtocol,
    stream: BinaryIO,
    images: Path | None,
    intake: Intake,
    on_progress: Callable[[int], object],
) -> Release:
    """A draft release with the rows of the file. Problems are collected in `intake`; raises when it has any."""
    benchmark = ensure_benchmark(protocol)
    subtasks = {subtask.slug: subtask for subtask in Subtask.objects.filter(ability__benchmark=benchmark)}
    release = Release.objects.create(
        benchmark=benchmark, slug=f"draft-{protocol.slug}", language=intake.language, question_count=0
    )
    checksum = hashlib.sha256()
    rows = question_rows(protocol, stream, intake)
    for batch in batches(rows):
        questions = store_questions(benchmark, subtasks, batch, images, intake)
        ReleaseQuestion.objects.bulk_create(
            ReleaseQuestion(release=release, question=question, position=intake.count + place)
            for place, question in enumerate(questions)
        )
        for question in questions:
            checksum.update(question.content_hash.encode())
        intake.count += len(batch)
        on_progress(len(batch))
    if not intake.count and not intake.problems:
        intake.problems.append(Problem("empty", "The file has no questions."))
    if intake.problems:
        raise ReleaseRefusedError(intake.problems)
    release.checksum, release.question_count = checksum.hexdigest(), intake.count
    release.anomalies = [asdict(anomaly) for anomaly in intake.anomalies]
    release.save()
    return release


def batches(rows: Iterable[QuestionRow]) -> Iterator[list[QuestionRow]]:
    """Rows in lists that stay small in memory, pictures included: a file may have hundreds of megabytes of them."""
    batch: list[QuestionRow] = []
    weight = 0
    for row in rows:
        batch.append(row)
        weight += sum(len(image.content or b"") for image in row.images)
        if len(batch) == BATCH_ROWS or weight > BATCH_BYTES:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def question_rows(protocol: BenchmarkProtocol, stream: BinaryIO, intake: Intake) -> Iterator[QuestionRow]:
    """The questions of a file. Its anomalies and problems are in `intake`; an id given twice is a problem."""
    known: set[str] = set()
    for item in protocol.dataset.read(stream):
        if isinstance(item, QuestionRow) and item.public_id in known:
            intake.problems.append(Problem("duplicate", f"The question {item.public_id} stands twice in the file."))
        elif isinstance(item, QuestionRow):
            known.add(item.public_id)
            yield item
        elif isinstance(item, Anomaly):
            intake.anomalies.append(item)
        else:
            intake.problems.append(item)


def store_questions(
    benchmark: Benchmark, subtasks: dict[str, Subtask], rows: list[QuestionRow], images: Path | None, intake: Intake
) -> list[Question]:
    """Stored questions in the order of `rows`; unchanged ones are shared with earlier releases. None once there are
    problems: the rest of the file is only read for more of them."""
    figures = store_figures(benchmark, rows, images, intake)
    if intake.problems:
        return []
    wanted: dict[str, tuple[Question, str]] = {}
    for row in rows:
        figure = figures.get(row.figure)
        digest = question_hash(row, figure.content_hash if figure else "")
        question = Question(
            benchmark=benchmark,
            public_id=row.public_id,
            content_hash=digest,
            subtask=subtasks[row.subtask],
            figure=figure,
            group=row.group,
            text=row.text,
            facts=dict(row.facts),
            truth=dict(row.truth),
        )
        wanted[digest] = (question, row.reference)
    stored = {q.content_hash: q for q in Question.objects.filter(benchmark=benchmark, content_hash__in=wanted)}
    new = [question for digest, (question, _) in wanted.items() if digest not in stored]
    Question.objects.bulk_create(new)
    Reference.objects.bulk_create(
        Reference(question=question, text=wanted[question.content_hash][1], origin=Reference.Origin.DATASET)
        for question in new
        if wanted[question.content_hash][1]
    )
    stored |= {question.content_hash: question for question in new}
    return [stored[digest] for digest in wanted]


def question_hash(row: QuestionRow, figure_hash: str) -> str:
    return digest_of(
        [row.public_id, row.subtask, figure_hash, row.group, row.text, row.reference, dict(row.facts), dict(row.truth)]
    )


def digest_of(value: object) -> str:
    """SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def store_figures(
    benchmark: Benchmark, rows: list[QuestionRow], images: Path | None, intake: Intake
) -> dict[str, Figure]:
    """Figures of these rows by key, with their pictures verified and stored under their hash."""
    pictures: dict[str, list[FigureImage]] = {}
    for row in rows:
        if row.figure and row.figure not in pictures:
            pictures[row.figure] = [
                store_image(source, place, images, intake) for place, source in enumerate(row.images)
            ]
    if intake.problems:
        return {}
    hashes = {key: digest_of([key, [[i.name, i.sha256] for i in shown]]) for key, shown in pictures.items()}
    stored = {f.content_hash: f for f in Figure.objects.filter(benchmark=benchmark, content_hash__in=hashes.values())}
    new = [
        Figure(benchmark=benchmark, key=key, content_hash=digest)
        for key, digest in hashes.items()
        if digest not in stored
    ]
    Figure.objects.bulk_create(new)
    for figure in new:
        stored[figure.content_hash] = figure
        for image in pictures[figure.key]:
            image.figure = figure
    FigureImage.objects.bulk_create(image for figure in new for image in pictures[figure.key])
    found = {key: stored[digest] for key, digest in hashes.items()}
    store_descriptions(found, rows, intake.language)
    return found


def store_descriptions(figures: dict[str, Figure], rows: list[QuestionRow], language: str) -> None:
    """The dataset's own descriptions are the approved first version, where a figure has none in the language."""
    texts = {row.figure: row.description for row in rows if row.figure and row.description}
    described = set(
        Description.objects.filter(figure__in=[figures[key] for key in texts], language=language).values_list(
            "figure_id", flat=True
        )
    )
    Description.objects.bulk_create(
        Description(figure=figures[key], version=1, language=language, text=text, state=Description.State.APPROVED)
        for key, text in texts.items()
        if figures[key].pk not in described
    )


def store_image(source: ImageSource, position: int, images: Path | None, intake: Intake) -> FigureImage:
    """An unsaved image row. Without an images folder the name alone is kept."""
    image = FigureImage(position=position, name=source.name)
    if source.content is None and images is None:
        return image
    try:
        content = source.content if source.content is not None else find_image(source.name, images).read_bytes()
        facts: ImageFacts = examine_image(content)
    except (ImageError, OSError) as error:
        intake.problems.append(Problem("image", f"The picture {source.name} {error}.", column="image"))
        return image
    image.sha256, image.width, image.height = facts.sha256, facts.width, facts.height
    image.file.name = facts.stored_name
    if not default_storage.exists(facts.stored_name):
        intake.written.append(default_storage.save(facts.stored_name, ContentFile(content)))
    return image


def find_image(name: str, images: Path | None) -> Path:
    """The file `name` below `images`. Raises ImageError where it is not there."""
    assert images is not None
    path = (images / name.replace("\0", "")).resolve()
    if "\0" in name or not path.is_relative_to(images.resolve()) or not path.is_file():
        raise ImageError(f"is not in the folder {images}")
    return path


@transaction.atomic
def freeze_release(*, release: Release) -> None:
    """No further submissions or versions afterwards. Only an open release can be frozen."""
    Release.objects.filter(pk=release.pk, state=Release.State.OPEN).update(state=Release.State.FROZEN)
