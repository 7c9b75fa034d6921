"""The list of models."""

from types import SimpleNamespace

import pytest
from django.http import QueryDict
from django.utils import timezone

from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.templatetags.numbers import to_page
from leaderboard.web.pages.models.model_list import PER_PAGE, model_list
from tests.conftest import import_words, judged, submit
from tests.leaderboard.web.pages.shown_text import cells, page_at, shown
from tests.person import words

NAMES = ("Zebra", "Albatross 7B", "Émile", "Lucid 9B")


@pytest.fixture
def models(spelling, owner) -> dict[str, Submission]:
    return {name: submit(spelling, owner, name=name) for name in NAMES}


def names(query: str = "") -> list[str]:
    return [line.model.name for line in page(query).lines]


def page(query: str = "") -> SimpleNamespace:
    return SimpleNamespace(**model_list(QueryDict(query)))


def test_the_list_has_public_models_by_name_or_the_newest_first_and_no_baselines(client, models):
    assert names() == sorted(NAMES)
    assert names("sort=newest") == list(reversed(NAMES))
    EvaluatedModel.objects.filter(name="Émile").update(organisation="Seven Labs")
    assert names("q=7b") == ["Albatross 7B"]
    assert names("q=labs+seven") == ["Émile"]
    assert "No model name or organisation contains “nobody”" in shown(client, "/models/?q=nobody")
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
    assert to_page(second.url, 3) == "/models/?sort=newest&page=3"
    assert not page("page=3").notes
    beyond = page("page=99")
    assert (beyond.shown.number, len(beyond.lines)) == (3, 20)


def test_a_line_has_the_rank_on_each_board_the_size_and_the_openness(client, models):
    for name in ("Émile", "Lucid 9B"):
        judged(models[name])
    EvaluatedModel.objects.filter(name="Émile").update(
        parameters_billions="7.50", is_open_weights=True, licence="MIT"
    )
    rows = cells(page_at(client, "/models/"))
    found = {row[0].removesuffix(" organisation not declared"): row[1:4] for row in rows}
    assert len(found) == len(NAMES)
    assert found["Émile"] == ["1", "7.5 B", "open MIT"]
    assert found["Lucid 9B"] == ["1", "– not declared", "not declared open"]
    assert found["Zebra"][0] == "– no rank there"


def test_columns_sort_by_what_models_say_and_who_says_nothing_comes_last(client, models):
    for name, size in (("Zebra", 3), ("Albatross 7B", 7), ("Émile", 70)):
        EvaluatedModel.objects.filter(name=name).update(parameters_billions=size)
    EvaluatedModel.objects.filter(name="Lucid 9B").update(is_open_weights=True)
    assert names("sort=size") == ["Émile", "Albatross 7B", "Zebra", "Lucid 9B"]
    assert names("sort=-size") == ["Zebra", "Albatross 7B", "Émile", "Lucid 9B"]
    assert names("sort=-name") == sorted(NAMES, reverse=True)
    assert names("sort=open")[0] == "Lucid 9B"
    heads = page_at(client, "/models/?sort=size").xpath("//th[@aria-sort]")
    assert [(words(th), th.get("aria-sort"), th[0].get("href")) for th in heads] == [
        ("Model", "none", "/models/?"),
        ("Parameters", "descending", "/models/?sort=-size"),
        ("Weights, licence", "none", "/models/?sort=open"),
        ("Since", "none", "/models/?sort=newest"),
    ]


def test_odd_addresses_are_answered(client, models):
    for query in ("q=%00", "q=" + "x" * 9999, "sort=x", "page=x", "q=a&q=b&sort=--name", "q=%25_"):
        assert client.get(f"/models/?{query}").status_code == 200, query[:20]


def test_a_page_asks_as_often_however_many_models_there_are(
    client, spelling, owner, models, django_assert_max_num_queries
):
    judged(models["Émile"])
    with django_assert_max_num_queries(40) as asked:
        client.get("/models/")
    for number in range(4):
        judged(submit(spelling, owner, name=f"Further {number}"))
    with django_assert_max_num_queries(len(asked)):
        client.get("/models/")


def test_a_model_stands_by_its_best_entry_however_many_worse_ones_it_has(client, owner):
    release = import_words(range(1, 61))

    def hand_in(name: str, right: int) -> None:
        rows = "".join(f"{n}={'word' if n <= right else 'other '}{n}\n" for n in range(1, 61))
        judged(submit(release, owner, rows.encode(), name=name))

    hand_in("Many", 60)
    for right in range(1, 4):
        hand_in("Many", right)
    hand_in("Middling", 30)
    ranks = {row[0].split()[0]: row[1] for row in cells(page_at(client, "/models/"))}
    assert ranks == {"Many": "1", "Middling": "2"}
