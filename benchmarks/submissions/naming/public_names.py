"""Who handed a submission in, as everybody may read it.

The name of a team, or of an account's choice. Without one a number: user names are made of e-mail
addresses, and are shown to nobody.
"""

import re
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from benchmarks.submissions.models import PublicName, Submission
from benchmarks.submissions.naming.lookalike_names import skeleton
from benchmarks.submissions.team_models import Team

FORMER_MEMBER = "former-member"
"""What the user name of a deleted account begins with."""
PUBLIC_NAME_LENGTH = 60
"""It stands in one line of a board beside organisation and model."""
RESERVED = (
    "baseline",
    "sample",
    "staff",
    "operator",
    "administrator",
    "member",
    "former member",
    "team",
    "former team",
    "assay",
)
"""What the site itself says of who handed something in, or of who decides; with a number or an s
behind it too."""
_NUMBERED = re.compile(r"[\dosl]*")


class NameTakenError(ValueError):
    """The text is a sentence for whoever wants the name."""


def public_name(owner: User) -> str:
    """Reads the account's PublicName, which lists select with the owner."""
    if named := getattr(owner, "public_name", None):
        return str(named.name)
    return "a former member" if owner.username.startswith(FORMER_MEMBER) else f"member {owner.pk}"


def team_name(team: Team) -> str:
    """Reads the team's PublicName."""
    named = getattr(team, "public_name", None)
    return str(named.name) if named else "a former team"


def handed_in_by(submission: Submission) -> str:
    if submission.origin != Submission.Origin.UPLOAD:
        return f"{submission.origin} of this site"
    if submission.team:
        return team_name(submission.team)
    return public_name(submission.owner) if submission.owner else "the operators of this site"


def set_public_name(*, owner: User, name: str) -> None:
    """The account is shown by this name, a clean one; by its number where it is empty. Raises
    NameTakenError."""
    if not name:
        PublicName.objects.filter(owner=owner).delete()
        return
    _take_name(name, owner=owner)


def set_team_name(*, team: Team, name: str) -> None:
    """The team is shown by this name, a clean one that is not empty. Raises NameTakenError."""
    _take_name(name, team=team)


def _take_name(name: str, **holder: Any) -> None:
    """holder: whose it is, by the name of the field."""
    read_as = skeleton(name)
    if any(
        read_as.startswith(word := skeleton(own)) and _NUMBERED.fullmatch(read_as[len(word) :])
        for own in RESERVED
    ):
        raise NameTakenError("The site itself uses this name. Choose another.")
    try:
        with transaction.atomic():
            PublicName.objects.update_or_create(
                **holder, defaults={"name": name, "skeleton": read_as}
            )
    except IntegrityError:
        message = "Another account or team has this name, or one that is easily taken for it."
        raise NameTakenError(message) from None
