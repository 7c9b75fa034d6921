"""Models, and entries beside each other."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks.submissions.forms import FactsForm
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.selectors import is_held_by
from benchmarks.submissions.services import change_facts, has_verified_entry
from leaderboard.web.board.asked import Asked
from leaderboard.web.pages.boards.compare import compare_page
from leaderboard.web.pages.boards.compare_choices import compare_choices
from leaderboard.web.pages.models.model import model_page
from leaderboard.web.pages.models.model_list import model_list

CHANGE_MODEL = "submissions.change_evaluatedmodel"


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    page = compare_page(compare_choices(request.GET))
    return render(request, "boards/compare.html", {"page": page})


@require_safe
def models(request: HttpRequest) -> HttpResponse:
    return render(request, "models/models.html", {"page": model_list(request.GET)})


@require_safe
def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Of a model with nothing public for its owner, and who may view submissions in the admin; for
    all others there is none."""
    found = get_object_or_404(
        EvaluatedModel.objects.select_related("owner__public_name").prefetch_related(
            "team__public_name", "team__verification"
        ),
        slug=slug,
    )
    is_owner = is_held_by(request.user, found)
    may_see = is_owner or request.user.has_perm("submissions.view_submission")
    if not may_see and not Submission.objects.public().filter(model=found).exists():
        raise Http404("There is no such model, or nothing of it is public.")
    may_edit = is_owner or request.user.has_perm(CHANGE_MODEL)
    page = model_page(found, is_owner=may_edit, asked=Asked(request.GET))
    return render(request, "models/model.html", {"page": page})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit_model(request: HttpRequest, slug: str) -> HttpResponse:
    """Facts of a model, by its owner, the members of its team, and staff who may change models."""
    assert request.user.is_authenticated
    found = get_object_or_404(EvaluatedModel.objects.select_related("team"), slug=slug)
    is_owner = is_held_by(request.user, found)
    if not (is_owner or request.user.has_perm(CHANGE_MODEL)):
        raise Http404("There is no such model, or it is not yours.")
    form = FactsForm(
        request.POST or None, instance=found, is_organisation_fixed=has_verified_entry(found)
    )
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        if change_facts(
            model=found,
            facts=form.given_facts(),
            by=request.user,
            by_staff=not is_owner,
            reason=reason,
        ):
            messages.success(request, "Saved. Boards show it within a minute.")
        return redirect("model", slug)
    status = 422 if form.errors else 200
    return render(request, "models/edit.html", {"model": found, "form": form}, status=status)
