"""The page of an account, and what the site holds of a person, as a file."""

from allauth.usersessions.internal.flows.sessions import end_sessions
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.models import DataExport
from leaderboard.operations.files.data_exports import ask_for_export
from leaderboard.web.pages.people.account import account_page


@login_required
@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    return render(request, "people/account.html", {"page": account_page(request.user)})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def data_export(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    if request.method == "POST":
        ask_for_export(owner=request.user)
        return redirect("data-export")
    export = DataExport.objects.filter(owner=request.user).first()
    return render(request, "people/data_export.html", {"export": export})


@login_required
@never_cache
@require_safe
def data_export_file(request: HttpRequest) -> FileResponse:
    """Of whoever asks, and nobody else's: no address names a person."""
    export = DataExport.objects.filter(owner=request.user.pk, made__isnull=False).first()
    if export is None:
        raise Http404("First request a copy of your data on the page Your data.")
    try:
        file = export.file.open("rb")
    except FileNotFoundError:
        raise Http404(
            "The copy has expired; it was kept for a week. Request another one."
        ) from None
    return FileResponse(
        file, as_attachment=True, filename="your-data.zip", content_type="application/zip"
    )


@login_required
@never_cache
@require_POST
def end_device(request: HttpRequest, device_id: int) -> HttpResponse:
    """Signs one of one's own browsers out; where that is this one, whoever asked too."""
    device = get_object_or_404(UserSession, user=request.user.pk, pk=device_id)
    end_sessions(request, [device])
    messages.success(request, "Signed out there.")
    return redirect("usersessions_list")
