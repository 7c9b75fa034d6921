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


@dataclass(frozen=True, slots=True)
class SubmitPage:
    releases: tuple[ReleaseChoice, ...]
    models: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class TokensPage:
    tokens: tuple[AccessToken, ...]
    new_key: str = ""
