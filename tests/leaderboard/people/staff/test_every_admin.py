"""Every admin there is stands in tests/staff_steps.toml with all that it lets staff do, and every
step asks, tells in counts, is logged, and does nothing by one press."""

import re
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.test import RequestFactory

from benchmarks.common.staff_log import LoggedAdmin
from benchmarks.submissions.staff_steps import Step, StepsAdmin

TABLE: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[3] / "staff_steps.toml").read_text()
)
PAGES = {model._meta.label: page for model, page in admin.site._registry.items()}
OF_EVERY_ADMIN = {"changelist", "add", "history", "delete", "change", "step"}
RIGHTS = ("add", "change", "delete")
KINDS = ("steps", "actions", "pages", "rights")


def steps_of(page: Any) -> list[Step]:
    return list(page.steps) if isinstance(page, StepsAdmin) else []


@pytest.fixture
def request_of_admin(rf: RequestFactory, admin_user):
    request = rf.get("/admin/")
    request.user = admin_user
    return request


def own_pages(page: Any) -> set[str]:
    """Names of addresses that Django does not give to every admin."""
    model = page.model._meta
    found = {str(url.name) for url in page.get_urls() if url.name}
    return found - {f"{model.app_label}_{model.model_name}_{name}" for name in OF_EVERY_ADMIN}


def test_every_admin_lets_staff_do_what_the_table_says_and_no_more(request_of_admin):
    """Each step needs its way back in the table, an action of a list a page that asks, and a right
    a sentence why the form hurts nobody."""
    found = {label: done_in(page, request_of_admin) for label, page in PAGES.items()}
    told = {label: {kind: {*row.get(kind, {})} for kind in KINDS} for label, row in TABLE.items()}
    assert found == told
    for page in PAGES.values():
        assert isinstance(page, LoggedAdmin)
        assert not page.list_editable


def done_in(page: Any, request: Any) -> dict[str, set[str]]:
    steps, actions = {step.slug for step in steps_of(page)}, page.get_actions(request)
    assert "delete_selected" not in actions
    rights = {name for name in RIGHTS if getattr(page, f"has_{name}_permission")(request)}
    return dict(zip(KINDS, (steps, {*actions} - steps, own_pages(page), rights), strict=True))


def test_a_step_tells_its_way_back_and_what_follows_in_counts(db):
    for label, page in PAGES.items():
        slugs = {one.slug for one in steps_of(page)}
        for step in steps_of(page):
            way_back = TABLE[label]["steps"][step.slug]
            told = (step.way_back[-1], step.explained[-1], way_back in slugs | {"log", "none"})
            assert told == (".", ".", True), (label, step.slug)
            assert re.search(r"\d", " ".join(step.follows([]))), (label, step.slug)
            assert (way_back == "none") == step.way_back.startswith(("None", "Not ", "Only by")), (
                label,
                step.slug,
            )


def test_a_step_that_nobody_knows_and_a_row_that_is_gone_are_no_fault(desk):
    for page in PAGES.values():
        place = f"/admin/{page.opts.app_label}/{page.opts.model_name}"
        assert desk.get(f"{place}/1/step/nothing/").status_code in (302, 404), place
        asked = product(("0", "x", "9" * 30), steps_of(page))
        addresses = [f"{place}/{key}/step/{step.slug}/" for key, step in asked]
        found = {one: desk.post(one, {"confirmed": "yes"}).status_code for one in addresses}
        assert {*found.values()} <= {302}, found
