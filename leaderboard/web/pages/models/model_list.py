"""The list of all models with something public."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Exists, F, OrderBy, OuterRef, Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.querysets import EvaluatedModelQuerySet
from leaderboard.web.board.asked import Asked, page_or_last
from leaderboard.web.board.choices import MOST_WORDS, query_url
from leaderboard.web.pages.models.places import first_readings, model_lines

PER_PAGE = 50

SORTS = {
    "name": ("Model", "name", False),
    "size": ("Parameters", "parameters_billions", True),
    "open": ("Weights, licence", "is_open_weights", True),
    "newest": ("Since", "created", True),
}
"""By the word in the address: title of the column, its field, and whether the largest is first. A
minus before the word turns the order round."""

UNSORTED = "Models can be sorted by name, size, weights or date; this list is by name."


@require_safe
def models(request: HttpRequest) -> HttpResponse:
    return render(request, "models/models.html", {"page": model_list(request.GET)})


def model_list(query: QueryDict) -> dict[str, Any]:
    """`columns` are those that sort; `state` is what aria-sort says of one."""
    asked = Asked(query)
    search = asked.search()
    known = {*SORTS, *(f"-{name}" for name in SORTS)}
    sort = asked.one_of("sort", known, UNSORTED) or "name"
    paginator = Paginator(matching(search).order_by(*ordering(sort)), PER_PAGE)
    shown = page_or_last(paginator, asked.page(), asked.notes)

    def url(**changes: str) -> str:
        chosen = {"q": search, "sort": "" if sort == "name" else sort, **changes}
        return f"{reverse('models')}{query_url(chosen)}"

    def column(name: str, title: str, *, falls: bool) -> dict[str, str]:
        other, state = name, "none"
        if name == sort.removeprefix("-"):
            is_turned = sort.startswith("-")
            other = name if is_turned else f"-{name}"
            state = "descending" if falls != is_turned else "ascending"
        return {"title": title, "url": url(sort="" if other == "name" else other), "state": state}

    readings = [reading for reading in first_readings(0).values() if reading and reading.era]
    return {
        "notes": asked.notes,
        "search": search,
        "sort": sort,
        "lines": model_lines(list(shown), readings),
        "shown": shown,
        "url": url(),
        "columns": {
            name: column(name, title, falls=falls) for name, (title, _, falls) in SORTS.items()
        },
    }


def ordering(sort: str) -> tuple[OrderBy | str, ...]:
    """Models that do not say what they are sorted by come last."""
    _, field, falls = SORTS[sort.removeprefix("-")]
    if falls != sort.startswith("-"):
        return F(field).desc(nulls_last=True), "name", "pk"
    return F(field).asc(nulls_last=True), "name", "pk"


def matching(search: str) -> EvaluatedModelQuerySet:
    """With a public entry that is no baseline; each word in the name or the organisation."""
    public = Submission.objects.public().exclude(origin=Submission.Origin.BASELINE)
    found = EvaluatedModel.objects.filter(
        Exists(public.filter(model=OuterRef("pk"))), slug__isnull=False
    )
    for word in search.split()[:MOST_WORDS]:
        found = found.filter(Q(name__icontains=word) | Q(organisation__icontains=word))
    return found
