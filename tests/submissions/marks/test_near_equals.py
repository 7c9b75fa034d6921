"""Submissions that repeat another one's answers are told to staff and to whoever hands them in."""

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.submissions.marks import near_equals
from benchmarks.submissions.marks.flags import ensure_flags
from benchmarks.submissions.marks.near_equals import MOST_IN_A_BAND, MOST_KEPT
from benchmarks.submissions.marks.sketches import BANDS
from benchmarks.submissions.models import (
    AnswerBand,
    AnswerSketch,
    EvaluatedModel,
    NearEqual,
    Submission,
)
from benchmarks.submissions.services import (
    accept_submission,
    withdraw_submission,
)
from tests.conftest import import_words, submit

QUESTIONS = 150
LIST = "/admin/submissions/submission/"


@pytest.fixture
def words(db) -> Release:
    return import_words(range(QUESTIONS))


def answers(*other: int, by: str = "other") -> bytes:
    said = {n: f"{by}{n}" if n in other else f"word{n}" for n in range(QUESTIONS)}
    return "".join(f"{n}={text}\n" for n, text in said.items()).encode()


def codes(submission: Submission) -> list[str]:
    return [note["code"] for note in submission.reading_notes]


DETAILS = "apart from details such as capitals and punctuation"


def test_a_copy_with_up_to_three_other_answers_is_told_at_upload(words, owner, stranger):
    """A word more in every answer makes no other answers; equal ones share a place."""
    first = submit(words, owner, answers(), name="First")
    other = submit(words, stranger, answers(3, 70, 99, 140), name="Other")
    assert not NearEqual.objects.exists()
    assert codes(other) == []
    withdraw_submission(submission=other)
    copy = submit(words, stranger, answers(3, 70, 140), name="Copy", confirm=False)
    near = NearEqual.objects.get(other=first)
    assert (near.submission, near.equal, near.of) == (copy, 147, 150)
    copy.refresh_from_db()
    equal_to = f"147 of 150 answers are equal to those of the entry “First”, {DETAILS}"
    assert f"{equal_to}. Staff see this too." in [note["message"] for note in copy.reading_notes]
    dressed = answers(3).replace(b"\n", b" (Well)\n")
    again = submit(words, stranger, dressed, name="Dressed")
    assert again.near_equals.get(other=first).equal == QUESTIONS - 1
    equal = submit(words, stranger, answers().upper(), name="Equal", confirm=False)
    told = [note["message"] for note in equal.reading_notes]
    shared = f"Every answer is equal to that of the entry “First”, {DETAILS}."
    assert any(sentence.startswith(shared) for sentence in told)


def test_a_sketch_by_older_rules_or_none_is_made_anew(words, owner, stranger):
    submit(words, owner, answers(), name="First")
    copy = submit(words, stranger, answers(1), name="Copy")
    bands = set(copy.bands.values_list("key", flat=True))
    sketches = AnswerSketch.objects.filter(submission=copy)
    for is_older in (True, False):
        if is_older:
            sketches.update(hashes=bytes(4 * QUESTIONS))
            copy.bands.update(key=1)
        else:
            sketches.all().delete()
            copy.bands.all().delete()
        NearEqual.objects.all().delete()
        Submission.objects.filter(pk=copy.pk).update(reading_notes=[], flags_version=0)
        for _ in range(2):
            ensure_flags(submission=Submission.objects.get(pk=copy.pk))
        assert set(copy.bands.values_list("key", flat=True)) == bands
        assert NearEqual.objects.get().equal == QUESTIONS - 1
        assert codes(Submission.objects.get(pk=copy.pk)) == ["near-equal"]


def test_a_private_submission_of_somebody_else_is_told_to_staff_alone(words, owner, stranger):
    submit(words, owner, answers(), visibility="private")
    copy = submit(words, stranger, answers(1), name="Copy")
    own = submit(words, stranger, answers(2), name="Again")
    assert codes(copy) == []
    assert NearEqual.objects.filter(submission=copy).count() == 1
    (note,) = own.reading_notes
    assert note["message"].startswith(
        f"148 of 150 answers are equal to those of your submission “Copy”, {DETAILS}."
    )


def test_another_release_and_baselines_are_not_compared(words, owner, stranger):
    submit(words, owner, answers())
    submit(import_words(range(QUESTIONS), slug="other"), stranger, answers())
    submit(words, None, answers(), name="Floor", origin="baseline")
    assert not NearEqual.objects.exists()
    assert AnswerSketch.objects.count() == 2


def test_large_files_and_those_long_once_they_are_read_are_compared_by_the_worker(
    words, owner, monkeypatch
):
    halves = "".join(f"{n}=½ ½ ½ ½\n" for n in range(QUESTIONS))  # read as "12 12 12 12"
    for number, (most, content) in enumerate([(100, answers()), (1500, halves.encode())]):
        monkeypatch.setattr(near_equals, "MOST_AT_UPLOAD", most)
        handed_in = submit(words, owner, content)
        assert AnswerSketch.objects.count() == number
        ensure_flags(submission=handed_in)
        assert AnswerSketch.objects.count() == number + 1


def test_a_cancelled_upload_is_forgotten(words, owner, stranger):
    submit(words, owner, answers())
    copy = submit(words, stranger, answers(1), name="Copy", confirm=False, visibility="private")
    withdraw_submission(submission=copy)
    assert not NearEqual.objects.exists()
    assert not AnswerBand.objects.filter(submission=copy).exists()
    assert AnswerSketch.objects.count() == 1


@pytest.mark.slow
def test_the_hundredth_copy_costs_as_much_as_the_thirtieth(
    words, owner, django_assert_max_num_queries
):
    """Rows read and written are bounded too, and a near copy of a late one is found all the
    same."""

    def hand_in(number: int, *other: int) -> Submission:
        return accept_submission(
            release=words,
            upload=Upload("answers.txt", answers(*other, by=f"by {number} ")),
            model=EvaluatedModel(name=f"Copy {number}"),
            owner=owner,
        )

    for number in range(30):
        hand_in(number, number, number + 1, number + 2)
    with django_assert_max_num_queries(60) as few:
        hand_in(30, 30, 31, 32)
    for number in range(31, 60):
        hand_in(number, number, number + 1, number + 2)
    with django_assert_max_num_queries(len(few)):
        last = hand_in(60, 60, 61, 62)
    rows = list(AnswerBand.objects.values_list("key", flat=True))
    assert max(map(rows.count, set(rows))) <= MOST_IN_A_BAND
    assert len(rows) <= BANDS * 61
    assert last.near_equals.count() <= MOST_KEPT
    copy = accept_submission(
        release=words,
        upload=Upload("answers.txt", answers(60, 61, 62, 5, by="by 60 ")),
        model=EvaluatedModel(name="Drift"),
        owner=owner,
    )
    assert last.pk in copy.near_equals.values_list("other", flat=True)


def test_staff_find_them_in_the_admin(words, owner, stranger, client):
    submit(words, owner, answers(), name="First")
    submit(words, stranger, answers(1), name="Copy")
    submit(words, stranger, answers(*range(0, QUESTIONS, 2)), name="Honest")
    client.force_login(User.objects.create_superuser("mod", "mod@example.org", "a long password"))
    page = str(client.get(f"{LIST}?marks=near").content, "utf-8")
    assert "First by rosa: 149 of 150" in page
    assert ">Copy</a>" in page
    assert "Honest" not in page
