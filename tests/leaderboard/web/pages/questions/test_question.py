"""A question's page: what is asked, what every public entry answered, and what they say of it."""

import io

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.models import Description, Figure, Question, Release, ReleaseQuestion
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.models import JudgeSpec
from leaderboard.models import QuestionStatistics
from leaderboard.results.boards.editions import refresh_boards, store_boards_as_of
from leaderboard.web.pages.questions import question as question_pages
from tests.benchmarks.pictures import picture
from tests.conftest import import_words, judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import links, page_at, part, shown, told
from tests.person import words

STANDING = "rank 1-3"


def answers_of(right: int) -> bytes:
    """The first so many are right; the others say which entry it is."""
    said = (f"{n}={f'word{n}' if n <= right else f'<b>{right}'}\n" for n in range(1, 7))
    return "".join(said).encode()


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    """Three public entries: all six right, three, and none."""
    release, owner = import_words(range(1, 7)), make_owner()
    for right in (6, 3, 0):
        judged(submit(release, owner, answers_of(right), name=f"Speller {right}"))
    refresh_boards()


@pytest.fixture
def three(made, db) -> list[Submission]:
    return list(Submission.objects.order_by("-model__name"))


def address(public_id: str, query: str = "") -> str:
    return f"/questions/{Question.objects.get(public_id=public_id).pk}/{query}"


def answered(page) -> list[str]:
    return [words(one) for one in page.xpath("//*[@id='answers']//li")]


def test_the_page_has_the_question_its_figures_and_all_answers_in_the_order_of_the_board(
    client, three
):
    page = page_at(client, address("5"))
    assert words(page.xpath("//h1")[0]) == "Spell word 5."
    assert words(page.xpath("//p[@class='answer']")[0]) == "1 of 3 entries answers this right."
    assert "Spelling · Spelling, 6 questions · question 5 of 6" in words(page)
    assert "reference" not in page.xpath("//meta[@name='description']/@content")[0]
    facts = {name.split(" The ")[0]: value for name, value in told(part(page)).items()}
    assert list(facts.values()) == [
        "– not public in this release",
        "An answer counts as right where its judge says that it is right.",
        "33 %",
        "3",
        "–",
    ]
    for said in ("95 % interval 6 to 79", "needs at least 10 entries"):
        assert said in words(page)
    assert answered(page) == [
        f"Speller 6 {STANDING} word5 right",
        f"Speller 3 {STANDING} <b>3 wrong",
        f"Speller 0 {STANDING} <b>0 wrong",
    ]
    rules = JudgeSpec.objects.get().slug
    era = f"release=words&judge={rules}"
    keys = dict(Question.objects.values_list("public_id", "pk"))
    of_board, line = "/boards/spelling/", f"/?judge={rules}&page=1#question-{keys['5']}"
    assert links(part(page)) == {
        "Spelling": of_board,
        "← Question 4": f"/questions/{keys['4']}/?{era}",
        "Question 6 →": f"/questions/{keys['6']}/?{era}",
        "Questions of this subtask": f"{of_board}questions/?{era}&subtask=words%2Flong",
        "Matrix": f"{of_board}matrix/?{era}&subtask=words%2Flong",
        "offline rules": f"/judges/{rules}/",
        **{one.model.name: f"/entries/{one.pk}{line}" for one in three},
        "Report a problem with this question": f"/questions/{keys['5']}/report/",
    }
    entry = page_at(client, f"/entries/{three[0].pk}{line}")
    (line,) = entry.xpath(f"//*[@id='question-{keys['5']}']")
    (back,) = line.xpath(".//a[@class='all-answers']/@href")
    assert len(answered(page_at(client, back))) == 3
    for end, missing in (("1", "prev"), ("6", "next")):
        assert not page_at(client, address(end)).xpath(f"//a[@rel='{missing}']")


def test_baselines_and_equal_answers_are_not_counted(client, three):
    judged(submit(three[0].release, three[0].owner, answers_of(0), name="Copy"))
    Submission.objects.filter(pk=three[0].pk).update(origin="baseline")
    store_boards_as_of("spelling", now=timezone.now())
    assert told(part(page_at(client, address("2"))))["Entries counted"] == "2"


