"""What the pages of the annotators' room show, as values. Nobody's submission is named on them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.forms.diff import Segment, word_count, word_diff
from benchmarks.models import Benchmark, Description, Figure, Question, UnsavedText
from benchmarks.services.descriptions import FrozenFigureError, check_open
from benchmarks.worklist import (
    Worklist,
    benchmarks_with_figures,
    figure_languages,
    read_worklist,
)
from judging.desk.staleness import BlastRadius, blast_radius, stale_radius

State = Description.State
# No figure of an official file has so many; the form stays one page for a file that has.
QUESTIONS_SHOWN = 100
UNSAVED_SHOWN = 20  # a person leaves few texts open; the newest come first


@dataclass(frozen=True, slots=True)
class Picture:
    """`url` is empty where the release was imported without its image files. `small` is the address
    of what is shown at first, width and height are the picture's, in pixels."""

    name: str
    url: str
    small: str
    width: int | None
    height: int | None

    @property
    def size(self) -> str:
        return f"{self.width} × {self.height}" if self.width else ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What stood in version `version`, against the text shown."""

    version: int
    label: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class HistoryRow:
    description: Description
    is_shown: bool
    is_newest: bool
    words: int
    previous: int | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """What somebody else saved meanwhile, and how it differs from what was being saved."""

    message: str
    newest: Description
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Rights:
    """What the visitor may do with the version shown."""

    edit: bool
    review: bool
    is_author: bool
    rejudge: bool


@dataclass(frozen=True, slots=True)
class FigurePage:
    figure: Figure
    language: str
    languages: list[str]
    pictures: tuple[Picture, ...]
    shown: Description | None
    newest_version: int
    words: int
    comparison: Comparison | None
    questions: tuple[Question, ...]
    history: tuple[HistoryRow, ...]
    rights: Rights
    radius: BlastRadius | None
    stale: BlastRadius | None
    closed: str

    @property
    def shows_newest(self) -> bool:
        return self.shown is None or self.shown.version == self.newest_version

    @property
    def in_review(self) -> bool:
        return self.shown is not None and self.shown.state == State.IN_REVIEW


@dataclass(frozen=True, slots=True)
class WorklistPage:
    benchmarks: list[Benchmark]
    benchmark: Benchmark | None
    worklist: Worklist | None
    unsaved: tuple[UnsavedText, ...]


def worklist_page(*, user: User, slug: str) -> WorklistPage:
    """The worklist of the benchmark `slug`, or of the first that has descriptions."""
    unsaved = tuple(UnsavedText.objects.filter(user=user).order_by("-typed")[:UNSAVED_SHOWN])
    described = benchmarks_with_figures()
    ordered = sorted(
        described, key=lambda benchmark: (benchmark.slug != slug, not described[benchmark])
    )
    if not ordered:
        return WorklistPage([], None, None, unsaved)
    worklist = read_worklist(benchmark=ordered[0], user=user)
    return WorklistPage(list(described), ordered[0], worklist, unsaved)


def figure_page(
    *,
    figure: Figure,
    language: str,
    user: User,
    version: int | None = None,
    against: int | None = None,
) -> FigurePage:
    """The figure with `version` of its description, or the newest, compared with `against`, or the
    last approved."""
    versions = list(
        Description.objects.filter(figure=figure, language=language)
        .select_related("author", "reviewed_by")
        .order_by("-version")
    )
    by_number = {description.version: description for description in versions}
    shown = by_number.get(version or 0, versions[0] if versions else None)
    rights = rights_of(user, shown, versions)
    reviewing = (
        shown is not None
        and shown.state == State.IN_REVIEW
        and rights.review
        and not rights.is_author
    )
    questions = (
        Question.objects.filter(figure=figure)
        .select_related("subtask__ability")
        .order_by("public_id")
    )
    return FigurePage(
        figure=figure,
        language=language,
        languages=figure_languages(figure),
        pictures=pictures_of(figure),
        shown=shown,
        newest_version=versions[0].version if versions else 0,
        words=word_count(shown.text) if shown else 0,
        comparison=comparison(shown, by_number, against),
        questions=tuple(questions[:QUESTIONS_SHOWN]),
        history=history_of(versions, shown),
        rights=rights,
        radius=blast_radius(description=shown) if shown and reviewing else None,
        stale=stale_radius(figure=figure) if rights.rejudge else None,
        closed=closed_sentence(figure, language),
    )


def closed_sentence(figure: Figure, language: str) -> str:
    """Why nobody can write about this figure any more, said before they try; empty where they
    can."""
    try:
        check_open(figure, language)
    except FrozenFigureError as error:
        return str(error)
    return ""


def rights_of(user: User, shown: Description | None, versions: Sequence[Description]) -> Rights:
    """Words are their writer's, also in a version that somebody else restored or submitted."""
    return Rights(
        edit=user.has_perms(["benchmarks.add_description", "benchmarks.change_description"]),
        review=user.has_perm("benchmarks.approve_description"),
        is_author=shown is not None
        and any(v.author_id == user.pk and v.text == shown.text for v in versions),
        rejudge=user.has_perm("judging.change_judgement"),
    )


def comparison(
    shown: Description | None, by_number: dict[int, Description], against: int | None
) -> Comparison | None:
    """With the version asked for, else with the newest approved one before the text shown; None
    where there is none."""
    if shown is None:
        return None
    approved = [
        v for v, old in by_number.items() if old.state == State.APPROVED and v < shown.version
    ]
    number = against if against in by_number else max(approved, default=None)
    if number is None or number == shown.version:
        return None
    old = by_number[number]
    return Comparison(number, f"version {number}, {old.state}", word_diff(old.text, shown.text))


def history_of(versions: list[Description], shown: Description | None) -> tuple[HistoryRow, ...]:
    older = [*[description.version for description in versions[1:]], None]
    return tuple(
        HistoryRow(row, row == shown, row == versions[0], word_count(row.text), previous)
        for row, previous in zip(versions, older, strict=False)
    )


def pictures_of(figure: Figure) -> tuple[Picture, ...]:
    return tuple(
        Picture(
            name=image.name,
            url=reverse("figure-image", args=[image.pk]) if image.sha256 else "",
            small=reverse("figure-rendition", args=[image.pk]) if image.sha256 else "",
            width=image.width,
            height=image.height,
        )
        for image in figure.images.all()
    )
