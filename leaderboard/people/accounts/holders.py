"""Whose an account is: the person's who confirmed its address.

Until somebody has, whoever made the account may be a stranger who typed the address of somebody
else. So everything such a stranger has set up ends (`hand_over`) with the step that shows who reads
the address's mail, or says whose it is: a new password, a confirmation from another browser than
the one that gave the password, an invitation, an account made at the terminal. An account with a
confirmed address never changes hands.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.utils import has_verified_email
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import models, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from benchmarks.submissions.models import AccessToken, Submission
from benchmarks.submissions.services import withdraw_submission
from benchmarks.submissions.staff_steps import counted
from benchmarks.submissions.team_models import Invitation
from leaderboard.models.invitations import PersonInvitation
from leaderboard.models.notices import Webhook


@dataclass(frozen=True, slots=True)
class WayIn:
    """Rows of a user by which somebody enters the account, or that act for its holder.

    names: of one, and of several. is_open: those that still do. ending: what is written where a row
    stays as a trace; empty where it goes.
    """

    model: type[models.Model]
    holder: str
    names: tuple[str, str]
    is_open: Mapping[str, Any] = field(default_factory=dict)
    ending: Mapping[str, Any] = field(default_factory=dict)

    def of(self, user: User) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model._default_manager.filter(**{self.holder: user})
        return rows.filter(**self.is_open)

    def end(self, user: User) -> None:
        if self.ending:
            self.of(user).update(**self.ending)
        else:
            self.of(user).delete()


WAYS_IN = (
    WayIn(SocialAccount, "user", ("connection to another site", "connections to other sites")),
    WayIn(Authenticator, "user", ("second factor", "second factors")),
    WayIn(UserSession, "user", ("signed-in browser", "signed-in browsers")),
    WayIn(
        AccessToken,
        "owner",
        ("API token", "API tokens"),
        is_open={"revoked": None},
        ending={"revoked": Now()},
    ),
    WayIn(Webhook, "owner", ("webhook", "webhooks")),
    WayIn(
        Invitation,
        "invited_by",
        ("invitation to a team", "invitations to teams"),
        is_open={"ended": None},
        ending={"ended": Now()},
    ),
    WayIn(
        PersonInvitation,
        "invited_by",
        ("invitation of a person", "invitations of people"),
        is_open={"ended": None},
        ending={"ended": Now(), "email": ""},
    ),
)


def unconfirmed_account(email: str) -> User | None:
    """The account that was made with this address and has confirmed none; locked until the
    transaction ends."""
    confirmed = EmailAddress.objects.filter(verified=True).values("user")
    made = User.objects.filter(email=email.lower()).exclude(pk__in=confirmed)
    return made.select_for_update().order_by("pk").first()


@transaction.atomic
def hand_over(*, user: User, email: str = "", keeps_password: bool = False) -> None:
    """Nothing that was set up before lets anybody into the account, or acts for it: connections,
    factors, sessions, tokens, webhooks, invitations, files that wait to be confirmed, and addresses
    other than `email`. The address is told what ended, if anything did.

    Nothing is done to an account with a confirmed address. email: the one that its new holder
    reads; empty: that of the account. keeps_password: the new holder has just chosen it.
    """
    if has_verified_email(user):
        return
    email = email or user.email
    ended = end_ways_in(user, email)
    if not keeps_password:
        if user.has_usable_password():
            ended.insert(0, "the password")
        user.set_unusable_password()  # which also ends every session, and links to choose another
        user.save(update_fields=["password"])
    if ended and email:
        tell(email, ended)


def end_ways_in(user: User, email: str = "") -> list[str]:
    """None of them is left, nor an address other than `email`. What there was, as counts and
    names."""
    ended = []
    for way in WAYS_IN:
        if count := way.of(user).count():
            ended.append(counted(count, *way.names))
            way.end(user)
    drafts = Submission.objects.not_withdrawn().filter(owner=user, team=None, confirmed=None)
    for draft in drafts:
        withdraw_submission(submission=draft)
    if drafts:
        ended.append(counted(len(drafts), "unconfirmed file"))
    others = EmailAddress.objects.filter(user=user).exclude(email=email.lower())
    if count := others.delete()[1].get(EmailAddress._meta.label, 0):
        ended.append(counted(count, "other address", "other addresses"))
    return ended


def confirm_address(*, user: User, email: str) -> None:
    """The address is confirmed, the user's first one, and claimed by no other account. The caller
    knows that its holder enters by nothing that a stranger set up (`hand_over`)."""
    email = email.lower()
    EmailAddress.objects.filter(email=email).exclude(user=user).delete()
    EmailAddress.objects.filter(user=user).exclude(email=email).update(primary=False)
    EmailAddress.objects.update_or_create(
        user=user, email=email, defaults={"verified": True, "primary": True}
    )


def drop_claims(email: str) -> None:
    """No account that has another address, a confirmed one, claims this one any more. Anybody can
    add the address of somebody else to their account, and would keep its owner from having one."""
    EmailAddress.objects.filter(
        email=email.lower(),
        verified=False,
        user__in=EmailAddress.objects.filter(verified=True).values("user"),
    ).delete()


def tell(email: str, ended: list[str]) -> None:
    """Left in the outbox, with whatever the transaction changes."""
    context = {
        "ended": ended,
        "site": settings.SITE_URL,
        "account": f"{settings.SITE_URL}{reverse('account')}",
        "reset": f"{settings.SITE_URL}{reverse('account_reset_password')}",
    }
    subject = f"{settings.EMAIL_SUBJECT_PREFIX}Earlier sign-in details of your account have ended"
    text = render_to_string("account/email/handed_over.txt", context)
    EmailMessage(subject, text, to=[email]).send()
