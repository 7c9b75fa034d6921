"""Every admin there is stands in tests/staff_steps.toml with all that it lets staff do, and every
step asks, tells in counts, is logged, and does nothing by one press."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.test import RequestFactory

from benchmarks.staff_log import LoggedAdmin
from benchmarks.submissions.steps import Step, StepsAdmin

TABLE: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "staff_steps.toml").read_text()
)
PAGES = {model._meta.label: page for model, page in admin.site._registry.items()}
OF_EVERY_ADMIN = {"changelist", "add", "history", "delete", "change", "step"}
RIGHTS = ("add", "change", "delete")


def steps_of(page: Any) -> list[Step]:
    return list(page.steps) if isinstance(page, StepsAdmin) else []


ALL_STEPS = [(label, step) for label, page in PAGES.items() for step in steps_of(page)]


@pytest.fixture
def request_of_admin(rf: RequestFactory, admin_user):
    request = rf.get("/admin/")
    request.user = admin_user
    return request


def own_pages(label: str) -> set[str]:
    """Names of addresses that Django does not give to every admin."""
    model = PAGES[label].model._meta
    found = {str(url.name) for url in PAGES[label].get_urls() if url.name}
    return found - {f"{model.app_label}_{model.model_name}_{name}" for name in OF_EVERY_ADMIN}


def test_every_admin_is_in_the_table_and_no_other():
    assert set(PAGES) == set(TABLE)


@pytest.mark.parametrize("label", sorted(PAGES))
def test_an_admin_lets_staff_do_what_the_table_says_and_no_more(label, request_of_admin):
    page, row = PAGES[label], TABLE.get(label, {})
    steps = {step.slug for step in steps_of(page)}
    assert steps == set(row.get("steps", {})), "each step needs its way back in the table"
    actions = set(page.get_actions(request_of_admin)) - steps
    assert actions == set(row.get("actions", {})), "an action of a list needs a page that asks"
    assert own_pages(label) == set(row.get("pages", {})), "say what the page does"
    rights = {name for name in RIGHTS if getattr(page, f"has_{name}_permission")(request_of_admin)}
    assert rights == set(row.get("rights", {})), "say why the form hurts nobody"
    assert isinstance(page, LoggedAdmin)
    assert not page.list_editable


def test_nothing_is_deleted_from_a_list(request_of_admin):
    for page in PAGES.values():
        assert "delete_selected" not in page.get_actions(request_of_admin)


@pytest.mark.parametrize(("label", "step"), ALL_STEPS, ids=lambda one: getattr(one, "slug", one))
def test_a_step_tells_its_way_back_and_what_follows_in_counts(label, step, db):
    assert step.way_back.endswith(".")
    assert step.explained.endswith(".")
    assert re.search(r"\d", " ".join(step.follows([])))
    way_back = TABLE[label]["steps"][step.slug]
    slugs = {one.slug for one in steps_of(PAGES[label])}
    assert way_back in slugs | {"log", "none"}
    assert (way_back == "none") == step.way_back.startswith("None")


@pytest.mark.parametrize("label", sorted(PAGES))
def test_a_step_that_nobody_knows_and_a_row_that_is_gone_are_no_fault(label, client, admin_user):
    client.force_login(admin_user)
    place = f"/admin/{PAGES[label].opts.app_label}/{PAGES[label].opts.model_name}"
    assert client.get(f"{place}/1/step/nothing/").status_code in (302, 404)
    for step in steps_of(PAGES[label]):
        for key in ("0", "x", "9" * 30):
            response = client.post(f"{place}/{key}/step/{step.slug}/", {"confirmed": "yes"})
            assert response.status_code == 302
