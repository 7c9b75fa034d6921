"""The release of a file that does not say it: told by its ids, or asked for, or refused with what
was seen and expected."""

import io
from collections import Counter

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
from benchmarks.submissions.services import SubmissionRefusedError
from tests.api_clients import check_documented, token_client
from tests.conftest import import_words
from tests.protocols.hallusionbench.test_kits import as_tsv, vlmevalkit_row

pytestmark = pytest.mark.django_db
PICTURES = ("VD/figure/0/1/0", "VD/figure/0/1/1", "VD/figure/0/2/0", "VS/map/1/1/0")
NO_PICTURE = "VS/map/1/0/0"


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


@pytest.mark.parametrize(
    ("ids", "release"),
    [
        (words(100), "whole"),
        (words(90), "part"),
        (words(100)[::-1], "whole"),
        (words(10, start=5_001), "others"),
        (words(99), "whole"),  # nearly: one is missing
        ([*words(89), "9O"], "part"),  # one is misspelt
        (words(20, start=75), "whole"),  # a piece with questions that no other release has
        (words(100) + words(40, start=700), "whole"),  # many are unknown
    ],
)
def test_a_file_is_for_the_release_whose_ids_it_has(releases, ids, release):
    found = recognise_release(upload=file_of(ids))
    assert found.release
    assert found.release.slug == release
    assert found.note.code == "recognised"


def test_rows_of_a_kit_tell_the_release_as_well(db, releases):
    file = "[" + ",".join(official(*key.split("/")) for key in (*PICTURES, NO_PICTURE)) + "]"
    import_release(
        protocol=protocol("hallusionbench"), stream=io.BytesIO(file.encode()), slug="all-of-them"
    )
    found = recognise_release(upload=as_tsv([vlmevalkit_row(key, "Yes") for key in PICTURES]))
    assert found.release
    assert found.release.slug == "all-of-them"
    assert found.sentence == (
        f"By its ids the file is for “{found.release.title}” (all-of-them; 4 of its 5 questions)."
    )


def official(category, subcategory, set_id, figure_id, question_id) -> str:
    return (
        f'{{"category": "{category}", "subcategory": "{subcategory}", "visual_input": '
        f'"{0 if category == "VS" and figure_id == "0" else 1}", "set_id": "{set_id}", '
        f'"figure_id": "{figure_id}", "sample_note": "", "question_id": "{question_id}", '
        f'"question": "Is {set_id} {figure_id} {question_id}?", "gt_answer_details": "It is.", '
        '"gt_answer": "1", "filename": null}'
    )


# --- several --------------------------------------------------------------------------------------


def test_a_file_that_fits_two_alike_is_asked_about(releases):
    found = recognise_release(upload=file_of(words(30)))
    assert found.release is None
    assert slugs(found) == ["part", "whole"]
    assert "30 of its 90 questions" in found.sentence
    assert "30 of its 100 questions" in found.sentence


def test_two_releases_of_the_same_ids_are_asked_about(releases):
    import_words(range(1, 101), slug="again", of=protocol("spelling"))
    found = recognise_release(upload=file_of(words(100)))
    assert found.release is None
    assert sorted(slugs(found)) == ["again", "whole"]


def test_a_closed_release_is_no_choice(releases):
    Release.objects.filter(slug="whole").update(state=Release.State.FROZEN)
    found = recognise_release(upload=file_of(words(30)))
    assert found.release
    assert found.release.slug == "part"


# --- none -----------------------------------------------------------------------------------------


def test_a_file_for_a_closed_release_is_told_so(releases):
    Release.objects.filter(slug="others").update(state=Release.State.FROZEN)
    (problem,) = refusal(file_of(words(10, start=5_001))).problems
    assert problem.code == "release"
    assert "(others; all 10 questions), which takes no submissions" in problem.message


def test_foreign_ids_are_told_with_what_was_seen_and_expected(releases):
    (problem,) = refusal(file_of(["MME_1", "MME_2", "MME_3", "MME_4", "1"])).problems
    assert (problem.code, problem.column) == ("unknown", "id")
    assert "answers 5 questions, such as “MME_1”, “MME_2”, “MME_3”, and no" in problem.message
    assert "choose it" in problem.message
    assert problem.found == "“MME_1”, “MME_2”, “MME_3”"
    assert problem.expected == "ids such as “1” (Spelling, 100 questions)"


@pytest.mark.parametrize(
    ("upload", "codes"),
    [
        (Upload("a.pdf", b"%PDF"), ["type"]),
        (Upload("a.csv", b""), ["empty", "no-ids"]),
        (Upload("a.csv", b"name,words\n1,x\n"), ["header", "no-ids"]),
        (Upload("a.csv", "id,prediction\n".encode("utf-16")), ["encoding", "no-ids"]),
        (file_of([]), ["no-ids"]),
        (Upload("a.json", b'[{"id": 1, "prediction": "x"}]'), ["type-of-id", "no-ids"]),
    ],
)
def test_a_file_without_ids_is_told_why_it_cannot_be_read(releases, upload, codes):
    assert [problem.code for problem in refusal(upload).problems] == codes


