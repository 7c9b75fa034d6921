"""What a release gives away in one file is made once and stored: nobody waits for it, and no web
process builds it."""

import hashlib
import logging
import tempfile
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import IO

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models.functions import Now

from benchmarks.common.file_storage import digest_of_file
from benchmarks.models import Release, ReleaseArchive
from benchmarks.releases.files import (
    EXAMPLE,
    QUESTIONS,
    README,
    TEMPLATE,
    Picture,
    archive_key,
    example_program,
    question_batches,
    question_line,
    readme,
)
from benchmarks.selectors import release_template

log = logging.getLogger(__name__)
SECONDS = 60.0
"""How long one sweep begins to make archives; it may take 270 in all. Half a gigabyte of pictures
is copied in some ten seconds."""
BYTES_AT_ONCE = 1_000_000
LONG_AGO = 1980, 1, 1, 0, 0, 0
"""The time of every file in an archive, the earliest that ZIP knows: the same content is the same
file, byte for byte, whoever makes it."""


@dataclass
class Written:
    """What has been put into an archive so far."""

    pictures: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    questions_sha256: str = ""


def releases_to_archive(*, missing: bool = False) -> list[Release]:
    """Published releases without an archive that says what is so today; with `missing` also those
    in whose archive a picture is."""
    return [
        release
        for release in Release.objects.published().select_related("archive").order_by("pk")
        if not is_current(release) or (missing and release.archive.missing)
    ]


def is_current(release: Release) -> bool:
    archive: ReleaseArchive | None = getattr(release, "archive", None)
    return archive is not None and archive.key == archive_key(release)


def make_archives(*, missing: bool = False, seconds: float = SECONDS) -> int:
    """Releases have their archives, as many as are made within `seconds` and at least one; how many
    were made. One that fails stops no other."""
    began, made = time.monotonic(), 0
    for release in releases_to_archive(missing=missing):
        try:
            make_archive(release)
            made += 1
        except OSError as error:
            log.error("Archive of release %s: %s", release.slug, error)
        if time.monotonic() - began >= seconds:
            break
    return made


def make_archive(release: Release) -> ReleaseArchive:
    """The archive of a published release, stored, in the place of the one it had. OSError where it
    cannot be written, and nothing has changed then. Two processes at once make the same."""
    key = archive_key(release)
    with tempfile.TemporaryFile(prefix="assay-archive-") as file:
        written = write_archive(release, file)
        size, sha256 = file.tell(), sha256_of(file)
        file.seek(0)
        name = default_storage.save(f"releases/{release.slug}-{sha256[:12]}.zip", File(file))
    made = {
        "key": key,
        "file": name,
        "sha256": sha256,
        "size": size,
        "pictures": len(written.pictures),
        "missing": len(written.missing),
        "questions_sha256": written.questions_sha256,
        "made": Now(),
    }
    with transaction.atomic():
        before = ReleaseArchive.objects.select_for_update().filter(release=release).first()
        archive, _ = ReleaseArchive.objects.update_or_create(release=release, defaults=made)
    if before is not None and before.file.name != name:
        # Whoever is sent it now is sent all of it.
        default_storage.delete(str(before.file.name))
    archive.refresh_from_db()
    return archive


def write_archive(release: Release, file: IO[bytes]) -> Written:
    """The whole archive, in little memory: a picture at a time, and AT_ONCE questions."""
    written = Written()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        pictures: dict[str, Picture] = {}
        digest = hashlib.sha256()
        with archive.open(entry(QUESTIONS), "w") as lines:
            for questions, shown in question_batches(release):
                content = "".join(map(question_line, questions)).encode()
                digest.update(content)
                lines.write(content)
                pictures |= {picture.name: picture for picture in shown}
        written.questions_sha256 = digest.hexdigest()
        archive.writestr(entry(TEMPLATE), release_template(release))
        archive.writestr(entry(EXAMPLE), example_program(release))
        if release.passes_pictures_on:
            write_pictures(archive, pictures.values(), written)
        readme_text = readme(release, pictures=len(written.pictures), missing=len(written.missing))
        archive.writestr(entry(README), readme_text)
    return written


def write_pictures(archive: zipfile.ZipFile, pictures: Iterable[Picture], written: Written) -> None:
    """Writes pictures without compression: they are compressed already."""
    for picture in pictures:
        if digest_of_file(default_storage, picture.stored) != picture.sha256:  # away, or damaged
            written.missing.add(picture.name)
            continue
        with default_storage.open(picture.stored) as file:
            archive.writestr(entry(picture.name, zipfile.ZIP_STORED), file.read())
        written.pictures.add(picture.name)


def entry(name: str, kind: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, LONG_AGO)
    info.compress_type = kind
    info.external_attr = 0o644 << 16  # else unpacked files could be read by nobody
    return info


def sha256_of(file: IO[bytes]) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(BYTES_AT_ONCE):
        digest.update(piece)
    return digest.hexdigest()
