import hashlib
import io
import uuid
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmarks.common.hashing import key_digest
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import (
    AccessToken,
    Answer,
    EvaluatedModel,
    LooseFile,
    Submission,
)
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import (
    SubmissionRefusedError,
    accept_submission,
    confirm_submission,
    read_submission_file,
    set_visibility,
    shown_name,
    withdraw_submission,
)
from benchmarks.submissions.tokens import create_token, revoke_token
from tests.conftest import ANSWERS, freeze_release, submit
from tests.deleting import delete_linked
from tests.each_case import each_case

PUBLIC, PRIVATE = Submission.Visibility.PUBLIC, Submission.Visibility.PRIVATE
SUFFIXES = {"a.csv": ".csv", "a.TSV": ".tsv", "../../a.php": "", "a": ""}


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


def test_an_accepted_file_is_kept_byte_for_byte_with_an_answer_to_every_question(submission):
    answers = submission.answers.values_list("question__public_id", "text")
    assert dict(answers) == {"1": "two", "2": "color", "3": "night", "4": "sea"}
    with submission.file.open("rb") as stored:
        assert stored.read() == ANSWERS
    assert submission.sha256 == hashlib.sha256(ANSWERS).hexdigest()


def test_files_have_names_of_ours_and_a_model_is_made_once_for_each_account(
    spelling, owner, stranger
):
    for number, (name, suffix) in enumerate(SUFFIXES.items()):
        submission = accept_submission(
            release=spelling,
            upload=Upload(name, ANSWERS),
            model=EvaluatedModel(name="Speller", organisation=f"Lab {number}"),
            owner=owner,
        )
        assert (submission.file.name, submission.file_name) == (f"{submission.pk}{suffix}", name)
    submit(spelling, stranger)
    models = EvaluatedModel.objects.values_list("name", "organisation")
    assert sorted(models) == [("Speller", ""), ("Speller", "Lab 0")]


def test_a_refused_file_is_told_every_problem_and_leaves_no_row_and_no_file(spelling, owner):
    before = stored_files()
    missing = [f"{number} has no answer" for number in (1, 2, 3, 4)]
    for content, problems in {
        b"": missing,
        b"1=two\n9=nine\n": [*missing[1:], "9 is not asked"],
        ANSWERS + b"5=five\n": ["5 is not asked"],
    }.items():
        with pytest.raises(SubmissionRefusedError) as caught:
            submit(spelling, owner, content)
        assert [problem.message for problem in caught.value.problems] == problems
    with pytest.raises(IntegrityError), transaction.atomic():
        submit(spelling, owner, visibility=None)  # never null: the rows cannot be written
    freeze_release(release=spelling)
    spelling.refresh_from_db()
    with pytest.raises(SubmissionRefusedError) as caught:
        submit(spelling, owner)
    assert caught.value.problems[0].message == "The release 'spelling-1' takes no submissions."
    assert not LooseFile.objects.exists()
    assert stored_files() == before
    assert stored_rows() == (0, 0, 0)


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


# --- sent twice -----------------------------------------------------------------------------------


def test_a_token_names_one_submission_of_an_account(spelling, owner, stranger):
    token = uuid.uuid4()
    first = submit(spelling, owner, client_token=token)
    assert submit(spelling, owner, b"not even a file", client_token=token) == first
    assert stored_rows() == (1, 4, 1)
    assert submit(spelling, stranger, client_token=token) != first
    for again in (first, submit(spelling, None)):
        again.pk = uuid.uuid4()
        with pytest.raises(IntegrityError), transaction.atomic():
            again.save(force_insert=True)


# --- its life -------------------------------------------------------------------------------------


def test_a_submission_is_private_until_it_is_confirmed_once_and_then_shown_as_chosen(
    spelling, owner
):
    submission = submit(spelling, owner, confirm=False, visibility=PUBLIC)
    assert state(submission) == (False, PRIVATE, False)
    set_visibility(submission=submission, visibility=PUBLIC)
    assert state(submission) == (False, PRIVATE, False)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=submission.pk).update(visibility=PUBLIC)
    assert confirm_submission(submission=submission, visibility=PUBLIC)
    assert not confirm_submission(submission=submission, visibility=PRIVATE)
    assert state(submission) == (True, PUBLIC, False)
    for visibility in (PRIVATE, PUBLIC):
        set_visibility(submission=submission, visibility=visibility)
        assert state(submission) == (True, visibility, False)


def test_withdrawing_leaves_a_private_tombstone_with_its_answers_for_good(spelling, owner):
    submission, draft = submit(spelling, owner), submit(spelling, owner, confirm=False)
    withdraw_submission(submission=submission)
    submission.refresh_from_db()
    first = submission.withdrawn
    withdraw_submission(submission=submission)
    set_visibility(submission=submission, visibility=PUBLIC)
    assert state(submission) == (True, PRIVATE, True)
    assert submission.withdrawn == first
    assert submission.answers.count() == 4
    withdraw_submission(submission=draft)
    assert not confirm_submission(submission=draft, visibility=PUBLIC)


# --- baselines ------------------------------------------------------------------------------------


def test_baselines_are_public_submissions_of_nobody_made_once_with_the_same_answers(spelling):
    (baseline,) = first = ensure_baselines(release=spelling)
    assert (baseline.owner, baseline.origin, baseline.visibility) == (None, "baseline", PUBLIC)
    assert baseline.model.name == "Random letters"
    assert baseline.model.organisation == "Assay baseline"
    assert ensure_baselines(release=spelling) == first
    assert Submission.objects.count() == 1
    Answer.objects.all().delete()
    delete_linked(Submission.objects.all())
    (again,) = ensure_baselines(release=spelling)
    assert (again.sha256, again.pk == baseline.pk) == (baseline.sha256, False)


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


def test_a_token_is_kept_as_a_digest_and_ends_with_its_time_its_account_or_when_revoked(owner):
    def valid(at) -> set[int]:
        return set(AccessToken.objects.valid(at).values_list("pk", flat=True))

    made = create_token(owner=owner, name="laptop", scope="read")
    kept = AccessToken.objects.get()
    assert made.key.startswith("assay_")
    assert kept.digest == key_digest(made.key)
    assert made.key not in {str(value) for value in AccessToken.objects.values_list().get()}
    other = create_token(owner=owner, name="laptop", scope="read")
    assert other.key != made.key
    assert valid(timezone.now()) == {kept.pk, other.token.pk}
    assert valid(kept.expires) == {other.token.pk}
    revoke_token(owner=owner, token_id=other.token.pk)
    assert valid(timezone.now()) == {kept.pk}
    owner.is_active = False
    owner.save()
    assert valid(timezone.now()) == set()
