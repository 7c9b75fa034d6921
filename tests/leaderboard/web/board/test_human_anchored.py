"""A board that can be read with the judge's error taken out, once people labelled enough answers of
an entry: from their file to page, exports and API, and back again."""

import csv
import io
import json

import pytest

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.bundled import load_bundled
from judging.panel.models import RatingFile
from judging.panel.services import withdraw_ratings
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_finished_runs
from tests.conftest import judged
from tests.judging.panel.files import imported, labels

SLUG, PAGE = "tiny_lvlm_ehub", "/boards/tiny_lvlm_ehub/"
pytestmark = [pytest.mark.django_db, pytest.mark.slow]
MEASURE = {"measure": "human-anchored"}
EMBODIED = "VirtualHome"


@pytest.fixture(scope="module")
def samples(module_rows) -> dict[str, Submission]:
    """The sample answers, judged by the rules; nobody rated them."""
    load_bundled(protocol=protocol(SLUG), owner=None)
    found = Submission.objects.filter(release__benchmark__slug=SLUG, origin="sample")
    by_name = {submission.model.name: submission for submission in found.select_related("model")}
    for submission in by_name.values():
        judged(submission)
    return by_name


def label(submission: Submission, count: int, said: str = "incorrect") -> RatingFile:
    """One person's word on so many answers, spread over the release."""
    ids = [
        public_id
        for public_id in submission.answers.order_by("question__pk").values_list(
            "question__public_id", flat=True
        )
        if not public_id.startswith(EMBODIED)
    ]
    step = len(ids) / count
    some = [ids[int(place * step)] for place in range(count)]
    lines = [f"{public_id},ann,{said}" for public_id in some]
    file = imported(labels(submission, *lines)).file
    score_finished_runs()
    return file


def rows(client, **query) -> dict[str, dict[str, str]]:
    text = client.get(f"{PAGE}export.csv", {**MEASURE, **query}).getvalue().decode()
    return {row["model"]: row for row in csv.DictReader(io.StringIO(text))}


def test_a_board_without_labels_does_not_offer_the_measure(client, samples):
    page = client.get(PAGE).text
    assert "human-anchored" not in page.partition('id="how"')[0].partition("<main")[2][:20_000]
    assert client.get(PAGE, MEASURE).status_code == 200
    method = client.get("/method/tiny_lvlm_ehub/").text
    assert "means of datasets and have no human-anchored value" in method
    assert "Ranks stay those of the plain score." in method.replace("\n", " ")


def test_labels_move_the_anchored_score_of_their_entry_and_no_rank(client, samples):
    before = {row["model"]: row["rank"] for row in rows(client).values()}
    label(samples["Lucid 9B"], 90)
    label(samples["Terse 2B"], 45)
    found = rows(client)
    lucid = found["Lucid 9B"]
    assert float(lucid["anchored_right"]) < 0.2 < float(lucid["judged_right"])
    assert float(lucid["anchored_right low"]) <= float(lucid["anchored_right"])
    assert lucid["labels_right"] == "90.0"
    assert {row["model"]: row["rank"] for row in found.values()} == before
    assert found["Parrot 7B"]["anchored_right"] == found["Terse 2B"]["anchored_right"] == ""
    page = client.get(PAGE, MEASURE).text
    assert "people have labelled no answer of this entry" in page
    assert "not enough labels by people: at least 5 more are needed" in page
    assert '<small aria-hidden="true">5 labels more</small>' in page


def test_page_files_api_and_entry_show_the_measure_until_the_labels_are_withdrawn(client, samples):
    file = label(samples["Lucid 9B"], 90)
    plain = client.get(PAGE).text
    assert "measure=human-anchored" in plain
    page = client.get(PAGE, MEASURE).text
    heads = [text.partition("<thead")[2].partition("</thead>")[0] for text in (plain, page)]
    assert "Right, human-anchored" not in heads[0]
    for title in ("Right, human-anchored", "Right, judged", "Labels"):
        assert title in heads[1]
    entry = client.get(f"/entries/{samples['Lucid 9B'].pk}/").text
    assert ("Right, human-anchored" in entry, "Right, judged" in entry) == (True, True)
    sheet = Scoresheet.objects.get(submission=samples["Lucid 9B"])
    exported = json.loads(client.get(f"{PAGE}export.json", MEASURE).getvalue())
    served = client.get(f"/api/v1/boards/{SLUG}/", MEASURE).json()
    for document in (exported, served):
        assert document["measure"] == "human-anchored"
        (lucid,) = (row for row in document["entries"] if row["model"] == "Lucid 9B")
        figure = lucid["figures"]["anchored_right"]
        assert [figure["value"], figure["low"]] == sheet.figures["anchored_right"][:2]
    withdraw_ratings(file=file, reason="somebody else's answers")
    score_finished_runs()
    sheet.refresh_from_db()
    assert not [name for name in sheet.figures if name.startswith("anchored_")]
    assert "measure=human-anchored" not in client.get(PAGE).text
