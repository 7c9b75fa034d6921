import hashlib
import io
import uuid
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import freeze_release, import_release
from benchmarks.submissions.models import AccessToken, Answer, EvaluatedModel, Submission
from benchmarks.submissions.services import (
    ModelDetails,
    SubmissionRefusedError,
    accept_submission,
    confirm_submission,
    create_token,
    ensure_baselines,
    read_submission_file,
    revoke_token,
    set_visibility,
    shown_name,
    token_digest,
    withdraw_submission,
)
from tests.conftest import ANSWERS, submit
from tests.deleting import delete_linked
from tests.each_case import each_case

PUBLIC, PRIVATE = Submission.Visibility.PUBLIC, Submission.Visibility.PRIVATE


def stored_files() -> set[str]:
    folder = Path(storages["uploads"].path(""))
    return {path.name for path in folder.glob("*")}


def stored_rows() -> tuple[int, int, int]:
    return Submission.objects.count(), Answer.objects.count(), EvaluatedModel.objects.count()


def state(submission: Submission) -> tuple[bool, str, bool]:
    """Whether it is confirmed, who sees it, and whether it is withdrawn."""
    submission.refresh_from_db()
    return submission.confirmed is not None, submission.visibility, submission.withdrawn is not None


# --- accepted or refused --------------------------------------------------------------------------


def test_an_accepted_file_has_an_answer_to_every_question(submission):
    answers = submission.answers.values_list("question__public_id", "text")
    assert dict(answers) == {"1": "two", "2": "color", "3": "night", "4": "sea"}


def test_the_stored_file_is_byte_for_byte_the_uploaded_one(submission):
    with submission.file.open("rb") as stored:
        assert stored.read() == ANSWERS
    assert submission.sha256 == hashlib.sha256(ANSWERS).hexdigest()


@pytest.mark.parametrize(
    ("name", "suffix"), [("a.csv", ".csv"), ("a.TSV", ".tsv"), ("../../a.php", ""), ("a", "")]
)
def test_the_stored_file_has_a_name_of_ours(spelling, owner, name, suffix):
    upload = Upload(name, ANSWERS)
    submission = accept_submission(
        release=spelling, upload=upload, model=ModelDetails("Speller"), owner=owner
    )
    assert (submission.file.name, submission.file_name) == (f"{submission.pk}{suffix}", name)


@pytest.mark.parametrize("content", [b"", b"1=two\n", ANSWERS + b"5=five\n"])
def test_a_refused_file_leaves_no_row_and_no_file(spelling, owner, content):
    before = stored_files()
    with pytest.raises(SubmissionRefusedError):
        submit(spelling, owner, content)
    assert stored_files() == before
    assert stored_rows() == (0, 0, 0)


def test_every_problem_of_a_refused_file_is_told(spelling, owner):
    with pytest.raises(SubmissionRefusedError) as caught:
        submit(spelling, owner, b"1=two\n9=nine\n")
    assert [problem.message for problem in caught.value.problems] == [
        "2 has no answer",
        "3 has no answer",
        "4 has no answer",
        "9 is not asked",
    ]


def test_a_file_for_another_release_is_told_which(spelling):
    other = io.BytesIO(b"x1|a|a\nx2|b|b\n")
    import_release(protocol=protocol("spelling"), stream=other, slug="other")
    reading = read_submission_file(
        release=spelling, upload=Upload("a.txt", ANSWERS + b"x1=a\nx2=b\n")
    )
    assert (
        reading.problems[-1].message
        == "2 of the unknown ids belong to the release 'other'. Was it meant?"
    )


def test_a_frozen_release_takes_no_submission(spelling, owner):
    freeze_release(release=spelling)
    spelling.refresh_from_db()
    with pytest.raises(SubmissionRefusedError) as caught:
        submit(spelling, owner)
    assert caught.value.problems[0].message == "The release 'spelling-1' takes no submissions."


def test_rows_that_cannot_be_written_take_the_file_with_them(spelling, owner):
    before = stored_files()
    with pytest.raises(IntegrityError), transaction.atomic():
        submit(spelling, owner, visibility=None)  # never null
    assert stored_files() == before
    assert stored_rows() == (0, 0, 0)


def test_a_model_is_made_once_and_keeps_its_first_details(spelling, owner):
    for organisation in ("Lab", "Another"):
        details = ModelDetails("Speller", organisation=organisation)
        accept_submission(release=spelling, upload=Upload("a", ANSWERS), model=details, owner=owner)
    assert [model.organisation for model in EvaluatedModel.objects.all()] == ["Lab"]


def test_two_accounts_may_use_one_model_name(spelling, owner, stranger):
    submit(spelling, owner)
    submit(spelling, stranger)
    assert EvaluatedModel.objects.filter(name="Speller").count() == 2


# --- sent twice -----------------------------------------------------------------------------------


def test_the_same_token_again_is_the_same_submission(spelling, owner):
    token = uuid.uuid4()
    first = submit(spelling, owner, client_token=token)
    assert submit(spelling, owner, b"not even a file", client_token=token) == first
    assert stored_rows() == (1, 4, 1)


