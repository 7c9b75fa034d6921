"""What was deleted while a request held it stays deleted.

allauth reads a row and saves it later, and Django inserts a row that it does not find to update. So
a sign-in by another site that was under way while the account changed hands, or while its owner
disconnected that site, would make the connection anew.
"""

from functools import wraps
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, models, transaction


def stay_deleted(model: type[models.Model]) -> None:
    """Saving a row that was stored before updates it, or raises PermissionDenied, which ends a
    sign-in by another site with the page that says so."""
    save = model.save

    @wraps(save)
    def save_if_there(row: models.Model, *args: Any, **options: Any) -> None:
        if row.pk is None or args or options.get("force_insert"):
            return save(row, *args, **options)
        try:
            with transaction.atomic():
                save(row, *args, **{**options, "force_update": True})
        except DatabaseError as error:
            if error.__cause__:  # of the database, where Django's own says that there is no row
                raise
            raise PermissionDenied("This has been deleted in the meantime.") from error

    model.save = save_if_there  # type: ignore[method-assign, assignment]


for kept in (Authenticator, EmailAddress, SocialAccount, UserSession):
    stay_deleted(kept)
