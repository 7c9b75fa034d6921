"""The annotators' room as its visitors see it: who may do what, what stands on the pages, and that
no text is lost."""

import re

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Description
from tests.conftest import freeze_release, submit
from tests.judging.room import WORKLIST, hides, page_of, place, review_of, save, says
from tests.slow import slow_except_every

State = Description.State
XSS = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


# --- who may do what ------------------------------------------------------------------------------

NOBODY = {
    "annotator": 403,
    "reviewer": 403,
    "moderator": 403,
    "submitter": 302,
    "staff": 403,
    "": 302,
}
LOOKERS = {**NOBODY, "annotator": 200, "reviewer": 200, "moderator": 200}
WRITERS = {**NOBODY, "annotator": 302, "reviewer": 302}
APPROVERS = {**NOBODY, "reviewer": 302, "moderator": 302}
PAGES = {
    "worklist": (LOOKERS, "get", "{worklist}"),
    "figure": (LOOKERS, "get", "{figure}"),
    "save": (WRITERS, "post", "{figure}"),
    "restore": (WRITERS, "post", "{worklist}{pk}/restore/"),
    "review": ({**NOBODY, "reviewer": 200, "moderator": 200}, "get", "{worklist}{pk}/review/"),
    "approve": (APPROVERS, "post", "{worklist}{pk}/approve/"),
    "send back": (APPROVERS, "post", "{worklist}{pk}/send-back/"),
    "keep what is typed": (
        {**NOBODY, "annotator": 204, "reviewer": 204, "moderator": 204},
        "post",
        "{figure}typed/",
    ),
    "judge again": ({**NOBODY, "moderator": 302, "reviewer": 302}, "post", "{figure}judge-again/"),
    "submissions": ({**NOBODY, "moderator": 200}, "get", "/admin/submissions/submission/"),
    "judgements": ({**NOBODY, "moderator": 200}, "get", "/admin/judging/judgement/"),
}


@pytest.mark.parametrize("page", slow_except_every(3, PAGES))
def test_each_page_is_for_those_who_may(visit, figure, in_review, page):
    expected, method, url = PAGES[page]
    where = url.format(worklist=WORKLIST, figure=place(figure), pk=in_review.pk)
    data = {"text": "x", "base_version": 1, "comment": "Why?", "unchanged": "yes"}
    found = {}
    for name in expected:
        with transaction.atomic():
            response = getattr(visit(name), method)(where, data if method == "post" else {})
            transaction.set_rollback(True)
        found[name] = response.status_code
        assert name not in ("", "submitter") or "login" in response["Location"]
    assert found == expected


def test_a_step_is_taken_by_its_own_form_alone(visit, people, figure, in_review):
    client = visit("reviewer")
    for step in ("approve", "send-back", "restore"):
        assert client.get(f"{WORKLIST}{in_review.pk}/{step}/").status_code == 405
    assert client.get(f"{WORKLIST}add/").status_code == 404
    assert client.post(f"{WORKLIST}{in_review.pk}/delete/", {"post": "yes"}).status_code == 404
    from_elsewhere = Client(enforce_csrf_checks=True)
    from_elsewhere.force_login(people["annotator"])
    sent = {"text": "x", "base_version": 1}
    assert from_elsewhere.post(place(figure), sent).status_code == 403
    assert Description.objects.get() == in_review


def test_the_room_names_no_submission(visit, figure, in_review, release, people):
    submit(release, people["submitter"], name="Secret model", visibility="private")
    for name in ("annotator", "reviewer"):
        assert "Secret model" not in page_of(visit(name).get(place(figure)))


def test_any_figure_language_or_version_in_the_address_is_answered(visit, figure, in_review):
    client = visit("annotator")
    for rest in ("999999/en/", f"{figure.pk}/xx/", f"{figure.pk}/a-very-long-language/"):
        assert client.get(f"{WORKLIST}figure/{rest}").status_code == 404
    versions = ("x", "99", "-1", "9" * 30, "²")
    for query in (*(f"version={one}" for one in versions), "against=1"):
        assert client.get(f"{place(figure)}?{query}").status_code == 200, query


# --- writing --------------------------------------------------------------------------------------


def test_a_draft_is_saved_once_and_its_text_in_the_form_is_sent_to_review(visit, figure):
    client = visit("annotator")
    page = page_of(save(client, figure, "A red cat."))
    assert "Version 1 is saved as a draft." in page
    assert ">A red cat.</textarea>" in page.replace("\n", "")
    assert "3 words" in page
    assert place(figure) in page_of(client.get(WORKLIST + "?state=draft"))
    save(client, figure, "A red cat.\r\n", base=1)
    sent = page_of(save(client, figure, "A blue cat.", base=1, button="submit"))
    assert "Version 2 waits for review." in sent
    assert list(Description.objects.order_by("version").values_list("text", "state")) == [
        ("A red cat.", State.DRAFT),
        ("A blue cat.", State.IN_REVIEW),
    ]


