"""Contexts of the upload and token pages."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from benchmarks.protocols.base import Problem
from benchmarks.submissions.intake.incoming import Incoming
from benchmarks.submissions.intake.problem_groups import ProblemGroup
from benchmarks.submissions.models import AccessToken


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """`attempts_left`: how many more files a hidden test takes of this person; None for others."""

    slug: str
    title: str
    question_count: int
    template_url: str
    example_id: str
    no_place: str = ""
    attempts_left: int | None = None


@dataclass(frozen=True, slots=True)
class RefusedPage:
    """What is wrong with a file. `kept_id`: where all of it can be downloaded; None where all of it
    is in the groups. `missing`: how many questions the file does not name. `recognised`: for which
    release it was read, where its ids told that."""

    problems: tuple[Problem, ...]
    groups: tuple[ProblemGroup, ...]
    missing: int = 0
    kept_id: UUID | None = None
    recognised: str = ""


@dataclass(frozen=True, slots=True)
class ReleasePlaces:
    """`left` of the day's places, and from when one more is."""

    title: str
    left: int
    next_place: datetime


@dataclass(frozen=True, slots=True)
class Places:
    """How many files of a person or a team a release takes within 24 hours, 0 is any number;
    `partly_used`: releases that took some. team: its name, empty for the person. `stopped`: why
    releases take none of the team's now."""

    limit: int
    partly_used: tuple[ReleasePlaces, ...]
    team: str = ""
    stopped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnfinishedFile:
    """One that keeps a place until it is judged, or cancelled while it `is_draft`."""

    id: UUID
    model: str
    release: str
    is_draft: bool


@dataclass(frozen=True, slots=True)
class SubmitPage:
    """`wait`: why the file was not looked at, where nothing is wrong with it. A release's
    `no_place`: why it takes no file of this person now; `places` is None where days have no
    limit. `incoming`: files of theirs that had no answer."""

    releases: tuple[ReleaseChoice, ...]
    models: tuple[str, ...]
    refused: RefusedPage | None = None
    wait: str = ""
    places: Places | None = None
    places_of_teams: tuple[Places, ...] = ()
    incoming: tuple[Incoming, ...] = ()
    unfinished: tuple[UnfinishedFile, ...] = ()

    @property
    def hidden_tests(self) -> tuple[ReleaseChoice, ...]:
        return tuple(release for release in self.releases if release.attempts_left)

    @property
    def without_place(self) -> tuple[ReleaseChoice, ...]:
        return tuple(release for release in self.releases if release.no_place)


@dataclass(frozen=True, slots=True)
class TokensPage:
    tokens: tuple[AccessToken, ...]
    new_key: str = ""
