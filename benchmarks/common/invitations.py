"""What invitations have in common: a link with a secret key, of which only a digest is kept.

There are three. One to a team (`benchmarks.submissions.teams.services`) and one to groups of the
site (`leaderboard.people.staff.invitations`) are good for a week and once; each adds what is
joined and who may invite. A rater of a study (`judging.panel.studies.raters`) has a link for as
long as the study takes votes.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import models, transaction
from django.db.models.functions import Now
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from benchmarks.common.hashing import key_digest
from benchmarks.common.lately import lately

DIGEST_LENGTH = 64  # SHA-256 in hex
INVITATION_DAYS = 7  # a week has a holiday; a link in an old mailbox must open nothing
DAY = timedelta(hours=24)


class InvitationRefusedError(Exception):
    """Nothing was changed; the text is a sentence for whoever asked."""


class HasLink(models.Model):
    """A row that a link opens.

    key: part of the link, known only to the object that drew it: it is not stored, and cannot be
    shown again. address: the name of the address that the link leads to.
    """

    address: ClassVar[str]
    key = ""

    digest = models.CharField(max_length=DIGEST_LENGTH, unique=True, editable=False)

    class Meta:
        abstract = True

    def draw_key(self) -> None:
        """An earlier key opens nothing once the row is saved."""
        self.key = secrets.token_urlsafe(32)
        self.digest = key_digest(self.key)

    def link(self, request: HttpRequest) -> str:
        return request.build_absolute_uri(reverse(self.address, args=[self.key]))


Row = TypeVar("Row", bound="AbstractInvitation")


class InvitationQuerySet(models.QuerySet[Row]):
    def open(self, now: datetime | None = None) -> "InvitationQuerySet[Row]":
        return self.filter(ended__isnull=True, expires__gt=now or timezone.now())

    def of_key(self, key: str, now: datetime | None = None) -> "InvitationQuerySet[Row]":
        """The open one whose link has this key, or none."""
        return self.open(now).filter(digest=key_digest(key))

    def end(self, now: datetime | None = None, **more: Any) -> bool:
        """Their links open nothing any more. False where all had ended."""
        ended = {"ended": now or timezone.now(), **self.model.AT_END, **more}
        return bool(self.filter(ended__isnull=True).update(**ended))


class AbstractInvitation(HasLink):
    """Whoever reads the mail of this address may join by the link, until it expires, and once.

    ended: when it was accepted or taken back. AT_END: what else is written then.
    """

    AT_END: ClassVar[Mapping[str, Any]] = {}

    email = models.EmailField(blank=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        abstract = True


@transaction.atomic
def make_invitation(
    invitation: Row, *, replaces: InvitationQuerySet[Row], most_a_day: int, now: datetime
) -> Row:
    """It is open for a week, and those of its address that it replaces have ended. Raises
    InvitationRefusedError where somebody invited that many people within 24 hours."""
    by = User.objects.select_for_update(no_key=True).only("pk").get(pk=invitation.invited_by_id)
    made = type(invitation)._default_manager.filter(lately("created", now, DAY), invited_by=by)
    if made.count() >= most_a_day:
        raise InvitationRefusedError(
            f"You invited {most_a_day} people within 24 hours. Invite more tomorrow."
        )
    invitation.email = invitation.email.lower()
    replaces.filter(email=invitation.email).end(now)
    invitation.draw_key()
    invitation.created, invitation.expires = now, now + timedelta(days=INVITATION_DAYS)
    invitation.save()
    return invitation


def mail_link(
    request: HttpRequest,
    invitation: HasLink,
    *,
    to: str,
    subject: str,
    template: str,
    **context: Any,
) -> None:
    """Kept for a worker to send, in the transaction that draws the key. `context`: what the
    template needs besides `invitation` and `link`."""
    context |= {"invitation": invitation, "link": invitation.link(request)}
    text = render_to_string(template, context, request)
    EmailMessage(f"{settings.EMAIL_SUBJECT_PREFIX}{subject}", text, to=[to]).send()
