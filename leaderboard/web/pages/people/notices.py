"""The page of what somebody is told of their entries, and of their webhooks."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import get_text_list
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.models.notices import Notice, NoticeChoice, Webhook
from leaderboard.people.notices import choices, deliveries
from leaderboard.people.notices.addresses import URL_LENGTH, AddressRefusedError, check_address
from leaderboard.people.notices.choices import choices_of
from leaderboard.people.notices.deliveries import WebhookRefusedError, events_of, newest_deliveries

LINES = 30
LARGEST_KEY = 2**63 - 1


def key_of(text: str) -> int | None:
    """A key as it was sent; None of anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) < 20
    return min(int(text), LARGEST_KEY) if is_number else None


@login_required
@never_cache
@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    page = notices_page(request.user, key_of(request.GET.get("before", "")))
    form = ChoicesForm(user=request.user)
    return render(request, "people/notices.html", {"page": page, "form": form})


@login_required
@require_POST
def mark_read(request: HttpRequest) -> HttpResponse:
    """One notice, or all up to the newest that was shown: what came since stays unread."""
    unread = Notice.objects.filter(owner=request.user.pk, read__isnull=True)
    one, upto = key_of(request.POST.get("id", "")), key_of(request.POST.get("upto", ""))
    if one is not None:
        unread.filter(pk=one).update(read=timezone.now())
    elif upto is not None:
        unread.filter(pk__lte=upto).update(read=timezone.now())
    return redirect("notices")


@login_required
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    form = ChoicesForm(request.POST, user=request.user)
    if not form.is_valid():
        page = notices_page(request.user, None)
        return render(request, "people/notices.html", {"page": page, "form": form}, status=422)
    choices.choose(owner=request.user, how_by_kind=form.cleaned_data)
    messages.success(request, "Saved.")
    return redirect("notices")


@csrf_exempt  # mailboxes send it for their reader, without cookies; the link is signed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, signed: str) -> HttpResponse:
    """Without signing in. To open the link changes nothing: programs that look for viruses open
    every link of a mail."""
    found = choices.unsubscribe_of(signed)
    if found is None:
        raise Http404("This link is incomplete.")
    owner, kinds = found
    if request.method == "POST":
        choices.unsubscribe(owner=owner, kinds=kinds)
    labels = [Notice.Kind(kind).label for kind in kinds]
    shown = {"labels": labels, "is_done": request.method == "POST"}
    return render(request, "people/notices_unsubscribe.html", shown)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    form, secret = WebhookForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            secret = deliveries.create_webhook(owner=request.user, **form.cleaned_data).secret
            form = WebhookForm()
        except WebhookRefusedError as error:
            form.add_error(None, str(error))
    shown = {
        "lines": webhook_lines(request.user),
        "new_secret": secret,
        "most_failures": deliveries.MOST_FAILURES,
        "form": form,
    }
    return render(request, "people/webhooks.html", shown, status=422 if form.errors else 200)


@login_required
@require_POST
def change_webhook(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Deletes it, switches it on again, or sends it a test."""
    mine = Webhook.objects.filter(owner=request.user.pk)
    hook = get_object_or_404(mine, pk=min(webhook_id, LARGEST_KEY))
    do = request.POST.get("do", "")
    if do == "delete":
        deliveries.delete_webhook(webhook=hook)
        messages.success(request, "Deleted.")
    elif do == "on":
        deliveries.switch_on(webhook=hook)
    elif do == "test":
        try:
            deliveries.send_test(webhook=hook)
            messages.success(request, "A test is on its way; reload the page in a few seconds.")
        except WebhookRefusedError as error:
            messages.error(request, str(error))
    return redirect("webhooks")


def notices_page(user: User, before: int | None) -> dict[str, Any]:
    """Those before a key, newest first. `newest`: key up to which all may be marked as read;
    `older`: where the next page begins, None on the last one."""
    found = Notice.objects.filter(owner=user).still_theirs()
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(found.order_by("-pk")[: LINES + 1])
    shown = rows[:LINES]
    return {
        "lines": shown,
        "newest": shown[0].pk if shown else 0,
        "older": shown[-1].pk if len(rows) > LINES else None,
    }


class ChoicesForm(forms.Form):
    """A choice for each kind of notice."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        now = choices_of([user.pk])
        for kind in Notice.Kind:
            self.fields[kind.value] = forms.ChoiceField(
                label=kind.label,
                choices=NoticeChoice.How.choices,
                initial=now[user.pk, kind.value],
            )


# --- webhooks -------------------------------------------------------------------------------------


def webhook_lines(user: User) -> list[dict[str, Any]]:
    """events: what it is told of, in words; deliveries: the newest."""
    return [
        {
            "hook": hook,
            "events": get_text_list(events_of(hook), "and"),
            "deliveries": newest_deliveries(hook),
        }
        for hook in Webhook.objects.filter(owner=user)
    ]


class WebhookForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=URL_LENGTH,
        help_text="https:// and a public host. It is called by POST; redirects are not followed.",
    )
    on_finished = forms.BooleanField(
        label="When judging of an entry has finished", required=False, initial=True
    )
    on_paused = forms.BooleanField(label="When judging of an entry is paused", required=False)
    on_replaced = forms.BooleanField(
        label="When a new version has taken the place of an entry", required=False
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            check_address(url)
        except AddressRefusedError as error:
            raise forms.ValidationError(str(error), code="address") from None
        return url
