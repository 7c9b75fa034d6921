"""The queue in the admin: what is next for whoever looks, the list of figures, and the buttons that
give the next one, leave one, or ask somebody to describe some."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse

from benchmarks.admin import PageAdmin, user_of
from benchmarks.common.text_search import DESCRIPTIONS, containing
from benchmarks.figures.names import Key
from benchmarks.forms.typed_text import number
from benchmarks.models import Description, Figure, ReleaseQuestion
from benchmarks.services.assignments import (
    MOST_CHARACTERS,
    PEOPLE_OFFERED,
    assign,
    assignable,
    take_back,
)
from benchmarks.services.claims import claim_first, give_up
from benchmarks.services.descriptions import DESCRIPTION_REVIEW
from judging.desk.queue.figures import (
    IN_ORDER,
    TO_REVIEW,
    Figures,
    figures_of,
    figures_to_describe,
    in_turn,
    items_of,
    open_forms,
    versions_in_review,
    work_of,
)
from judging.desk.queue.filters import (
    AbilityFilter,
    AssignedFilter,
    AuthorFilter,
    BenchmarkFilter,
    StateFilter,
    SubtaskFilter,
)
from judging.desk.queue.page import next_page, rights_of

LIST = "admin:benchmarks_description_changelist"
SEVERAL = "admin:benchmarks_description_approve_several"
FIGURE_PAGE = "admin:benchmarks_description_figure"
REVIEW_PAGE = "admin:benchmarks_description_review"
NEXT = "Next for you"
NOTHING_LEFT = "Nothing left for you that no one else has open."
NONE_WAITS = "Nothing was approved: first select figures that are in review."
MOST_BACK = 10  # figures that "Previous" leads back to; each is a few characters of an address
NOT_NARROWING = ("state", "author", "assigned", "p")  # whose work it is says what comes next
MOST_NAMED = 20_000  # figures of one statement; SQLite takes 32,766 values
LONGEST_WORDS = 100  # a question's id has at most twice as many, and nobody types one whole
AT_ONCE = 20  # texts that somebody reads before they press one button for all of them


def people() -> list[tuple[int, str]]:
    return [(one.pk, one.username) for one in assignable()[:PEOPLE_OFFERED]]


class QueueActionForm(ActionForm):
    """All that are listed can be chosen without JavaScript, too."""

    select_across = forms.BooleanField(label="all that are listed", required=False)
    to = forms.ChoiceField(
        label="Person", required=False, choices=lambda: [("", "choose a person"), *people()]
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=MOST_CHARACTERS,
        widget=forms.TextInput(attrs={"placeholder": "what to look at"}),
    )


class QueueList(ChangeList):
    """Of figures, by the questions that show them first; `items`: what the page shows of each."""

    def __init__(self, request: HttpRequest, model: Any, *args: Any) -> None:
        super().__init__(request, ReleaseQuestion, *args)
        self.opts = Figure._meta
        self.figures = figures_of(request)
        self.items = items_of(self.figures, self.result_list, user_of(request))

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """What is no filter is left out of an address."""
        known = {getattr(one, "parameter_name", "") for one in self.list_filter}
        found = super().get_filters_params(params)
        return {name: value for name, value in found.items() if name in known}

    def get_ordering(self, request: HttpRequest, queryset: "QuerySet[Any]") -> list[Any]:
        """Of figures; forms that choose one of the model's own rows ask its admin for an order."""
        return [*IN_ORDER, "pk"]

    def get_results(self, request: HttpRequest) -> None:
        try:
            super().get_results(request)
        except IncorrectLookupParameters:  # a page that there is not
            self.page_num = 1
            super().get_results(request)


