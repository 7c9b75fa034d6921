"""The whole way in a real browser, through real processes: upload, confirm, judged by a worker, on
the board."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import answer_file, open_board_with, publish_and_wait, sign_in, upload

pytestmark = pytest.mark.browser


def test_uploaded_answers_are_judged_and_stand_on_the_board(page, site, tmp_path):
    sign_in(page, site)
    upload(page, site, "Browser 1B", answer_file(tmp_path, no_to=7))
    publish_and_wait(page)
    open_board_with(page, site, "Browser 1B")


def test_an_incomplete_file_shows_its_problem_in_the_browser(page, site, tmp_path):
    sign_in(page, site)
    upload(page, site, "Half 1B", answer_file(tmp_path, answers=10))
    expect(page.get_by_text("missing").first).to_be_visible()
