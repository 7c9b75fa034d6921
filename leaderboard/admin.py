"""allauth's rows in the admin, without what would let staff sign in as somebody else.

Where people are signed in is nobody's but theirs, and a row deleted by hand signs nobody out.
Keys of other sites stand in the settings, so that no row sends people elsewhere.
"""

from allauth.socialaccount import admin as of_other_sites  # noqa: F401 - registers what goes here
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions import admin as of_devices  # noqa: F401 - the same
from allauth.usersessions.models import UserSession
from django.contrib import admin

from leaderboard.people.staff import (
    account_admin,
    invitation_admin,
    log_admin,
    release_admin,
    submission_admin,
)

__all__ = ["account_admin", "invitation_admin", "log_admin", "release_admin", "submission_admin"]
"""Django looks for this module alone."""

for model in (SocialAccount, SocialApp, SocialToken, UserSession):
    admin.site.unregister(model)
