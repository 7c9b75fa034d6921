"""What a site is called and whom to write to: in pages and mails, and in pages of failures, which
have no context."""

from html import unescape
from textwrap import shorten

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def site_name() -> str:
    return str(settings.SITE_NAME)


@register.simple_tag
def contact() -> SafeString | str:
    """A link that writes to the people who run the site, or who they are where no address is
    set."""
    if not settings.CONTACT_EMAIL:
        return "the operators of this site"
    return format_html('<a href="mailto:{0}">{0}</a>', settings.CONTACT_EMAIL)


@register.simple_tag
def where_mail_is() -> str:
    """What somebody does who waits for a mail."""
    if settings.MAIL_BACKEND.endswith(".console.EmailBackend"):
        return "On this machine it is printed in the terminal where the site runs."
    return "It can take a few minutes; please check your spam folder."


@register.simple_tag
def contact_email() -> str:
    return str(settings.CONTACT_EMAIL)


@register.simple_block_tag
def one_line(content: str, longest: int) -> str:
    """A block as plain text to be said twice, cut after a word where it is longer: a template may
    not print a block in two places."""
    return shorten(unescape(content), longest, placeholder=" …")
