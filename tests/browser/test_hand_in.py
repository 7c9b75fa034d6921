"""From a broken file to a confirmed one, with a dry run in between, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import JUDGED_MILLISECONDS, answer_file, sign_in

pytestmark = pytest.mark.browser


def test_a_broken_file_is_mended_tried_and_confirmed(page, site, tmp_path):
    sign_in(page, site)
    page.goto(f"{site.url}submit/")
    page.locator("[name=model_name]").fill("Mended 1B")
    page.locator("[name=release]").select_option("hallusionbench-mini")
    page.locator("input[name=file]").set_input_files(str(answer_file(tmp_path, answers=30)))
    button = page.get_by_role("button", name="Check the file")
    button.click()
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("The file was not accepted")
    expect(refused).to_be_focused()
    expect(page).to_have_url(re.compile("/submit/$"))
    expect(page.locator("[name=model_name]")).to_have_value("Mended 1B")
    page.locator("input[name=file]").set_input_files(str(answer_file(tmp_path, no_to=11)))
    expect(page.locator("[data-drop] output")).to_contain_text("answers.jsonl")
    button.click()
    page.wait_for_url("**/submissions/*/")
    page.get_by_role("button", name="Try 10 questions").click()
    cards = page.locator("#dry-run article.question")
    expect(cards).to_have_count(10, timeout=JUDGED_MILLISECONDS)
    expect(cards.first).to_contain_text("Answer")
    page.get_by_role("button", name="Confirm and judge").click()
    expect(page.get_by_text("Judged and scored.")).to_be_visible(timeout=JUDGED_MILLISECONDS)
    expect(page.locator("#dry-run")).to_have_count(0)


def test_without_scripts_the_same_form_is_the_same(site, tmp_path, page):
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    sign_in(plain, site)
    plain.goto(f"{site.url}submit/")
    plain.locator("[name=model_name]").fill("Plain 1B")
    plain.locator("[name=release]").select_option("hallusionbench-mini")
    plain.locator("input[name=file]").set_input_files(str(answer_file(tmp_path, no_to=13)))
    plain.get_by_role("button", name="Check the file").click()
    plain.wait_for_url("**/submissions/*/")
    expect(plain.get_by_role("button", name="Try 10 questions")).to_be_visible()
    # or it would hold its owner's place
    plain.get_by_role("link", name="Withdraw", exact=True).click()
    plain.get_by_role("button", name="Withdraw permanently").click()
    expect(plain.get_by_text("It is on no board")).to_be_visible()
