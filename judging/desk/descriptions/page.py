"""What the pages of the annotators' room show, as values. Nobody's submission is named on them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.figures.names import BenchmarkMark, known_figure, release_marks
from benchmarks.forms.diff import Segment, word_diff
from benchmarks.forms.hidden_characters import MOST_REPORTED, count_hidden, hidden_characters
from benchmarks.forms.typed_text import plain_text
from benchmarks.models import Claim, Description, Figure, FigureImage, Question
from benchmarks.selectors import of_drafts_alone
from benchmarks.services.claims import claims_of
from benchmarks.services.descriptions import closed_reason
from benchmarks.services.twins import newer_of, twins_of
from judging.desk.stale.staleness import may_rejudge, stale_radius

State = Description.State
# No figure of an official file has so many; the form stays one page for a file that has.
QUESTIONS_SHOWN = 100
# Versions with their texts are read for a page of the history. Few figures have more, and a text
# has up to 20,000 characters.
HISTORY_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Comparison:
    """What stood in version `version`, against the text shown."""

    version: int
    label: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class FigureFile:
    """All that a page about a figure's descriptions reads of it at once. `states`: of the
    releases that show it, by language; `versions`: number and state, the newest first, by
    language; `few`: all versions, where they are few; `marks`: of all releases."""

    figure: Figure
    name: str
    states: Mapping[str, set[str]]
    versions: Mapping[str, list[tuple[int, str]]]
    few: tuple[Description, ...] | None
    marks: Mapping[int, BenchmarkMark]

    @property
    def languages(self) -> list[str]:
        return sorted({*self.states, *self.versions})


def read_figure(figure: Figure) -> FigureFile:
    marks = release_marks()
    known = known_figure(figure, marks)
    versions = Description.objects.filter(figure=figure).order_by("-version")
    people = versions.select_related("author", "reviewed_by")
    newest = tuple(people[: HISTORY_SHOWN + 1])
    are_few = len(newest) <= HISTORY_SHOWN
    numbers = (
        [(one.language, one.version, one.state) for one in newest]
        if are_few
        else versions.values_list("language", "version", "state")
    )
    found: dict[str, list[tuple[int, str]]] = {}
    for language, number, state in numbers:
        found.setdefault(language, []).append((number, state))
    return FigureFile(figure, known.name, known.states, found, newest if are_few else None, marks)


@dataclass(frozen=True, slots=True)
class Versions:
    """Those of a figure's versions in a language that a page needs, with their texts: `rows` the
    newest first, of which `on_page` are on page `number`, from 1, of the history."""

    rows: tuple[Description, ...]
    shown: Description | None
    on_page: tuple[Description, ...]
    number: int
    pages: int

    @property
    def newest(self) -> Description | None:
        return self.rows[0] if self.rows else None


def read_versions(
    file: FigureFile,
    language: str,
    *,
    version: int | None = None,
    against: int | None = None,
    page: int | None = None,
) -> Versions:
    """The newest, the one asked for, those it is compared with, and a page of the history: the one
    on which the version shown stands where none is asked for. Numbers that are none are left
    out."""
    known = file.versions.get(language, [])
    numbers = tuple(number for number, _ in known)
    if not numbers:
        return Versions((), None, (), 1, 1)
    shown = version if version in numbers else numbers[0]
    last = -(-len(numbers) // HISTORY_SHOWN)
    page = min(max(1, page or numbers.index(shown) // HISTORY_SHOWN + 1), last)
    start = (page - 1) * HISTORY_SHOWN
    wanted = {numbers[0], shown, against or 0, *numbers[start : start + HISTORY_SHOWN]}
    for state in (State.APPROVED, State.SENT_BACK):
        decided = [number for number, its_state in known if its_state == state]
        wanted |= {*decided[:1], *[number for number in decided if number < shown][:1]}
    if file.few is None:
        found = Description.objects.filter(figure=file.figure, language=language)
        found = found.filter(version__in=wanted).select_related("author", "reviewed_by")
        rows = tuple(found.order_by("-version"))
    else:
        rows = tuple(one for one in file.few if one.language == language)
    on_page = {*numbers[start : start + HISTORY_SHOWN]}
    return Versions(
        rows,
        next((row for row in rows if row.version == shown), None),
        tuple(row for row in rows if row.version in on_page),
        page,
        last,
    )


def figure_page(
    *,
    file: FigureFile,
    language: str,
    user: User,
    version: int | None = None,
    against: int | None = None,
    page: int | None = None,
    typed: str | None = None,
    asks_stale: bool = False,
) -> dict[str, Any]:
    """The figure with the version shown of its description, compared with `against`, or with the
    last approved and the one that was sent back last; with `typed` that text is compared. What
    became stale is counted for whoever asks. `offer`: a twin whose text may be taken as a draft."""
    versions = read_versions(file, language, version=version, against=against, page=page)
    figure, shown, newest = file.figure, versions.shown, versions.newest
    closed = closed_reason(file.states.get(language, set()))
    may_edit = user.has_perms(["benchmarks.add_description", "benchmarks.change_description"])
    in_review = newest is not None and newest.state == State.IN_REVIEW
    is_offered = may_edit and not closed and shown == newest and not in_review
    may_judge = may_rejudge(user)
    return {
        "figure": figure,
        "language": language,
        "languages": file.languages,
        "pictures": pictures_of(figure),
        "shown": shown,
        "newest": newest,
        "shows_newest": shown == newest,
        "in_review": shown is not None and shown.state == State.IN_REVIEW,
        "comparisons": comparisons(shown, versions.rows, against, typed),
        "others": presence(claims_of(figure_id=figure.pk, language=language, but=user)),
        "questions": questions_about(figure),
        "history": versions,
        "may_edit": may_edit,
        "may_review": user.has_perm("benchmarks.approve_description"),
        "may_rejudge": may_judge,
        "is_author": shown is not None and has_words_of(user, shown),
        "stale": stale_radius(figure=figure) if may_judge and asks_stale else None,
        "closed": closed,
        "offer": is_offered
        and newer_of(twins_of(figure=figure, language=language, marks=file.marks), newest),
    }


def questions_about(figure: Figure) -> tuple[Question, ...]:
    found = Question.objects.filter(figure=figure).select_related("subtask__ability")
    return tuple(found.order_by("public_id")[:QUESTIONS_SHOWN])


def hidden_in(typed: str) -> dict[str, Any]:
    """How many characters of a text nobody sees, and the first of them."""
    text = plain_text(typed)
    return {
        "count": count_hidden(text),
        "first": list(islice(hidden_characters(text), MOST_REPORTED)),
    }


def has_words_of(user: User, shown: Description) -> bool:
    """Words are their writer's, also in a version that somebody else restored or submitted. That is
    said of what waits for review alone."""
    if shown.state != State.IN_REVIEW or shown.author_id == user.pk:
        return shown.author_id == user.pk
    mine = Description.objects.filter(
        figure=shown.figure_id, language=shown.language, author=user, text=shown.text
    )
    return mine.exists()


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
    return " ".join(
        f"{one.user} {'is at work on it' if one.holds_review else 'has it open'},"
        f" since {one.since:%H:%M} UTC."
        for one in claims
    )


def pictures_of(figure: Figure) -> list[dict[str, Any]]:
    """`url` is empty where the release was imported without its image files. `small` is the address
    of what is shown at first; width and height are the picture's, in pixels."""
    return [
        {
            "name": image.name,
            "url": picture_address(image, "figure-image", image.of_drafts_alone),
            "small": picture_address(image, "figure-rendition", image.of_drafts_alone),
            "width": image.width,
            "height": image.height,
        }
        for image in figure.images.annotate(of_drafts_alone=of_drafts_alone())
    ]


def picture_address(image: FigureImage, name: str, of_drafts_alone: bool) -> str:
    """The public one of this name, where there is one."""
    if not image.sha256:
        return ""
    return reverse("admin:benchmarks_figure_picture" if of_drafts_alone else name, args=[image.pk])
