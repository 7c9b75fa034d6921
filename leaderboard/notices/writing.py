"""Notices are written once by their key."""

from collections.abc import Sequence

from leaderboard.notice_models import Notice


def add_new(made: Sequence[Notice]) -> list[Notice]:
    """Those of them that their owners did not have yet, which they have from now on."""
    owners = {notice.owner_id for notice in made}
    keys = {notice.key for notice in made}
    known = set(Notice.objects.filter(owner__in=owners, key__in=keys).values_list("owner", "key"))
    new = [notice for notice in made if (notice.owner_id, notice.key) not in known]
    Notice.objects.bulk_create(new)
    return new
