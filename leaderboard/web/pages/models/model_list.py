"""The list of all models with something public."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q
from django.http import QueryDict
from django.urls import reverse

from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.querysets import EvaluatedModelQuerySet
from leaderboard.web.board.choices import (
    MOST_LETTERS,
    MOST_WORDS,
    Choice,
    note_beyond,
    page_of,
    plain,
    query_url,
)

PER_PAGE = 50
SORTS = {"name": ("name", "pk"), "newest": ("-created", "-pk")}


class ModelLine(NamedTuple):
    """`boards`: titles of the benchmarks on which it has a public entry."""

    model: EvaluatedModel
    size: str
    boards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelList:
    notes: tuple[str, ...]
    search: str
    sort: str
    lines: tuple[ModelLine, ...]
    shown: "Page[EvaluatedModel]"
    previous_url: str
    next_url: str
    sorts: tuple[Choice, ...]


def model_list(query: QueryDict) -> ModelList:
    notes: list[str] = []
    search = search_in(query, notes)
    sort = query.get("sort", "")
    if sort not in ("", *SORTS):
        notes.append("Models can be sorted by name or by date; this list is by name.")
    sort = sort if sort in SORTS else "name"
    paginator = Paginator(matching(search).order_by(*SORTS[sort]), PER_PAGE)
    asked = page_of(query, notes)
    shown = paginator.get_page(asked)
    if note := note_beyond(asked, paginator.num_pages):
        notes.append(note)
    models = list(shown)
    boards = boards_of(models)

    def url(**changes: str) -> str:
        chosen = {"q": search, "sort": "" if sort == "name" else sort, **changes}
        return f"{reverse('models')}{query_url(chosen)}"

    return ModelList(
        notes=tuple(notes),
        search=search,
        sort=sort,
        lines=tuple(model_line(model, boards.get(model.pk, ())) for model in models),
        shown=shown,
        previous_url=url(page=str(shown.number - 1)) if shown.has_previous() else "",
        next_url=url(page=str(shown.number + 1)) if shown.has_next() else "",
        sorts=tuple(
            Choice(title, url(sort="" if slug == "name" else slug), slug == sort)
            for slug, title in (("name", "By name"), ("newest", "Newest first"))
        ),
    )


def search_in(query: QueryDict, notes: list[str]) -> str:
    text = query.get("q", "")
    if len(text) > MOST_LETTERS:
        notes.append(
            f"A search has at most {MOST_LETTERS} letters; these results are for the "
            "first ones of yours."
        )
    return plain(text[:MOST_LETTERS])


def matching(search: str) -> EvaluatedModelQuerySet:
    """With a public entry that is no baseline; each word in the name or the organisation."""
    public = Submission.objects.public().exclude(origin=Submission.Origin.BASELINE)
    found = EvaluatedModel.objects.filter(
        Exists(public.filter(model=OuterRef("pk"))), slug__isnull=False
    )
    for word in search.split()[:MOST_WORDS]:
        found = found.filter(Q(name__icontains=word) | Q(organisation__icontains=word))
    return found


def boards_of(models: Iterable[EvaluatedModel]) -> Mapping[int, tuple[str, ...]]:
    found: dict[int, list[str]] = {}
    rows = (
        Submission.objects.public()
        .filter(model__in=[model.pk for model in models], scoresheets__isnull=False)
        .order_by("release__benchmark__title")
        .values_list("model", "release__benchmark__title")
        .distinct()
    )
    for model, title in rows:
        found.setdefault(model, []).append(title)
    return {model: tuple(titles) for model, titles in found.items()}


def model_line(model: EvaluatedModel, boards: tuple[str, ...]) -> ModelLine:
    size = model.parameters_billions
    return ModelLine(model, f"{size.normalize():f} B" if size else "", boards)
