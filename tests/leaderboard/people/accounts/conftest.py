"""Other sites by which people sign in, for every test of this room."""

from collections.abc import Iterator

import pytest
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from allauth.socialaccount.providers.orcid.views import OrcidOAuth2Adapter

from leaderboard.project.sign_in_sites import read_sign_in_sites
from tests.other_site import KEYS, OPENID, ROSA, OtherSite, running


@pytest.fixture(scope="module")
def server() -> Iterator[OtherSite]:
    with running() as site:
        yield site


@pytest.fixture
def elsewhere(server: OtherSite, settings, monkeypatch, db) -> OtherSite:
    """GitHub, Hugging Face and ORCID are configured, and all three are the test's own server."""
    _, providers = read_sign_in_sites({"GITHUB": KEYS, "HUGGINGFACE": KEYS, "ORCID": KEYS})
    providers["openid_connect"]["APPS"][0]["settings"]["server_url"] = server.address
    settings.SOCIALACCOUNT_PROVIDERS = providers
    for adapter in (GitHubOAuth2Adapter, OrcidOAuth2Adapter):
        monkeypatch.setattr(adapter, "authorize_url", f"{server.address}/authorize")
        monkeypatch.setattr(adapter, "access_token_url", f"{server.address}/token")
    monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{server.address}/user")
    monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{server.address}/emails")
    monkeypatch.setattr(OrcidOAuth2Adapter, "profile_url", f"{server.address}/%s/record")
    server.person, server.raw = dict(OPENID), None
    server.emails = [{"email": ROSA, "primary": True, "verified": True}]
    server.asked.clear()
    return server
