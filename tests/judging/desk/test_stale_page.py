"""What stands by older texts, as who may have it judged again sees it: found, priced, asked, and
exactly that."""

import re
from html import unescape

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.staff_models import StaffAction
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import set_public_name
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import submit
from tests.judging.room import page_of

State = Judgement.State
LIST = "/admin/judging/stalejudgement/"


def judged(release: Release, owner, **submission) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="here", model="scripted", repeats=1
    )
    run = request_run(submission=submit(release, owner, **submission), spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    return run


def describe(figure: Figure, text: str) -> None:
    version = Description.objects.filter(figure=figure).count() + 1
    Description.objects.create(figure=figure, version=version, text=text, state="approved")


@pytest.fixture
def runs(release, people, figure, dark) -> list[JudgeRun]:
    """Two entries, judged before both figures had a description."""
    owner = people["submitter"]
    one = judged(release, owner, name="First model", visibility="public")
    two = judged(
        release, owner, name="Second model", visibility="private", content=b"1=to\n2=x\n3=y\n4=z\n"
    )
    describe(figure, "A cat.")
    describe(dark, "The night.")
    return [one, two]


def ask(client, release: Release, *what: str, found: str = "", reason: str = "Better words."):
    data = {"what": what, "reason": reason, **({"found": found} if found else {})}
    return client.post(f"{LIST}{release.slug}/judge-again/", data, follow=True)


def waiting(run: JudgeRun) -> list[str]:
    found = run.judgements.filter(state=State.WAITING)
    return sorted(found.values_list("answer__question__public_id", flat=True))


def test_all_of_it_stands_on_the_page_by_release_figure_and_entry(visit, runs, release):
    page = " ".join(page_of(visit("reviewer").get(LIST)).split())
    assert "<strong>6</strong> judgements in <strong>2</strong> entries" in page
    assert "questions 1, 2" in page
    assert "question 3" in page
    assert "First model" in page
    assert "Second model" not in page  # private: reviewers do not know whose answers they are
    assert f"Private entry {str(runs[1].submission_id)[:8]}" in page


def test_who_may_look_at_what_was_handed_in_reads_every_name(visit, runs, people):
    assert "Second model" in page_of(visit("moderator").get(LIST))


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


def test_whose_a_private_entry_is_stays_untold(visit, runs, people):
    set_public_name(owner=people["submitter"], name="Rosa")
    assert details(page_of(visit("reviewer").get(LIST))) == ["Rosa"]  # of the public one
    assert details(page_of(visit("moderator").get(LIST))) == ["Rosa", "Rosa"]


def test_it_is_asked_with_how_many_before_anything_is_done(visit, runs, release, figure):
    client = visit("reviewer")
    page = " ".join(page_of(ask(client, release, f"figure-{figure.pk}")).split())
    assert "<strong>4</strong> judgements in <strong>2</strong> entries" in page
    assert "asked at most <strong>4</strong> times" in page
    assert not Judgement.objects.filter(state=State.WAITING).exists()


def test_exactly_the_ticked_figures_are_judged_again_and_that_is_written_down(
    visit, runs, release, figure
):
    page = page_of(ask(visit("reviewer"), release, f"figure-{figure.pk}", found="4"))
    assert "4 judgements wait for the judge again; 0 needed no call." in page
    assert [waiting(run) for run in runs] == [["1", "2"]] * 2
    logged = LogEntry.objects.get(user__username="reviewer")
    assert "Judged again (1 figure): 4 judgements wait" in logged.change_message
    assert "4 judgements to come in 2 entries" in page


def test_nothing_is_judged_again_without_a_reason_and_the_log_has_it(visit, runs, release, figure):
    client = visit("reviewer")
    page = page_of(ask(client, release, f"figure-{figure.pk}", found="4", reason=" "))
    assert "Say why it is judged again." in page
    assert not Judgement.objects.filter(state=State.WAITING).exists()
    ask(client, release, f"figure-{figure.pk}", found="4", reason="The colours were wrong.")
    assert StaffAction.objects.latest("pk").reason == "The colours were wrong."


def test_exactly_the_ticked_entries_are_judged_again(visit, runs, release):
    ask(visit("reviewer"), release, f"entry-{runs[1].submission_id}", found="3")
    assert [waiting(run) for run in runs] == [[], ["1", "2", "3"]]


def test_what_changed_since_the_question_is_asked_anew(visit, runs, release, figure):
    page = page_of(ask(visit("reviewer"), release, f"figure-{figure.pk}", found="3"))
    assert "has changed since you were asked. Nothing was done" in page
    assert not Judgement.objects.filter(state=State.WAITING).exists()


@pytest.mark.parametrize(
    "what", [(), ("figure-x",), ("figure-²",), ("entry-1",), ("figure-" + "9" * 30,), ("x",)]
)
def test_nothing_that_can_be_read_is_nothing_ticked(visit, runs, release, what):
    page = page_of(ask(visit("reviewer"), release, *what, found="6"))
    assert "tick a figure or an entry first" in page
    assert not Judgement.objects.filter(state=State.WAITING).exists()


def test_an_entry_of_another_release_or_none_at_all_is_not_found(visit, runs, release):
    other = "entry-00000000-0000-4000-8000-000000000000"
    page = page_of(ask(visit("reviewer"), release, other, "figure-999999"))
    assert "Nothing of what you ticked is out of date any more." in page


def test_all_of_a_release_is_judged_again(visit, runs, release):
    ask(visit("reviewer"), release, "all", found="6")
    assert [waiting(run) for run in runs] == [["1", "2", "3"]] * 2


@pytest.mark.parametrize(
    ("name", "status"),
    [("annotator", 403), ("staff", 403), ("reviewer", 200), ("moderator", 200), ("", 302)],
)
def test_only_who_may_have_judged_again_enters(visit, release, name, status):
    assert visit(name).get(LIST).status_code == status


def test_the_permission_alone_is_enough(visit, people, release):
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
