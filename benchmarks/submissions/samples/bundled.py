"""Content that ships with the project, so that a fresh clone shows a board without any download."""

import io
import uuid
from contextlib import suppress
from dataclasses import fields
from datetime import datetime

from django.contrib.auth.models import User
from django.core.files.storage import default_storage

from benchmarks.common.file_storage import digest_of_file
from benchmarks.models import FigureImage, Release
from benchmarks.protocols.base import BenchmarkProtocol, BundledRelease, SampleModel, Terms, Upload
from benchmarks.services.archives import is_current, make_archive
from benchmarks.services.importing import ReleaseRefusedError, import_release, set_terms
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import accept_submission


def load_bundled(
    *,
    protocol: BenchmarkProtocol,
    owner: User | None,
    received: datetime | None = None,
) -> list[Release]:
    """Every bundled release of the protocol is open, with its archive, baselines and sample
    submissions; safe to repeat. `received`: when these came, now where it is None."""
    releases = []
    for bundled in protocol.bundled:
        release = ensure_release(protocol, bundled)
        if not is_current(release):
            make_archive(release)
        ensure_baselines(release=release, received=received)
        for sample in bundled.samples:
            ensure_sample(release, sample, owner, received)
        releases.append(release)
    return releases


def ensure_release(protocol: BenchmarkProtocol, bundled: BundledRelease) -> Release:
    """The release, which is open, with its pictures: those that a disk damaged are there again."""
    found = Release.objects.filter(slug=bundled.slug).select_related("benchmark").first()
    if found is not None and not found.licence:  # it was imported before licences were kept
        set_terms(found, bundled.terms)
        found.save(update_fields=[field.name for field in fields(Terms)])
    if found is not None and pictures_are_whole(found):
        return found
    try:
        return import_release(
            protocol=protocol,
            stream=io.BytesIO(bundled.dataset.read_bytes()),
            images=bundled.pictures,
            slug=bundled.slug,
            title=bundled.title,
            language=bundled.language,
            disclosure=Release.Disclosure.OPEN,
            terms=bundled.terms,
        ).release
    except ReleaseRefusedError:
        if found is None:
            raise
        return found  # its pictures are not those that ship, as those that another Pillow drew


def pictures_are_whole(release: Release) -> bool:
    """Whether each has its digest: a few hundred small ones, in a fraction of a second."""
    shown = FigureImage.objects.filter(figure__questions__releases=release).exclude(sha256="")
    with suppress(OSError):
        return all(
            digest_of_file(default_storage, name) == sha256
            for name, sha256 in shown.values_list("file", "sha256").distinct()
        )
    return False


def ensure_sample(
    release: Release, sample: SampleModel, owner: User | None, received: datetime | None
) -> Submission:
    token = uuid.uuid5(uuid.NAMESPACE_URL, f"sample/{release.slug}/{sample.name}")
    earlier = Submission.objects.filter(client_token=token, origin=Submission.Origin.SAMPLE).first()
    return earlier or accept_submission(
        release=release,
        upload=Upload(sample.file.name, sample.file.read_bytes()),
        model=EvaluatedModel(name=sample.name, organisation="sample answers", notes=sample.about),
        owner=owner,
        origin=Submission.Origin.SAMPLE,
        visibility=Submission.Visibility.PUBLIC,
        client_token=token,
        received=received,
    )
