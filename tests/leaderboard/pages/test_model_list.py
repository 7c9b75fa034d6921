"""The list of models."""

import pytest
from django.http import QueryDict
from django.utils import timezone

from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.pages.model_list import PER_PAGE, ModelList, model_list
from tests.conftest import judged, submit
from tests.leaderboard.pages.shown_text import shown

NAMES = ("Zebra", "Albatross 7B", "Émile", "Lucid 9B")


@pytest.fixture
def models(spelling, owner) -> dict[str, Submission]:
    return {name: submit(spelling, owner, name=name) for name in NAMES}


def names(query: str = "") -> list[str]:
    return [line.name for line in page(query).lines]


def page(query: str = "") -> ModelList:
    return model_list(QueryDict(query))


def test_models_stand_by_name_or_the_newest_first(models):
    assert names() == sorted(NAMES)
    assert names("sort=newest") == list(reversed(NAMES))


def test_only_models_with_something_public_are_listed(models):
    set_visibility(submission=models["Zebra"], visibility="private")
    withdraw_submission(submission=models["Lucid 9B"])
    assert names() == ["Albatross 7B", "Émile"]


def test_baselines_are_no_models(models):
    Submission.objects.filter(pk=models["Zebra"].pk).update(origin="baseline")
    assert "Zebra" not in names()


def test_it_is_searched_by_name_and_organisation(models):
    EvaluatedModel.objects.filter(name="Zebra").update(organisation="Seven Labs")
    assert names("q=7b") == ["Albatross 7B"]
    assert names("q=labs+seven") == ["Zebra"]
    assert names("q=nobody") == []


def test_a_line_says_on_which_boards_it_stands(models):
    judged(models["Zebra"])
    lines = {line.name: line.boards for line in page().lines}
    assert lines == {**dict.fromkeys(NAMES, ()), "Zebra": ("Spelling",)}


def test_it_is_read_in_pages(spelling, owner):
    made = EvaluatedModel.objects.bulk_create(
        EvaluatedModel(name=f"Model {n:03}", slug=f"model-{n}", owner=owner) for n in range(120)
    )
    Submission.objects.bulk_create(
        Submission(
            model=model, release=spelling, visibility="public", confirmed=timezone.now(), sha256="0"
        )
        for model in made
    )
    second = page("page=2&sort=newest")
    assert (second.first, second.last, second.total, second.pages) == (51, 100, 120, 3)
    assert len(second.lines) == PER_PAGE
    assert second.next_url == "/models/?sort=newest&page=3"
    beyond = page("page=99")
    assert beyond.page == 3
    assert "There is no page 99 here, for this list has 3 in all" in beyond.notes[0]
    assert not page("page=3").notes


@pytest.mark.parametrize(
    "query",
    ["q=%00", "q=" + "x" * 9999, "sort=x", "page=x", "q=a&q=b&sort=name&sort=newest", "q=%25_"],
)
def test_odd_addresses_are_answered(client, models, query):
    assert client.get(f"/models/?{query}").status_code == 200


def test_a_search_without_a_hit_says_so(client, models):
    assert "No model's name or organisation holds “nobody”" in shown(client, "/models/?q=nobody")


def test_a_page_of_the_list_asks_as_often_however_many_there_are(
    client, models, django_assert_max_num_queries
):
    with django_assert_max_num_queries(4):
        client.get("/models/")
