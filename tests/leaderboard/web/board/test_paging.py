"""A board page shows a part of the board: pages, search, filters, and what a reader ticked."""

import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from html import unescape
from types import SimpleNamespace
from urllib.parse import parse_qs
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Benchmark
from judging.models import JudgeSpec
from leaderboard.models import BoardFacts
from leaderboard.results.selectors import BoardReading, Era, read_board
from leaderboard.templatetags.numbers import to_page
from leaderboard.web.board import choices
from leaderboard.web.board.tables import BASELINES, TICKED
from tests.conftest import import_spelling, judged, submit
from tests.leaderboard.web.board.many import many
from tests.leaderboard.web.board.shown import heads_of, markup, page_of

BOARD = "hallusionbench"
COUNT = 125
PAGE = "/boards/spelling/"


@pytest.fixture(scope="module")
def whole():
    return many(BOARD, COUNT)


def ids(page: SimpleNamespace) -> list[UUID]:
    return list(page.rows)


def first_row(page: SimpleNamespace) -> str:
    return str(next(iter(page.rows.values())))


def query_of(url: str) -> dict[str, list[str]]:
    return parse_qs(url.removeprefix("?").partition("#")[0])


def test_a_page_holds_fifty_rows_with_their_true_ranks_and_the_last_what_is_left(whole):
    page = page_of(whole, page=2)
    assert ids(page) == [entry.id for entry in whole.entries[50:100]]
    assert '<td class="rank">43-59</td>' in first_row(page)
    assert (page.shown.start_index(), page.shown.end_index()) == (51, 100)
    assert (page.shown.paginator.count, page.shown.paginator.num_pages) == (125, 3)
    assert ">124 ranked entries, 1 not ranked" in markup(page)
    last = page_of(whole, page=3)
    assert len(last.rows) == 25
    assert (last.shown.has_next(), last.shown.end_index()) == (False, 125)
    assert query_of(to_page(last.pages_url, 2))["page"] == ["2"]
    assert page.heads == last.heads
    for beyond in (4, 999_999):
        assert page_of(whole, page=beyond).rows == last.rows


def test_a_page_says_what_bold_means_where_it_has_some(whole):
    rows = page_of(whole, page=3).rows
    plain = next(id for id, row in rows.items() if 'class="best' not in row)
    alone = next(entry.model for entry in whole.entries if entry.id == plain)
    for query, has_bold in (({"page": 1}, True), ({"q": alone}, False)):
        page = page_of(whole, **query)
        assert ('class="best' in "".join(page.rows.values())) == page.has_bold == has_bold
        assert ("bold: could be first in its column" in markup(page)) == has_bold


def test_an_entry_is_drawn_on_the_same_scale_wherever_it_is_shown(whole):
    entry = whole.entries[75]
    shown = (page_of(whole, page=2), page_of(whole, q=entry.model), page_of(whole, m=entry.id))
    drawn = [whiskers(page, entry.id) for page in shown]
    assert len(drawn[0]) > 5
    assert drawn[0] == drawn[1] == drawn[2]


def whiskers(page: SimpleNamespace, entry: UUID) -> list[str]:
    rows = [*page.rows.values(), *(row for block in page.also for row in block["rows"])]
    (row,) = (row for row in rows if f"/entries/{entry}/" in row)
    return re.findall(r"<svg.*?</svg>", row)


def test_links_to_other_pages_keep_every_choice_and_other_choices_begin_at_the_first(whole):
    page = page_of(whole, page=2, sort="aAcc", order="asc", open="1", m=whole.entries[3].id)
    assert len(page.rows) == 13
    query = query_of(to_page(page.pages_url, 1))
    assert "page" not in query
    kept = {"sort": ["aAcc"], "order": ["asc"], "open": ["1"], "m": [str(whole.entries[3].id)]}
    assert query.items() >= kept.items()
    page = page_of(whole, page=2)
    links = [heads_of(page)[0].url, page.rank_url, page.published_url]
    links += [tab.url for tab in page.tabs] + [choice.url for choice in page.measures]
    assert [query_of(url).get("page") for url in links] == [None] * len(links)
    assert "page" not in dict(page.search_kept)
    assert dict(page.kept)["page"] == "2"  # whoever ticks a model stays