def test_all_problems_of_a_file_without_ids_are_counted(releases):
    """One for each row, and not as many as an operator looks through."""
    rows = "\n".join(f'{{"id": {number}, "prediction": "x"}}' for number in range(100))
    lines = f"{rows}\n".encode() + b'{"id": 1}\n'
    problems = refusal(Upload("a.jsonl", lines)).problems
    counts = Counter(problem.code for problem in problems)
    assert counts["type-of-id"] == 101


def test_a_file_that_is_not_opened_is_refused_for_its_type(owner, releases):
    file = SimpleUploadedFile("a.pdf", b"%PDF")
    reply = token_client(owner, "submit").post(
        "/api/v1/submissions/", {"model": "Speller", "file": file}
    )
    check_documented(reply, "/submissions/", "post")
    assert reply.status_code == 415
    (problem,) = reply.json()["problems"]
    assert problem["code"] == "type"


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


def test_it_costs_no_more_queries_with_more_releases_of_others(
    releases, django_assert_max_num_queries
):
    for number in range(10):
        import_words(range(9_000 + number, 9_003 + number), slug=f"more-{number}")
    with django_assert_max_num_queries(8):
        recognise_release(upload=file_of(words(100)))


# --- page and API ---------------------------------------------------------------------------------


def by_form(client, ids, **more):
    file = SimpleUploadedFile("a.csv", file_of(ids).content)
    token = "6f0f2a1c-9a43-4a4f-9a8f-0a8cf9e3b3a1"
    data = {"model_name": "Speller", "file": file, "client_token": token}
    return client.post("/submit/", {**data, **more})


def by_api(owner, ids, **more):
    file = SimpleUploadedFile("a.csv", file_of(ids).content)
    client = token_client(owner, "submit")
    return client.post("/api/v1/submissions/", {"model": "Speller", "file": file, **more})


def test_the_form_takes_a_file_without_a_release_and_says_which(client, owner, releases):
    client.force_login(owner)
    reply = by_form(client, words(90))
    assert reply.status_code == 302
    submission = Submission.objects.get()
    assert submission.release.slug == "part"
    assert submission.reading_notes[0]["code"] == "recognised"
    assert "By its ids the file is for" in client.get(reply.url).content.decode()


def test_page_and_api_say_for_which_release_a_refused_file_was_read(client, owner, releases):
    client.force_login(owner)
    told = "By its ids the file is for “Spelling, 100 questions” (whole; 99 of its 100 questions)."
    reply = by_form(client, words(99))
    assert reply.status_code == 422
    assert told in reply.content.decode()
    reply = by_api(owner, words(99))
    check_documented(reply, "/submissions/", "post")
    assert reply.json()["detail"].endswith(told)


def test_ids_of_one_benchmark_under_a_name_of_another_are_found(releases):
    """The official table of TouchStone has its ids under index; no other benchmark reads that."""
    rows = "".join(f"{key},x\n" for key in words(90))
    found = recognise_release(upload=Upload("a.csv", f"index,text\n{rows}".encode()))
    assert slugs(found) == ["part"]


def test_ids_in_another_writing_are_found_and_the_closest_release_is_chosen(releases):
    found = recognise_release(upload=file_of([f"{key}.0" for key in words(90)]))
    assert found.sentence == "The file looks like one for “Spelling, 90 questions” (part)."


def test_the_form_asks_which_release_is_meant(client, owner, releases):
    client.force_login(owner)
    reply = by_form(client, words(30))
    assert reply.status_code == 422
    assert (
        "The file fits several releases: “Spelling, 90 questions” (part;" in reply.content.decode()
    )
    assert by_form(client, words(90), release="part").status_code == 302


def test_the_api_takes_a_file_without_a_release(owner, releases):
    reply = by_api(owner, words(100))
    check_documented(reply, "/submissions/", "post")
    assert (reply.status_code, reply.json()["release"]) == (201, "whole")
    assert reply.json()["notes"][0]["code"] == "recognised"


def test_the_api_names_the_releases_to_choose_from(owner, releases):
    reply = by_api(owner, words(30))
    check_documented(reply, "/submissions/", "post")
    assert reply.status_code == 422
    assert reply.json()["candidates"] == ["part", "whole"]
    assert list(reply.json()["errors"]) == ["release"]
    assert not Submission.objects.exists()


def test_the_api_tells_what_it_saw_in_a_foreign_file(owner, releases):
    reply = by_api(owner, ["MME_1"])
    check_documented(reply, "/submissions/", "post")
    assert reply.status_code == 422
    (problem,) = reply.json()["problems"]
    assert problem["found"] == "“MME_1”"
