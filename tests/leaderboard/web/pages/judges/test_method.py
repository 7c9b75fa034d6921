"""A benchmark's method page: every metric, and a way to each section."""

import pytest

from benchmarks.registry import protocol
from leaderboard.web.pages.judges.method import metric_tables
from tests.leaderboard.web.pages.shown_text import page_at

BENCHMARKS = ("tiny_lvlm_ehub", "hallusionbench", "touchstone")
DIRECTIONS = {True: "higher is better", False: "lower is better", None: "no better direction"}


@pytest.mark.django_db
@pytest.mark.parametrize("slug", BENCHMARKS)
def test_every_metric_is_shown_once_beside_its_definition_and_direction(slug, client):
    shown = [
        (title, about.text_content(), direction.text_content())
        for metrics, about, direction in page_at(client, f"/method/{slug}/").xpath(
            "//section[@aria-labelledby='metrics']//tbody/tr"
        )
        for title in metrics.text_content().split("; ")
    ]
    expected = [
        (metric.title, metric.about, DIRECTIONS[metric.higher_is_better])
        for metric in protocol(slug).board.BOARD.metrics()
    ]
    assert sorted(shown) == sorted(expected)


@pytest.mark.django_db
@pytest.mark.parametrize("slug", BENCHMARKS)
def test_the_contents_lead_to_every_section_in_order(slug, client):
    page = page_at(client, f"/method/{slug}/")
    assert page.xpath("//nav[@aria-label='Contents']/a/@href") == [
        f"#{name}" for name in page.xpath("//main/section/h2/@id")
    ]


def test_metrics_are_by_table_and_datasets_share_a_definition():
    tables = metric_tables(protocol("tiny_lvlm_ehub").board.BOARD)
    assert list(tables)[:3] == ["Overview", "Datasets", "Bias and diagnosis"]
    shared = [titles for titles in tables["Datasets"].values() if "IIIT5K" in titles]
    assert [len(titles) for titles in shared] == [12]
