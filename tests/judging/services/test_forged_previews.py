"""A preview is handed in by a text that the site signed: nobody else's, and none that is old."""

import io

import pytest
from django.contrib.auth.models import User
from django.core import signing

from benchmarks.models import Description, Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.files.loose import GRACE
from judging.services import draft_uploads, text_imports
from judging.services.draft_uploads import import_draft, preview_draft
from judging.services.text_imports import ImportRefusedError, preview_texts, submit_preview
from tests.forging import forged, signed_before

LINES = b"1|two|two|one.png\n2|sea|sea|dark.png\n"
TEXTS = b"kind,name,version,text\ndescription,one.png,0,One boat.\n"
NAMES = {"slug": "spelling-2", "title": "Spelling 2", "language": "en"}


def signed_elsewhere(value, salt: str) -> str:
    return forged(value, salt)


def signed_too_long_ago(value, salt: str) -> str:
    return signed_before(value, salt, int(GRACE.total_seconds()) + 60)


def signed_a_moment_ago(value, salt: str) -> str:
    return signed_before(value, salt, 60)


REFUSED = (signed_elsewhere, signed_too_long_ago)


@pytest.fixture
def anna(db) -> User:
    return User.objects.create_user("anna")


@pytest.fixture
def release(db) -> Release:
    family = protocol("spelling")
    return import_release(protocol=family, stream=io.BytesIO(LINES), slug="spelling-1").release


@pytest.fixture
def texts(release, anna):
    """What the token of a preview of texts holds."""
    found = preview_texts(
        release=release, upload=Upload("texts.csv", TEXTS), by=anna, is_official=False
    )
    return signing.loads(found.token, salt=text_imports.SALT)


@pytest.fixture
def draft(anna):
    """What the token of a preview of a draft holds."""
    upload = Upload("spelling.txt", LINES)
    found = preview_draft(benchmark="spelling", upload=upload, names=NAMES, by=anna)
    return signing.loads(found.token, salt=draft_uploads.SALT)


@pytest.mark.parametrize("signed", REFUSED)
def test_texts_come_in_by_a_fresh_token_of_this_site_alone(release, anna, texts, signed):
    with pytest.raises(ImportRefusedError, match="older than an hour"):
        submit_preview(token=signed(texts, text_imports.SALT), release=release, by=anna)
    assert not Description.objects.exists()
    submit_preview(token=signed_a_moment_ago(texts, text_imports.SALT), release=release, by=anna)
    assert Description.objects.count() == 1


@pytest.mark.parametrize("signed", REFUSED)
def test_a_draft_comes_in_by_a_fresh_token_of_this_site_alone(anna, draft, signed):
    with pytest.raises(ImportRefusedError, match="older than an hour"):
        import_draft(token=signed(draft, draft_uploads.SALT), by=anna)
    assert not Release.objects.exists()
    import_draft(token=signed_a_moment_ago(draft, draft_uploads.SALT), by=anna)
    assert Release.objects.get().slug == "spelling-2"


def test_a_draft_comes_in_by_whoever_chose_its_file(draft, db):
    token = signing.dumps(draft, salt=draft_uploads.SALT)
    with pytest.raises(ImportRefusedError):
        import_draft(token=token, by=User.objects.create_user("ben"))
    assert not Release.objects.exists()
