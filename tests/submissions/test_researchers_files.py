"""Each file of the table is read right, or refused with words whose remedy works when followed."""

import io
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol, protocols
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.recognition import check_from_outside
from benchmarks.submissions.services import CheckedFile, SubmissionRefusedError
from tests.each_case import each_case
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


def cases(*, is_quick: bool) -> list[tuple[Made, bool]]:
    found = [(made, is_chosen) for made in files() for is_chosen in made.chosen]
    return [case for place, case in enumerate(found) if (place % 13 == 0) is is_quick]


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


def check(made: Made, upload: Upload, owner: User, *, is_chosen: bool) -> CheckedFile:
    """As the site checks it; what it stores of a refusal is gone afterwards."""
    slug = made.read_as or made.release
    with transaction.atomic():
        if slug == IMAGES:
            family = protocol("hallusionbench")
            stream = io.BytesIO(family.bundled[0].dataset.read_bytes())
            import_release(protocol=family, stream=stream, slug=IMAGES, part="images")
        release = Release.objects.get(slug=slug) if is_chosen else None
        try:
            return check_from_outside(
                release=release, upload=upload, model=EvaluatedModel(name="Ours"), owner=owner
            )
        finally:
            transaction.set_rollback(True)


def read_right(made: Made, upload: Upload, owner: User, *, is_chosen: bool) -> CheckedFile:
    checked = check(made, upload, owner, is_chosen=is_chosen)
    assert checked.submission.release.slug == (made.read_as or made.release)
    assert {one.question.public_id: one.text for one in checked.answers} == made.expected
    return checked


def refused(made: Made, owner: User, *, is_chosen: bool) -> SubmissionRefusedError:
    with pytest.raises(SubmissionRefusedError) as caught:
        check(made, made.upload, owner, is_chosen=is_chosen)
    return caught.value


def is_read_or_mended(made: Made, owner: User, *, is_chosen: bool) -> None:
    """What the words of a refusal ask for, done by a program, is accepted."""
    if not made.says:
        checked = read_right(made, made.upload, owner, is_chosen=is_chosen)
        notes = {note["code"] for note in checked.submission.reading_notes}
        expected = {*made.notes, *([] if is_chosen else ["recognised"])}
        assert notes - {"ignored-fields"} == expected
        return
    problems = refused(made, owner, is_chosen=is_chosen).problems
    told = [problem.message for problem in problems]
    assert any(made.says in sentence for sentence in told), told[:3]
    assert not any("made for another benchmark" in sentence for sentence in told)
    if made.mend:
        read_right(made, made.mend(made.upload), owner, is_chosen=is_chosen)


@each_case("made, is_chosen", lambda: cases(is_quick=True))
def test_a_file_is_read_with_its_answers_or_refused_in_words_that_mend_it(
    minis, owner, made, is_chosen
):
    is_read_or_mended(made, owner, is_chosen=is_chosen)


@pytest.mark.slow
@each_case("made, is_chosen", lambda: cases(is_quick=False))
def test_all_other_files_are_read_or_refused_in_words_that_mend_them(minis, owner, made, is_chosen):
    is_read_or_mended(made, owner, is_chosen=is_chosen)


def test_a_refusal_says_for_which_release_the_file_was_read_or_seems_to_be_made(minis, owner):
    made = next(one for one in files() if one.name == "ids in lower case")
    assert f"({made.release})" in refused(made, owner, is_chosen=False).recognised
    for of, handed_in_to in ((HB, TS), (ABILITY, HB), (INVENTED, EHUB)):
        made = Made("another's", of, table(rows(of)), read_as=handed_in_to)
        told = [problem.message for problem in refused(made, owner, is_chosen=True).problems]
        assert any(f"belong to the release {of!r}. Was it meant?" in text for text in told), told


def test_the_table_has_enough_files_and_each_has_a_name_of_its_own():
    assert len(files()) >= 250
    assert len(set(map(str, files()))) == len(files())
    assert len(GROUPS) == len(set(GROUPS))