def test_sorting_is_over_the_whole_board_and_a_card_shows_the_figure_by_which(whole):
    page = page_of(whole, sort="fAcc", order="asc", page=3)
    shown = {entry.id: entry.value("fAcc") for entry in whole.entries}
    assert [shown[row] for row in ids(page)] == sorted(shown.values())[100:]
    metrics = whole.board.tables[0].metrics
    row = first_row(page_of(whole, sort=metrics[-1].name, columns="all"))
    cells = re.findall(r"<td(?: class=\"([^\"]*)\")?[^>]*>", row)
    assert [("sorted" in name.split()) for name in cells].count(True) == 1
    assert "sorted" not in first_row(page_of(whole))
    assert f"all {len(metrics) + len(whole.board.tables[0].bars)} figures" in row


def test_ticked_models_are_shown_wherever_they_stand():
    whole = many("tiny_lvlm_ehub_ability", COUNT)
    far = whole.entries[77]
    page = page_of(whole, m=[far.id, whole.entries[3].id])
    (block, _) = page.also
    assert block["title"] == TICKED
    for part in (str(far.id), '<td class="rank">70-86</td>', "checked"):
        assert part in block["body"]
    assert [chosen.model for chosen, _ in page.chosen] == [whole.entries[3].model, far.model]
    assert page.notes == ()
    notes = page_of(whole, m=UUID(int=1)).notes
    assert notes == ("1 ticked entry is not on this board.",)


def test_baselines_come_along_on_the_first_page_of_the_whole_board_alone(whole):
    pages = [page_of(whole), page_of(whole, page=2), page_of(whole, page=3)]
    titles = [[block["title"] for block in page.also] for page in pages]
    assert titles == [[BASELINES], [], []]
    assert ids(pages[2])[-1] == whole.entries[-1].id  # there it stands in the order
    assert page_of(whole, q="orca").also == []


def with_baselines(count: int) -> BoardReading:
    whole = many(BOARD, 20)
    made = [
        replace(entry, origin="baseline", rank=None, rank_best=None, rank_worst=None)
        for entry in whole.entries[-count:]
    ]
    return replace(whole, entries=(*whole.entries[:-count], *made))


def test_baselines_of_a_short_board_stand_below_its_rows_folded_where_they_are_many():
    whole = with_baselines(5)
    column = whole.board.tables[0].metrics[0].name
    for query in ({}, {"sort": column}, {"sort": column, "order": "asc"}):
        page = page_of(whole, **query)
        assert [len(page.rows), *(len(block["rows"]) for block in page.also)] == [15, 5]
    assert whole.entries[-1].id in ids(page_of(whole, q=whole.entries[-1].model))
    for count, is_folded in ((3, False), (4, True)):
        whole = with_baselines(count)
        page = page_of(whole)
        (block,) = page.also
        assert block["is_folded"] is is_folded
        text = markup(page)
        assert ("Baselines, not ranked (4)" in text) is is_folded
        assert all(f"/entries/{entry.id}/" in text for entry in whole.entries)
        (ticked,) = page_of(whole, m=[str(whole.entries[-1].id)]).also
        assert (ticked["title"], len(ticked["rows"])) == (BASELINES, count)
        assert not ticked["is_folded"]


def test_rows_and_figure_tell_two_entries_of_one_model_apart():
    whole = many(BOARD, 6)
    model, submitted = whole.entries[0].model_id, whole.entries[2].submitted
    assert submitted
    day = submitted + timedelta(days=1)
    second = replace(whole.entries[2], model_id=model, submitted=day)
    page = page_of(replace(whole, entries=(*whole.entries[:2], second, *whole.entries[3:])))
    rows = list(page.rows.values())
    told = ["submitted " in row for row in rows]
    assert told == [True, False, True, False, False]
    assert f"submitted {day:%Y-%m-%d}" in rows[2]
    assert f"({day:%Y-%m-%d})" in re.sub(r"<[^>]+>", "", page.lead.wide)


