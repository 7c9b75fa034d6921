"""Other sites by which people may sign in: what the settings say of them, as allauth reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.project.environment import stop


@dataclass(frozen=True, slots=True)
class SignInSite:
    """`provider` is allauth's; `origin` is where a browser is sent to sign in."""

    name: str
    provider: str
    origin: str
    variables: str
    is_openid: bool = False


SITES = (
    SignInSite("GitHub", "github", "https://github.com", "GITHUB"),
    SignInSite("Hugging Face", "openid_connect", "https://huggingface.co", "HUGGINGFACE", True),
    SignInSite("ORCID", "orcid", "https://orcid.org", "ORCID"),
)


def read_sign_in_sites(given: Mapping[str, tuple[str, str]]) -> tuple[list[str], dict[str, Any]]:
    """Origins of the sites that are configured, and allauth's setting of them.

    `given` has client id and secret by the beginning of their variables. One without the other
    stops start-up: the button would be missing, or lead nowhere.
    """
    origins: list[str] = []
    providers: dict[str, Any] = {}
    for site in SITES:
        client_id, secret = (value.strip() for value in given[site.variables])
        if bool(client_id) != bool(secret):
            missing = "CLIENT_SECRET" if client_id else "CLIENT_ID"
            stop(
                f"{site.variables}_{missing} is empty, and its counterpart is not: signing in by "
                f"{site.name} needs both (see docs/operator/people.md)."
            )
        if client_id:
            origins.append(site.origin)
            providers[site.provider] = setting_of(site, client_id, secret)
    return origins, providers


def setting_of(site: SignInSite, client_id: str, secret: str) -> dict[str, Any]:
    app: dict[str, Any] = {"client_id": client_id, "secret": secret, "name": site.name}
    if site.is_openid:
        app |= {
            "provider_id": site.variables.lower(),
            "settings": {"server_url": site.origin},
        }
    # PKCE: a code that somebody else catches is worth nothing. ORCID does not speak of it.
    return {"APPS": [app], "OAUTH_PKCE_ENABLED": site.provider != "orcid"}
