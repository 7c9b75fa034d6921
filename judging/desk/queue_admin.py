"""The queue in the admin: what is next for whoever looks, the list of figures, and the buttons that
give the next one, leave one, or ask somebody to describe some."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse

from benchmarks.admin import PageAdmin, user_of
from benchmarks.figure_names import Key
from benchmarks.models import Description, Figure
from benchmarks.services.assignments import assign, assignable, take_back
from benchmarks.services.claims import claim_first, give_up
from benchmarks.services.descriptions import is_own
from judging.desk.queue import in_turn, matching, read_queue, work_of
from judging.desk.queue_page import (
    list_page,
    next_page,
    people_by_key,
    places_chosen,
    read_filters,
    read_key,
    rights_of,
)

LIST = "admin:benchmarks_description_changelist"
FIGURE_PAGE = "admin:benchmarks_description_figure"
REVIEW_PAGE = "admin:benchmarks_description_review"
NEXT = "Next for you"
NOTHING_LEFT = "Nothing is left for you that nobody else has open."
MOST_BACK = 10  # figures that "Previous" leads back to; each is a few characters of an address


class FigureQueue(PageAdmin):
    """Its addresses stand among those of the annotators' room, whose admin includes them."""

    def get_urls(self) -> list[URLPattern]:
        page, step = self.page, self.step
        return [
            page("", self.list_view, "changelist"),
            step("next/", self.next_view, "next"),
            step("assign/", self.assign_view, "assign"),
            step("figure/<int:figure_id>/<slug:language>/leave/", self.leave_view, "leave"),
        ]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        self.require(self.has_view_permission(request))
        page = list_page(user=user_of(request), query=request.GET)
        rights = rights_of(user_of(request))
        can_tick = rights.reviews or rights.assigns
        return self.render(request, "worklist", NEXT, page=page, rights=rights, can_tick=can_tick)

    def next_view(self, request: HttpRequest) -> HttpResponse:
        """The next figure to write about, or version to review, is claimed and opened."""
        rights = rights_of(user_of(request))
        self.require(self.has_view_permission(request) and (rights.writes or rights.reviews))
        reviews = rights.reviews and (request.POST.get("kind") == "review" or not rights.writes)
        url = next_url(user=user_of(request), query=request.POST, reviews=reviews)
        if not url:
            messages.success(request, NOTHING_LEFT)
        return redirect(url or reverse(LIST) + query_of(request.POST))

    def leave_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        """The form was closed."""
        self.require(self.has_view_permission(request))
        give_up(figure_id=figure_id, language=language, user=user_of(request))
        return HttpResponse(status=204)

    def assign_view(self, request: HttpRequest) -> HttpResponse:
        self.require(request.user.has_perm("benchmarks.assign_figure"))
        user = user_of(request)
        chosen = places_chosen(
            user=user, query=request.POST, ticked=request.POST.getlist("figures")
        )
        keys = [place.key for place in chosen]
        to = request.POST.get("to", "")
        person = people_by_key(assignable(), to)
        if not keys:
            messages.error(request, "Nothing is assigned: tick some figures first.")
        elif to == "nobody":
            take_back(places=keys)
            messages.success(request, f"{told(len(keys))} assigned to nobody in particular.")
        elif person is None:
            messages.error(request, "Nothing is assigned: choose a person.")
        else:
            note = " ".join(request.POST.get("note", "").replace("\0", "").split())
            assign(places=keys, user=person, by=user, note=note)
            messages.success(request, f"{told(len(keys))} assigned to {person}.")
        return redirect(reverse(LIST) + query_of(request.POST))


def told(count: int) -> str:
    return f"{count:,} figure{' is' if count == 1 else 's are'}"


def query_of(post: QueryDict) -> str:
    """The filters that a form of the list carried, for the address of the list."""
    names = ("benchmark", "ability", "subtask", "state", "author", "assigned", "q", "page")
    query = QueryDict(mutable=True)
    query.update({name: str(post[name]) for name in names if post.get(name)})
    return f"?{query.urlencode()}" if query else ""


