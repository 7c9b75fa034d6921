"""Contexts of the upload and token pages."""

from dataclasses import dataclass

from benchmarks.protocols.base import Problem
from benchmarks.submissions.models import AccessToken


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    slug: str
    title: str
    question_count: int
    template_url: str
    example_id: str
    no_place: str = ""


@dataclass(frozen=True, slots=True)
class SubmitPage:
    """`wait`: why the file was not looked at, where nothing is wrong with it. A release's
    `no_place`: why it takes no file of this person now."""

    releases: tuple[ReleaseChoice, ...]
    models: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    wait: str = ""

    @property
    def without_place(self) -> tuple[ReleaseChoice, ...]:
        return tuple(release for release in self.releases if release.no_place)


@dataclass(frozen=True, slots=True)
class TokensPage:
    tokens: tuple[AccessToken, ...]
    new_key: str = ""
