"""The questions of an entry page: each with its figure, its faults and its verdict, page by
page."""

import io
import re

import pytest

from benchmarks.models import FigureImage, Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import ModelDetails, accept_submission
from tests.benchmarks.pictures import picture
from tests.conftest import judged

QUESTIONS = 60
LONG = 10
"""The first so many words are long, which is a subtask of its own; the rest are short."""


def word(number: int) -> str:
    return f"longer{number}" if number < LONG else f"w{number}"


@pytest.fixture
def entry(db, owner, tmp_path) -> Submission:
    """Sixty questions, of which the first has a figure; every third answer is wrong."""
    (tmp_path / "one.png").write_bytes(picture())
    lines = "".join(
        f"{number}|{word(number)}|{word(number)}{'|one.png' if number == 0 else ''}\n"
        for number in range(QUESTIONS)
    )
    release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(lines.encode()), images=tmp_path
    ).release
    answers = "".join(
        f"{number}={'wrong' if number % 3 == 0 else word(number)}\n" for number in range(QUESTIONS)
    )
    submission = accept_submission(
        release=release,
        upload=Upload("answers.txt", answers.encode()),
        model=ModelDetails("Speller"),
        owner=owner,
        visibility="public",
    )
    judged(submission)
    return submission


def shown(client, entry: Submission, query: str = "") -> list[str]:
    """Public ids of the questions on the page."""
    page = client.get(f"/entries/{entry.pk}/{query}").content.decode()
    return re.findall(r"<h3>(\d+) <span>", page)


def ids(numbers) -> list[str]:
    return [str(number) for number in numbers]


@pytest.mark.slow
def test_pages_have_25_questions_and_leave_none_out(client, entry):
    assert shown(client, entry) == ids(range(25))
    assert shown(client, entry, "?page=2") == ids(range(25, 50))
    assert shown(client, entry, "?page=3") == ids(range(50, 60))


def test_page_beyond_the_last_is_the_last(client, entry):
    assert shown(client, entry, "?page=99") == ids(range(50, 60))
    assert shown(client, entry, "?page=x") == ids(range(25))


@pytest.mark.slow
def test_neighbouring_pages_are_linked_where_there_are_any(client, entry):
    pages = {n: client.get(f"/entries/{entry.pk}/?page={n}").content.decode() for n in (1, 2, 3)}
    linked = {n: set(re.findall(r"[?&;]page=(\d+)", page)) for n, page in pages.items()}
    assert linked == {1: {"2"}, 2: {"1", "3"}, 3: {"2"}}


def test_subtask_leaves_its_questions_and_no_other(client, entry):
    assert shown(client, entry, "?subtask=words/long") == ids(range(LONG))
    assert shown(client, entry, "?subtask=words/short&page=2") == ids(range(35, 60))


@pytest.mark.slow
def test_outcome_leaves_questions_that_ended_so(client, entry):
    assert shown(client, entry, "?outcome=wrong") == ids(range(0, QUESTIONS, 3))
    right = [number for number in range(QUESTIONS) if number % 3]
    assert shown(client, entry, "?outcome=right") == ids(right[:25])
    assert shown(client, entry, "?outcome=wrong&subtask=words/long") == ids((0, 3, 6, 9))


def test_choices_count_what_they_leave(client, entry):
    page = client.get(f"/entries/{entry.pk}/").content.decode()
    counts = dict(re.findall(r">\s*(all|right|wrong|Long|Short)\s*<[^>]+>\s*(\d+)", page))
    assert counts == {"all": "60", "right": "40", "wrong": "20", "Long": "10", "Short": "50"}


@pytest.mark.parametrize(
    ("query", "current"),
    [
        ("", ["all", "all"]),
        ("?outcome=wrong", ["wrong", "all"]),
        ("?outcome=right&subtask=words/short", ["right", "Short"]),
    ],
)
def test_choices_say_which_of_them_is_shown(client, entry, query, current):
    page = client.get(f"/entries/{entry.pk}/{query}").content.decode()
    told = re.findall(r'aria-current="true">(all|right|wrong|Long|Short) <small>', page)
    assert told == current


def test_question_shows_its_figure_and_one_without_says_so(client, entry):
    page = client.get(f"/entries/{entry.pk}/").content.decode()
    image = FigureImage.objects.get()
    assert page.count("<img ") == 1
    small = f'src="/figures/{image.pk}/small/" width="{image.width}" height="{image.height}"'
    assert f'<a href="/figures/{image.pk}/"><img {small}' in page
    assert page.count("This question is asked without a figure.") == 24


def test_fault_of_the_dataset_stands_with_its_question_alone(client, entry):
    fault = {"question": "2", "message": "Its label is doubtful.", "is_public": True}
    Release.objects.update(anomalies=[fault])
    first = client.get(f"/entries/{entry.pk}/").content.decode()
    second = client.get(f"/entries/{entry.pk}/?page=2").content.decode()
    cards = re.findall(r'<article class="question.*?</article>', first, re.DOTALL)
    assert [n for n, card in enumerate(cards) if "Its label is doubtful." in card] == [2]
    assert "Its label is doubtful." not in second


def test_answer_reference_and_verdict_are_those_of_the_question(client, entry):
    Release.objects.update(disclosure="open")
    page = client.get(f"/entries/{entry.pk}/").content.decode()
    cards = re.findall(r'<article class="question.*?</article>', page, re.DOTALL)
    for number, card in enumerate(cards):
        said = re.findall(r"<dd>([^<]*)</dd>", card)
        answer = "wrong" if number % 3 == 0 else word(number)
        assert said == [f"Spell {word(number)}.", answer, word(number)]
        assert ('class="question wrong"' in card) == (number % 3 == 0)
