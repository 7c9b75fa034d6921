"""The search page, and what is suggested while somebody types."""

from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocols
from leaderboard.results.selectors.search import (
    MOST_FOUND,
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

SUGGESTION_SECONDS = 60  # who types, deletes and types again asks once


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    return render(request, "site/search.html", {"page": search_page(request.GET.get("q", ""))})


@require_safe
@cache_control(public=True, max_age=SUGGESTION_SECONDS)
def suggest(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"suggestions": suggestions(request.GET.get("q", ""))})


def search_page(asked: str) -> dict[str, Any]:
    """`text` is what was searched for, `note` why it was not. What anybody may have typed is
    bounded before it is looked for."""
    text = plain(asked[: MOST_LETTERS + 1])
    words = words_of(text)
    page = {"text": text[:MOST_LETTERS], "note": why_not(text, words), "most": MOST_FOUND}
    if page["note"]:
        return page
    if entry := found_entry(text):
        return {**page, "models": [(entry.model, [entry])]}
    models = list(found_models(words))
    entries = entries_of(models)
    return {
        **page,
        "places": found_places(words),
        "models": [(model, entries[model.pk]) for model in models],
        "questions": found_questions(words),
    }


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


def found_places(words: Sequence[str]) -> list[dict[str, str]]:
    """Benchmarks and releases: there are few."""
    known = protocols()
    benchmarks = [
        {
            "title": benchmark.title,
            "kind": "Board",
            "url": reverse("board", args=[benchmark.slug]),
        }
        for benchmark in Benchmark.objects.filter(slug__in=known).order_by("title")
        if has_words(f"{benchmark.title} {benchmark.slug}", words)
    ]
    releases = [
        {
            "title": release.title,
            "kind": f"Release, {release.question_count:,} questions",
            "url": f"{reverse('board', args=[release.benchmark.slug])}?release={release.slug}",
        }
        for release in Release.objects.published()
        .filter(benchmark__slug__in=known)
        .select_related("benchmark")
        if has_words(f"{release.title} {release.slug}", words)
    ]
    return (benchmarks + releases)[:MOST_FOUND]


def has_words(text: str, words: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


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
    return [*found, *found_places(words)][:MOST_SUGGESTED]


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
