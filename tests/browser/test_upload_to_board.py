"""The whole way in a real browser, through real processes: upload, confirm, judged by a worker, on
the board."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.site import PROJECT, Site

pytestmark = pytest.mark.browser
JUDGED_MILLISECONDS = 60_000
QUESTIONS = PROJECT / "benchmarks/bundled/hallusionbench/questions.json"


def sign_in(page: Page, site: Site) -> None:
    page.goto(f"{site.url}accounts/login/")
    page.get_by_label("Email").fill(site.email)
    page.get_by_label("Password", exact=True).fill(site.password)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/submissions/")


def answer_file(folder: Path, answers: int | None = None) -> Path:
    rows = json.loads(QUESTIONS.read_text())[:answers]
    path = folder / "answers.jsonl"
    keys = ("category", "subcategory", "set_id", "figure_id", "question_id")
    path.write_text(
        "\n".join(
            json.dumps({"id": "/".join(r[k] for k in keys), "prediction": "Yes."}) for r in rows
        )
    )
    return path


def upload(page: Page, site: Site, model: str, file: Path) -> None:
    page.goto(f"{site.url}submit/")
    page.locator("[name=release]").select_option("hallusionbench-mini")
    page.locator("[name=model_name]").fill(model)
    page.locator("input[name=file]").set_input_files(str(file))
    page.locator("form:has([name=file]) button[type=submit]").click()


def test_uploaded_answers_are_judged_and_stand_on_the_board(page, site, tmp_path):
    sign_in(page, site)
    upload(page, site, "Browser 1B", answer_file(tmp_path))
    confirm = page.locator("form[action$='/confirm/']")
    confirm.locator("[name=visibility][value=public]").check()
    confirm.locator("button[type=submit]").click()
    expect(page.get_by_text("Judged and scored.")).to_be_visible(timeout=JUDGED_MILLISECONDS)
    page.goto(f"{site.url}boards/hallusionbench/")
    expect(page.get_by_role("link", name="Browser 1B").first).to_be_visible()


def test_an_incomplete_file_shows_its_problem_in_the_browser(page, site, tmp_path):
    sign_in(page, site)
    upload(page, site, "Half 1B", answer_file(tmp_path, answers=10))
    expect(page.get_by_text("missing").first).to_be_visible()
