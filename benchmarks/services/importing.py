"""Importing what is asked. One release, one transaction: everything or nothing."""

import hashlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.validators import validate_slug
from django.db import models, transaction
from django.utils import timezone

from benchmarks.common.file_storage import digest_of_file
from benchmarks.common.hashing import digest_of
from benchmarks.figures.images import ImageError, ImageFacts, examine_image
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
from benchmarks.protocols.base import (
    NO_TERMS,
    Anomaly,
    BenchmarkProtocol,
    DatasetItem,
    Gap,
    NewSubtask,
    Note,
    Problem,
    QuestionRow,
    Terms,
)
from benchmarks.protocols.files import visible
from benchmarks.releases.text_files import TextRow, texts_of
from benchmarks.services.release_texts import TO_SUBMIT, Difference, compare

BATCH_ROWS = 500
BATCH_BYTES = 32 * 1024 * 1024
GAPS_LISTED = 100
"""Of a file whose texts are missing: as many as readers list of any other problem."""


class ReleaseRefusedError(Exception):
    """The file cannot become a release; `problems` says why, all of it."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        first = self.problems[0].message if self.problems else ""
        super().__init__(f"{len(self.problems)} problems. {first}")


@dataclass(frozen=True, slots=True)
class ImportedRelease:
    """`gaps`: texts that a new draft lacks, as far as its file says. `differences`: of a release
    that is not new, texts of the file that the site never had. `put_back`: its pictures that were
    damaged or missing."""

    release: Release
    is_new: bool
    notes: tuple[Note, ...] = ()
    gaps: int = 0
    differences: tuple[Difference, ...] = ()
    put_back: int = 0


class KnownReleaseError(Exception):
    """The questions of the file are those of this release: what was stored of it goes again."""

    def __init__(self, release: Release):
        self.release = release
        super().__init__(release.slug)


@dataclass
class Intake:
    """What has been read so far of one file."""

    language: str = "en"
    problems: list[Problem] = field(default_factory=list)
    anomalies: list[Anomaly] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    gaps: list[Problem] = field(default_factory=list)
    texts: dict[tuple[str, str], TextRow] = field(default_factory=dict)
    new_subtasks: list[NewSubtask] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    sizes: Counter[str] = field(default_factory=Counter)
    count: int = 0


@transaction.atomic
def ensure_benchmark(protocol: BenchmarkProtocol) -> Benchmark:
    """The benchmark of a protocol with its abilities and subtasks exists afterwards."""
    benchmark, _ = Benchmark.objects.get_or_create(
        slug=protocol.slug, defaults={"title": protocol.title}
    )
    for position, entry in enumerate(protocol.dataset.TAXONOMY):
        ability, _ = Ability.objects.get_or_create(
            benchmark=benchmark,
            slug=entry.slug,
            defaults={"title": entry.title, "position": position},
        )
        for place, subtask in enumerate(entry.subtasks):
            Subtask.objects.get_or_create(
                ability=ability,
                slug=subtask.slug,
                defaults={"title": subtask.title, "position": place},
            )
    return benchmark


def ensure_new_subtasks(benchmark: Benchmark, found: Iterable[NewSubtask]) -> dict[str, Subtask]:
    """Subtasks by slug that a file has beyond the taxonomy, behind those of it, with their
    abilities."""
    subtasks = {}
    for item in found:
        ability, _ = Ability.objects.get_or_create(
            benchmark=benchmark,
            slug=item.ability,
            defaults={"title": item.ability_title, "position": benchmark.abilities.count()},
        )
        subtasks[item.slug], _ = Subtask.objects.get_or_create(
            ability=ability,
            slug=item.slug,
            defaults={"title": item.title, "position": ability.subtasks.count()},
        )
    return subtasks


def import_release(
    *,
    protocol: BenchmarkProtocol,
    stream: BinaryIO,
    images: Path | None = None,
    slug: str = "",
    title: str = "",
    language: str = "en",
    disclosure: str = Release.Disclosure.HIDDEN_REFERENCES,
    terms: Terms = NO_TERMS,
    part: str = "",
    is_draft: bool = False,
    on_progress: Callable[[int], object] = lambda rows: None,
) -> ImportedRelease:
    """The questions of an official file, or of the `part` of it that the protocol knows by that
    name, are an open release afterwards. A file of the same questions again changes nothing, and
    tells the texts that are others; with a `slug` of its own it is another release.

    With `is_draft` they are a draft, which nobody outside of the admin sees: texts that the file
    lacks can be written before it is opened.

    Raises ReleaseRefusedError with every problem found, having stored nothing.
    """
    storable = language[: Release._meta.get_field("language").max_length]
    named = {"slug": slug, "title": title, "language": language}
    intake = Intake(storable, [*name_problems(named), *terms_problems(terms)])
    chosen = protocol.parts[part] if part else None
    rows = question_rows(chosen.read(stream) if chosen else protocol.dataset.read(stream), intake)
    try:
        with transaction.atomic():
            release = build_release(protocol, rows, images, intake, on_progress)
            if (found := known_release(release, slug)) is not None:
                raise KnownReleaseError(found)
            if not is_draft:
                intake.problems += gap_problems(intake.gaps)
            release.disclosure = disclosure
            release.slug = slug or f"{protocol.slug}-{release.public_checksum[:8]}"
            intake.problems += slug_problems(release)
            if intake.problems:
                raise ReleaseRefusedError(intake.problems)
            of = f"{protocol.title}, {chosen.title}" if chosen else protocol.title
            release.title = title or f"{of}, {release.question_count:,} questions"
            set_terms(release, terms)
            if not is_draft:
                release.state, release.opened = Release.State.OPEN, timezone.now()
            release.save()
            notes = (*intake.notes, *size_notes(protocol, intake.sizes))
            return ImportedRelease(release, is_new=True, notes=notes, gaps=len(intake.gaps))
    except KnownReleaseError as known:
        compared = compare(known.release, [*intake.texts.values()])
        differences = tuple(compared.of(*TO_SUBMIT))
        put_back = len(set(intake.written + intake.mended))
        return ImportedRelease(
            known.release, is_new=False, differences=differences, put_back=put_back
        )
    except BaseException:
        for name in intake.written:
            default_storage.delete(name)
        raise


def slug_problems(release: Release) -> list[Problem]:
    """One where another release has its name."""
    if not Release.objects.filter(slug=release.slug).exclude(pk=release.pk).exists():
        return []
    taken = f"There is a release {release.slug!r} with other content; choose another --slug."
    return [Problem("slug", taken)]


def known_release(release: Release, slug: str) -> Release | None:
    """Another release of the same questions in the same order, whatever their references were in
    its file; of this name where one is given."""
    others = Release.objects.exclude(pk=release.pk).filter(benchmark=release.benchmark)
    if slug:
        others = others.filter(slug=slug)
    if found := others.filter(checksum=release.checksum).first():
        return found
    alike = others.filter(question_count=release.question_count, language=release.language)
    asked = None
    for other in alike:
        asked = asked or asked_digest(release)
        if asked_digest(other) == asked:
            return other
    return None


def asked_digest(release: Release) -> str:
    """Of what is asked, without the references, which get versions."""
    columns = ("public_id", "subtask", "figure", "group", "text", "facts", "truth")
    found = hashlib.sha256()
    for row in Question.objects.in_file_order(release).values_list(*columns).iterator():
        found.update(digest_of(row).encode())
    return found.hexdigest()


def set_terms(release: Release, terms: Terms) -> None:
    """The release says so once it is saved."""
    for name, value in asdict(terms).items():
        setattr(release, name, value)


def build_release(
    protocol: BenchmarkProtocol,
    rows: Iterator[QuestionRow],
    images: Path | None,
    intake: Intake,
    on_progress: Callable[[int], object],
) -> Release:
    """A draft release with these rows of a file. Problems are collected in `intake`; raises when it
    has any."""
    benchmark = ensure_benchmark(protocol)
    subtasks = {
        subtask.slug: subtask for subtask in Subtask.objects.filter(ability__benchmark=benchmark)
    }
    release = Release.objects.create(
        benchmark=benchmark,
        slug=f"draft-{protocol.slug}",
        language=intake.language,
        question_count=0,
    )
    checksum = hashlib.sha256()
    for batch in batches(rows):
        subtasks |= ensure_new_subtasks(benchmark, intake.new_subtasks)
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
    """Rows in lists that stay small in memory, pictures included: a file may have hundreds of
    megabytes of them."""
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


def question_rows(items: Iterable[DatasetItem], intake: Intake) -> Iterator[QuestionRow]:
    """The questions among the items of a file. Its anomalies, notes and problems are in `intake`;
    an id given twice is a problem."""
    known: dict[str, str] = {}
    for item in items:
        if isinstance(item, QuestionRow) and item.public_id in known:
            intake.problems.append(duplicate_problem(item, known[item.public_id]))
        elif isinstance(item, QuestionRow):
            known[item.public_id] = item.record or (f"line {item.line}" if item.line else "")
            intake.sizes[item.subtask] += 1
            problems = [*length_problems(item)]
            intake.problems += problems
            for text in texts_of(item):  # a picture described twice keeps the first
                intake.texts.setdefault((text.kind, text.name), text)
            if not problems:
                yield item
        elif isinstance(item, NewSubtask):
            intake.new_subtasks.append(item)
        elif isinstance(item, Anomaly):
            intake.anomalies.append(item)
        elif isinstance(item, Note):
            intake.notes.append(item)
        elif isinstance(item, Gap):
            intake.gaps.append(item.problem)
        else:
            intake.problems.append(item)


def gap_problems(gaps: Sequence[Problem]) -> Iterator[Problem]:
    """What is wrong with a file of these gaps where its release is to be open at once."""
    for gap in gaps[:GAPS_LISTED]:
        yield replace(gap, message=f"{gap.message} Only a draft may lack it.")
    if len(gaps) > GAPS_LISTED:
        more = f"{len(gaps) - GAPS_LISTED:,} more texts are empty and not listed."
        yield Problem("more-problems", more)


def duplicate_problem(row: QuestionRow, first: str) -> Problem:
    """`first` is where the question stood before; empty where the protocol does not tell."""
    message = (
        f"The question {visible(row.public_id)} stands twice in the "
        f"file{f', first in {first}' if first else ''}."
    )
    return Problem("duplicate", message, row.line, record=row.record)


def name_problems(named: Mapping[str, str]) -> Iterator[Problem]:
    """What keeps a release from being found under its slug or stored with its names; an empty one
    will be made."""
    slug = named["slug"]
    try:
        validate_slug(slug or "made")
    except ValidationError:
        expected = "letters, digits, hyphens and underscores"
        yield Problem(
            "slug", "The slug does not fit into an address.", None, "slug", expected, visible(slug)
        )
    for name, text in named.items():
        yield from length_problem(Release, name, name, text)


def terms_problems(terms: Terms) -> Iterator[Problem]:
    """What keeps terms from being stored, or their licence from being a link."""
    for name in ("creator", "licence", "licence_url", "source"):
        yield from length_problem(Release, name, name.replace("_", " "), getattr(terms, name))
    if terms.licence_url and not terms.licence_url.startswith(("https://", "http://")):
        found = visible(terms.licence_url)
        message = "The address of the licence is none."
        yield Problem("licence-url", message, None, "licence url", "https://…", found)


def length_problems(row: QuestionRow) -> Iterator[Problem]:
    """Names of a question that are longer than what PostgreSQL stores of them; SQLite would take
    them."""
    found = [*length_problem(Question, "public_id", "id", row.public_id)]
    if row.group != row.public_id:
        found += length_problem(Question, "group", "name of the group", row.group)
    found += length_problem(Figure, "key", "name of the figure", row.figure)
    for image in row.images:
        found += length_problem(FigureImage, "name", "name of the picture", image.name)
    return (replace(problem, line=row.line, record=row.record) for problem in found)


def length_problem(
    model: type[models.Model], column: str, what: str, text: str
) -> Iterator[Problem]:
    field = model._meta.get_field(column)
    assert isinstance(field, models.CharField), "others have no longest text"
    longest = field.max_length or len(text)
    if len(text) > longest:
        message = f"The {what} has {len(text)} characters."
        yield Problem(
            "too-long", message, None, what, f"at most {longest} characters", visible(text)
        )


def size_notes(protocol: BenchmarkProtocol, sizes: Mapping[str, int]) -> Iterator[Note]:
    """Of which subtasks there are more or fewer questions than in the official release. None at all
    are no remark."""
    subtasks = [
        subtask
        for ability in protocol.dataset.TAXONOMY
        for subtask in ability.subtasks
        if subtask.questions
    ]
    odd = [
        f"{s.slug} {sizes[s.slug]} of {s.questions}"
        for s in subtasks
        if sizes.get(s.slug, s.questions) != s.questions
    ]
    if odd:
        yield Note("size", f"Not as many questions as the official release has: {', '.join(odd)}.")


def store_questions(
    benchmark: Benchmark,
    subtasks: dict[str, Subtask],
    rows: list[QuestionRow],
    images: Path | None,
    intake: Intake,
) -> list[Question]:
    """Stored questions in the order of `rows`; unchanged ones are shared with earlier releases.
    None once there are problems: the rest of the file is only read for more of them."""
    figures = store_figures(benchmark, rows, images, intake)
    intake.problems += subtask_problems(rows, subtasks)
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
    stored = {
        q.content_hash: q
        for q in Question.objects.filter(benchmark=benchmark, content_hash__in=wanted)
    }
    new = [question for digest, (question, _) in wanted.items() if digest not in stored]
    Question.objects.bulk_create(new)
    Reference.objects.bulk_create(
        Reference(
            question=question,
            text=wanted[question.content_hash][1],
            origin=Reference.Origin.DATASET,
        )
        for question in new
        if wanted[question.content_hash][1]
    )
    stored |= {question.content_hash: question for question in new}
    return [stored[digest] for digest in wanted]


def subtask_problems(rows: Iterable[QuestionRow], known: Container[str]) -> Iterator[Problem]:
    """A reader and its taxonomy that differ: told once for each subtask, of the first question that
    is of it."""
    reported: set[str] = set()
    for row in rows:
        if row.subtask in known or row.subtask in reported:
            continue
        reported.add(row.subtask)
        message = (
            f"The question {visible(row.public_id)} is of a subtask that this benchmark does not "
            "have."
        )
        found = visible(row.subtask)
        yield Problem("subtask", message, row.line, "subtask", found=found, record=row.record)


def question_hash(row: QuestionRow, figure_hash: str) -> str:
    return digest_of(
        [
            row.public_id,
            row.subtask,
            figure_hash,
            row.group,
            row.text,
            row.reference,
            dict(row.facts),
            dict(row.truth),
        ]
    )


def store_figures(
    benchmark: Benchmark, rows: list[QuestionRow], images: Path | None, intake: Intake
) -> dict[str, Figure]:
    """Figures of these rows by key, with their pictures verified and stored under their hash."""
    pictures: dict[str, list[FigureImage]] = {}
    for row in rows:
        if row.figure and row.figure not in pictures:
            pictures[row.figure] = [
                store_image(row, place, images, intake) for place in range(len(row.images))
            ]
    if intake.problems:
        return {}
    hashes = {
        key: digest_of([key, [[i.name, i.sha256] for i in shown]])
        for key, shown in pictures.items()
    }
    stored = {
        f.content_hash: f
        for f in Figure.objects.filter(benchmark=benchmark, content_hash__in=hashes.values())
    }
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
    """The dataset's own descriptions are the approved first version, where a figure has none in the
    language."""
    texts = {row.figure: row.description for row in rows if row.figure and row.description}
    described = set(
        Description.objects.filter(
            figure__in=[figures[key] for key in texts], language=language
        ).values_list("figure_id", flat=True)
    )
    Description.objects.bulk_create(
        Description(
            figure=figures[key],
            version=1,
            language=language,
            text=text,
            state=Description.State.APPROVED,
        )
        for key, text in texts.items()
        if figures[key].pk not in described
    )


def store_image(
    row: QuestionRow, position: int, images: Path | None, intake: Intake
) -> FigureImage:
    """An unsaved image row. Without an images folder the name alone is kept."""
    source = row.images[position]
    image = FigureImage(position=position, name=source.name)
    if source.content is None and images is None:
        return image
    try:
        content = (
            source.content
            if source.content is not None
            else find_image(source.name, images).read_bytes()
        )
        facts: ImageFacts = examine_image(content)
    except (ImageError, OSError) as error:
        message = f"The picture {source.name} {error}."
        intake.problems.append(Problem("image", message, row.line, "image", record=row.record))
        return image
    image.sha256, image.width, image.height = facts.sha256, facts.width, facts.height
    image.file.name = facts.stored_name
    try:
        found = digest_of_file(default_storage, facts.stored_name)
    except OSError:
        found = "unreadable"
    if found == facts.sha256:
        return image
    try:
        default_storage.save(facts.stored_name, ContentFile(content))
    except (IsADirectoryError, PermissionError) as error:
        message = (
            f"The picture {source.name} cannot be stored as {default_storage.path(image.file.name)}"
            f": {error.strerror}. Remove what is there, or let this user write there."
        )
        intake.problems.append(Problem("image", message, row.line, "image", record=row.record))
        return image
    # What was there before, though damaged, may be named by other releases.
    (intake.written if found is None else intake.mended).append(facts.stored_name)
    return image


def find_image(name: str, images: Path | None) -> Path:
    """The file `name` below `images`. Raises ImageError where it is not there."""
    assert images is not None
    path = (images / name.replace("\0", "")).resolve()
    if "\0" in name or not path.is_relative_to(images.resolve()) or not path.is_file():
        raise ImageError(f"is not in the folder {images}")
    return path
