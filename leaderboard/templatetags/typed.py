"""Texts that people type: kept in their browser while the site does not have them, and shown with
what is hidden in them."""

from typing import Any

from django import template
from django.contrib.auth.models import User
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchmarks.forms import diff
from benchmarks.forms.hidden_characters import parts
from benchmarks.forms.unsaved import browser_key

register = template.Library()


@register.simple_tag(takes_context=True)
def kept_in_browser(context: dict[str, Any]) -> SafeString:
    """Attributes of a form that keep-text.js watches: what it seals unsent texts with, and whose
    they are. Empty for a visitor who is not signed in."""
    user = context.get("user")
    if not isinstance(user, User):
        return SafeString("")
    return format_html('data-browser-key="{}" data-browser-owner="{}"', browser_key(user), user.pk)


@register.filter
def word_count(text: str) -> int:
    return diff.word_count(text)


@register.filter
def with_hidden(text: str) -> SafeString:
    """The text with each character that nobody sees as a mark that says its name."""
    return format_html_join(
        "",
        "{}{}",
        ((seen, _mark(name) if name else "") for seen, name in parts(text)),
    )


def _mark(name: str) -> SafeString:
    return format_html('<mark class="hidden-character">{}</mark>', name)