def test_a_search_finds_words_in_model_and_organisation_and_filters_leave_others_out(whole):
    page = page_of(whole, q="ORCA meridian")
    found = [e for e in whole.entries if "Orca" in e.model and "Meridian" in e.facts.organisation]
    assert ids(page) == [entry.id for entry in found][:50]
    assert page.shown.paginator.count == len(found) > 5
    assert page.choices.is_narrowed
    assert dict(page.search_kept).get("q") is None
    assert "q" not in query_of(page.clear_url)
    verified = replace(whole.entries[7], verified="verified 2026-01-01 by Eva (staff): asked")
    board = replace(whole, entries=(*whole.entries[:7], verified, *whole.entries[8:]))
    assert ids(page_of(board, verified="1")) == [verified.id]
    assert ids(page_of(board, open="1"))[:2] == [whole.entries[0].id, whole.entries[2].id]
    assert ids(page_of(board, verified="1", open="1")) == []


@pytest.mark.parametrize(("name", "value"), [("size", "3-8"), ("org", "Meridian Labs")])
def test_a_choice_leaves_the_others_and_the_printed_rows_out_and_is_kept_in_links(
    whole, name, value
):
    small = replace(whole.entries[7], facts=BoardFacts(billions=7.0))
    board = replace(whole, entries=(*whole.entries[:7], small, *whole.entries[8:]))
    page = page_of(board, **{name: value})
    of_value = (
        [small] if name == "size" else [e for e in whole.entries if e.facts.organisation == value]
    )
    assert ids(page) == [entry.id for entry in of_value][:50]
    assert (page.choices.is_narrowed, printed(page)) == (True, 0)
    assert offered(page, name)[0] == [value]
    assert name not in dict(page.search_kept)
    files = [url for _, files in page.downloads for _, url in files]
    links = [page.rank_url, page.published_url, *files]
    assert all(query_of(url.partition("?")[2] or url)[name] == [value] for url in links)


def test_what_no_entry_says_can_be_chosen_and_what_the_board_has_not_is_left_out_and_said(whole):
    one = replace(whole.entries[7], facts=BoardFacts(billions=7.0))
    board = replace(whole, entries=(*whole.entries[:7], one, *whole.entries[8:]))
    assert page_of(board, size="unsaid").shown.paginator.count == len(whole.entries) - 1
    page = page_of(whole, org="Nobody & Sons")
    assert page.shown.paginator.count == page_of(whole).shown.paginator.count
    assert printed(page) == printed(page_of(whole)) > 0
    assert [note for note in page.notes if "Nobody & Sons" in note]
    chosen, names = offered(page, "org")
    assert chosen == [""]
    assert set(names) == {"", *(entry.facts.organisation for entry in whole.entries)}
    assert "org" not in query_of(page.rank_url)


def offered(page: SimpleNamespace, name: str) -> tuple[list[str], list[str]]:
    """What is chosen, and all there is to choose from."""
    (form,) = re.findall(rf'<select name="{name}">(.*?)</select>', markup(page), re.DOTALL)
    options = re.findall(r'<option value="(.*?)"( selected)?>', form)
    return [unescape(one) for one, mark in options if mark], [unescape(one) for one, _ in options]


def printed(page: SimpleNamespace) -> int:
    return sum(len(block["rows"]) for block in page.published)


def test_rows_of_papers_stand_below_the_first_page_and_what_is_searched_for(whole):
    assert printed(page_of(whole)) > printed(page_of(whole, q="gpt4v")) > 0
    elsewhere = [page_of(whole, page=2), page_of(whole, open="1"), page_of(whole, published="off")]
    assert [printed(page) for page in elsewhere] == [0, 0, 0]


def test_rows_are_sorted_by_the_script_only_where_all_are_there(whole):
    assert not page_of(whole).is_whole
    assert "data-entry" not in markup(page_of(whole))
    small = page_of(many(BOARD, 20))
    assert small.is_whole
    assert ["long-ranks" in markup(page) for page in (page_of(whole), small)] == [True, False]
    assert markup(small).count("data-entry") == 20


# --- as it is served ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def five(module_rows) -> None:
    release = import_spelling()
    owner = User.objects.create_user("rosa", "rosa@example.org")
    answers = [b"1=two\n2=colour\n3=night\n4=x\n", b"1=two\n2=colour\n3=x\n4=x\n"]
    for number in range(5):
        content = answers[number % 2].replace(b"=x", b"=x%d" % number)
        judged(submit(release, owner, content, name=f"Model {number}"))


@pytest.fixture
def three_pages(five, db, monkeypatch) -> BoardReading:
    """A board of five entries, two on a page."""
    monkeypatch.setattr(choices, "ROWS", ((99, 2),))
    return read_board(Benchmark.objects.get(slug="spelling"))


