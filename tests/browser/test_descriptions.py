"""The whole life of a description in a real browser: written, lost with its window and found again,
submitted, sent back, changed, approved by keys, and what it made out of date judged again."""

import io

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from benchmarks.models import Figure
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from judging.engine.engine import judge_run
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.results.services import score_finished_runs
from tests.browser.looks import axe_in_both_themes, too_wide_or_small
from tests.browser.steps import elsewhere
from tests.conftest import submit
from tests.judging.scripted import ScriptedJudge

pytestmark = pytest.mark.browser
PASSWORD = "a long enough password"
FIRST = "A red car is parked beside a fountain."
BETTER = "A red car with two doors is parked beside a dry fountain."
COMMENT = "How many doors has the car?"


@pytest.fixture
def form(committed, live_server) -> str:
    """The address of the form of a figure about which an entry was judged, and who writes and
    reviews. Made before the browser starts, which keeps its thread from the database."""
    stream = io.BytesIO(b"1|two|two|one.png\n2|sea|sea\n")
    release = import_release(protocol=protocol("spelling"), stream=stream, slug="cycle").release
    people = {}
    for name in ("anna", "rita"):
        email = f"{name}@example.org"
        people[name] = User.objects.create_superuser(name, email, PASSWORD)
        EmailAddress.objects.create(user=people[name], email=email, verified=True, primary=True)
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="here", model="scripted", repeats=1
    )
    entry = submit(release, people["anna"], b"1=two\n2=sea\n", name="Car reader")
    run = request_run(submission=entry, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    return f"{live_server.url}/admin/benchmarks/description/figure/{Figure.objects.get().pk}/en/"


def visit(page: Page, form: str, name: str) -> Page:
    page.goto(form)
    page.get_by_label("Email").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/description/figure/**")
    return page


def judge_again() -> None:
    run = JudgeRun.objects.get()
    judge_run(run_id=run.pk, judge=ScriptedJudge(["wrong"]))
    score_finished_runs()


def test_a_description_from_the_first_word_to_the_verdict_by_it(form, page):
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context()
    anna = visit(context.new_page(), form, "anna")
    rita = visit(browser.new_context().new_page(), form, "rita")

    # written; the window dies; found again and submitted
    anna.get_by_label("Description (en)").press_sequentially(FIRST)
    expect(anna.get_by_text("Kept, not saved yet.")).to_be_visible()
    anna.close(run_before_unload=False)
    anna = context.new_page()
    anna.goto(form)
    expect(anna.get_by_label("Description (en)")).to_have_value(FIRST)
    anna.get_by_role("button", name="Submit for review").click()
    expect(anna.get_by_text("Version 1 waits for review.")).to_be_visible()

    # sent back by keys, with a comment
    rita.goto(form)
    rita.get_by_role("link", name="Review version 1").click()
    rita.wait_for_url("**/review/")
    rita.keyboard.press("s")
    expect(rita.locator("#comment")).to_be_focused()
    rita.keyboard.type(COMMENT)
    rita.keyboard.press("Control+Enter")
    expect(rita.get_by_text("is sent back with your comment.")).to_be_visible()

    # changed and submitted again
    anna.goto(form)
    expect(anna.get_by_text(COMMENT).first).to_be_visible()
    anna.get_by_label("Description (en)").fill(BETTER)
    anna.get_by_role("button", name="Submit for review").click()
    expect(anna.get_by_text("Version 2 waits for review.")).to_be_visible()

    # reviewed: what changed, what it costs, and approved by keys
    rita.goto(form)
    rita.get_by_role("link", name="Review version 2").click()
    rita.wait_for_url("**/review/")
    expect(rita.get_by_text("Changes since version 1, sent back")).to_be_visible()
    expect(rita.locator(".review-effects")).to_contain_text("1 judgement in 1 entry becomes")
    assert axe_in_both_themes(rita) + too_wide_or_small(rita) == []
    rita.keyboard.press("a")
    expect(rita.locator("#approve")).to_be_focused()
    rita.keyboard.press("Enter")
    expect(
        rita.get_by_text("is approved: from now on, answers are judged with it.")
    ).to_be_visible()

    # out of date, priced, judged again
    rita.goto(form.split("/admin/")[0] + "/admin/judging/stalejudgement/")
    assert axe_in_both_themes(rita) + too_wide_or_small(rita) == []
    rita.locator("input[name=what][value^=figure]").check()
    rita.get_by_role("button", name="Judge what is ticked again…").first.click()
    rita.get_by_label("Why").fill("The words were wrong.")
    rita.get_by_role("button", name="Judge 1 again").click()
    expect(rita.get_by_text("1 judgement waits for the judge again")).to_be_visible()
    expect(rita.get_by_text("1 judgement to come in 1 entry")).to_be_visible()
    elsewhere(judge_again)
    rita.reload()
    expect(rita.get_by_text("Every judgement was made with today's texts.")).to_be_visible()
