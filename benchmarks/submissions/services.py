"""Taking in what was answered. A file is accepted whole or refused with every problem; nothing in between."""

import hashlib
import json
import secrets
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import PurePath

import numpy as np
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmarks.models import Release
from benchmarks.protocols.base import PredictionReading, Problem, Upload
from benchmarks.selectors import (
    protocol_of,
    question_descriptions,
    question_views,
    release_questions,
    releases_with_ids,
)
from benchmarks.submissions.models import AccessToken, Answer, EvaluatedModel, Submission

TOKEN_DAYS = 365
BASELINE_SEED = 20_231_023
STORED_SUFFIXES = {".csv", ".tsv", ".jsonl", ".json"}


class SubmissionRefusedError(Exception):
    """The file is refused; `problems` says why, all of it."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems")


@dataclass(frozen=True, slots=True)
class ModelDetails:
    """How its owner names a model. All but the name only count when the model is new."""

    name: str
    organisation: str = ""
    link: str = ""
    parameters_billions: Decimal | None = None
    is_open_weights: bool = False
    notes: str = ""


def read_submission_file(*, release: Release, upload: Upload) -> PredictionReading:
    """What the release's protocol reads in a file. Ids of another release are named, with that release."""
    reading = protocol_of(release).predictions.read(upload, question_views(release))
    unknown = [problem.found for problem in reading.problems if problem.code == "unknown"]
    if not unknown:
        return reading
    known = releases_with_ids(unknown, release.benchmark_id)
    hints = [
        Problem("other-release", f"{count} of the unknown ids belong to the release {slug!r}. Was it meant?")
        for slug, count in sorted(known.items(), key=lambda item: -item[1])
        if slug != release.slug
    ]
    return PredictionReading(reading.answers, (*reading.problems, *hints[:1]), reading.notes)


def accept_submission(
    *,
    release: Release,
    upload: Upload,
    model: ModelDetails,
    owner: User | None,
    origin: str = Submission.Origin.UPLOAD,
    visibility: str = Submission.Visibility.PRIVATE,
    client_token: uuid.UUID | None = None,
    confirm: bool = True,
) -> Submission:
    """The file and each of its answers are stored afterwards. The same `client_token` again returns the first one.

    Raises SubmissionRefusedError, having stored nothing.
    """
    if client_token and (earlier := submission_of_token(owner, client_token)):
        return earlier
    if not release.is_open:
        raise SubmissionRefusedError([Problem("release", f"The release {release.slug!r} takes no submissions.")])
    reading = read_submission_file(release=release, upload=upload)
    if reading.problems:
        raise SubmissionRefusedError(reading.problems)
    now = timezone.now()
    submission = Submission(
        owner=owner,
        release=release,
        origin=origin,
        visibility=visibility if confirm else Submission.Visibility.PRIVATE,
        file_name=shown_name(upload.name),
        sha256=hashlib.sha256(upload.content).hexdigest(),
        reading_notes=[asdict(note) for note in reading.notes],
        client_token=client_token or uuid.uuid4(),
        confirmed=now if confirm else None,
    )
    return store_submission(submission, model, upload, reading)


def store_submission(
    submission: Submission, model: ModelDetails, upload: Upload, reading: PredictionReading
) -> Submission:
    """File first, then rows in one transaction; the file goes again when the rows cannot be written."""
    suffix = PurePath(upload.name).suffix.lower()
    stored = submission.file.storage.save(
        f"{submission.id}{suffix if suffix in STORED_SUFFIXES else ''}", ContentFile(upload.content)
    )
    submission.file.name = stored
    try:
        with transaction.atomic():
            submission.model = ensure_model(owner=submission.owner, details=model)
            submission.save(force_insert=True)
            Answer.objects.bulk_create(
                (
                    Answer(submission=submission, question=question, text=reading.answers[question.public_id])
                    for question in release_questions(submission.release)
                ),
                batch_size=500,
            )
    except BaseException as error:
        submission.file.storage.delete(stored)
        twin = submission_of_token(submission.owner, submission.client_token)
        if isinstance(error, IntegrityError) and twin is not None:
            return twin
        raise
    return submission