def test_a_text_that_cannot_be_stored_is_told_why_and_stays_in_the_form(visit, release, figure):
    client = visit("annotator")
    refused = {
        " \n": "Describe the figure before you save.",
        "x" * 20_001: "at most 20,000 characters",
        "a\0b": "null (U+0000) in line 1, at character 2",
    }
    for text, sentence in refused.items():
        response = save(client, figure, text)
        assert (response.status_code, sentence in page_of(response)) == (422, True)
    freeze_release(release=release)
    response = save(client, figure, "A cat.")
    assert (response.status_code, "frozen or retired" in page_of(response)) == (409, True)
    assert "A cat.</textarea>" in page_of(response)
    assert not Description.objects.exists()


def test_two_edits_of_one_version_show_both_texts_and_keep_the_second_in_the_form(visit, figure):
    first, second = visit("annotator"), visit("reviewer")
    save(first, figure, "A cat.")
    save(second, figure, "A red cat.", base=1)
    response = save(first, figure, "A blue cat.", base=1)
    page = page_of(response)
    assert response.status_code == 409
    says(
        page,
        "reviewer saved version 2",
        "<del>red</del><ins>blue</ins>",
        "A blue cat.</textarea>",
        'name="base_version" value="2"',
    )
    save(first, figure, "A blue cat.", base=2)
    assert list(Description.objects.order_by("version").values_list("text", flat=True)) == [
        "A cat.",
        "A red cat.",
        "A blue cat.",
    ]


def test_a_frozen_figure_says_so_before_anybody_writes(visit, release, figure, in_review):
    freeze_release(release=release)
    page = page_of(visit("reviewer").get(place(figure)))
    assert "Every release with this figure is frozen or retired" in page
    hides(page, "<textarea", "Review version")


def test_an_old_version_is_shown_without_a_form_and_can_be_restored(visit, figure):
    client = visit("annotator")
    save(client, figure, "A cat.")
    save(client, figure, "A dog.", base=1)
    page = page_of(client.get(f"{place(figure)}?version=1"))
    assert "Version 1 of 2" in page
    assert "<textarea" not in page
    first = Description.objects.get(version=1)
    assert "A cat.</textarea>" in page_of(
        client.post(f"{WORKLIST}{first.pk}/restore/", follow=True)
    )


def with_versions(figure, count: int) -> None:
    """The third is approved, the fourth was sent back."""
    states = {3: State.APPROVED, 4: State.SENT_BACK}
    Description.objects.bulk_create(
        Description(
            figure=figure,
            version=version,
            text=f"Text number {version} of the cat.",
            state=states.get(version, State.DRAFT),
            review_comment="Which?" if version == 4 else "",
        )
        for version in range(1, count + 1)
    )


def history_on(page: str) -> list[int]:
    return [int(n) for n in re.findall(r'<th scope="row"><a href="\?version=(\d+)">', page)]


def test_a_long_history_has_pages(visit, figure):
    with_versions(figure, 50)
    client = visit("annotator")
    page = page_of(client.get(place(figure)))
    assert history_on(page) == list(range(50, 30, -1))
    says(page, "Page 1 of 3", "Changes since 30")
    older = page_of(client.get(f"{place(figure)}?version=50&page=3"))
    assert history_on(older) == list(range(10, 0, -1))
    assert "<textarea" in older
    assert "Older versions" not in older
    for beyond in ("0", "99", "x"):
        assert history_on(page_of(client.get(f"{place(figure)}?page={beyond}")))


def test_an_old_version_is_told_from_others_on_other_pages_of_the_history(visit, figure):
    with_versions(figure, 50)
    client = visit("annotator")
    page = page_of(client.get(f"{place(figure)}?version=25"))
    says(page, "Version 25 of 50", "Text number 25 of the cat.")
    assert history_on(page) == list(range(30, 10, -1))
    assert page.count('aria-current="true"') == 1
    page = page_of(client.get(place(figure)))
    says(page, "Since version 3, approved", "Since version 4, sent back")
    assert "Since version 2, draft" in page_of(client.get(f"{place(figure)}?against=2"))


