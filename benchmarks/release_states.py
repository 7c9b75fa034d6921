"""Which state of a release may follow which. The database refuses the way back to a draft
(immutability.py)."""

from django.utils import timezone

from benchmarks.models import Release

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


def choices_from(state: str) -> list[tuple[str, str]]:
    """The state itself and those that may follow it, as a select shows them."""
    return [(value, State(value).label) for value in (state, *FOLLOWING[state])]


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


def move_release(*, release: Release, found: str, to: str) -> None:
    """A release that was `found` is `to`. Raises ReleaseStateError where that may not follow or
    somebody was faster."""
    check_move(now=found, found=found, to=to)
    opened = {"opened": timezone.now()} if found == State.DRAFT != to else {}
    moved = Release.objects.filter(pk=release.pk, state=found).update(state=to, **opened)
    release.refresh_from_db(fields=["state", "opened"])
    if not moved:
        check_move(now=release.state, found=found, to=to)