# --- what comes next ------------------------------------------------------------------------------


def next_url(*, user: User, query: Mapping[str, str], reviews: bool = False) -> str:
    """Where the next one is, which is the person's now; "" where there is none. `after` in the form
    is the figure that is left; its filters narrow what may come."""
    after = read_key(query.get("after", ""))
    if after:
        give_up(figure_id=after[0], language=after[1], user=user)
    filters, _ = read_filters(query)
    queue = read_queue(user=user, benchmark=filters.benchmark)
    work = work_of(queue, user)
    places = list(work.to_review if reviews else work.to_write())
    if any(query.get(name) for name in ("ability", "subtask", "q")):
        allowed = {place.key for place in matching(queue, filters)}
        places = [place for place in places if place.key in allowed]
    taken = queue.held if reviews else queue.open_by
    free = (key for key in in_turn(places, taken, after) if key != after)
    if reviews:
        free = (key for key in free if not is_own_version(queue.in_review[key].pk, user))
    key = claim_first(places=free, user=user, to_review=reviews)
    if key is None:
        return ""
    if reviews:
        return reverse(REVIEW_PAGE, args=[queue.in_review[key].pk])
    return reverse(FIGURE_PAGE, args=key) + trail(after, query.get("back", ""))


def is_own_version(pk: int, user: User) -> bool:
    """Whether the words of the version are this person's; asked of few, for most lists hold none of
    one's own."""
    found = Description.objects.select_related("figure")
    return is_own(user, get_object_or_404(found, pk=pk))


def trail(key: Key | None, back: str) -> str:
    """The end of a form's address, by which "Previous" leads back: the figure that was left, before
    those that were left before."""
    left = [key] if key else []
    keys = [*left, *read_trail(back)][:MOST_BACK]
    if not keys:
        return ""
    query = QueryDict(mutable=True)
    query["back"] = "~".join(f"{figure}:{language}" for figure, language in keys)
    return f"?{query.urlencode(safe=':~')}"


def read_trail(back: str) -> list[Key]:
    """What is no figure's key is left out."""
    found = (read_key(text) for text in back[:500].split("~"))
    return [key for key in found if key and key[1].replace("-", "").isalnum()]


def previous_url(back: str) -> str:
    """The form of the figure that was left last; "" where there is none."""
    keys = read_trail(back)
    if not keys:
        return ""
    older = "~".join(f"{figure}:{language}" for figure, language in keys[1:])
    return reverse(FIGURE_PAGE, args=keys[0]) + trail(None, older)


@dataclass(frozen=True, slots=True)
class Moves:
    """What a form carries of the queue: `after`, its own figure; `back`, those that were left."""

    after: str
    back: str
    previous: str


def moves_of(request: HttpRequest, figure: Figure, language: str) -> Moves:
    back = str(request.POST.get("back") or request.GET.get("back") or "")
    kept = "~".join(f"{key}:{of}" for key, of in read_trail(back))
    return Moves(f"{figure.pk}:{language}", kept, previous_url(kept))


def and_next(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """`answer`, or the next figure for whom "Submit and next" was the button."""
    if request.POST.get("submit") != "next":
        return answer
    url = next_url(user=user_of(request), query=request.POST)
    if not url:
        messages.success(request, NOTHING_LEFT)
    return redirect(url or reverse(LIST))


# --- the first page of the admin ------------------------------------------------------------------


def opens_on_queue(site: admin.AdminSite) -> None:
    """The first page begins with what is next for whoever looks, where that is their work."""
    plain = site.index

    def index(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        more = dict(extra_context or {})
        if request.user.has_perm("benchmarks.view_description"):
            user = user_of(request)
            more |= {"queue": next_page(user=user), "rights": rights_of(user)}
            if not user.is_superuser:  # admins come for all of the site
                more["title"] = NEXT
        return plain(request, more)

    site.index = index  # type: ignore[method-assign,assignment]  # what the stubs say of one template's name
