"""Which state of a release may follow which. The database refuses the way back to a draft
(immutability.py)."""

from datetime import datetime

from django.utils import timezone

from benchmarks.models import Release
from benchmarks.releases.readiness import lacking_texts

State = Release.State
FOLLOWING: dict[str, tuple[str, ...]] = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.FROZEN, State.RETIRED),
    # A freeze can be a mistake, and so can a retirement: each has a way back.
    State.FROZEN: (State.OPEN, State.RETIRED),
    State.RETIRED: (State.OPEN, State.FROZEN),
}


class ReleaseStateError(Exception):
    """The release is as it was; the message says why."""


def check_move(*, now: str, found: str, to: str) -> None:
    """Raises ReleaseStateError where a release that is `now` may not become `to`, which was chosen
    when it was `found`."""
    if now != found:
        raise ReleaseStateError(
            f"The release is {now} by now, no longer {found}. Reload the page and decide again."
        )
    if to != found and to not in FOLLOWING[found]:
        raise ReleaseStateError(
            f"A release that is {found} cannot become {to};"
            f" it can become {' or '.join(FOLLOWING[found])}."
        )


def check_ready(release: Release) -> None:
    """Raises ReleaseStateError where a judge of the release would read an empty text."""
    if lacking := lacking_texts(release):
        listed = " and ".join(one.what for one in lacking)
        raise ReleaseStateError(
            f"It lacks {listed}, which its judge would read as empty texts. Have them written and "
            "approved before it is opened."
        )


def move_release(*, release: Release, found: str, to: str) -> None:
    """A release that was `found` is `to`. Raises ReleaseStateError where that may not follow, a
    draft is not ready, or somebody was faster."""
    check_move(now=found, found=found, to=to)
    if found == State.DRAFT != to:
        check_ready(release)
    moved = Release.objects.filter(pk=release.pk, state=found).update(
        state=to, **moments(found, to)
    )
    release.refresh_from_db(fields=["state", "opened", "closed"])
    if not moved:
        check_move(now=release.state, found=found, to=to)


def moments(found: str, to: str) -> dict[str, datetime | None]:
    """What is known of a release that was `found` and is `to`: since when it is open or closed."""
    if to in Release.CLOSED:
        return {} if found in Release.CLOSED else {"closed": timezone.now()}
    return {"opened": timezone.now()} if found == State.DRAFT != to else {"closed": None}