def test_the_same_token_of_another_account_is_another_submission(spelling, owner, stranger):
    token = uuid.uuid4()
    submit(spelling, owner, client_token=token)
    submit(spelling, stranger, client_token=token)
    assert Submission.objects.count() == 2


@pytest.mark.parametrize("by", ["owner", "nobody"])
def test_the_database_holds_one_submission_per_token(spelling, owner, by):
    first = submit(spelling, owner if by == "owner" else None)
    first.pk = uuid.uuid4()
    with pytest.raises(IntegrityError), transaction.atomic():
        first.save(force_insert=True)


# --- its life -------------------------------------------------------------------------------------


def test_an_unconfirmed_submission_is_private_whatever_was_asked(spelling, owner):
    assert state(submit(spelling, owner, confirm=False, visibility=PUBLIC)) == (
        False,
        PRIVATE,
        False,
    )


def test_confirming_publishes_as_chosen_once(spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    assert confirm_submission(submission=submission, visibility=PUBLIC)
    assert not confirm_submission(submission=submission, visibility=PRIVATE)
    assert state(submission) == (True, PUBLIC, False)


def test_an_unconfirmed_submission_cannot_be_published(spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    set_visibility(submission=submission, visibility=PUBLIC)
    assert state(submission) == (False, PRIVATE, False)


def test_the_database_refuses_to_show_what_is_not_confirmed(spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=submission.pk).update(visibility=PUBLIC)


@pytest.mark.parametrize("visibility", [PUBLIC, PRIVATE])
def test_a_confirmed_submission_can_be_shown_and_hidden(submission, visibility):
    set_visibility(submission=submission, visibility=visibility)
    assert state(submission) == (True, visibility, False)


def test_withdrawing_leaves_a_private_tombstone_with_its_answers(submission):
    withdraw_submission(submission=submission)
    assert state(submission) == (True, PRIVATE, True)
    assert submission.answers.count() == 4


def test_a_withdrawn_submission_stays_withdrawn_since_the_first_time(submission):
    withdraw_submission(submission=submission)
    submission.refresh_from_db()
    first = submission.withdrawn
    withdraw_submission(submission=submission)
    set_visibility(submission=submission, visibility=PUBLIC)
    assert state(submission) == (True, PRIVATE, True)
    assert submission.withdrawn == first


def test_a_withdrawn_submission_cannot_be_confirmed(spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    withdraw_submission(submission=submission)
    assert not confirm_submission(submission=submission, visibility=PUBLIC)


# --- baselines ------------------------------------------------------------------------------------


def test_baselines_are_public_submissions_of_nobody(spelling):
    (baseline,) = ensure_baselines(release=spelling)
    assert (baseline.owner, baseline.origin, baseline.visibility) == (None, "baseline", PUBLIC)
    assert (baseline.model.name, baseline.model.organisation) == (
        "Random letters",
        "Assay baseline",
    )


def test_baselines_are_made_once(spelling):
    first = ensure_baselines(release=spelling)
    assert ensure_baselines(release=spelling) == first
    assert Submission.objects.count() == 1


def test_baselines_give_the_same_answers_every_time(spelling):
    digests = []
    for _ in range(2):
        digests += [baseline.sha256 for baseline in ensure_baselines(release=spelling)]
        Answer.objects.all().delete()
        delete_linked(Submission.objects.all())
    assert digests[0] == digests[1]


# --- names and tokens -----------------------------------------------------------------------------


@each_case(
    "name, shown",
    [
        ("answers.csv", "answers.csv"),
        ("a\u202evsc.exe", "avsc.exe"),
        ("a\r\nSet-Cookie: b", "aSet-Cookie: b"),
        ("a\0.php", "a.php"),
        ("x" * 5000, "x" * 200),
        ("<b>.csv", "<b>.csv"),
        ("", ""),
    ],
)
def test_a_file_name_is_shown_without_control_characters(name, shown):
    assert shown_name(name) == shown


def test_a_token_is_kept_as_a_digest_only(owner):
    made = create_token(owner=owner, name="laptop", scope="read")
    kept = AccessToken.objects.get()
    assert made.key.startswith("assay_")
    assert kept.digest == token_digest(made.key)
    assert made.key not in {str(value) for value in AccessToken.objects.values_list().get()}


def test_every_token_is_another(owner):
    assert len({create_token(owner=owner, name="laptop", scope="read").key for _ in range(5)}) == 5


def test_a_new_token_is_valid_and_a_revoked_one_is_not(owner):
    token = create_token(owner=owner, name="laptop", scope="read").token
    assert AccessToken.objects.valid(timezone.now()).exists()
    revoke_token(owner=owner, token_id=token.pk)
    assert not AccessToken.objects.valid(timezone.now()).exists()


def test_a_token_ends_with_its_time_and_with_its_account(owner):
    token = create_token(owner=owner, name="laptop", scope="read").token
    assert not AccessToken.objects.valid(token.expires).exists()
    owner.is_active = False
    owner.save()
    assert not AccessToken.objects.valid(timezone.now()).exists()
