"""Every address that is shared, as its owner, a stranger and a visitor with a full browser ask for
it: what visitors are shown holds nothing of any of them."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.urls import resolve
from lxml import html  # type: ignore[import-untyped]  # ships no types

from benchmarks.models import Question
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import set_public_name
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.models import JudgeSpec
from leaderboard.web.caching.routes import SHARED_PAGES
from tests.conftest import confirmed, import_spelling, judged, submit
from tests.routes import Route, routes
from tests.walk import kind_of, links_on

CANARY = "cnry"
ROUTES = {route.name: route for route in routes() if route.name in SHARED_PAGES}
PERMISSIONS = tomllib.loads(Path("tests/permissions.toml").read_text())["urls"]
MADE_FOR_EACH = {
    "submit": "a form, and before signing in what it asks for",
    "account_confirm_email": "a link of a mail",
    "account_email_verification_sent": "of a sign-up",
    "account_inactive": "of a sign-in",
    "account_logout": "a form",
    "account_login": "a form",
    "account_reset_password": "a form",
    "account_reset_password_done": "of a form",
    "account_reset_password_from_key": "a link of a mail",
    "account_reset_password_from_key_done": "of a form",
    "account_signup": "a form",
    "board-evidence": "a file",
    "board-export": "a stream",
    "entry-answers": "a stream",
    "favicon": "leads elsewhere",
    "figure-image": "a file",
    "figure-rendition": "a file",
    "health-live": "of this process",
    "health-ready": "of this moment",
    "notices-unsubscribe": "a link of a mail",
    "person-invitation": "a form",
    "person-invitation-link": "a link of a mail",
    "plotly-bundle": "a file",
    "api-entry-verdicts": "a stream",
    "release-archive": "a file",
    "api/v1/^.+/$": "finds nothing",
    "api/v1/": "leads elsewhere",
}


@pytest.fixture(scope="module")
def world(module_rows) -> UUID:
    """A public entry, of somebody who has something private beside it."""
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    release = import_spelling()
    submission = submit(release, confirmed(owner), name="Speller")
    judged(submission)
    judged(submit(release, owner, name=f"{CANARY}-private", visibility="private"))
    return submission.pk


@pytest.fixture
def entry(world, db) -> Submission:
    return Submission.objects.select_related("release", "model", "owner").get(pk=world)


@pytest.fixture
def owner(entry):
    return entry.owner


def arguments(route: Route, entry: Submission) -> dict[str, object]:
    slugs = {
        "release": entry.release.slug,
        "model": entry.model.slug,
        "judge": JudgeSpec.objects.earliest("pk").slug,
    }
    found = [slug for name, slug in slugs.items() if f"{name}s/" in route.pattern]
    return {
        "slug": found[0] if found else "spelling",
        "submission_id": entry.pk,
        "question_id": Question.objects.earliest("pk").pk,
        "team_id": 1,
        "file_id": "00000000-0000-0000-0000-000000000000",
        "chart": "lead",
        "kind": "csv",
        "section": "boards",
    }


def named(name: str, entry: Submission) -> str:
    route = ROUTES[name]
    return route.address(arguments(route, entry))


def full_browser() -> Client:
    """Of a visitor who brings all that a page could take up."""
    client = Client(
        headers={
            "Referer": f"http://testserver/{CANARY}",
            "User-Agent": CANARY,
            "Accept-Language": CANARY,
            "HX-Request": "true",
            "HX-Current-URL": CANARY,
        }
    )
    client.cookies["known-browser"] = client.cookies["theme"] = CANARY
    client.cookies[settings.CSRF_COOKIE_NAME] = (CANARY * 8)[:32]
    return client


def test_every_address_that_is_shared_is_one_of_the_site():
    assert ROUTES.keys() == SHARED_PAGES.keys()


def asked_on(content: bytes, at: str) -> Iterator[tuple[str, set[str]]]:
    """Names of addresses that links and forms of a page lead to, and the parameters they send."""
    for link in links_on(content.decode(errors="replace"), at):
        path, parameters = kind_of(link)
        yield resolve(unquote(path)).view_name, set(parameters)
    for form in html.fromstring(content).forms:
        if form.method == "GET":
            path = urlsplit(urljoin(at, form.action or "")).path
            yield resolve(path).view_name, {name for name in form.fields if name}


def test_what_is_shared_holds_nothing_of_who_asked_and_is_the_page_that_would_be_made(
    entry, owner, settings, subtests
):
    """Status pages tell seconds, which pass."""
    own = Client(headers={"User-Agent": CANARY})
    own.force_login(owner)
    for name in SHARED_PAGES:
        with subtests.test(name):
            settings.SHARED_PAGES = True
            caches["pages"].clear()
            address = named(name, entry)
            assert "s-maxage" not in own.get(address).get("Cache-Control", "")
            assert not list(Path(settings.VAR_DIR, "pages").glob("*"))
            unknown = "" if name.startswith("api-") else f"?{CANARY}={CANARY}"
            full_browser().get(address + unknown)
            shown = Client().get(address)
            for text in (CANARY, "csrfmiddlewaretoken", "Sign out", owner.email):
                assert text.encode() not in shown.content
            assert not shown.cookies
            if shown["Content-Type"].startswith("text/html"):
                for asked, parameters in asked_on(shown.content, address):
                    known = getattr(SHARED_PAGES.get(asked), "parameters", None)
                    missing = f"{asked}: add it in leaderboard/web/caching/routes.py"
                    assert known is None or parameters <= set(known), missing
            settings.SHARED_PAGES = False
            made = Client().get(address)
            assert shown.status_code == made.status_code
            assert "status" in name or shown.content == made.content


OF_THE_ENTRY = ["entry", "api-entry", "entry-badge", "home", "board", "models", "compare", "search"]


@pytest.mark.parametrize("is_withdrawn", [False, True])
def test_what_was_hidden_is_shown_to_nobody_any_more(entry, client, is_withdrawn):
    addresses = {name: named(name, entry) for name in OF_THE_ENTRY}
    addresses["search"] += "?q=Speller"
    assert {client.get(address).status_code for address in addresses.values()} == {200}
    if is_withdrawn:
        withdraw_submission(submission=entry)
    else:
        set_visibility(submission=entry, visibility="private")
    for name, address in addresses.items():
        after = client.get(address)
        not_stored = client.get(f"{address}{'&' if '?' in address else '?'}{'x' * 600}")
        assert after.status_code == not_stored.status_code or name == "api-entry", name
        assert str(entry.pk) not in after.text.replace(address, "") or after.status_code != 200


def test_a_new_public_name_stands_on_the_next_page(entry, client, owner):
    assert "R. Luz" not in client.get(named("entry", entry)).text
    set_public_name(owner=owner, name="R. Luz")
    assert "R. Luz" in client.get(named("entry", entry)).text


def test_what_everybody_may_read_is_shared_or_has_a_reason():
    """A new public address is one of them."""
    public = {"everybody", "private-entry", "private-entry-api", "not-found"}
    reads = {name for name, row in PERMISSIONS.items() if row.get("GET") in public}
    sign_in = ("account", "mfa", "github", "openid", "orcid", "socialaccount")
    mine = {name for name in reads if name.startswith((*sign_in, "admin", "rate"))}
    assert reads - mine - SHARED_PAGES.keys() - MADE_FOR_EACH.keys() == set()
