"""The queue: figures by what is to be done with them, whose work that is, and what comes next."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.models import (
    Ability,
    Assignment,
    Benchmark,
    Claim,
    Description,
    Figure,
    Question,
    Release,
)
from benchmarks.services.assignments import assign
from benchmarks.services.claims import claim
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.proposals import ProposalError
from judging.desk.queue.figures import Figures, by_ability, described_benchmarks, work_of
from tests.benchmarks.same_pictures import shown_elsewhere
from tests.conftest import freeze_release
from tests.judging.room import WORKLIST, page_of, place, review_of, says


@pytest.fixture
def author(people) -> User:
    found: User = people["annotator"]
    return found


@pytest.fixture
def reviewer(people) -> User:
    found: User = people["reviewer"]
    return found


def draft(figure, author, text="A cat.", base=0) -> Description:
    return save_draft(figure=figure, language="en", text=text, author=author, base_version=base)


def waiting(figure, author, text="A cat.", base=0) -> Description:
    description = draft(figure, author, text, base)
    submit_for_review(description=description)
    return description


def work(user: User):
    """By kind: keys of the figures."""
    found = work_of(user, Figures()).kinds
    names = {"sent back": "sent_back", "draft": "drafts", "to review": "to_review"}
    return {
        names.get(kind, kind): [Figure.objects.get(pk=row.figure).key for row in rows]
        for kind, rows in found.items()
        if kind and rows
    }


def copy_of(figure: Figure, slug: str) -> Question:
    """A question of another benchmark, about a figure of its own with pictures of its own."""
    question = figure.questions.get()
    benchmark = Benchmark.objects.get(slug=slug)
    question.figure = Figure.objects.create(
        benchmark=benchmark, key=f"{slug} copy", content_hash=slug.ljust(64, "0")
    )
    ability = Ability.objects.create(benchmark=benchmark, slug="all", title="All", position=0)
    question.subtask = ability.subtasks.create(slug="all", title="All", position=0)
    question.pk, question.benchmark = None, benchmark
    question.save()
    return question


def show(question: Question) -> Release:
    """An open release has the question."""
    benchmark = question.benchmark
    release = Release.objects.create(
        benchmark=benchmark, slug=f"{benchmark.slug}-1", title=benchmark.title, question_count=1
    )
    release.members.create(question=question, position=0)
    Release.objects.filter(pk=release.pk).update(state=Release.State.OPEN)
    return release


# --- whose work it is -----------------------------------------------------------------------------


def test_a_queue_sorts_figures_by_what_is_to_do_until_they_are_nobodys_work(
    figure, dark, author, reviewer, people
):
    assert work(author) == {"missing": ["one.png", "dark.png"]}
    draft(dark, author)
    version = waiting(figure, author)
    assert work(author) == {"drafts": ["dark.png"]}
    assert work(reviewer) == {"to_review": ["one.png"]}
    # a newer draft keeps nobody from reviewing what waits
    draft(figure, reviewer, "A red cat.", base=1)
    assert work(reviewer) == {"to_review": ["one.png"], "drafts": ["one.png"]}
    DESCRIPTION_REVIEW.send_back(proposal=version, reviewer=reviewer, comment="Which cat?")
    draft(figure, author, "A blue cat.", base=2)
    last = waiting(figure, author, "A big cat.", base=3)
    DESCRIPTION_REVIEW.approve(proposal=last, reviewer=people["other_reviewer"])
    assert work(author) == {"drafts": ["dark.png"]}
    assert work(reviewer) == {}
    draft(figure, author, "A bigger cat.", base=4)
    assert sorted(work(author)["drafts"]) == ["dark.png", "one.png"]


def test_nobody_reviews_their_own_words_and_what_is_sent_back_is_its_authors(
    figure, dark, author, reviewer
):
    waiting(dark, reviewer)
    assert "to_review" not in work(reviewer)
    DESCRIPTION_REVIEW.send_back(
        proposal=waiting(figure, author), reviewer=reviewer, comment="Which cat?"
    )
    assert work(author)["sent_back"] == ["one.png"]
    assert "missing" not in work(reviewer)
    draft(figure, author, "A red cat.", base=1)
    assert work(author)["drafts"] == ["one.png"]


def test_what_is_missing_goes_with_every_approval_and_every_release(
    load_spelling, release, figure, author, reviewer
):
    DESCRIPTION_REVIEW.approve(proposal=waiting(figure, author), reviewer=reviewer)
    assert work(author)["missing"] == ["dark.png"]
    load_spelling(slug="spelling-zh", language="zh")
    assert work(author)["missing"] == ["dark.png", "one.png", "dark.png"]
    freeze_release(release=release)
    assert work(author)["missing"] == ["one.png", "dark.png"]


def test_an_assigned_figure_comes_first_for_one_and_not_at_all_for_others(
    figure, dark, author, reviewer
):
    assign(places=[(dark.pk, "en")], user=author, by=reviewer, note="the lamp")
    mine = work_of(author, Figures())
    assert [row.figure for row in mine.to_write()] == [dark.pk, figure.pk]
    assert work(reviewer) == {"missing": ["one.png"]}
    waiting(dark, author)
    assert "assigned" not in work(author)
    assert work(reviewer)["to_review"] == ["dark.png"]


def test_only_benchmarks_whose_judge_reads_descriptions_are_listed(release, author):
    Benchmark.objects.create(slug="hallusionbench", title="HallusionBench")
    Benchmark.objects.create(slug="touchstone", title="TouchStone")
    assert [one.slug for one in described_benchmarks()] == ["spelling", "touchstone"]
    for slug in ("hallusionbench", "touchstone"):
        show(copy_of(Figure.objects.get(key="dark.png"), slug))
    assert work(author) == {"missing": ["one.png", "dark.png", "touchstone copy"]}


def test_progress_counts_figures_once_per_ability(release, figure, author, reviewer):
    DESCRIPTION_REVIEW.approve(proposal=waiting(figure, author), reviewer=reviewer)
    figures = Figures()
    (words,) = by_ability(figures, work_of(author, figures))
    assert words["title"] == Ability.objects.get().title
    counts = {name: count for name, count in words["counts"].items() if name and count}
    assert counts == {"figures": 2, "described": 1, "missing": 1}


def test_who_looks_again_reads_no_question_and_no_text(figure, dark, author, reviewer):
    waiting(figure, author)
    work_of(reviewer, Figures())
    with CaptureQueriesContext(connection) as queries:
        work_of(reviewer, Figures())
    read = " ".join(query["sql"] for query in queries)
    assert len(queries) == 5  # judges, benchmarks, releases, versions in review, figures
    for table in ("question", "description"):
        assert f'"benchmarks_{table}"."text"' not in read


# --- the list -------------------------------------------------------------------------------------


def listed(client: Client, **filters) -> list[str]:
    found = client.get(WORKLIST, {**filters}).context["cl"].items
    return [Figure.objects.get(pk=one["row"].figure).key for one in found]


def test_every_filter_leaves_out_what_is_not_like_it(visit, figure, dark, author, reviewer):
    waiting(dark, author)
    assign(places=[(figure.pk, "en")], user=author, by=reviewer)
    ability, client = Ability.objects.get(), visit("annotator")
    both = ["one.png", "dark.png"]
    assert listed(client) == listed(client, ability=ability.pk) == both
    assert listed(client, ability=ability.pk, state="approved") == []
    subtask = dark.questions.get().subtask
    assert listed(client, subtask=subtask.pk) == ["dark.png"]
    assert listed(client, state="missing") == ["one.png"]
    assert listed(client, state="in review") == ["dark.png"]
    assert listed(client, author=author.pk) == ["dark.png"]
    assert listed(client, assigned=author.pk) == ["one.png"]
    assert listed(client, assigned=0) == ["dark.png"]
    assert listed(client, q="3") == listed(client, q=f"{subtask} 1") == ["dark.png"]
    assert listed(client, q="no such thing") == []
    DESCRIPTION_REVIEW.approve(proposal=Description.objects.get(), reviewer=reviewer)
    assert listed(client) == ["one.png"]
    assert listed(client, state="approved") == ["dark.png"]
    assert listed(client, state="") == both


def test_the_list_says_who_has_a_form_open_and_who_was_asked(visit, figure, author, reviewer):
    claim(figure_id=figure.pk, language="en", user=author)
    assign(places=[(figure.pk, "en")], user=author, by=reviewer, note="the lamp")
    page = " ".join(page_of(visit("reviewer").get(WORKLIST, {"q": "2"})).split())
    says(page, "annotator has it open", 'annotator <span class="help">by reviewer: the lamp</span>')


ODD = (
    "ability=x",
    f"subtask={'9' * 40}",
    "state=nonsense",
    "benchmark=nonsense",
    "author=-1",
    "page=99999",
    "p=99999",
    "p=x&q=%00",
    "no=filter&question__text__contains=x",
)


def test_the_list_has_figures_by_name_and_leaves_out_filters_that_are_none(visit, figure, dark):
    client = visit("annotator")
    page = page_of(client.get(WORKLIST + "?q=3"))
    says(page, "1 figure", f'href="{place(dark)}"')
    assert dark.key not in page
    for query in ODD:
        assert "2 figures" in page_of(client.get(f"{WORKLIST}?{query}")), query
        assert client.post(f"{WORKLIST}next/?{query}", {}).status_code == 302
    assert "0 figures" in page_of(client.get(f"{WORKLIST}?q={'x' * 300}"))


def test_a_figure_that_waits_for_review_leads_reviewers_to_it_and_others_to_its_form(
    visit, figure, people
):
    version = waiting(figure, people["annotator"])
    for who, leads_to in (("reviewer", review_of(version)), ("annotator", place(figure))):
        assert f'<a href="{leads_to}">' in page_of(visit(who).get(WORKLIST + "?state=in+review"))


# --- the first page, and what comes next ----------------------------------------------------------


def test_the_admin_opens_on_what_is_next_and_what_was_decided(visit, figure, dark, people):
    version = waiting(figure, people["annotator"])
    page = page_of(visit("annotator").get("/admin/"))
    says(page, "Next for you", "<strong>1</strong> Missing")
    assert "To review" not in page
    page = page_of(visit("reviewer").get("/admin/"))
    says(page, "<strong>1</strong> To review", review_of(version), "<h1>Next for you</h1>")
    assert "Next for you" not in page_of(visit("staff").get("/admin/"))
    DESCRIPTION_REVIEW.send_back(
        proposal=version, reviewer=people["reviewer"], comment="Which cat?"
    )
    page = page_of(visit("annotator").get("/admin/"))
    assert ">Version 1 of Short 1</a> sent back by reviewer: Which cat?" in page
    for step in ("next/", "approve/confirmed/"):
        led = visit().post(WORKLIST + step, {"kind": "write"})
        assert led["Location"] == "/admin/login/?next=/admin/"


def ask_next(client, filters: str = "", **form) -> str:
    response = client.post(f"{WORKLIST}next/{filters}", form)
    assert response.status_code == 302
    return str(response["Location"])


def test_the_next_figure_is_claimed_and_others_are_given_what_nobody_has_open(
    visit, figure, dark, author
):
    client = visit("annotator")
    assert ask_next(client) == place(figure)
    assert Claim.objects.get().user == author
    assert ask_next(visit("reviewer")) == place(dark)
    assert ask_next(visit("other_reviewer")) == WORKLIST
    assert ask_next(client) == place(figure)
    assert client.post(place(figure) + "leave/").status_code == 204
    visit("reviewer").post(place(dark) + "leave/")
    assert not Claim.objects.exists()
    after = ask_next(client, after=f"{figure.pk}:en")
    assert after == f"{place(dark)}?back={figure.pk}:en"
    assert Claim.objects.get().figure == dark


def test_the_next_version_to_review_is_nobodys_own(visit, figure, dark, people):
    waiting(figure, people["reviewer"], "A red cat.")
    theirs = waiting(dark, people["annotator"], "Night.")
    assert ask_next(visit("reviewer"), kind="review") == review_of(theirs)
    assert ask_next(visit("moderator")) == review_of(Description.objects.get(figure=figure))


def test_who_only_looks_at_a_figure_is_in_no_reviewers_way(visit, figure, people):
    """Opened while it was a draft, and handed in by its writer since."""
    written = draft(figure, people["annotator"])
    looker = visit("other_reviewer")
    looker.get(place(figure))
    submit_for_review(description=written)
    assert ask_next(visit("reviewer"), kind="review") == review_of(written)
    assert ask_next(looker, kind="review") == WORKLIST, "two reviewers get different ones"


def test_what_somebody_types_about_is_not_given_to_other_reviewers(visit, figure, dark, people):
    written, other = draft(figure, people["annotator"]), waiting(dark, people["annotator"])
    typist = visit("other_reviewer")
    typist.get(place(figure))
    typist.post(f"{place(figure)}typed/", {"text": "A blue cat.", "base_version": 1})
    submit_for_review(description=written)
    typist.get(review_of(other))
    assert ask_next(visit("reviewer"), kind="review") == review_of(other)
    visit("reviewer").post(place(dark) + "leave/")
    typist.post(f"{review_of(other)}typed/", {"comment": "Which"})
    assert ask_next(visit("reviewer"), kind="review") == WORKLIST


def test_figures_are_found_by_words_of_what_is_judged_and_what_is_written(
    visit, figure, dark, people
):
    DESCRIPTION_REVIEW.approve(
        proposal=waiting(figure, people["annotator"], "A red cat."), reviewer=people["reviewer"]
    )
    draft(figure, people["annotator"], "A blue CAT with a hat.", base=1)
    draft(dark, people["annotator"], "Night.")
    for words, found in (("red cat", True), ("hat blue", True), ("green", False), ("night", False)):
        page = page_of(visit("annotator").get(WORKLIST, {"q": words, "state": ""}))
        assert (f'href="{place(figure)}"' in page) is found, words
    DESCRIPTION_REVIEW.approve(
        proposal=waiting(figure, people["annotator"], "A dog.", base=2),
        reviewer=people["reviewer"],
    )
    page = page_of(visit("annotator").get(WORKLIST, {"q": "red cat", "state": ""}))
    assert f'href="{place(figure)}"' not in page, "no longer what anybody reads"


def test_the_next_one_is_like_the_filters(visit, figure, dark):
    assert ask_next(visit("annotator"), "?q=3") == place(dark)
    visit("annotator").post(place(dark) + "leave/")
    for listed_now in ("?state=approved&q=3", "?q=3&state=in+review&assigned=0&p=7"):
        assert ask_next(visit("annotator"), listed_now) == place(dark), (
            "whose work, not what is listed"
        )
    assert ask_next(visit("annotator"), "?q=no+such+thing") == WORKLIST + "?q=no+such+thing"


def test_what_leads_back_may_be_anything(visit, figure):
    for back in ("x", "9:en", "9:../../x~8:en", "1:" + "e" * 600, "~~:"):
        where = ask_next(visit("annotator"), back=back, after="y")
        assert where.startswith(place(figure))
        assert ".." not in where


def test_submit_and_next_hands_in_and_opens_the_next_one(visit, figure, dark):
    client = visit("annotator")
    refused = client.post(
        place(figure),
        {"text": " ", "base_version": 0, "submit": "next", "back": f"{dark.pk}:en"},
    )
    assert refused.status_code == 422
    assert f'href="{place(dark)}" data-key="Alt+P"' in page_of(refused)
    page = page_of(client.get(place(figure)))
    says(page, "<h1>Short 1</h1>", f'name="after" value="{figure.pk}:en"')
    form = {"text": "A cat.", "base_version": 0, "submit": "next", "after": f"{figure.pk}:en"}
    response = client.post(place(figure), form)
    assert response["Location"] == f"{place(dark)}?back={figure.pk}:en"
    assert Description.objects.get().state == "in review"
    page = page_of(client.get(response["Location"]))
    says(page, "Version 1 waits for review.", f'href="{place(figure)}" data-key="Alt+P"')
    form = {**form, "after": f"{dark.pk}:en", "back": f"{figure.pk}:en"}
    response = client.post(place(dark), form, follow=True)
    assert response.redirect_chain[0][0] == WORKLIST
    assert "Nothing left for you" in page_of(response)


# --- asking people --------------------------------------------------------------------------------


def row_of(client: Client, figure: Figure) -> int:
    """What a tick of the figure sends."""
    rows = client.get(WORKLIST, {"state": ""}).context["cl"].items
    return next(int(one["row"].pk) for one in rows if one["row"].figure == figure.pk)


def take_action(client: Client, action: str, filters: str = "", **form):
    return client.post(
        f"{WORKLIST}{filters}", {"action": action, "_selected_action": 0, **form}, follow=True
    )


def test_reviewers_ask_annotators_for_the_figures_they_tick(visit, figure, dark, people):
    client = visit("reviewer")
    form = {"_selected_action": [row_of(client, dark), 99999], "to": people["annotator"].pk}
    response = take_action(client, "assign", "?q=3", **form, note=" the  lamp ")
    assert "1 figure is assigned to annotator." in page_of(response)
    assert response.redirect_chain[0][0] == WORKLIST + "?q=3"
    asked = Assignment.objects.get()
    assert (asked.figure, asked.user.username, asked.by.username) == (dark, "annotator", "reviewer")
    assert asked.note == "the lamp"


def test_all_that_are_listed_can_be_assigned_and_taken_back(visit, figure, dark, people):
    client = visit("reviewer")
    for name in ("annotator", "reviewer"):
        take_action(client, "assign", select_across="on", to=people[name].pk)
    assert [one.user.username for one in Assignment.objects.all()] == ["reviewer", "reviewer"]
    take_action(client, "assign_to_nobody", "?q=3", select_across="on")
    assert [one.figure for one in Assignment.objects.all()] == [figure]


def test_only_reviewers_ask_and_only_who_may_write_is_asked(visit, figure, people):
    form = {"_selected_action": row_of(visit("reviewer"), figure), "to": people["annotator"].pk}
    for name, may in (("annotator", False), ("moderator", False), ("reviewer", True)):
        assert ('name="note"' in page_of(visit(name).get(WORKLIST))) is may, name
    for name in ("annotator", "moderator", "staff", ""):
        take_action(visit(name), "assign", **form)
    for to in ("", "x", people["staff"].pk, people["submitter"].pk):
        response = take_action(visit("reviewer"), "assign", **{**form, "to": to})
        assert "assigned to" not in page_of(response).split("messagelist")[-1].split("</ul>")[0]
    page = page_of(take_action(visit("reviewer"), "assign", to=people["annotator"].pk))
    assert "select some figures first" in page
    assert not Assignment.objects.exists()
    assert "choose a person" in page_of(
        take_action(visit("reviewer"), "assign", **form | {"to": ""})
    )


# --- the same picture in two benchmarks -----------------------------------------------------------


def test_one_picture_is_one_work_item_until_it_is_approved(visit, figure, dark, author, reviewer):
    twin = shown_elsewhere(dark, "touchstone")
    before = work(author)["missing"]
    assert before.count("dark.png") == 1
    assert "One text serves the same picture in" in page_of(visit("annotator").get(WORKLIST))
    draft(twin, author)
    assert "dark.png" not in work(reviewer).get("missing", [])


def test_the_review_says_which_twin_is_judged_by_the_words_too(visit, figure, people):
    twin = shown_elsewhere(figure, "touchstone")
    version = waiting(figure, people["annotator"])
    page = page_of(visit("reviewer").get(review_of(version)))
    assert f'<a href="{place(twin)}">Whole picture 1</a> in <strong>touchstone</strong>' in page
    visit("reviewer").post(f"{WORKLIST}{version.pk}/approve/")
    copy = twin.descriptions.get()
    assert (copy.state, copy.text) == ("approved", "A cat.")
    history = page_of(visit("annotator").get(place(twin)))
    assert f'with <a href="{WORKLIST}{version.pk}/change/">the same picture</a>' in history


def take(client, figure: Figure, **typed: str) -> str:
    return page_of(client.post(f"{place(figure)}take/", typed, follow=True))


def test_a_newer_text_of_the_same_picture_is_offered_and_taken_as_a_draft(
    visit, figure, author, reviewer, people
):
    DESCRIPTION_REVIEW.approve(proposal=waiting(figure, author), reviewer=reviewer)
    twin = shown_elsewhere(figure, "touchstone")
    form = page_of(visit("annotator").get(place(twin)))
    says(form, "Copy the text of", "version 1")
    page = take(visit("other_reviewer"), twin)
    assert "Version 1, a draft, has the text of" in page
    assert "Copy the text of" not in page
    (version,) = twin.descriptions.all()
    assert (version.text, version.state) == ("A cat.", "draft")
    assert version.author == people["other_reviewer"]
    submit_for_review(description=version)
    for own in (author, people["other_reviewer"]):  # whose words they are, and who took them
        with pytest.raises(ProposalError, match="You cannot approve"):
            DESCRIPTION_REVIEW.approve(proposal=version, reviewer=own)
    DESCRIPTION_REVIEW.approve(proposal=version, reviewer=reviewer)


def test_a_text_that_is_older_or_the_same_is_not_offered(visit, figure, author, reviewer):
    DESCRIPTION_REVIEW.approve(proposal=waiting(figure, author), reviewer=reviewer)
    twin = shown_elsewhere(figure, "touchstone")
    later = draft(twin, author, "A dog.")
    for page in (place(twin), place(figure)):
        assert "Copy the text of" not in page_of(visit("annotator").get(page))
    assert "No newer text of the same picture" in take(visit("annotator"), twin)
    Description.objects.filter(pk=later.pk).update(created=datetime(2020, 1, 1, tzinfo=UTC))
    assert "Copy the text of" in page_of(visit("annotator").get(place(twin)))
    assert "Copy the text of" not in page_of(visit("moderator").get(place(twin)))
    Description.objects.filter(pk=later.pk).update(text="A  cat")
    assert "Copy the text of" not in page_of(visit("annotator").get(place(twin)))


def test_what_is_typed_beside_a_text_that_is_taken_is_kept(visit, figure, author, reviewer):
    DESCRIPTION_REVIEW.approve(proposal=waiting(figure, author), reviewer=reviewer)
    twin = shown_elsewhere(figure, "touchstone")
    page = take(visit("annotator"), twin, text="Half a sent", base_version="0")
    says(page, "Unsaved text", "Half a sent</textarea>")
