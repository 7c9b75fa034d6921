"""How people wish to be told, and the links by which mails are stopped without signing in."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction

from leaderboard.models.notices import Notice, NoticeChoice

Kind, How = Notice.Kind, NoticeChoice.How
USUAL = {
    Kind.FINISHED: How.INSTANT,
    Kind.PAUSED: How.INSTANT,
    Kind.NEEDS_YOU: How.INSTANT,
    Kind.DECIDED: How.INSTANT,
    Kind.REJUDGED: How.DAILY,
    Kind.REPLACED: How.DAILY,
    Kind.REVIEWED: How.DAILY,
    Kind.ANSWERED: How.INSTANT,
}
"""One review of texts judges a release's entries anew: for who has thirty of them one mail. And
that a version was replaced follows by minutes the mail that the new one is judged. Annotators have
dozens of descriptions reviewed in a day."""
DAILY_HOUR = 7
"""UTC: morning in Europe, afternoon in East Asia; one mail a day wants some fixed hour."""
SALT = "leaderboard.notices.unsubscribe"  # stays: links in mailboxes are signed by it


def choices_of(owner_ids: Sequence[int]) -> Mapping[tuple[int, str], str]:
    """By owner and kind; every kind of every owner is there."""
    usual = {(owner, str(kind)): str(how) for owner in owner_ids for kind, how in USUAL.items()}
    rows = NoticeChoice.objects.filter(owner__in=owner_ids).values_list("owner", "kind", "how")
    return {**usual, **{(owner, kind): how for owner, kind, how in rows}}


def mail_time(how: str, now: datetime) -> datetime | None:
    """When a notice of now is due by mail."""
    if how == How.OFF:
        return None
    if how == How.INSTANT:
        return now
    morning = now.replace(hour=DAILY_HOUR, minute=0, second=0, microsecond=0)
    return morning if now < morning else morning + timedelta(days=1)


@transaction.atomic
def choose(*, owner: User, how_by_kind: Mapping[str, str]) -> None:
    """The person is told so from now on. What waits to be mailed of a kind that is off now, is
    not."""
    for kind, how in how_by_kind.items():
        NoticeChoice.objects.update_or_create(owner=owner, kind=kind, defaults={"how": how})
    off = [kind for kind, how in how_by_kind.items() if how == How.OFF]
    Notice.objects.filter(owner=owner, mailed=None, kind__in=off).update(mail_at=None)


def unsubscribe_key(owner_id: int, kinds: Sequence[str]) -> str:
    """Part of a link that stops mails of these kinds. It has no end: so have mailboxes."""
    return signing.dumps([owner_id, sorted(kinds)], salt=SALT)


def unsubscribe_of(key: str) -> tuple[User, tuple[str, ...]] | None:
    """Whose mails of which kinds a link stops; None of one that is not ours."""
    try:
        value: Any = signing.loads(key, salt=SALT)
    except signing.BadSignature:
        return None
    owner = User.objects.filter(pk=value[0]).first()
    kinds = tuple(kind for kind in value[1] if kind in Kind.values)
    return (owner, kinds) if owner and kinds else None


def unsubscribe(*, owner: User, kinds: Sequence[str]) -> None:
    choose(owner=owner, how_by_kind=dict.fromkeys(kinds, str(How.OFF)))
