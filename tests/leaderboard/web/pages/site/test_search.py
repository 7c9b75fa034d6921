"""What a search finds: public models, their entries and questions, and nothing else."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Question, Release
from benchmarks.submissions.models import EvaluatedModel, Submission
from leaderboard.results.selectors import search
from leaderboard.web.pages.site.search import search_page, suggestions
from tests.conftest import import_spelling, judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import links, page_at, part
from tests.person import words

NOTHING = "Nothing public is called"


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    judged(submit(import_spelling(), make_owner(), name="Lucid-VL 9B"))


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("model", "release").get()


def found_at(client, address: str, status: int = 200) -> str:
    return words(part(page_at(client, address, status)))


def led_to(client, text: str, *, path: str = "", status: int = 200) -> list[str]:
    page = page_at(client, path or f"/search/?q={text}", status)
    return list(links(part(page)).values())


def test_a_model_is_found_by_name_or_id_with_its_entries(client, entry):
    for text in ("LUCID+9b", str(entry.pk)):
        assert f"/entries/{entry.pk}/" in led_to(client, text), text
    assert f"/models/{entry.model.slug}/" in led_to(client, "LUCID+9b")


def test_a_board_says_that_a_search_is_too_long_and_leads_back(client, made):
    path = "/boards/spelling/"
    page = part(page_at(client, f"{path}?q={'x' * 101}", 400))
    assert "A search has at most 100 letters, and this one has more." in words(page)
    assert links(page)["Start again without it"] == path
    assert page_at(client, f"{path}?q={'x' * 100}") is not None


def test_what_is_not_public_is_not_found(client, entry):
    for hide in ({"visibility": "private"}, {"withdrawn": "2026-01-01T00:00:00Z"}):
        Submission.objects.filter(pk=entry.pk).update(visibility="public", withdrawn=None)
        Submission.objects.filter(pk=entry.pk).update(**hide)
        for text in ("lucid", str(entry.pk)):
            found = " ".join(led_to(client, text))
            assert "/entries/" not in found, hide
            assert "/models/lucid" not in found, hide
            assert client.get(f"/search/suggest.json?q={text}").json() == {"suggestions": []}


def test_questions_releases_and_boards_are_found_by_their_words_and_no_drafts(client, entry):
    release, question = entry.release, entry.release.questions.get(memberships__position=2)
    assert f"/questions/{question.pk}/" in led_to(client, question.text)
    assert f"{release.title}, question 3" in found_at(client, f"/search/?q={question.text}")
    assert "/boards/spelling/" in led_to(client, "spell")
    assert release.title in found_at(client, "/search/?q=spell")
    Release.objects.update(state="retired")
    (found,) = search_page(question.text)["questions"]
    assert found.question == question
    draft = Release.objects.create(
        benchmark=release.benchmark, slug="draft", title="Draft", question_count=1, checksum="0"
    )
    other = Question.objects.create(
        benchmark=release.benchmark,
        public_id="77",
        content_hash="7" * 64,
        subtask=question.subtask,
        group="77",
        text="zebra crossing",
    )
    draft.members.create(question=other, position=0)
    assert search_page("zebra")["questions"] == []


def test_whatever_is_typed_is_answered(client, entry):
    for query, said in {
        "": "Type the name",
        "?q=a": "at least two letters",
        "?q=%00%1f": "Type the name",
        "?q=" + "x" * 101: "at most 100 letters",
        "?q=" + "ab+" * 20: NOTHING,
        "?q=" + "+".join(f"w{n}" for n in range(9)): "at most 8 words",
        "?q=%22%27%3Cscript%3E": f"{NOTHING} “\"'<script>",
        "?q=lucid&q=nobody": NOTHING,
        "?q=%F0%9F%8E%B2%F0%9F%8E%B2": NOTHING,
        "?q=%ff%fe%fd": NOTHING,
        "?q=50%25_": NOTHING,
    }.items():
        assert said in found_at(client, f"/search/{query}"), query
        assert client.get(f"/search/suggest.json{query}").json() == {"suggestions": []}, query


def test_suggestions_begin_with_names_that_begin_so_and_a_search_costs_the_same(entry):
    counts = []
    for number in range(3):
        with CaptureQueriesContext(connection) as asked:
            assert len(search_page("lucid")["models"]) == number + 1
        counts.append(len(asked))
        answers = b"1=two\n2=x\n3=y\n4=%d\n" % number
        judged(submit(entry.release, entry.owner, answers, name=f"Very lucid {number}"))
    assert counts[0] == counts[1] == counts[2]
    names = ["Lucid-VL 9B", "Very lucid 0", "Very lucid 1", "Very lucid 2"]
    assert [one["title"] for one in suggestions("luc")] == names


def test_no_more_is_listed_than_anybody_reads(client, entry, monkeypatch):
    monkeypatch.setattr("leaderboard.web.pages.site.search.MOST_FOUND", 1)
    monkeypatch.setattr(search.found_models, "__defaults__", (1,))
    EvaluatedModel.objects.filter(pk=entry.model_id).update(name="Spelling 1")
    assert "Showing the first 1; add words" in found_at(client, "/search/?q=spelling")


# --- an address that leads nowhere ----------------------------------------------------------------


def test_a_page_that_is_not_there_says_so_and_searches_for_what_may_have_been_meant(client, entry):
    page = page_at(client, "/boards/spell/", 404)
    assert "There is no such board." in words(page)
    assert "/boards/spelling/" in links(part(page)).values()
    assert page.xpath("//*[@id='content']//input[@name='q']/@value") == ["spell"]
    model = f"/models/{entry.model.slug}/"
    assert model in led_to(client, "", path="/models/lucid-vl/", status=404)
    said = found_at(client, f"/judges/{'x' * 9}/", 404)
    assert "matches the given query" not in said
    assert "JudgeSpec" not in said


def test_odd_addresses_are_not_found_and_nothing_worse(client, db):
    for path in ("/%00/", "/" + "x" * 3000, "/%ff%fe/", "/‮/", "/<b>/"):
        page = part(page_at(client, path, 404))
        assert "Page not found" in words(page)
        assert not page.xpath(".//b[contains(., '/')]"), path
