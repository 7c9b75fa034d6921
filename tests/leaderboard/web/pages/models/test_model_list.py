"""The list of models."""

import pytest
from django.http import QueryDict
from django.utils import timezone

from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.web.pages.models.model_list import PER_PAGE, ModelList, model_list
from tests.conftest import judged, submit
from tests.leaderboard.web.pages.shown_text import shown

NAMES = ("Zebra", "Albatross 7B", "Émile", "Lucid 9B")


@pytest.fixture
def models(spelling, owner) -> dict[str, Submission]:
    return {name: submit(spelling, owner, name=name) for name in NAMES}


def names(query: str = "") -> list[str]:
    return [line.model.name for line in page(query).lines]


def page(query: str = "") -> ModelList:
    return model_list(QueryDict(query))


def test_the_list_has_public_models_by_name_or_the_newest_first_and_no_baselines(client, models):
    assert names() == sorted(NAMES)
    assert names("sort=newest") == list(reversed(NAMES))
    EvaluatedModel.objects.filter(name="Émile").update(organisation="Seven Labs")
    assert names("q=7b") == ["Albatross 7B"]
    assert names("q=labs+seven") == ["Émile"]
    assert "No model name or organisation contains “nobody”" in shown(client, "/models/?q=nobody")
    judged(models["Émile"])
    boards = {line.model.name: line.boards for line in page().lines}
    assert boards == {**dict.fromkeys(NAMES, ()), "Émile": ("Spelling",)}
    Submission.objects.filter(pk=models["Zebra"].pk).update(origin="baseline")
    set_visibility(submission=models["Albatross 7B"], visibility="private")
    withdraw_submission(submission=models["Lucid 9B"])
    assert names() == ["Émile"]


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
    assert (second.shown.start_index(), second.shown.end_index()) == (51, 100)
    paginator = second.shown.paginator
    assert (paginator.count, paginator.num_pages) == (120, 3)
    assert len(second.lines) == PER_PAGE
    assert second.next_url == "/models/?sort=newest&page=3"
    beyond = page("page=99")
    assert beyond.shown.number == 3
    assert "There is no page 99 here, for this list has 3 in all" in beyond.notes[0]
    assert not page("page=3").notes


def test_odd_addresses_are_answered_and_a_page_asks_as_often_however_many_there_are(
    client, models, django_assert_max_num_queries
):
    for query in ("q=%00", "q=" + "x" * 9999, "sort=x", "page=x", "q=a&q=b&sort=name", "q=%25_"):
        assert client.get(f"/models/?{query}").status_code == 200, query[:20]
    with django_assert_max_num_queries(4):
        client.get("/models/")