def test_texts_that_no_page_shows_are_not_read(visit, figure, django_assert_max_num_queries):
    with_versions(figure, 50)
    client = visit("reviewer")
    client.get(place(figure))
    with CaptureQueriesContext(connection) as few:
        client.get(place(figure))
    longer = {"figure": figure, "text": "x" * 20_000, "state": State.DRAFT}
    Description.objects.bulk_create(Description(version=v, **longer) for v in range(51, 300))
    with_text = [row for row in rows_with_texts(client, place(figure)) if row]
    assert max(with_text) <= 22  # a page, the approved one and the one sent back
    with django_assert_max_num_queries(len(few)):
        client.get(place(figure))


def rows_with_texts(client, where: str) -> list[int]:
    """How many rows each query for texts of descriptions finds."""
    with CaptureQueriesContext(connection) as queries:
        client.get(where)
    found = []
    for query in queries:
        if re.match(r'SELECT [^()]*"benchmarks_description"."text"', query["sql"]):
            with connection.cursor() as cursor:
                cursor.execute(query["sql"])
                found.append(len(cursor.fetchall()))
    return found


def test_a_review_shows_the_last_comments_alone(visit, figure, people):
    Description.objects.bulk_create(
        Description(
            figure=figure,
            version=version,
            text=f"Text {version}.",
            state=State.SENT_BACK,
            review_comment=f"Comment {version}.",
            author=people["annotator"],
        )
        for version in range(1, 60)
    )
    last = Description.objects.create(
        figure=figure,
        version=60,
        text="A cat.",
        state=State.IN_REVIEW,
        author=people["annotator"],
    )
    page = page_of(visit("reviewer").get(review_of(last)))
    assert re.findall(r"Comment (\d+)\.", page) == [str(n) for n in range(59, 39, -1)]
    assert "Since version 59" in page or "since version 59" in page
    assert max(rows_with_texts(visit("reviewer"), review_of(last))) <= 20


# --- the page -------------------------------------------------------------------------------------


def test_a_hostile_text_is_text_everywhere(visit, figure, people):
    annotator, reviewer = visit("annotator"), visit("reviewer")
    save(annotator, figure, f"{XSS} one", button="submit")
    first = Description.objects.get()
    reviewer.post(f"{WORKLIST}{first.pk}/send-back/", {"comment": XSS})
    save(annotator, figure, f"{XSS} two", base=1, button="submit")
    pages = [
        reviewer.get(place(figure)),
        reviewer.get(f"{place(figure)}?version=2&against=1"),
        reviewer.get(review_of(Description.objects.get(version=2))),
        reviewer.get(WORKLIST),
        save(annotator, figure, f"{XSS} three", base=1),
    ]
    for response in pages:
        assert "<script>alert" not in page_of(response)
        assert "<img src=x" not in page_of(response)
    assert "&lt;script&gt;" in page_of(pages[1])


def test_the_pages_keep_the_strict_policy(visit, figure, in_review):
    for where in (WORKLIST, place(figure), review_of(in_review)):
        response = visit("reviewer").get(where)
        assert "unsafe" not in response["Content-Security-Policy"]
        assert " style=" not in page_of(response)
        assert "no-store" in response["Cache-Control"]


def test_a_figure_shows_its_picture_and_its_questions(visit, figure):
    page = page_of(visit("annotator").get(place(figure)))
    image = figure.images.get()
    assert f'href="/figures/{image.pk}/" target="_blank" rel="noopener"' in page
    size = f'width="{image.width}" height="{image.height}"'
    says(page, f'src="/figures/{image.pk}/small/" {size}', "Spell two.", "Spell colour.")
    assert "Spell night." not in page


def test_a_figure_in_the_admin_and_the_log_lead_to_the_description(visit, figure, in_review):
    client = visit("annotator")
    page = page_of(client.get(f"/admin/benchmarks/figure/{figure.pk}/change/"))
    assert f"{WORKLIST}figure/{figure.pk}/" in page
    assert client.get(f"{WORKLIST}figure/{figure.pk}/")["Location"] == place(figure)
    logged = client.get(f"{WORKLIST}{in_review.pk}/change/")
    assert logged["Location"] == f"{place(figure)}?version=1"


@pytest.mark.slow
def test_the_pages_ask_the_database_a_bounded_number_of_times(
    visit, figure, in_review, django_assert_max_num_queries
):
    for version in range(1, 15):
        save(visit("annotator"), figure, f"A cat, version {version}.", base=version)
    for where in (WORKLIST, place(figure), f"{place(figure)}?version=1", review_of(in_review)):
        client = visit("reviewer")
        with django_assert_max_num_queries(34):
            client.get(where)
