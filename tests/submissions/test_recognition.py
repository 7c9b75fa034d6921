"""The release of a file that does not say it: told by its ids, or asked for, or refused with what
was seen and expected."""

import io
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions import recognition
from benchmarks.submissions.files import reading
from benchmarks.submissions.models import Submission
from benchmarks.submissions.recognition import Recognition, recognise_release
from benchmarks.submissions.services import SubmissionRefusedError, withdraw_submission
from tests.api_clients import check_documented, token_client
from tests.conftest import import_words
from tests.protocols.hallusionbench.test_kits import as_tsv, vlmevalkit_row

pytestmark = pytest.mark.django_db
PICTURES = ("VD/figure/0/1/0", "VD/figure/0/1/1", "VD/figure/0/2/0", "VS/map/1/1/0")
NO_PICTURE = "VS/map/1/0/0"
READ_FOR = "Detected: Spelling, 100 questions, 99 of its 100 questions."


def file_of(ids) -> Upload:
    return Upload("a.csv", "".join(["id,prediction\n", *(f"{key},x\n" for key in ids)]).encode())


def words(count: int, *, start: int = 1) -> list[str]:
    return [str(number) for number in range(start, start + count)]


def refusal(upload: Upload) -> SubmissionRefusedError:
    with pytest.raises(SubmissionRefusedError) as refused:
        recognise_release(upload=upload)
    return refused.value


def slugs(found: Recognition) -> list[str]:
    return [candidate.release.slug for candidate in found.candidates]


@pytest.fixture
def releases(db) -> None:
    """A hundred questions, the first ninety of them by themselves, and others of no one else."""
    import_words(range(1, 101), slug="whole")
    import_words(range(1, 91), slug="part")
    import_words(range(5_001, 5_011), slug="others")


# --- one release ----------------------------------------------------------------------------------


FILES = [
    (words(100), "whole"),
    (words(90), "part"),
    (words(100)[::-1], "whole"),
    (words(10, start=5_001), "others"),
    (words(99), "whole"),  # nearly: one is missing
    ([*words(89), "9O"], "part"),  # one is misspelt
    (words(20, start=75), "whole"),  # a piece with questions that no other release has
    (words(100) + words(40, start=700), "whole"),  # many are unknown
]


def test_a_file_is_for_the_release_whose_ids_it_has(releases, django_assert_max_num_queries):
    for number in range(10):
        import_words(range(9_000 + number, 9_003 + number), slug=f"more-{number}")
    for ids, release in FILES:
        with django_assert_max_num_queries(8):
            found = recognise_release(upload=file_of(ids))
        assert (found.release and found.release.slug) == release, ids
        assert found.note.code == "recognised"


def test_rows_of_a_kit_tell_the_release_as_well(db, releases):
    file = "[" + ",".join(official(*key.split("/")) for key in (*PICTURES, NO_PICTURE)) + "]"
    import_release(
        protocol=protocol("hallusionbench"), stream=io.BytesIO(file.encode()), slug="all-of-them"
    )
    found = recognise_release(upload=as_tsv([vlmevalkit_row(key, "Yes") for key in PICTURES]))
    assert found.release
    assert found.release.slug == "all-of-them"
    assert found.sentence == (f"Detected: {found.release.title}, 4 of its 5 questions.")


def official(category, subcategory, set_id, figure_id, question_id) -> str:
    return (
        f'{{"category": "{category}", "subcategory": "{subcategory}", "visual_input": '
        f'"{0 if category == "VS" and figure_id == "0" else 1}", "set_id": "{set_id}", '
        f'"figure_id": "{figure_id}", "sample_note": "", "question_id": "{question_id}", '
        f'"question": "Is {set_id} {figure_id} {question_id}?", "gt_answer_details": "It is.", '
        '"gt_answer": "1", "filename": null}'
    )


# --- several --------------------------------------------------------------------------------------


def test_a_file_that_fits_two_alike_is_asked_about_and_a_closed_release_is_no_choice(releases):
    found = recognise_release(upload=file_of(words(30)))
    assert found.release is None
    assert slugs(found) == ["part", "whole"]
    assert "30 of its 90 questions" in found.sentence
    assert "30 of its 100 questions" in found.sentence
    import_words(range(1, 101), slug="again", of=protocol("spelling"))
    found = recognise_release(upload=file_of(words(100)))
    assert found.release is None
    assert sorted(slugs(found)) == ["again", "whole"]
    Release.objects.exclude(slug="part").update(state=Release.State.FROZEN)
    found = recognise_release(upload=file_of(words(30)))
    assert (found.release and found.release.slug) == "part"
    (problem,) = refusal(file_of(words(10, start=5_001))).problems
    assert problem.code == "release"
    assert "(others; all 10 questions), which takes no submissions" in problem.message


# --- none -----------------------------------------------------------------------------------------


