"""Who reads a score by the offline rules reads beside it what they are worth."""

import io
import json

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import accept_submission
from judging.models import JudgeSpec
from judging.services import ensure_spec
from leaderboard.results.boards.editions import store_boards_as_of
from tests.conftest import judged

ROW = {
    "category": "VS",
    "subcategory": "chart",
    "visual_input": "0",
    "set_id": "0",
    "figure_id": "0",
    "question_id": "0",
    "question": "Is the first bar the highest?",
    "gt_answer_details": "The first bar is the highest.",
    "gt_answer": "1",
}
SENTENCE = "These rules and people gave the same verdict on 82.6 % of 1,119 recorded answers."


def released(row: dict[str, str]) -> Release:
    content = io.BytesIO(json.dumps([row]).encode())
    return import_release(protocol=protocol("hallusionbench"), stream=content, slug="one").release


@pytest.fixture
def release(db) -> Release:
    return released(ROW)


@pytest.fixture
def entry(release: Release, owner: User) -> Submission:
    return entered(release, owner)


def entered(release: Release, owner: User, question: str = "VS/chart/0/0/0") -> Submission:
    answer = json.dumps({"id": question, "prediction": "Yes."}).encode()
    found = accept_submission(
        release=release,
        upload=Upload("a.jsonl", answer),
        model=EvaluatedModel(name="Reader"),
        owner=owner,
        visibility="public",
    )
    judged(found)
    return found


def text_of(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    content: str = response.content.decode()
    return content


def test_the_board_of_the_rules_says_how_far_people_agree(entry, client):
    assert SENTENCE in text_of(client, "/boards/hallusionbench/")


def test_the_board_of_a_release_without_labels_says_what_was_measured_without_them(
    db, owner, client
):
    entered(released({name: value for name, value in ROW.items() if name != "gt_answer"}), owner)
    board = text_of(client, "/boards/hallusionbench/")
    assert "the same verdict on 40.9 % of 254 recorded answers to a file without labels" in board
    assert SENTENCE not in board


def test_the_board_of_images_only_says_what_was_measured_of_those(db, owner, client):
    pictured = {**ROW, "figure_id": "1", "visual_input": "1"}
    entered(released(pictured), owner, "VS/chart/0/1/0")
    board = text_of(client, "/boards/hallusionbench/")
    assert "82.8 % of 945 recorded answers to the questions with an image" in board
    assert SENTENCE not in board


def test_the_board_of_older_rules_says_nothing_that_was_measured_of_newer_ones(entry, client):
    JudgeSpec.objects.update(model="2")
    assert SENTENCE not in text_of(client, "/boards/hallusionbench/")


def test_the_card_of_the_rules_has_every_figure(db, client):
    spec = ensure_spec(of=protocol("hallusionbench"), kind="rules")
    card = text_of(client, f"/judges/{spec.slug}/")
    assert SENTENCE in card
    for printed in ("0.67", "88.5 %", "93.6 %", "47.0 %", "63.9 %", "67.4 %", "31.6 %", "44.2 %"):
        assert printed in card
    assert "for which this is unknown" not in card


def test_the_list_of_judges_has_the_kappa_of_rules_that_nobody_looked_at_here(entry, client):
    store_boards_as_of("hallusionbench", now=timezone.now())
    listed = text_of(client, "/judges/")
    assert "0.67" in listed
    assert "Kappa of the three verdicts, n 1,119, recorded answers" in listed


def test_the_card_of_older_rules_says_that_another_version_was_measured(db, client):
    spec = ensure_spec(of=protocol("hallusionbench"), kind="rules")
    JudgeSpec.objects.update(model="2")
    assert "for which this is unknown" in text_of(client, f"/judges/{spec.slug}/")


def test_the_card_of_rules_that_nobody_measured_says_so(db, client):
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    assert "has not been measured" in text_of(client, f"/judges/{spec.slug}/")


def test_the_card_of_a_model_says_nothing_of_rules(db, client):
    spec = ensure_spec(of=protocol("hallusionbench"), kind="openai", endpoint="x", model="m")
    card = text_of(client, f"/judges/{spec.slug}/")
    assert SENTENCE not in card
    assert "has not been measured" not in card


def test_the_method_says_what_the_rules_compare_with_and_what_they_are_worth(db, client):
    import_release(
        protocol=protocol("hallusionbench"), stream=io.BytesIO(json.dumps([ROW]).encode())
    )
    page = text_of(client, "/method/hallusionbench/")
    assert "label, not with the reference sentence" in page.replace("&#x27;", "'")
    assert SENTENCE in page
