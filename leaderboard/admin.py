"""allauth's rows in the admin, without what would let staff sign in as somebody else.

Where people are signed in is nobody's but theirs, and a row deleted by hand signs nobody out.
Keys of other sites stand in the settings, so that no row sends people elsewhere.
"""

from typing import Any

from allauth.mfa import admin as allauths  # noqa: F401 - registers what is replaced here
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as of_other_sites  # noqa: F401 - the same
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions import admin as of_devices  # noqa: F401 - the same
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.http import HttpRequest

from benchmarks.admin import ReadOnlyAdmin

for model in (Authenticator, SocialAccount, SocialApp, SocialToken, UserSession):
    admin.site.unregister(model)


@admin.register(Authenticator)
class AuthenticatorAdmin(ReadOnlyAdmin):
    """Who has which factor. Deleting one helps a person who lost phone and codes; secrets are shown
    to nobody."""

    list_display = ["user", "type", "created_at", "last_used_at"]
    list_filter = ["type"]
    list_select_related = ["user"]
    search_fields = ["user__username", "user__email"]
    exclude = ["data"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("mfa.delete_authenticator")
