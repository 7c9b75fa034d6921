"""Notices that are due are mailed, all of a person in one mail: instant ones within a minute, daily
ones in the morning. A mail and that its notices were mailed are written in one transaction, so that
none is sent twice and none is lost; the outbox does the rest."""

import logging
from collections.abc import Sequence

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from judging.coordination.clock import database_now
from leaderboard.models.notices import Notice, NoticeCursor
from leaderboard.people.notices.choices import unsubscribe_key

log = logging.getLogger(__name__)
PEOPLE_AT_ONCE = 200
"""Of a minute; a mail has some milliseconds of work, and ten thousand are out within the hour."""
ABOUT = {Notice.Kind.REVIEWED: "descriptions", Notice.Kind.ANSWERED: "reports"}
"""What notices are about that are about no entry."""
LINES = 50  # a mail somebody reads; the page has the rest


class OutboxFullError(Exception):
    pass


def mail_due() -> int:
    """Whoever has a notice that is due has a mail in the outbox; how many mails."""
    due = Notice.objects.filter(mailed=None, mail_at__lte=database_now()).order_by("mail_at")
    owners = list(dict.fromkeys(due.values_list("owner", flat=True)[: 10 * PEOPLE_AT_ONCE]))
    sent = 0
    for owner in owners[:PEOPLE_AT_ONCE]:
        try:
            sent += mail_person(owner)
        except OutboxFullError:
            log.warning("Notices wait: the outbox is full")
            break
    return sent


@transaction.atomic
def mail_person(owner_id: int) -> bool:
    """One at a time on a site (the cursor's row): of two workers the second finds nothing."""
    NoticeCursor.objects.select_for_update().filter(pk=NoticeCursor.ONLY).first()
    due = Notice.objects.filter(owner=owner_id, mailed=None, mail_at__lte=database_now())
    keys = list(due.order_by("pk").values_list("pk", flat=True))
    notices = list(Notice.objects.filter(pk__in=keys).still_theirs().order_by("pk"))
    address = address_of(owner_id)
    if not notices or not address:
        Notice.objects.filter(pk__in=keys).update(mail_at=None)
        return False
    mailed = [notice.pk for notice in notices]
    Notice.objects.filter(pk__in=set(keys) - set(mailed)).update(mail_at=None)
    Notice.objects.filter(pk__in=mailed).update(mailed=database_now())
    if not message_of(owner_id, address, notices).send():
        raise OutboxFullError
    return True


def address_of(owner_id: int) -> str:
    """The confirmed address of an active account; empty where it has none."""
    if not User.objects.filter(pk=owner_id, is_active=True).exists():
        return ""
    confirmed = EmailAddress.objects.filter(user=owner_id, verified=True)
    found = confirmed.order_by("-primary", "pk").values_list("email", flat=True).first()
    return str(found or "")


def message_of(owner_id: int, address: str, notices: Sequence[Notice]) -> EmailMessage:
    kinds = sorted({str(notice.kind) for notice in notices})
    site = settings.SITE_URL
    stop = f"{site}{reverse('notices-unsubscribe', args=[unsubscribe_key(owner_id, kinds)])}"
    shown = [
        {
            "title": notice.title,
            "sentence": notice.sentence,
            "url": f"{site}{notice.get_absolute_url()}",
        }
        for notice in notices[:LINES]
    ]
    context = {
        "notices": shown,
        "more": len(notices) - len(shown),
        "kinds": [Notice.Kind(kind).label for kind in kinds],
        "stop": stop,
        "notices_url": f"{site}{reverse('notices')}",
        "site": site,
    }
    text = render_to_string("people/notices_mail.txt", context)
    subject = " ".join(f"{settings.EMAIL_SUBJECT_PREFIX}{subject_of(notices)}".split())
    headers = {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return EmailMessage(subject, text, to=[address], headers=headers)


def subject_of(notices: Sequence[Notice]) -> str:
    if len(notices) > 1:
        about = {ABOUT.get(Notice.Kind(notice.kind), "entries") for notice in notices}
        return f"{len(notices):,} notices about your {' and '.join(sorted(about))}"
    notice = notices[0]
    return f"{notice.title}: {Notice.Kind(notice.kind).label.lower()}"