def test_foreign_ids_are_told_with_what_was_seen_and_expected(releases):
    (problem,) = refusal(file_of(["MME_1", "MME_2", "MME_3", "MME_4", "1"])).problems
    assert (problem.code, problem.column) == ("unknown", "id")
    assert "answers 5 questions, such as “MME_1”, “MME_2”, “MME_3”, and no" in problem.message
    assert "choose it" in problem.message
    assert problem.found == "“MME_1”, “MME_2”, “MME_3”"
    assert problem.expected == "ids such as “1” (Spelling, 100 questions)"


WITHOUT_IDS = [
    (Upload("a.pdf", b"%PDF"), ["type"]),
    (Upload("a.csv", b""), ["empty", "no-ids"]),
    (Upload("a.csv", b"name,words\n1,x\n"), ["header", "no-ids"]),
    (Upload("a.csv", "id,prediction\n".encode("utf-16")), ["encoding", "no-ids"]),
    (file_of([]), ["no-ids"]),
    (Upload("a.json", b'[{"id": 1, "prediction": "x"}]'), ["type-of-id", "no-ids"]),
]


def test_a_file_without_ids_is_told_why_it_cannot_be_read_for_every_row(releases):
    """And not as many as an operator looks through."""
    for upload, codes in WITHOUT_IDS:
        assert [problem.code for problem in refusal(upload).problems] == codes
    lines = [f'{{"id": {number}, "prediction": "x"}}\n' for number in range(100)]
    content = "".join([*lines, '{"id": 1}\n']).encode()
    problems = refusal(Upload("a.jsonl", content)).problems
    assert [problem.code for problem in problems].count("type-of-id") == 101


def test_without_an_open_release_nothing_is_read(db, monkeypatch):
    monkeypatch.setattr(recognition, "ids_apart", None)
    (problem,) = refusal(file_of(["1"])).problems
    assert problem.message == "No release takes submissions now."


def test_a_file_beyond_the_limits_is_refused(releases, monkeypatch):
    monkeypatch.setattr(reading, "answer_from_process", too_much)
    (problem,) = refusal(file_of(words(100))).problems
    assert (problem.code, problem.message) == ("unreadable", reading.TOO_MUCH)


def too_much(*job) -> bytes:
    raise reading.NoAnswerError(reading.TOO_MUCH, "ended")


# --- page and API ---------------------------------------------------------------------------------


def by_form(client, ids, **more):
    file = SimpleUploadedFile("a.csv", file_of(ids).content)
    data = {"model_name": "Speller", "file": file, "client_token": str(uuid.uuid4())}
    return client.post("/submit/", {**data, **more})


def by_api(owner, upload: Upload):
    client = token_client(owner, "submit")
    file = SimpleUploadedFile(upload.name, upload.content)
    reply = client.post("/api/v1/submissions/", {"model": "Speller", "file": file})
    check_documented(reply, "/submissions/", "post")
    return reply


def test_the_form_says_for_which_release_a_file_was_read_or_asks(client, owner, releases):
    client.force_login(owner)
    reply = by_form(client, words(90))
    assert reply.status_code == 302
    submission = Submission.objects.get()
    assert submission.release.slug == "part"
    assert submission.reading_notes[0]["code"] == "recognised"
    assert "Detected:" in client.get(reply.url).content.decode()
    withdraw_submission(submission=submission)
    reply = by_form(client, words(99))
    assert reply.status_code == 422
    assert READ_FOR in reply.content.decode()
    reply = by_form(client, words(30))
    assert reply.status_code == 422
    asked = "The file matches several releases: “Spelling, 90 questions” (part;"
    assert asked in reply.content.decode()
    assert by_form(client, words(90), release="part").status_code == 302


def test_ids_under_a_name_of_another_benchmark_or_in_another_writing_are_found(releases):
    """The official table of TouchStone has its ids under index; no other benchmark reads that."""
    rows = "".join(f"{key},x\n" for key in words(90))
    found = recognise_release(upload=Upload("a.csv", f"index,text\n{rows}".encode()))
    assert slugs(found) == ["part"]
    found = recognise_release(upload=file_of([f"{key}.0" for key in words(90)]))
    assert found.sentence == "Detected: probably “Spelling, 90 questions” (part)."


def test_the_api_says_for_which_release_a_file_was_read_or_names_the_choices(owner, releases):
    assert by_api(owner, file_of(words(99))).json()["detail"].endswith(READ_FOR)
    reply = by_api(owner, file_of(words(30)))
    assert reply.status_code == 422
    assert reply.json()["candidates"] == ["part", "whole"]
    assert list(reply.json()["errors"]) == ["release"]
    for upload, status, code, found in (
        (file_of(["MME_1"]), 422, "unknown", "“MME_1”"),
        (Upload("a.pdf", b"%PDF"), 415, "type", ".pdf"),
    ):
        reply = by_api(owner, upload)
        (problem,) = reply.json()["problems"]
        assert (reply.status_code, problem["code"]) == (status, code)
        assert found in problem["found"]
    assert not Submission.objects.exists()
    reply = by_api(owner, file_of(words(100)))
    assert (reply.status_code, reply.json()["release"]) == (201, "whole")
    assert reply.json()["notes"][0]["code"] == "recognised"
