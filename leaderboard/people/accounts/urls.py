"""allauth's pages by their addresses, each of another site where the settings name that one."""

from allauth.socialaccount import views as social
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.openid_connect import views as openid
from allauth.socialaccount.providers.orcid import views as orcid
from django.urls import include, path

from leaderboard.people.accounts.other_sites import asking, offered

LOGIN, CALLBACK = ("GET", "POST"), ("GET",)

urlpatterns = [
    path("", include("allauth.account.urls")),
    path("2fa/", include("allauth.mfa.urls")),
    path("sessions/", include("allauth.usersessions.urls")),
    path("other-sites/", offered(social.connections), name="socialaccount_connections"),
    path("other-sites/new/", offered(social.signup), name="socialaccount_signup"),
    path(
        "other-sites/cancelled/",
        offered(social.login_cancelled),
        name="socialaccount_login_cancelled",
    ),
    path("other-sites/failed/", offered(social.login_error), name="socialaccount_login_error"),
    path("github/login/", asking(github.oauth2_login, *LOGIN), name="github_login"),
    path(
        "github/login/callback/", asking(github.oauth2_callback, *CALLBACK), name="github_callback"
    ),
    path("orcid/login/", asking(orcid.oauth2_login, *LOGIN), name="orcid_login"),
    path("orcid/login/callback/", asking(orcid.oauth2_callback, *CALLBACK), name="orcid_callback"),
    path(
        "oidc/<slug:provider_id>/login/",
        asking(openid.login, *LOGIN),
        name="openid_connect_login",
    ),
    path(
        "oidc/<slug:provider_id>/login/callback/",
        asking(openid.callback, *CALLBACK),
        name="openid_connect_callback",
    ),
]
