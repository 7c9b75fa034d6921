"""A question's page: what is asked, what every public entry answered, and what they say of it."""

import re
from typing import cast

import pytest

from benchmarks.models import Question, Release, ReleaseQuestion
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.editions import refresh_boards
from leaderboard.pages.question import PER_PAGE, scored_rows
from leaderboard.selectors import eras_of
from tests.conftest import fetched, import_words, judged, make_owner, submit

ENTRIES = PER_PAGE + 3


def answers_of(right: int, questions: int = 6) -> bytes:
    """The first so many are right; the others say which entry it is."""
    return "".join(
        f"{n}={f'word{n}' if n <= right else f'wrong{right}'}\n" for n in range(1, questions + 1)
    ).encode()


@pytest.fixture(scope="module")
def handed_in(module_rows) -> list[Submission]:
    """Three public entries: all six right, three, and none."""
    words, owner = import_words(range(1, 7)), make_owner()
    entries = [submit(words, owner, answers_of(n), name=f"Speller {n}") for n in (6, 3, 0)]
    for entry in entries:
        judged(entry)
    return entries


@pytest.fixture
def three(handed_in, db) -> list[Submission]:
    return cast(list[Submission], fetched(handed_in))


@pytest.fixture
def words(three) -> Release:
    return three[0].release


def question(public_id: str) -> Question:
    return Question.objects.get(public_id=public_id)


def page_of(client, public_id: str = "2", query: str = "") -> str:
    response = client.get(f"/questions/{question(public_id).pk}/{query}")
    assert response.status_code == 200
    return str(response.content.decode())


def names(page: str) -> list[str]:
    return re.findall(r'<p class="who"><a href="[^"]+">([^<]+)</a>', page)


def test_answers_stand_side_by_side_in_the_order_of_the_board(client, three):
    page = page_of(client)
    assert names(page) == ["Speller 6", "Speller 3", "Speller 0"]
    assert re.findall(r'<li class="(\w*)">', page) == ["right", "right", "wrong"]
    assert re.findall(r'<p class="said">(\w+)', page) == ["word2", "word2", "wrong0"]


def test_each_answer_leads_to_its_line_in_its_entry(client, three):
    (href, *_) = re.findall(r'<p class="who"><a href="([^"]+)"', page_of(client, "5"))
    address, _, anchor = href.replace("&amp;", "&").partition("#")
    assert f'id="{anchor}"' in client.get(address).content.decode()
    assert anchor == f"question-{question('5').pk}"


def test_the_entry_leads_back(client, three):
    entry = client.get(f"/entries/{three[0].pk}/").content.decode()
    (href, *_) = re.findall(r'class="all-answers" href="([^"]+)"', entry)
    assert names(client.get(href.replace("&amp;", "&")).content.decode())[0] == "Speller 6"


def test_private_and_withdrawn_entries_are_not_there(client, three):
    set_visibility(submission=three[0], visibility="private")
    withdraw_submission(submission=three[1])
    page = page_of(client)
    assert names(page) == ["Speller 0"]
    assert "1 public answer " in page


def test_share_of_models_right_is_told_with_its_interval(client, three):
    refresh_boards()
    page = page_of(client)
    assert re.search(r"<dt>Right</dt>\s*<dd class=\"value\">67 %</dd>", page)
    assert "95 % interval 21 to 94 %" in page
    assert "An answer counts as right where its judge says that it is right." in page
    assert "not told for fewer than 10 entries" in page


def test_baselines_and_equal_answers_count_once_or_not(client, three, words, owner):
    judged(submit(words, owner, answers_of(0), name="Copy"))
    Submission.objects.filter(pk=three[2].pk).update(origin="baseline")
    refresh_boards()
    assert re.search(r"<dt>Entries counted</dt>\s*<dd class=\"value\">3</dd>", page_of(client))


def test_before_a_worker_has_counted_the_page_says_so(client, three):
    assert "is being counted" in page_of(client)


@pytest.mark.slow
def test_pages_of_twenty_leave_nobody_out_and_ask_no_more(
    client, words, owner, django_assert_max_num_queries
):
    for number in range(3, ENTRIES):
        judged(submit(words, owner, answers_of(number % 7), name=f"Speller {number}x"))
    refresh_boards()
    with django_assert_max_num_queries(30):
        first = page_of(client)
    second = page_of(client, query="?page=2")
    assert len(names(first)) == PER_PAGE
    assert len({*names(first), *names(second)}) == ENTRIES
    assert 'rel="next"' in first


def test_what_an_address_asks_in_vain_is_said_and_the_default_shown(client, three, subtests):
    queries = ("page=99", "page=-1", "page=x", "judge=nobody", "release=nowhere")
    for query in (*queries, *(f"{name}={'9' * 9_999}" for name in ("page", "judge", "release"))):
        with subtests.test(query=query[:20]):
            page = page_of(client, query=f"?{query}")
            assert names(page)
            assert '<p class="notice">' in page
    for number in ("0", "999999", "9" * 40):
        assert client.get(f"/questions/{number}/").status_code == 404


def test_a_question_of_a_draft_alone_is_not_found(client, words):
    known = question("1")
    draft = Release.objects.create(
        benchmark=words.benchmark, slug="draft", title="Draft", checksum="c", question_count=1
    )
    fields = {"benchmark": words.benchmark, "subtask": known.subtask, "text": "What?"}
    new = Question.objects.create(public_id="new", content_hash="n" * 64, group="g", **fields)
    ReleaseQuestion.objects.create(release=draft, question=new, position=0)
    assert client.get(f"/questions/{new.pk}/").status_code == 404


def test_neighbours_are_those_of_the_release(client, three):
    page = page_of(client, "2")
    assert f"/questions/{question('1').pk}/" in page
    assert f"/questions/{question('3').pk}/" in page
    assert 'rel="prev"' not in page_of(client, "1")
    assert 'rel="next"' not in page_of(client, "6")


def test_without_entries_the_question_stands_alone(client, three):
    for entry in three:
        set_visibility(submission=entry, visibility="private")
    page = page_of(client)
    assert "No public entry has answered this question yet." in page
    assert "question 2 of 6" in page


def test_the_reference_follows_the_release(client, three):
    for disclosure, is_public in (("open", True), ("hidden_references", False)):
        Release.objects.update(disclosure=disclosure)
        page = page_of(client)
        assert ("<dd>word2</dd>" in page) is is_public
        assert ("– not public in this release" in page) is not is_public


def test_scorer_says_of_one_answer_what_it_says_in_its_entry(three):
    answers = list(three[1].answers.select_related("submission"))
    (era,) = eras_of(three[1].release.benchmark)
    for answer in answers:
        (row,) = scored_rows(answer.question, era, [answer]).values()
        assert row.is_right is (int(answer.question.public_id) <= 3)