def test_private_and_withdrawn_entries_are_not_there(client, three):
    QuestionStatistics.objects.all().delete()
    set_visibility(submission=three[0], visibility="private")
    withdraw_submission(submission=three[1])
    page = page_at(client, address("2"))
    assert [one.partition(" rank")[0] for one in answered(page)] == ["Speller 0"]
    assert "1 public answer," in words(page)
    assert "is being computed" in words(page)
    set_visibility(submission=three[2], visibility="private")
    alone = shown(client, address("2"))
    assert "No public entry has answered this question yet." in alone
    assert "question 2 of 6" in alone


def test_pages_leave_nobody_out_and_cost_the_same(client, three, monkeypatch):
    page_at(client, address("2"))  # which unpacks the board, once for all pages
    found, costs = [], []
    for size, query in ((3, ""), (2, "?page=1"), (2, "?page=2")):
        monkeypatch.setattr(question_pages, "PER_PAGE", size)
        with CaptureQueriesContext(connection) as asked:
            page = page_at(client, address("2", query))
        found.append([one.partition(" rank")[0] for one in answered(page)])
        costs.append(len(asked))
        assert bool(page.xpath("//*[@id='answers']//a[@rel='next']")) is (query == "?page=1")
    assert found[0] == found[1] + found[2]
    assert costs[0] == costs[1]


def test_what_an_address_asks_in_vain_is_said_and_the_default_shown(client, three):
    long = "9" * 9_999
    wrong = (
        "page=99",
        "page=x",
        "judge=nobody",
        "release=nowhere",
        f"page={long}",
        f"judge={long}",
    )
    for query in wrong:
        page = page_at(client, address("2", f"?{query}"))
        assert answered(page), query[:20]
        assert page.xpath("//p[@class='notice warn']"), query[:20]


def test_no_such_question_and_one_of_a_draft_are_not_found(client, three):
    fields = {"benchmark": three[0].release.benchmark}
    draft = Release.objects.create(slug="draft", checksum="c", question_count=1, **fields)
    fields["subtask"] = Question.objects.get(public_id="1").subtask
    new = Question.objects.create(public_id="new", content_hash="n" * 64, group="g", **fields)
    ReleaseQuestion.objects.create(release=draft, question=new, position=0)
    for number in ("0", "999999", "9" * 40, new.pk):
        assert client.get(f"/questions/{number}/").status_code == 404, number


# --- what is hidden -------------------------------------------------------------------------------


def test_reference_and_approved_descriptions_are_shown_unless_a_release_hides_them(
    client, owner, tmp_path
):
    """Of a figure with two approved versions and a draft."""
    (tmp_path / "one.png").write_bytes(picture())
    lines = io.BytesIO(b"one|two|two|one.png\n")
    release = import_release(protocol=protocol("spelling"), stream=lines, images=tmp_path).release
    judged(submit(release, owner, b"one=two\n"))
    author = User.objects.create_user("ann")
    for version, text, state in (
        (1, "A red square.", "approved"),
        (2, "A green square.", "approved"),
        (3, "A draft of a square.", "draft"),
    ):
        Description.objects.create(
            figure=Figure.objects.get(), version=version, text=text, state=state, author=author
        )
    page = page_at(client, address("one"))
    assert "– not public in this release" in told(part(page)).values()
    assert "square" not in words(page)
    (figure,) = page.xpath("//a[starts-with(@href, '/figures/')]")
    assert figure.xpath("./img/@src") == [f"{figure.get('href')}small/"]
    Release.objects.update(disclosure="open")
    page = page_at(client, address("one"))
    assert "two" in told(part(page)).values()
    (said,) = page.xpath("//meta[@name='description']/@content")
    assert "its picture, its reference, and" in said
    assert "A red square." in words(page)
    assert [words(one) for one in page.xpath("//del | //ins")] == ["red", "green"]
    assert "draft" not in words(page)
    hidden = Release.objects.create(
        benchmark=release.benchmark, slug="hidden", title="H", checksum="c", question_count=1
    )
    question = Question.objects.get(public_id="one")
    ReleaseQuestion.objects.create(release=hidden, question=question, position=0)
    page = page_at(client, address("one"))
    assert "square" not in words(page)
    assert "two" in told(part(page)).values()
