"""Each file of the table is read right, or refused with words whose remedy works when followed."""

import io
import json
from collections.abc import Iterator, Sequence

import pytest
from django.db import transaction

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol, protocols
from benchmarks.services.importing import import_release
from benchmarks.submissions.files import reading
from benchmarks.submissions.files.reader import answer_to
from benchmarks.submissions.recognition import check_from_outside
from benchmarks.submissions.services import CheckedFile, ModelDetails, SubmissionRefusedError
from tests.slow import slow_except_every
from tests.submissions.researchers_files import (
    ABILITY,
    EHUB,
    GROUPS,
    HB,
    IMAGES,
    INVENTED,
    TS,
    Made,
    files,
    rows,
    table,
)

CASES = [(made, is_chosen) for made in files() for is_chosen in made.chosen]
READ = [case for case in CASES if not case[0].says]
REFUSED = [case for case in CASES if case[0].says]
MENDED = [case for case in REFUSED if case[0].mend]


@pytest.fixture(scope="module")
def minis(django_db_setup, django_db_blocker) -> Iterator[None]:
    """The releases that ship, without pictures, and one that is images only; made once."""
    with django_db_blocker.unblock(), transaction.atomic():
        for family in protocols().values():
            for bundled in family.bundled:
                stream = io.BytesIO(bundled.dataset.read_bytes())
                import_release(
                    protocol=family,
                    stream=stream,
                    slug=bundled.slug,
                    title=bundled.title,
                    language=bundled.language,
                )
        yield
        transaction.set_rollback(True)


@pytest.fixture
def images_only(db, minis) -> None:
    family = protocol("hallusionbench")
    stream = io.BytesIO(family.bundled[0].dataset.read_bytes())
    import_release(protocol=family, stream=stream, slug=IMAGES, part="images")


@pytest.fixture
def check(db, minis, owner, monkeypatch, request):
    """Reads as the site does, but for the process: it would take a minute of the whole table."""

    def answer(job: bytes, content: bytes, locks: object) -> bytes:
        found = json.dumps(answer_to(io.BytesIO(job + content)), ensure_ascii=False)
        return found.encode("utf-8", "surrogatepass")

    monkeypatch.setattr(reading, "answer_from_process", answer)

    def check(made: Made, upload: Upload, *, is_chosen: bool) -> CheckedFile:
        slug = made.read_as or made.release
        if slug == IMAGES:
            request.getfixturevalue("images_only")
        release = Release.objects.get(slug=slug) if is_chosen else None
        return check_from_outside(
            release=release, upload=upload, model=ModelDetails("Ours"), owner=owner
        )

    return check


def name_of(case: tuple[Made, bool]) -> str:
    return f"{case[0]}, {'chosen' if case[1] else 'by its ids'}"


def some(cases: Sequence[tuple[Made, bool]]) -> pytest.MarkDecorator:
    """Every third is quick."""
    values = slow_except_every(3, cases)
    return pytest.mark.parametrize(("made", "is_chosen"), values, ids=map(name_of, cases))


def read_right(checked: CheckedFile, made: Made) -> None:
    assert checked.submission.release.slug == (made.read_as or made.release)
    assert {one.question.public_id: one.text for one in checked.answers} == made.expected


@some(READ)
def test_a_file_is_read_with_its_answers(check, made, is_chosen):
    checked = check(made, made.upload, is_chosen=is_chosen)
    read_right(checked, made)
    notes = {note["code"] for note in checked.submission.reading_notes}
    expected = {*made.notes, *([] if is_chosen else ["recognised"])}
    assert notes - {"ignored-fields"} == expected


@some(REFUSED)
def test_a_file_is_refused_in_words_that_help(check, made, is_chosen):
    with pytest.raises(SubmissionRefusedError) as refused:
        check(made, made.upload, is_chosen=is_chosen)
    told = [problem.message for problem in refused.value.problems]
    assert any(made.says in sentence for sentence in told), told[:3]
    assert not any("made for another benchmark" in sentence for sentence in told)


@some(MENDED)
def test_what_is_said_mends_a_file(check, made, is_chosen):
    """What the words of the refusal ask for, done by a program, is accepted."""
    assert made.mend is not None
    read_right(check(made, made.mend(made.upload), is_chosen=is_chosen), made)


def test_a_refusal_says_for_which_release_the_file_was_read(check):
    made = next(one for one in files() if one.name == "ids in lower case")
    with pytest.raises(SubmissionRefusedError) as refused:
        check(made, made.upload, is_chosen=False)
    assert f"({made.release})" in refused.value.recognised


@pytest.mark.parametrize(("of", "handed_in_to"), [(HB, TS), (ABILITY, HB), (INVENTED, EHUB)])
def test_a_file_for_another_benchmark_is_told_its_release(check, of, handed_in_to):
    made = Made("another's", of, table(rows(of)), read_as=handed_in_to)
    with pytest.raises(SubmissionRefusedError) as refused:
        check(made, made.upload, is_chosen=True)
    told = [problem.message for problem in refused.value.problems]
    assert any(f"belong to the release {of!r}. Was it meant?" in sentence for sentence in told)


def test_the_table_has_enough_files_and_each_has_a_name_of_its_own():
    assert len(files()) >= 250
    assert len(set(map(str, files()))) == len(files())
    assert len(GROUPS) == len(set(GROUPS))
