"""What the pages of the annotators' room show, as values. Nobody's submission is named on them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.figure_names import known_figure
from benchmarks.forms.diff import Segment, word_count, word_diff
from benchmarks.models import Claim, Description, Figure, FigureImage, Question
from benchmarks.selectors import of_drafts_alone
from benchmarks.services.claims import claims_of
from benchmarks.services.descriptions import FrozenFigureError, check_open, closed_reason
from judging.desk.staleness import BlastRadius, may_rejudge, stale_radius

State = Description.State
# No figure of an official file has so many; the form stays one page for a file that has.
QUESTIONS_SHOWN = 100


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
    comparisons: tuple[Comparison, ...]
    others: str
    questions: tuple[Question, ...]
    history: tuple[HistoryRow, ...]
    rights: Rights
    stale: BlastRadius | None
    closed: str

    @property
    def shows_newest(self) -> bool:
        return self.shown is None or self.shown.version == self.newest_version

    @property
    def in_review(self) -> bool:
        return self.shown is not None and self.shown.state == State.IN_REVIEW


@dataclass(frozen=True, slots=True)
class FigureFile:
    """All that a page about a figure's descriptions reads of it at once. `states`: of the
    releases that show it, by language; `versions`: the newest first, in all languages."""

    figure: Figure
    name: str
    states: Mapping[str, set[str]]
    versions: tuple[Description, ...]

    @property
    def languages(self) -> list[str]:
        return sorted({*self.states, *(version.language for version in self.versions)})

    def versions_in(self, language: str) -> list[Description]:
        return [version for version in self.versions if version.language == language]


def read_figure(figure: Figure) -> FigureFile:
    known = known_figure(figure)
    versions = Description.objects.filter(figure=figure).select_related("author", "reviewed_by")
    return FigureFile(figure, known.name, known.states, tuple(versions.order_by("-version")))


def figure_page(
    *,
    file: FigureFile,
    language: str,
    user: User,
    version: int | None = None,
    against: int | None = None,
    typed: str | None = None,
    asks_stale: bool = False,
) -> FigurePage:
    """The figure with `version` of its description, or the newest, compared with `against`, or with
    the last approved and the one that was sent back last; with `typed` that text is compared. What
    became stale is counted for whoever asks."""
    figure, versions = file.figure, file.versions_in(language)
    by_number = {description.version: description for description in versions}
    shown = by_number.get(version or 0, versions[0] if versions else None)
    rights = rights_of(user, shown, versions)
    questions = (
        Question.objects.filter(figure=figure)
        .select_related("subtask__ability")
        .order_by("public_id")
    )
    return FigurePage(
        figure=figure,
        language=language,
        languages=file.languages,
        pictures=pictures_of(figure),
        shown=shown,
        newest_version=versions[0].version if versions else 0,
        words=word_count(shown.text) if shown else 0,
        comparisons=comparisons(shown, versions, against, typed),
        others=presence(claims_of(figure_id=figure.pk, language=language, but=user)),
        questions=tuple(questions[:QUESTIONS_SHOWN]),
        history=history_of(versions, shown),
        rights=rights,
        stale=stale_radius(figure=figure) if rights.rejudge and asks_stale else None,
        closed=closed_reason(file.states.get(language, set())),
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
        rejudge=may_rejudge(user),
    )


def comparisons(
    shown: Description | None,
    versions: Sequence[Description],
    against: int | None = None,
    typed: str | None = None,
) -> tuple[Comparison, ...]:
    """What changed since the version asked for, or since the approved text and the one that was
    sent back last; up to the text of `shown`, or to `typed` where there is one. `versions` come the
    newest first."""
    if shown is None:
        return ()
    text = shown.text if typed is None else typed
    older = [v for v in versions if v.version < shown.version or typed is not None]
    chosen = next((v for v in versions if v.version == against and v != shown), None)
    found = [chosen] if chosen else [newest_of(older, State.APPROVED)]
    found += [] if chosen else [newest_of(older, State.SENT_BACK)]
    if typed is not None and not any(found):
        found = [shown]
    return tuple(
        Comparison(old.version, version_label(old), word_diff(old.text, text))
        for old in found
        if old is not None
    )


def newest_of(versions: Sequence[Description], state: str) -> Description | None:
    return next((version for version in versions if version.state == state), None)


def version_label(version: Description) -> str:
    return f"version {version.version}, {version.get_state_display().lower()}"


def presence(claims: Iterable[Claim]) -> str:
    """Who has the form open and since when, as sentences; empty for nobody. It locks nobody out."""
    return " ".join(f"{one.user} is editing, since {one.since:%H:%M} UTC." for one in claims)


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
            url=picture_address(image, "figure-image", image.of_drafts_alone),
            small=picture_address(image, "figure-rendition", image.of_drafts_alone),
            width=image.width,
            height=image.height,
        )
        for image in figure.images.annotate(of_drafts_alone=of_drafts_alone())
    )


def picture_address(image: FigureImage, name: str, of_drafts_alone: bool) -> str:
    """The public one of this name, where there is one."""
    if not image.sha256:
        return ""
    return reverse("admin:benchmarks_figure_picture" if of_drafts_alone else name, args=[image.pk])
