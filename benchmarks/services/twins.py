"""Figures of several benchmarks that show the same pictures: one description serves them all.

A figure stays its benchmark's own, and so do its versions: nothing that was judged changes its
place. What is approved of one is approved of its twins in the same moment by the same person, as a
version of theirs that says of which it is a copy.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max, Q

from benchmarks.figures.names import BenchmarkMark, FigureName, read_index, release_marks
from benchmarks.forms.diff import same_words
from benchmarks.models import Benchmark, Description, Figure
from benchmarks.registry import protocol, protocols

State = Description.State
TRIES = 3  # each loses to one more draft saved in the same moment


@dataclass(frozen=True, slots=True)
class Twin:
    """A figure of another benchmark with the same pictures. `newest`, `approved`: of its versions
    in the language, None where there is none."""

    name: FigureName
    benchmark: Benchmark
    newest: Description | None
    approved: Description | None


def twins_of(
    *, figure: Figure, language: str, marks: Mapping[int, BenchmarkMark] | None = None
) -> list[Twin]:
    """Those that a release which is worked on shows in this language and whose judge reads
    descriptions, by title of the benchmark. `marks`: where they were read before."""
    found = same_pictures(figure, language, release_marks() if marks is None else marks)
    if not found:
        return []
    keys = [name.figure for names in found.values() for name in names]
    versions = Description.objects.filter(figure__in=keys, language=language)
    newest: dict[int, Description] = {}
    approved: dict[int, Description] = {}
    for version in versions.select_related("author").order_by("version"):
        newest[version.figure_id] = version
        if version.state == State.APPROVED:
            approved[version.figure_id] = version
    return [
        Twin(name, benchmark, newest.get(name.figure), approved.get(name.figure))
        for benchmark in Benchmark.objects.filter(pk__in=found)
        if reads_descriptions(benchmark)
        for name in found[benchmark.pk]
    ]


def newer_of(twins: Iterable[Twin], newest: Description | None) -> Twin | None:
    """The twin whose words were approved last, where that was after the figure's newest version was
    made and they are other words; None where there is none."""

    def decided(twin: Twin) -> datetime:
        assert twin.approved
        return twin.approved.reviewed_at or twin.approved.created

    approved = [
        twin
        for twin in twins
        if twin.approved
        and (newest is None or decided(twin) > newest.created)
        and (newest is None or not same_words(newest.text, twin.approved.text))
    ]
    return max(approved, key=decided, default=None)


def same_pictures(
    figure: Figure, language: str, marks: Mapping[int, BenchmarkMark]
) -> dict[int, list[FigureName]]:
    """By primary key of the other benchmark. No query that looks at a picture, where names were
    read before."""
    indexes = {pk: read_index(mark) for pk, mark in marks.items()}
    mine = indexes.pop(figure.benchmark_id, None)
    name = mine.names.get(figure.pk) if mine else None
    found: dict[int, list[FigureName]] = {}
    if name is None:
        return found
    for pk, index in indexes.items():
        if places := index.by_pictures.get((name.pictures, language)):
            found[pk] = [place.name for place in places]
    return found


def reads_descriptions(benchmark: Benchmark) -> bool:
    """By its rules, which count as readers of what its prompts show."""
    known = benchmark.slug in protocols()
    return known and "description" in protocol(benchmark.slug).judging.texts_read(None)


def copy_to(*, figure_id: int, source: Description) -> Description:
    """The figure's new version has the words of `source`, approved by the same person. Who saves a
    draft of it in the same moment has the number before, or is told of this version."""
    for _ in range(TRIES - 1):
        try:
            with transaction.atomic():
                return add_copy(figure_id, source)
        except IntegrityError:
            continue
    return add_copy(figure_id, source)


def add_copy(figure_id: int, source: Description) -> Description:
    versions = Description.objects.filter(figure=figure_id, language=source.language)
    return Description.objects.create(
        figure_id=figure_id,
        language=source.language,
        version=(versions.aggregate(newest=Max("version"))["newest"] or 0) + 1,
        text=source.text,
        words=source.words,
        state=State.APPROVED,
        author=source.author,
        reviewed_by=source.reviewed_by,
        reviewed_at=source.reviewed_at,
        copied_from=source,
    )


def wrote_of_twins(user: User, twins: Iterable[Twin], description: Description) -> bool:
    """Whether somebody else may have the words from this person, who wrote or submitted a version
    of a twin since its last approval, or one with the same words ever."""
    last = {t.name.figure: t.approved.version if t.approved else 0 for t in twins}
    if not last:
        return False
    mine = Description.objects.filter(
        Q(author=user) | Q(submitted_by=user), figure__in=last, language=description.language
    )
    return any(
        version > last[figure] or same_words(text, description.text)
        for figure, version, text in mine.values_list("figure", "version", "text")
    )