def names(text: str) -> list[str]:
    return re.findall(r'<a href="/entries/[^"]+" title="(Model \d)"', text)


def test_pages_follow_one_another_without_gap_or_repetition(
    three_pages, client, django_assert_max_num_queries
):
    with django_assert_max_num_queries(24):
        pages = [client.get(PAGE).text]
    pages += [client.get(PAGE, {"page": page}).text for page in (2, 3)]
    found = [names(page) for page in pages]
    assert [len(page) for page in found] == [2, 2, 1]
    assert [name for page in found for name in page] == [e.model for e in three_pages.entries]
    text = client.get(PAGE, {"page": 2, "q": "model"}).text
    links = re.findall(r'<(a|link)\b(?=[^>]*rel="(prev|next)")[^>]*href="([^"]*)"', text)
    assert Counter((tag, rel) for tag, rel, _ in links) == {
        ("link", "prev"): 1,
        ("link", "next"): 1,
        ("a", "prev"): 2,
        ("a", "next"): 2,
    }
    (address,) = {unescape(url) for tag, rel, url in links if (tag, rel) == ("link", "next")}
    query = query_of(address.partition("?")[2])
    assert (query["page"], query["q"]) == (["3"], ["model"])
    # files are of all pages, and of what was searched for
    for asked, count in (({"page": 2}, 5), ({"q": "model 3"}, 1)):
        lines = client.get(f"{PAGE}export.csv", asked).getvalue().decode().splitlines()
        assert len(lines) == 1 + count


def test_no_address_is_answered_with_a_failure(three_pages, client):
    for query, status, said in (
        ({"page": "-1"}, 200, "There is no page “-1”"),
        ({"page": 10**9}, 200, "There is no page"),
        ({"page": "x"}, 200, "There is no page “x”"),
        ({"page": ["1", "1"]}, 200, "Rows 1-2 of 5"),
        ({"page": 4}, 200, "Rows 5-5 of 5"),
        ({"page": 999_999}, 200, "this is its last, page 3."),
        ({"q": "x" * 10_000}, 400, "could not be read"),
        ({"q": "\x00%_'\"<"}, 200, "No entry of this board fits"),
        ({"table": "<b>"}, 200, "There is no table “&lt;b&gt;”"),
        ({"release": "\x00"}, 200, ""),
        ({"judge": "x" * 5_000}, 404, ""),
        ({"m": ["x"] * 500}, 200, "Rows 1-2 of 5"),
    ):
        response = client.get(PAGE, query)
        assert (response.status_code, said in response.text) == (status, True), query


def test_a_search_in_any_letters_finds_a_model_and_shows_its_rank(three_pages, client):
    """One without a hit says so above what was ticked."""
    last = three_pages.entries[-1]
    text = client.get(PAGE, {"q": last.model.upper()}).text
    assert names(text) == [last.model]
    assert "Rows 1-1 of 1" in text
    assert f'value="{last.model.upper()}"' in text
    (rank,) = re.findall(r'class="rank">([\d-]+)<', text)
    assert rank.endswith(str(last.rank_worst))
    asked = {"q": "nobody", "m": str(three_pages.entries[0].id)}
    text = client.get(PAGE, asked).text
    assert text.index("No entry of this board fits") < text.index(TICKED)
    assert "No entry of this board" not in client.get(PAGE, asked | {"q": last.model}).text


def test_a_board_leads_to_the_other_kind_of_judge():
    whole = many(BOARD, 6)
    assert whole.era
    other = Era(whole.era.release, JudgeSpec(pk=2, slug="m", kind="openai", model="m"), 3)
    both = markup(page_of(replace(whole, eras=(whole.era, other))))
    assert re.findall(r"judge=(m)&", both.split("Judged by:")[1])
    assert "Judged by:" not in markup(page_of(whole))


def test_the_head_of_a_group_explains_itself_as_that_of_a_column_does():
    text = markup(page_of(many(BOARD, 3), table="subcategories"))
    opened = re.findall(r'popovertarget="(about-group-[^"]*)"', text)
    assert opened == ["about-group-visual-dependent", "about-group-visual-supplement"]
    assert all(text.count(f'id="{name}"') == 1 for name in opened)
    assert "cannot be answered without their picture" in text
