"""Who rates: people with a link of their own, and accounts. You cannot rate your own answers."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.account.utils import has_verified_email
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max

from benchmarks.common.hashing import key_digest
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.addresses import owner_of
from judging.coordination.clock import database_now
from judging.panel.models import RaterDevice, Study, StudyItem, StudyRater, Vote
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.lifecycle import hold_study, require_reason, settle_ratings
from judging.panel.studies.voting import note_disagreements

MOST_RATERS = 50  # of a study; with three for an item more would see some twenty items each
MOST_DEVICES = 20  # of one rater; a program that forgets its cookies makes no more rows
WITHDREW = "Withdrew their votes."


@dataclass(frozen=True, slots=True)
class Invitee:
    """Somebody without an account here, or whose account does not matter."""

    name: str
    email: str = ""


@transaction.atomic
def invite_people(
    *, study: Study, people: Sequence[Invitee], by: User, now: datetime | None = None
) -> tuple[StudyRater, ...]:
    """Each has a link that opens this study and nothing else. Raises StudyRefusedError, having
    invited nobody."""
    held = hold_inviting(study, len(people))
    known = emails_of(held)
    accounts = accounts_of(held, known)
    raters = []
    for person in people:
        email = person.email.lower()
        if email and email in known:
            raise StudyRefusedError(f"{person.email} was invited before.")
        owner = owner_of(email) if email else None
        if owner and holds_entry(held, owner):
            raise StudyRefusedError(
                f"{person.email} has an entry in this study: nobody rates their own answers."
            )
        if owner and owner.pk in accounts:
            raise StudyRefusedError(
                f"{person.email} is an address of somebody who was invited before."
            )
        known.add(email)
        if owner:
            accounts.add(owner.pk)
        rater = new_rater(held, by, now, name=person.name, email=person.email)
        raters.append(make_link(rater, now))
    return tuple(raters)


@transaction.atomic
def invite_account(
    *, study: Study, user: User, by: User, now: datetime | None = None
) -> StudyRater:
    """The account finds the study among those it rates. Raises StudyRefusedError."""
    held = hold_inviting(study, 1)
    if not has_verified_email(user):
        raise StudyRefusedError(
            f"{user} has no confirmed e-mail address. Invite the account once its owner confirmed "
            "one, or the person by a link."
        )
    if holds_entry(held, user):
        raise StudyRefusedError(
            f"{user} has an entry in this study: nobody rates their own answers."
        )
    if held.raters.filter(account=user).exists():
        raise StudyRefusedError(f"{user} was invited before.")
    if user.pk in accounts_of(held, emails_of(held)):
        raise StudyRefusedError(f"{user} was invited before, by an address of theirs.")
    return new_rater(held, by, now, account=user)


def hold_inviting(study: Study, count: int) -> Study:
    held = hold_study(study)
    if held.state not in (Study.State.DRAFT, Study.State.OPEN):
        raise StudyRefusedError(f"Nobody can be invited: this study is {held.state}.")
    if held.raters.count() + count > MOST_RATERS:
        raise StudyRefusedError(f"A study has at most {MOST_RATERS} raters.")
    return held


def new_rater(
    study: Study,
    by: User,
    now: datetime | None,
    *,
    name: str = "",
    email: str = "",
    account: User | None = None,
) -> StudyRater:
    last = study.raters.aggregate(last=Max("number"))["last"] or 0
    return StudyRater.objects.create(
        study=study,
        number=last + 1,
        name=name,
        email=email,
        account=account,
        invited=now or database_now(),
        invited_by=by,
    )


def emails_of(study: Study) -> set[str]:
    """Addresses to which links of the study went, removed raters included."""
    return {email.lower() for email in study.raters.values_list("email", flat=True) if email}


def accounts_of(study: Study, emails: Set[str]) -> set[int]:
    """Whose raters they are, by account or by a confirmed address: two raters of one person would
    count as two people who agree."""
    confirmed = EmailAddress.objects.filter(verified=True, email__in=emails)
    by_address = confirmed.values_list("user", flat=True)
    invited = study.raters.filter(account__isnull=False).values_list("account", flat=True)
    return {*by_address, *invited}


def holds_entry(study: Study, user: User) -> bool:
    """Whether an entry of the study is the user's, or a team's of theirs."""
    return Submission.objects.held_by(user).filter(studies=study).exists()


# --- links ----------------------------------------------------------------------------------------


def make_link(rater: StudyRater, now: datetime | None = None) -> StudyRater:
    """The rater with a new key; an earlier one opens nothing from now on."""
    rater.draw_key()
    rater.link_made = now or database_now()
    rater.save(update_fields=["digest", "link_made"])
    return rater


def renew_link(*, rater: StudyRater) -> StudyRater:
    """Raises StudyRefusedError for an account, which has none, and for who was removed."""
    if rater.account_id or rater.removed:
        raise StudyRefusedError("This rater has no link.")
    return make_link(rater)


def revoke_link(*, rater: StudyRater) -> None:
    """It opens nothing from now on, in no browser; what was voted stays and counts."""
    StudyRater.objects.filter(pk=rater.pk).update(digest="")


def rater_of_key(key: str) -> StudyRater | None:
    """Whose link this is, also where the study has ended."""
    raters = StudyRater.objects.filter(digest=key_digest(key))
    return raters.exclude(study__state=Study.State.DRAFT).first()


def may_rate(rater: StudyRater, now: datetime) -> bool:
    """Whether votes of the rater are taken now, late ones included."""
    return rater.removed is None and rater.study.takes_votes(now)


def note_device(rater: StudyRater, key: UUID, now: datetime) -> None:
    """A browser that was given items; of one rater as many as anybody has (MOST_DEVICES)."""
    if rater.devices.exclude(key=key).count() >= MOST_DEVICES:
        return
    RaterDevice.objects.bulk_create(
        [RaterDevice(rater=rater, key=key, seen=now)],
        update_conflicts=True,
        unique_fields=["rater", "key"],
        update_fields=["seen"],
    )


# --- removing -------------------------------------------------------------------------------------


@transaction.atomic
def remove_rater(*, rater: StudyRater, reason: str, now: datetime | None = None) -> None:
    """Nothing the rater said counts any more, and others are given what they had. Votes stay where
    they are. Raises StudyRefusedError."""
    study = hold_study(Study(pk=rater.study_id))
    require_undecided(study)
    require_reason(reason)
    hear_no_more(study, rater, removed=now or database_now(), reason=reason)


@transaction.atomic
def withdraw_votes(*, rater: StudyRater, now: datetime | None = None) -> None:
    """All votes of the rater are taken back for good, also those that became ratings; nothing
    happens the second time. Raises StudyRefusedError."""
    study = hold_study(Study(pk=rater.study_id))
    now = now or database_now()
    first = StudyRater.objects.filter(pk=rater.pk, withdrew__isnull=True)
    if not first.update(withdrew=now):
        return
    Vote.objects.filter(rater=rater, taken_back__isnull=True).update(taken_back=now)
    hear_no_more(study, rater, removed=now, reason=WITHDREW)
    if study.state == Study.State.CLOSED:
        settle_ratings(study)


def hear_no_more(study: Study, rater: StudyRater, *, removed: datetime, reason: str) -> None:
    heard = StudyRater.objects.filter(pk=rater.pk, removed__isnull=True)
    if not heard.update(removed=removed, reason=reason):
        return
    own = rater.assignments.filter(is_released=False)
    items = StudyItem.objects.filter(study=study, is_check=False, assignments__in=own)
    keys = list(items.values_list("pk", flat=True))
    StudyItem.objects.filter(pk__in=keys).update(taken=F("taken") - 1)
    own.update(is_released=True)
    note_disagreements(study, keys)


@transaction.atomic
def reinstate_rater(*, rater: StudyRater) -> None:
    """What the rater said counts again. Raises StudyRefusedError."""
    study = hold_study(Study(pk=rater.study_id))
    require_undecided(study)
    if StudyRater.objects.filter(pk=rater.pk, withdrew__isnull=False).exists():
        raise StudyRefusedError("This rater withdrew all votes: nothing of them comes back.")
    removed = StudyRater.objects.filter(pk=rater.pk, removed__isnull=False)
    if not removed.update(removed=None, reason=""):
        return
    voted = rater.assignments.filter(voted__isnull=False, is_released=True)
    items = StudyItem.objects.filter(study=study, is_check=False, assignments__in=voted)
    keys = list(items.values_list("pk", flat=True))
    StudyItem.objects.filter(pk__in=keys).update(taken=F("taken") + 1)
    voted.update(is_released=False)
    note_disagreements(study, keys)


def require_undecided(study: Study) -> None:
    if study.state not in (Study.State.DRAFT, Study.State.OPEN):
        raise StudyRefusedError(f"Too late: this study is {study.state}.")