class FigureQueue(PageAdmin):
    """The list of the annotators' room: of figures, whether anything is written about them or
    not."""

    list_filter = [
        StateFilter,
        BenchmarkFilter,
        AbilityFilter,
        SubtaskFilter,
        AuthorFilter,
        AssignedFilter,
    ]
    search_fields = ["question__public_id"]
    list_per_page = 50
    show_full_result_count = False
    sortable_by = ()
    actions = ["assign", "assign_to_nobody", "approve_several"]
    action_form = QueueActionForm
    change_list_template = "admin/benchmarks/description/worklist.html"

    def get_urls(self) -> list[URLPattern]:
        page, step = self.page, self.step
        return [
            page("", self.changelist_view, "changelist"),
            step("next/", self.next_view, "next"),
            step("figure/<int:figure_id>/<slug:language>/leave/", self.leave_view, "leave"),
        ]

    # --- the list ---------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> Any:
        return figures_to_describe(figures_of(request))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return QueueList

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> tuple["QuerySet[Any]", bool]:
        """By a question's id, what a figure is called, or words that all stand in the description
        that is newest or judged by."""
        words = " ".join(search_term.replace("\0", "").split())[:LONGEST_WORDS].casefold()
        if not words:
            return queryset, False
        named = [
            name.figure
            for index in figures_of(request).indexes.values()
            for name in index.names.values()
            if words in str(name).casefold()
            or any(words in one.casefold() for one in name.questions)
        ]
        described = described_with(words).filter(
            figure=OuterRef("figure"), language=OuterRef("language")
        )
        return queryset.filter(Q(figure__in=named[:MOST_NAMED]) | Exists(described)), False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        self.require(self.has_view_permission(request))
        user = user_of(request)
        response = super().changelist_view(request, {"title": NEXT, "rights": rights_of(user)})
        if isinstance(response, TemplateResponse) and response.context_data:
            found = next_page(user=user, figures=figures_of(request), first=0)
            response.context_data["next"] = found
            action_form = response.context_data["action_form"]
            if action_form and not rights_of(user)["assigns"]:
                del action_form.fields["to"], action_form.fields["note"]
        return response

    def has_assign_permission(self, request: HttpRequest) -> bool:
        return rights_of(user_of(request))["assigns"]

    def has_approve_permission(self, request: HttpRequest) -> bool:
        return rights_of(user_of(request))["reviews"]

    @admin.action(description="Ask the person to describe them", permissions=["assign"])
    def assign(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        """They come first in that person's queue and are given to nobody else."""
        person = assignable().filter(pk=number(request.POST.get("to")) or 0).first()
        if person is None:
            messages.error(request, "Nothing was assigned: choose a person.")
            return
        keys = list(queryset.values_list("figure", "language"))
        if not keys:
            messages.error(request, "Nothing was assigned: select some figures first.")
            return
        note = " ".join(request.POST.get("note", "").replace("\0", "").split())
        assign(places=keys, user=person, by=user_of(request), note=note)
        messages.success(request, f"{counted(len(keys))} assigned to {person}.")

    @admin.action(description="Remove the assignment", permissions=["assign"])
    def assign_to_nobody(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        keys = list(queryset.values_list("figure", "language"))
        take_back(places=keys)
        messages.success(request, f"{counted(len(keys))} assigned to nobody in particular.")

    @admin.action(description="Read and approve those in review", permissions=["approve"])
    def approve_several(self, request: HttpRequest, queryset: "QuerySet[Any]") -> HttpResponse:
        """Each text is read first, on a page of them; one comment goes with all."""
        waiting, keys = versions_in_review(), queryset.values_list("figure", "language")
        versions = [waiting[key][0] for key in keys if key in waiting]
        if left := max(0, len(versions) - AT_ONCE):
            messages.warning(
                request,
                f"You ticked {left:,} more: these are the first {AT_ONCE}."
                " The others stay in the list.",
            )
        return redirect(several_path(versions))

    # --- what comes next --------------------------------------------------------------------------

    def next_view(self, request: HttpRequest) -> HttpResponse:
        """The next figure to write about, or version to review, is claimed and opened: one of those
        that the filters in the address leave, but for those by state and person."""
        user = user_of(request)
        rights = rights_of(user)
        self.require(self.has_view_permission(request) and (rights["writes"] or rights["reviews"]))
        reviews = rights["reviews"] and (
            request.POST.get("kind") == "review" or not rights["writes"]
        )
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        narrowed = request.GET.copy()
        for name in NOT_NARROWING:
            narrowed.pop(name, None)
        allowed = None
        if narrowed:
            narrowed["state"] = ""
            request.GET = narrowed  # type: ignore[assignment]  # no list of it is shown
            allowed = keys_of(self.get_changelist_instance(request).queryset)
        url = next_url(user=user, query=request.POST, reviews=reviews, allowed=allowed)
        if not url:
            messages.success(request, NOTHING_LEFT)
        return redirect(url or reverse(LIST) + query)

    def leave_view(self, request: HttpRequest, figure_id: int, language: str) -> HttpResponse:
        """The form was closed."""
        self.require(self.has_view_permission(request))
        give_up(figure_id=figure_id, language=language, user=user_of(request))
        return HttpResponse(status=204)


def keys_of(rows: "QuerySet[Any]") -> set[int]:
    return set(rows.order_by().values_list("pk", flat=True))


def described_with(words: str) -> "QuerySet[Description]":
    """Newest and live versions in which every word stands."""
    newer = Description.objects.filter(
        figure=OuterRef("figure"), language=OuterRef("language"), version__gt=OuterRef("version")
    )
    approved = Description.State.APPROVED
    is_live = Q(state=approved) & ~Exists(newer.filter(state=approved))
    found = containing(Description.objects.all(), DESCRIPTIONS, words.split())
    return found.filter(~Exists(newer) | is_live)


def counted(figures: int) -> str:
    return f"{figures:,} figure{' is' if figures == 1 else 's are'}"


def several_path(versions: list[int]) -> str:
    """The address of the page on which these are read; of more than AT_ONCE, the first."""
    return f"{reverse(SEVERAL)}?versions={'-'.join(map(str, versions[:AT_ONCE]))}"


def read_key(text: str) -> Key | None:
    """ "12:en"."""
    figure, _, language = text.partition(":")
    key = number(figure)
    return (key, language) if key and 0 < len(language) <= 10 else None


def next_url(
    *,
    user: User,
    query: Mapping[str, str],
    reviews: bool = False,
    allowed: set[int] | None = None,
) -> str:
    """Where the next one is, which is the person's now; "" where there is none. `after` in the form
    is the figure that is left; `allowed`: keys of rows that may come, None for all."""
    after = read_key(query.get("after", ""))
    if after:
        give_up(figure_id=after[0], language=after[1], user=user)
    work = work_of(user, Figures(), allowed)
    rows = work.kinds[TO_REVIEW] if reviews else work.to_write()
    open_by, held = open_forms(user)
    keys = in_turn(
        [(row.figure, row.language) for row in rows], held if reviews else open_by, after
    )
    free = (key for key in keys if key != after)
    waiting = versions_in_review() if reviews else {}
    if reviews:
        free = (key for key in free if not is_own_version(waiting[key][0], user))
    key = claim_first(places=free, user=user, to_review=reviews)
    if key is None:
        return ""
    if reviews:
        return reverse(REVIEW_PAGE, args=[waiting[key][0]])
    return reverse(FIGURE_PAGE, args=key) + trail(after, query.get("back", ""))


def is_own_version(pk: int, user: User) -> bool:
    """Whether the words of the version are this person's; asked of few, for most lists hold none of
    one's own."""
    found = Description.objects.select_related("figure")
    return bool(DESCRIPTION_REVIEW.why_own(user, get_object_or_404(found, pk=pk)))


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
            more |= {
                "queue": next_page(user=user, figures=figures_of(request)),
                "rights": rights_of(user),
            }
            if not user.is_superuser:  # admins come for all of the site
                more["title"] = NEXT
        return plain(request, more)

    site.index = index  # type: ignore[method-assign,assignment]  # what the stubs say of one template's name
