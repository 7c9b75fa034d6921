"""Files of texts: previewed by a process of their own, handed in for review as a whole, and told
what somebody else wrote meanwhile."""

import io

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Description, Figure, Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.descriptions import save_draft
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import LooseFile
from judging.models import ReferenceProposal
from judging.services import REFERENCE_REVIEW
from judging.services.text_imports import (
    ImportRefusedError,
    MeanwhileError,
    Preview,
    preview_texts,
    submit_preview,
)
from tests.conftest import freeze_release

LINES = b"1|two|two|one.png\n2|sea|sea|dark.png\n"
HEADER = "kind,name,version,text\n"
GOOD = f"{HEADER}description,one.png,0,One boat.\nreference,1,1,too\nreference,2,1,sea\n"


@pytest.fixture(scope="module")
def module_release(module_rows) -> Release:
    family = protocol("spelling")
    return import_release(protocol=family, stream=io.BytesIO(LINES), slug="spelling-1").release


@pytest.fixture
def release(module_release, db) -> Release:
    return Release.objects.select_related("benchmark").get(pk=module_release.pk)


@pytest.fixture
def anna(db) -> User:
    return User.objects.create_user("anna")


def preview(release: Release, by: User, content: str = GOOD, **options) -> Preview:
    given = {"is_official": False, "name": "texts.csv", **options}
    upload = Upload(given.pop("name"), content.encode())
    return preview_texts(release=release, upload=upload, by=by, **given)


def codes(found: Preview) -> list[str]:
    return [problem.code for problem in found.comparison.problems]


def test_what_was_previewed_waits_for_review_once_as_versions_and_proposals_of_its_sender(
    release, anna
):
    found = preview(release, anna)
    assert [one.status for one in found.comparison.differences] == ["new", "changed", "unchanged"]
    assert not Description.objects.exists()
    assert not ReferenceProposal.objects.exists()
    for token, sender in (
        *((token, anna) for token in ("", "x", "a:b:c", "\0")),
        (found.token, User.objects.create_user("ben")),
    ):
        with pytest.raises(ImportRefusedError):
            submit_preview(token=token, release=release, by=sender)
    assert not Description.objects.exists()
    done = submit_preview(token=found.token, release=release, by=anna)
    assert (done.descriptions, done.references) == (1, 1)
    version = Description.objects.get()
    assert (version.state, version.text, version.version) == ("in review", "One boat.", 1)
    assert (version.author, version.submitted_by, version.words) == (anna, anna, 2)
    assert version.submitted_at
    proposal = ReferenceProposal.objects.get()
    assert (proposal.state, proposal.author) == ("in review", anna)
    assert (proposal.text, proposal.replaces) == ("too", 1)
    assert not LooseFile.objects.exists()
    with pytest.raises(ImportRefusedError, match="used before"):
        submit_preview(token=found.token, release=release, by=anna)
    assert Description.objects.count() == 1


def test_whose_text_came_between_is_told_and_nothing_is_handed_in(release, anna):
    found = preview(release, anna)
    figure = Figure.objects.get(key="one.png")
    ben = User.objects.create_user("ben")
    save_draft(figure=figure, language="en", text="Ben's.", author=ben, base_version=0)
    with pytest.raises(MeanwhileError, match="description of Short 1"):
        submit_preview(token=found.token, release=release, by=anna)
    assert not ReferenceProposal.objects.exists()
    assert [d.author for d in Description.objects.all()] == [ben]


def test_one_faulty_row_keeps_all_of_them_out(release, anna):
    found = preview(release, anna, f"{GOOD}description,x.png,0,A.\n")
    assert (codes(found), found.token) == (["unknown"], "")


def test_a_release_that_was_frozen_meanwhile_takes_nothing(release, anna):
    token = preview(release, anna).token
    freeze_release(release=release)
    with pytest.raises(ImportRefusedError, match="frozen"):
        submit_preview(token=token, release=release, by=anna)


def test_characters_that_forms_refuse_are_refused_of_what_would_be_handed_in(release, anna):
    """And of nothing else: what stands on the site comes back as it was taken away."""
    assert codes(preview(release, anna, f"{HEADER}description,one.png,0,One\u00a0boat.\n")) == [
        "hidden"
    ]
    figure = Figure.objects.get(key="one.png")
    old = "One\u00a0boat, opacity: 0."
    Description.objects.create(
        figure=figure, author=anna, language="en", version=1, words=2, text=old
    )
    content = f'{HEADER}description,one.png,1,"{old}"\nreference,1,1,too\n'
    found = preview(release, anna, content)
    assert codes(found) == []
    assert [one.status for one in found.comparison.differences] == ["unchanged", "changed"]


@pytest.mark.parametrize(("is_sent_back", "standing"), [(False, "unchanged"), (True, "older")])
def test_a_reference_that_was_proposed_in_these_words_is_not_proposed_again(
    release, anna, is_sent_back, standing
):
    content = f"{HEADER}reference,1,1,too\n"
    first, second = preview(release, anna, content), preview(release, anna, content)
    submit_preview(token=first.token, release=release, by=anna)
    if is_sent_back:
        proposal, rita = ReferenceProposal.objects.get(), User.objects.create_user("rita")
        REFERENCE_REVIEW.send_back(proposal=proposal, reviewer=rita, comment="Longer.")
    again = preview(release, anna, content)
    assert [one.status for one in again.comparison.differences] == [standing]
    assert again.token == ""
    with pytest.raises(ImportRefusedError):
        submit_preview(token=second.token, release=release, by=anna)
    assert ReferenceProposal.objects.count() == 1


def test_a_corrected_official_file_is_a_difference(release, anna):
    """Of the same questions: references that differ become proposals."""
    content = "1|two|two|one.png\n2|sea|sea|dark.png\n"
    same = preview(release, anna, content, is_official=True, name="words.txt")
    assert (codes(same), same.token) == ([], "")
    other = preview(release, anna, content.replace("|sea|", "|see|", 1), is_official=True)
    assert codes(other) == ["questions"]


@pytest.mark.slow
def test_two_thousand_texts_take_as_many_queries_as_five_hundred_four_times(
    db, anna, django_assert_max_num_queries
):
    """No query per row: 4 batches of reading, and bulk inserts as SQLite bears them."""
    lines = b"".join(b"%d|word|word|p%d.png\n" % (i, i) for i in range(2000))
    family = protocol("spelling")
    release = import_release(protocol=family, stream=io.BytesIO(lines), slug="long").release
    content = HEADER + "".join(f"description,p{i}.png,0,Text {i}.\n" for i in range(2000))
    with django_assert_max_num_queries(20):
        found = preview(release, anna, content)
    with django_assert_max_num_queries(60):
        done = submit_preview(token=found.token, release=release, by=anna)
    assert done.descriptions == 2000
