"""What stands by older texts, as who may have it judged again sees it: found, priced, asked, and
exactly that."""

import re
from html import unescape

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission

from benchmarks.models import Figure, Release
from benchmarks.staff_models import StaffAction
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import set_public_name
from judging.models import Judgement, JudgeRun
from tests.judging.described import describe, judge, planned
from tests.judging.room import page_of, says

State = Judgement.State
LIST = "/admin/judging/stalejudgement/"


def judged(release: Release, owner, **submission) -> JudgeRun:
    run = planned(release, owner, **submission)
    judge(run)
    return run


@pytest.fixture(scope="module")
def module_runs(module_release, module_people) -> list[JudgeRun]:
    """Two entries, judged before both figures had a description."""
    owner = module_people["submitter"]
    one = judged(module_release, owner, name="First model", visibility="public")
    content = b"1=to\n2=x\n3=y\n4=z\n"
    two = judged(module_release, owner, name="Second model", visibility="private", content=content)
    describe(Figure.objects.get(key="one.png"), "A cat.")
    describe(Figure.objects.get(key="dark.png"), "The night.")
    return [one, two]


@pytest.fixture
def runs(module_runs, db) -> list[JudgeRun]:
    return list(JudgeRun.objects.filter(pk__in=[run.pk for run in module_runs]).order_by("pk"))


def ask(client, release: Release, *what: str, found: str = "", reason: str = "Better words."):
    data = {"what": what, "reason": reason, **({"found": found} if found else {})}
    return client.post(f"{LIST}{release.slug}/judge-again/", data, follow=True)


def waiting(run: JudgeRun) -> list[str]:
    found = run.judgements.filter(state=State.WAITING)
    return sorted(found.values_list("answer__question__public_id", flat=True))


def test_all_of_it_stands_on_the_page_by_release_figure_and_entry(visit, runs, people):
    set_public_name(owner=people["submitter"], name="Rosa")
    page = " ".join(page_of(visit("reviewer").get(LIST)).split())
    says(
        page,
        "<strong>6</strong> judgements in <strong>2</strong> entries",
        "questions 1, 2",
        "question 3",
        "First model",
    )
    assert "Second model" not in page  # private: reviewers do not know whose answers they are
    assert f"Private entry {str(runs[1].submission_id)[:8]}" in page
    assert details(page) == ["Rosa"]  # of the public one
    page = page_of(visit("moderator").get(LIST))  # who may look at what was handed in
    assert "Second model" in page
    assert details(page) == ["Rosa", "Rosa"]


def details(page: str) -> list[str]:
    return re.findall(r"by ([^<]*), \d{4}-\d\d-\d\d \d\d:\d\d UTC, entry (?:[0-9a-f]{8})<", page)


def test_entries_of_one_name_say_whose_and_which_they_are(visit, runs, release, people):
    set_public_name(owner=people["submitter"], name="Rosa's group")
    others = [
        judged(release, people["staff"], name="First model"),
        judged(release, people["submitter"], name="First model", content=b"1=to\n2=y\n3=y\n4=z\n"),
    ]
    figure = Figure.objects.get(key="one.png")
    describe(figure, "A cat and a dog.")
    page = page_of(visit("reviewer").get(LIST))
    other = f"member {people['staff'].pk}"
    assert sorted(unescape(who) for who in details(page)) == ["Rosa's group"] * 2 + [other]
    for run in (runs[0], *others):
        assert f"entry {str(run.submission_id)[:8]}" in page


def test_it_is_asked_with_how_many_and_why_before_exactly_that_is_done_and_written_down(
    visit, runs, release, figure, people
):
    client, what = visit("reviewer"), f"figure-{figure.pk}"
    page = " ".join(page_of(ask(client, release, what)).split())
    says(
        page,
        "<strong>4</strong> judgements in <strong>2</strong> entries",
        "asked at most <strong>4</strong> times",
    )
    page = page_of(ask(client, release, what, found="4", reason=" "))
    assert "Say why it is judged again." in page
    page = page_of(ask(client, release, what, found="3"))
    assert "has changed since you were asked. Nothing was done" in page
    unread = ((), ("figure-x",), ("figure-²",), ("entry-1",), ("figure-" + "9" * 30,), ("x",))
    for nothing in unread:
        page = page_of(ask(client, release, *nothing, found="6"))
        assert "tick a figure or an entry first" in page
    assert not Judgement.objects.filter(state=State.WAITING).exists()
    planned(release, people["submitter"], name="Judged for the first time")
    page = page_of(ask(client, release, what, found="4", reason="The colours were wrong."))
    assert "4 judgements wait for the judge again; 0 needed no call." in page
    assert [waiting(run) for run in runs] == [["1", "2"]] * 2
    logged = LogEntry.objects.get(user__username="reviewer")
    assert "Judged again (1 figure): 4 judgements wait" in logged.change_message
    assert "4 judgements to come in 2 entries" in page
    assert StaffAction.objects.latest("pk").reason == "The colours were wrong."


def test_exactly_the_ticked_entries_or_all_of_a_release_are_judged_again(visit, runs, release):
    client = visit("reviewer")
    ask(client, release, f"entry-{runs[1].submission_id}", found="3")
    assert [waiting(run) for run in runs] == [[], ["1", "2", "3"]]
    ask(client, release, "all", found="3")
    assert [waiting(run) for run in runs] == [["1", "2", "3"]] * 2


def test_an_entry_of_another_release_or_none_at_all_is_not_found(visit, runs, release):
    other = "entry-00000000-0000-4000-8000-000000000000"
    page = page_of(ask(visit("reviewer"), release, other, "figure-999999"))
    assert "Nothing of what you ticked is out of date any more." in page


def test_only_who_may_have_judged_again_enters(visit, people, release):
    expected = {"annotator": 403, "staff": 403, "reviewer": 200, "moderator": 200, "": 302}
    assert {name: visit(name).get(LIST).status_code for name in expected} == expected
    people["staff"].user_permissions.add(Permission.objects.get(codename="rejudge_stale"))
    assert visit("staff").get(LIST).status_code == 200


def test_any_release_in_the_address_is_answered(visit, release):
    for slug in ("", "x" * 500, "none", "%00"):
        assert visit("reviewer").get(f"{LIST}?release={slug}").status_code == 200
    assert visit("reviewer").post(f"{LIST}none/judge-again/").status_code == 404


@pytest.mark.slow
def test_the_page_takes_as_many_queries_for_many_entries(
    visit, runs, release, people, figure, django_assert_max_num_queries
):
    for i in range(6):
        judged(release, people["submitter"], name=f"Later {i}")
    describe(figure, "A cat and a dog.")
    client = visit("reviewer")
    with django_assert_max_num_queries(60):
        client.get(LIST)
    assert Submission.objects.count() == 8
