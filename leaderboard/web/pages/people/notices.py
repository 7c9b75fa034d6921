"""The page of what somebody is told of their entries, and of their webhooks."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.text import get_text_list

from leaderboard.models.notices import Notice, NoticeChoice, Webhook
from leaderboard.people.notices.addresses import URL_LENGTH, AddressRefusedError, check_address
from leaderboard.people.notices.choices import choices_of
from leaderboard.people.notices.deliveries import events_of, newest_deliveries

LINES = 30


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
