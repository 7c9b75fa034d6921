"""What a search finds: public models, their entries and questions, and nothing else."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Release
from benchmarks.submissions.models import EvaluatedModel, Submission
from leaderboard.pages.search import search_page, suggestions
from leaderboard.selectors import search
from tests.conftest import judged, submit


@pytest.fixture
def entry(spelling, owner) -> Submission:
    run = judged(submit(spelling, owner, name="Lucid-VL 9B"))
    return run.submission


def found_at(client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    page: str = response.content.decode()
    return page[page.index('id="content"') :]


def test_a_model_is_found_with_its_entries(client, entry):
    page = found_at(client, "/search/?q=LUCID+9b")
    assert f'href="/entries/{entry.pk}/"' in page
    assert f'href="/models/{entry.model.slug}/"' in page


@pytest.mark.parametrize(
    "hide",
    [
        {"visibility": "private"},
        {"withdrawn": "2026-01-01T00:00:00Z"},
    ],
)
def test_what_is_not_public_is_not_found(client, entry, hide):
    Submission.objects.filter(pk=entry.pk).update(**hide)
    for text in ("lucid", str(entry.pk)):
        page = found_at(client, f"/search/?q={text}")
        assert "/entries/" not in page
        assert "/models/lucid" not in page
        assert client.get(f"/search/suggest.json?q={text}").json() == {"suggestions": []}


def test_an_entry_is_found_by_its_id(client, entry):
    assert f'href="/entries/{entry.pk}/"' in found_at(client, f"/search/?q={entry.pk}")


def test_a_question_is_found_by_its_words_and_named_by_its_release(client, entry):
    question = entry.release.questions.get(memberships__position=2)
    page = found_at(client, f"/search/?q={question.text}")
    assert f'href="/questions/{question.pk}/"' in page
    assert f"{entry.release.title}, question 3" in page


def test_questions_of_drafts_are_not_found(spelling):
    question = spelling.questions.first()
    Release.objects.filter(pk=spelling.pk).update(state="retired")
    assert [hit.title for hit in search_page(question.text).questions] == [question.text]
    draft = Release.objects.create(
        benchmark=spelling.benchmark, slug="draft", title="Draft", question_count=1, checksum="0"
    )
    other = type(question).objects.create(
        benchmark=spelling.benchmark,
        public_id="77",
        content_hash="7" * 64,
        subtask=question.subtask,
        group="77",
        text="zebra crossing",
    )
    draft.members.create(question=other, position=0)
    assert search_page("zebra").questions == ()


def test_boards_and_releases_are_found_by_their_titles(client, entry):
    page = found_at(client, "/search/?q=spell")
    assert 'href="/boards/spelling/"' in page
    assert entry.release.title in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "Type the name"),
        ("?q=", "Type the name"),
        ("?q=a", "one letter more"),
        ("?q=%00%1f", "Type the name"),
        ("?q=" + "x" * 101, "at most 100 letters"),
        ("?q=" + "ab+" * 20, "Nothing public is called"),
        ("?q=" + "+".join(f"w{n}" for n in range(9)), "at most 8 words"),
        ("?q=nobody+at+all", "Nothing public is called"),
        ("?q=%22%27%3Cscript%3E", "Nothing public is called"),
        ("?q=lucid&q=nobody", "Nothing public is called"),
        ("?q=%F0%9F%8E%B2%F0%9F%8E%B2", "Nothing public is called"),
        ("?q=%ff%fe%fd", "Nothing public is called"),
        ("?q=50%25_", "Nothing public is called"),
    ],
)
def test_whatever_is_typed_is_answered(client, entry, query, said):
    page = found_at(client, f"/search/{query}")
    assert said in page
    assert "<script>" not in page
    assert client.get(f"/search/suggest.json{query}").json() == {"suggestions": []}


def test_suggestions_begin_with_names_that_begin_so(entry, spelling, owner):
    judged(submit(spelling, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Very lucid"))
    assert [one["title"] for one in suggestions("luc")] == ["Lucid-VL 9B", "Very lucid"]


def test_a_search_costs_the_same_whatever_is_found(client, entry, spelling, owner):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            search_page("lucid")
        return len(found)

    before = queries()
    for number in range(5):
        judged(submit(spelling, owner, name=f"Lucid {number}"))
    assert len(search_page("lucid").models) == 6
    assert queries() == before


def test_no_more_is_listed_than_anybody_reads(client, entry, monkeypatch):
    monkeypatch.setattr("leaderboard.pages.search.MOST_FOUND", 1)
    monkeypatch.setattr(search.found_models, "__defaults__", (1,))
    EvaluatedModel.objects.filter(pk=entry.model_id).update(name="Spelling 1")
    assert "The first 1; more words" in found_at(client, "/search/?q=spelling")


# --- an address that leads nowhere ----------------------------------------------------------------


def test_a_page_that_is_not_there_searches_for_what_may_have_been_meant(client, entry):
    page = found_at(client, "/boards/spell/", 404)
    assert 'href="/boards/spelling/"' in page
    assert 'value="spell"' in page
    page = found_at(client, "/models/lucid-vl/", 404)
    assert f'href="/models/{entry.model.slug}/"' in page


@pytest.mark.parametrize("path", ["/a/", "/%00/", "/" + "x" * 3000, "/%ff%fe/", "/‮/", "/<b>/"])
def test_odd_addresses_are_not_found_and_nothing_worse(client, db, path):
    page = found_at(client, path, 404)
    assert "<b>/" not in page
    assert "Nothing is here" in page


def test_a_sentence_of_ours_stands_there_and_none_of_the_router(client, entry):
    assert "There is no such board." in found_at(client, "/boards/spell/", 404)
    page = found_at(client, f"/judges/{'x' * 9}/", 404)
    assert "matches the given query" not in page
    assert "JudgeSpec" not in page
