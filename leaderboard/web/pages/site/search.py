"""The search page, and what is suggested while somebody types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import DatabaseError
from django.urls import reverse

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocols
from benchmarks.submissions.models import EvaluatedModel, Submission
from leaderboard.results.selectors.search import (
    MOST_FOUND,
    FoundQuestion,
    entries_of,
    found_entry,
    found_models,
    found_questions,
)
from leaderboard.web.board.asked import MOST_LETTERS, plain
from leaderboard.web.board.choices import MOST_WORDS, words_of

FEWEST_LETTERS = 2
"""Of a search: one letter is in nearly everything."""
MOST_SUGGESTED = 8
PATH_LETTERS = 60
"""Of an address that leads nowhere: its last part is searched for."""
EXCERPT_LETTERS = 160
"""Of a question: about two lines."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was found; `about` is a line below its title."""

    title: str
    about: str
    url: str


class ModelHit(NamedTuple):
    model: EvaluatedModel
    entries: Sequence[Submission]


@dataclass(frozen=True, slots=True)
class SearchPage:
    """`text` is what was searched for, `note` why it was not, or not as it stands. `has_more_…`:
    more were found than are listed."""

    text: str
    note: str
    places: tuple[Hit, ...]
    models: tuple[ModelHit, ...]
    questions: tuple[Hit, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.places or self.models or self.questions)

    @property
    def has_more_models(self) -> bool:
        return len(self.models) == MOST_FOUND

    @property
    def has_more_questions(self) -> bool:
        return len(self.questions) == MOST_FOUND

    @property
    def most(self) -> int:
        return MOST_FOUND


def search_page(asked: str) -> SearchPage:
    """What anybody may have typed is bounded before it is looked for."""
    text = plain(asked[: MOST_LETTERS + 1])
    words = words_of(text)
    note = why_not(text, words)
    if note:
        return SearchPage(text[:MOST_LETTERS], note, (), (), ())
    if entry := found_entry(text):
        hit = ModelHit(entry.model, [entry])
        return SearchPage(text, "", (), (hit,), ())
    models = list(found_models(words))
    entries = entries_of(models)
    return SearchPage(
        text=text,
        note="",
        places=tuple(found_places(words)),
        models=tuple(ModelHit(model, entries[model.pk]) for model in models),
        questions=tuple(map(question_hit, found_questions(words))),
    )


def why_not(text: str, words: Sequence[str]) -> str:
    if not text:
        return "Type the name of a model or organisation, words of a question, or an entry’s id."
    if len(text) < FEWEST_LETTERS:
        return "Type at least two letters: a single one is in nearly everything."
    if len(text) > MOST_LETTERS:
        return f"Please search for at most {MOST_LETTERS} letters; this text has more."
    if len(words) > MOST_WORDS:
        return f"Please search for at most {MOST_WORDS} words; this text has more."
    return ""


def found_places(words: Sequence[str]) -> list[Hit]:
    """Benchmarks and releases: there are few."""
    known = protocols()
    benchmarks = [
        Hit(benchmark.title, "Board", reverse("board", args=[benchmark.slug]))
        for benchmark in Benchmark.objects.filter(slug__in=known).order_by("title")
        if has_words(f"{benchmark.title} {benchmark.slug}", words)
    ]
    releases = [
        Hit(
            release.title,
            f"Release, {release.question_count:,} questions",
            f"{reverse('board', args=[release.benchmark.slug])}?release={release.slug}",
        )
        for release in Release.objects.published()
        .filter(benchmark__slug__in=known)
        .select_related("benchmark")
        if has_words(f"{release.title} {release.slug}", words)
    ]
    return (benchmarks + releases)[:MOST_FOUND]


def has_words(text: str, words: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def question_hit(found: FoundQuestion) -> Hit:
    question = found.question
    text = " ".join(question.text.split())
    excerpt = text if len(text) <= EXCERPT_LETTERS else text[: EXCERPT_LETTERS - 1].rstrip() + "…"
    about = f"{found.release.title}, question {found.number:,} · {question.subtask.title}"
    return Hit(excerpt or question.public_id, about, reverse("question", args=[question.pk]))


def suggestions(asked: str) -> list[dict[str, str]]:
    """For the list below the field: models, then benchmarks and releases, by title, kind and
    address."""
    text = plain(asked[: MOST_LETTERS + 1])
    words = words_of(text)
    if why_not(text, words):
        return []
    found = [
        {"title": model.name, "kind": "Model", "url": reverse("model", args=[model.slug])}
        for model in found_models(words, MOST_SUGGESTED)
    ]
    found += [
        {"title": hit.title, "kind": hit.about, "url": hit.url} for hit in found_places(words)
    ]
    return found[:MOST_SUGGESTED]


def not_found_page(path: str, exception: Exception) -> dict[str, Any]:
    """What the address may have meant (`text`), and what is called so (`hits`). Views give
    sentences as reasons; the router, and rows that are not there, give none."""
    reason = str(exception.args[0]) if exception.args and isinstance(exception.args[0], str) else ""
    is_sentence = reason.endswith(".") and "matches the given query" not in reason
    last = path.rstrip("/").rpartition("/")[2][:PATH_LETTERS]
    text = plain(last.translate(str.maketrans("-_.+", "    ")))
    try:
        hits = tuple(suggestions(text))
    except DatabaseError:  # the page says what it can without
        hits = ()
    return {
        "reason": reason if is_sentence else "",
        "text": text,
        "hits": hits,
    }
