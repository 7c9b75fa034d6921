"""The questions of an entry page: each with its figure, its faults and its verdict, page by
page."""

import io

import pytest

from benchmarks.models import FigureImage, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from tests.benchmarks.pictures import picture
from tests.conftest import judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import page_at, part, told
from tests.person import words

QUESTIONS = 60
LONG = 10
"""The first so many words are long, which is a subtask of its own; the rest are short."""


def word(number: int) -> str:
    return f"longer{number}" if number < LONG else f"w{number}"


@pytest.fixture(scope="module")
def made(module_rows, tmp_path_factory) -> None:
    """Sixty questions, of which the first has a figure; every third answer is wrong."""
    folder = tmp_path_factory.mktemp("figures")
    (folder / "one.png").write_bytes(picture())
    lines = "".join(
        f"{number}|{word(number)}|{word(number)}{'|one.png' if number == 0 else ''}\n"
        for number in range(QUESTIONS)
    )
    release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(lines.encode()), images=folder
    ).release
    answers = "".join(
        f"{number}={word(number) if number % 3 else '<b>wrong'}\n" for number in range(QUESTIONS)
    )
    judged(submit(release, make_owner(), answers.encode()))


@pytest.fixture
def page(made, client, db):
    (entry,) = Submission.objects.all()
    return lambda query="": part(page_at(client, f"/entries/{entry.pk}/{query}"), "questions")


def cards(page) -> dict[int, str]:
    """The words of each question, by its public id."""
    found = page.xpath(".//article")
    return {int(words(card.xpath(".//h3")[0]).split()[0]): words(card) for card in found}


def test_pages_have_25_questions_and_leave_none_out(page):
    expected = {
        "": range(25),
        "?page=2": range(25, 50),
        "?page=3": range(50, 60),
        "?page=99": range(50, 60),
        "?page=x": range(25),
    }
    pages = {query: page(query) for query in expected}
    assert {query: [*cards(one)] for query, one in pages.items()} == {
        query: [*numbers] for query, numbers in expected.items()
    }
    led = [one.xpath(".//a[@rel]/@rel") for one in pages.values()][:3]
    assert led == [["next"], ["prev", "next"], ["prev"]]


def test_choices_leave_what_they_count_and_say_which_of_them_is_shown(page):
    right, wrong = ([n for n in range(QUESTIONS) if bool(n % 3) is kind] for kind in (True, False))
    for query, numbers, current in (
        ("", [*range(25)], {"all 60"}),
        ("?outcome=wrong", wrong, {"wrong 20", "all 60"}),
        ("?outcome=right", right[:25], {"right 40", "all 60"}),
        ("?subtask=words/short&page=2", [*range(35, 60)], {"all 60", "Short 50"}),
        ("?outcome=wrong&subtask=words/long", [0, 3, 6, 9], {"wrong 20", "Long 10"}),
    ):
        shown = page(query)
        assert [*cards(shown)] == numbers, query
        choices = [
            words(one) for one in shown.xpath(".//a[contains(@href, '#questions') and small]")
        ]
        assert choices == ["all 60", "wrong 20", "right 40", "all 60", "Long 10", "Short 50"]
        assert {words(one) for one in shown.xpath(".//a[@aria-current='true']")} == current


def test_each_question_has_its_own_figure_answer_reference_verdict_and_fault(page):
    fault = {"question": "2", "message": "Its label is <doubtful>.", "is_public": True}
    Release.objects.update(anomalies=[fault], disclosure="open")
    shown, image = page(), FigureImage.objects.get()
    for number, card in enumerate(shown.xpath(".//article")):
        answer, verdict = (word(number), "right") if number % 3 else ("<b>wrong", "wrong")
        assert card.get("class").split() == ["question", verdict]
        facts = told(card)
        assert [facts[name] for name in ("Question", "Answer", "Reference")] == [
            f"Spell {word(number)}.",
            answer,
            word(number),
        ]
        assert ("Its label is <doubtful>." in words(card)) is (number == 2)
        assert ("This question is asked without a figure." in words(card)) is (number != 0)
    (figure,) = shown.xpath(".//a[img]")
    (small,) = figure
    assert figure.get("href") == f"/figures/{image.pk}/"
    assert small.get("src") == f"/figures/{image.pk}/small/"
    assert (small.get("width"), small.get("height")) == (str(image.width), str(image.height))
    assert "doubtful" not in words(page("?page=2"))
