"""Notices are written once by their key, and mailed as their owners wish."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User

from leaderboard.models.notices import SENTENCE_LENGTH, TITLE_LENGTH, Notice
from leaderboard.people.notices.choices import choices_of, mail_time


def add_new(made: Sequence[Notice], now: datetime) -> list[Notice]:
    """Those of them that their owners did not have yet, which they have from now on. Whose account
    was made inactive has none."""
    owners = {notice.owner_id for notice in made}
    active = set(User.objects.filter(pk__in=owners, is_active=True).values_list("pk", flat=True))
    known = set(
        Notice.objects.filter(
            owner__in=active, key__in={notice.key for notice in made}
        ).values_list("owner", "key")
    )
    new = [
        notice
        for notice in made
        if notice.owner_id in active and (notice.owner_id, notice.key) not in known
    ]
    choices = choices_of(sorted(active))
    for notice in new:
        notice.title = notice.title[:TITLE_LENGTH]
        notice.sentence = notice.sentence[:SENTENCE_LENGTH]
        notice.created = now
        notice.mail_at = mail_time(choices[notice.owner_id, str(notice.kind)], now)
    Notice.objects.bulk_create(new)
    return new