def delete_orphaned_files(*, older_than: timedelta = timedelta(hours=1)) -> int:
    """Stored files that no submission names are gone; how many. A process that is killed while it takes a file in
    leaves one, and a file younger than `older_than` may still be on its way."""
    storage = storages["uploads"]
    names = storage.listdir("")[1] if storage.exists("") else []
    known = set(Submission.objects.filter(file__in=names).values_list("file", flat=True))
    before = timezone.now() - older_than
    orphans = [name for name in names if name not in known and storage.get_modified_time(name) <= before]
    for name in orphans:
        storage.delete(name)
    return len(orphans)


def submission_of_token(owner: User | None, client_token: uuid.UUID) -> Submission | None:
    return Submission.objects.filter(owner=owner, client_token=client_token).first()


def shown_name(name: str) -> str:
    """A file name fit for display: no control characters, at most 200 characters."""
    return "".join(c for c in name if c.isprintable() and c not in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068")[:200]


def confirm_submission(*, submission: Submission, visibility: str) -> bool:
    """Judging may begin afterwards. False where it was confirmed or withdrawn before."""
    waiting = Submission.objects.filter(pk=submission.pk, confirmed__isnull=True, withdrawn__isnull=True)
    return bool(waiting.update(confirmed=timezone.now(), visibility=visibility))


def set_visibility(*, submission: Submission, visibility: str) -> None:
    Submission.objects.confirmed().standing().filter(pk=submission.pk).update(visibility=visibility)


def withdraw_submission(*, submission: Submission) -> None:
    """It leaves every board and stays as a tombstone."""
    Submission.objects.standing().filter(pk=submission.pk).update(
        withdrawn=timezone.now(), visibility=Submission.Visibility.PRIVATE
    )


def ensure_model(*, owner: User | None, details: ModelDetails) -> EvaluatedModel:
    """The owner's model of that name."""
    given = asdict(details)
    model, _ = EvaluatedModel.objects.get_or_create(owner=owner, name=given.pop("name"), defaults=given)
    return model


def ensure_baselines(*, release: Release) -> list[Submission]:
    """One public submission per baseline of the protocol exists afterwards, with the same answers every time."""
    protocol = protocol_of(release)
    found = []
    rng = np.random.default_rng(BASELINE_SEED)
    for baseline in protocol.predictions.baselines(question_views(release), question_descriptions(release), rng):
        token = uuid.uuid5(uuid.NAMESPACE_URL, f"baseline/{release.slug}/{baseline.slug}")
        earlier = Submission.objects.filter(client_token=token, origin=Submission.Origin.BASELINE).first()
        found.append(
            earlier
            or accept_submission(
                release=release,
                upload=jsonl_upload(f"{baseline.slug}.jsonl", baseline.answers),
                model=ModelDetails(baseline.title, organisation="Assay baseline", notes=baseline.about),
                owner=None,
                origin=Submission.Origin.BASELINE,
                visibility=Submission.Visibility.PUBLIC,
                client_token=token,
            )
        )
    return found


def jsonl_upload(name: str, answers: Mapping[str, str]) -> Upload:
    lines = (json.dumps({"id": key, "prediction": text}, ensure_ascii=False) for key, text in answers.items())
    return Upload(name, "\n".join(lines).encode())


@dataclass(frozen=True, slots=True)
class NewToken:
    token: AccessToken
    key: str


def create_token(*, owner: User, name: str, scope: str) -> NewToken:
    """A new token and its key. The key is not stored and cannot be shown again."""
    key = f"assay_{secrets.token_urlsafe(32)}"
    token = AccessToken.objects.create(
        owner=owner,
        name=name,
        scope=scope,
        prefix=key[:12],
        digest=token_digest(key),
        expires=timezone.now() + timedelta(days=TOKEN_DAYS),
    )
    return NewToken(token, key)


def token_digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def revoke_token(*, owner: User, token_id: int) -> None:
    AccessToken.objects.filter(owner=owner, pk=token_id, revoked__isnull=True).update(revoked=timezone.now())
