"""What the pages of texts as files show, as values."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.forms.diff import Segment, word_count, word_diff
from benchmarks.protocols.base import Problem
from benchmarks.services.release_texts import TO_SUBMIT, Difference
from judging.services.draft_uploads import DraftPreview
from judging.services.text_imports import Preview

SHOWN = 50  # texts compared on a page; the counts above them are of all
DIFFED_CHARACTERS = 8_000  # of both texts: comparing takes up to the square of their words
PROBLEMS_SHOWN = 200
MEANINGS = {
    "new": "new: there is no text yet",
    "changed": "changed",
    "meanwhile": "written elsewhere meanwhile",
    "older": "words of an older version, left alone",
    "unchanged": "unchanged, left alone",
}


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """`segments` is empty where both texts are too long to compare on a page."""

    found: Difference
    meaning: str
    segments: tuple[Segment, ...]
    words: int
    old_words: int


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """`counts`: texts by what they mean, all of them. `to_submit`: how many would be handed in;
    `meanwhile`: how many were written from a version that is not the newest."""

    file_name: str
    counts: tuple[tuple[str, int], ...]
    to_submit: int
    meanwhile: int
    shown: tuple[ShownDifference, ...]
    more: int
    problems: Sequence[Problem]
    more_problems: int
    token: str


@dataclass(frozen=True, slots=True)
class DraftPage:
    """What an official file would become; `facts` are sentences."""

    file_name: str
    facts: tuple[str, ...]
    abilities: tuple[tuple[str, int], ...]
    problems: Sequence[Problem]
    more_problems: int
    token: str


def draft_page(preview: DraftPreview) -> DraftPage:
    found = preview.found
    return DraftPage(
        file_name=preview.file_name,
        facts=() if preview.problems else tuple(draft_facts(found)),
        abilities=tuple(found.get("abilities", {}).items()),
        problems=preview.problems[:PROBLEMS_SHOWN],
        more_problems=max(0, len(preview.problems) - PROBLEMS_SHOWN),
        token=preview.token,
    )


def draft_facts(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{counted(found['questions'], 'question')} about {counted(found['figures'], 'figure')}."
    if found["without_picture"]:
        figures = counted(found["without_picture"], "figure")
        yield f"No picture of {figures} is in the file: nobody will see what they show."
    if found["gaps"]:
        yield f"{counted(found['gaps'], 'text')} empty: to be written before the release is opened."
    for code, count in found["anomalies"].items():
        yield f"Anomaly {code}: {counted(count, 'row')}, imported as they are and flagged."
    yield from found["notes"]


def counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def preview_page(preview: Preview) -> PreviewPage:
    comparison = preview.comparison
    number = Counter[str](found.status for found in comparison.differences)
    telling = comparison.of("meanwhile") + comparison.of(*TO_SUBMIT)
    return PreviewPage(
        file_name=preview.file_name,
        counts=tuple((status, number[name]) for name, status in MEANINGS.items() if number[name]),
        to_submit=len(comparison.of(*TO_SUBMIT)),
        meanwhile=number["meanwhile"],
        shown=tuple(map(shown_difference, telling[:SHOWN])),
        more=max(0, len(telling) - SHOWN),
        problems=comparison.problems[:PROBLEMS_SHOWN],
        more_problems=max(0, len(comparison.problems) - PROBLEMS_SHOWN),
        token=preview.token,
    )


def shown_difference(found: Difference) -> ShownDifference:
    old, new = found.old, found.row.text
    short = len(old) + len(new) <= DIFFED_CHARACTERS
    return ShownDifference(
        found=found,
        meaning=MEANINGS[found.status],
        segments=word_diff(old, new) if short else (),
        words=word_count(new),
        old_words=word_count(old),
    )
