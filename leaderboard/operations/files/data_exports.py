"""What the site holds of a person, as one file that they ask for on a page and a worker makes.

`account.json` holds their rows, `files/` what they handed in, as they handed it in. Nothing of it
lets anybody in: of keys and tokens only the time is told. What they wrote as staff belongs to the
benchmark; of that the number is told.
"""

import json
import logging
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import IO, Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.files import File
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, Q, QuerySet

from benchmarks.models import Description, LabelCorrection, QuestionReport, UnsavedText
from benchmarks.services.archives import entry
from benchmarks.submissions.models import (
    AccessToken,
    EvaluatedModel,
    FactChange,
    IncomingFile,
    RefusedFile,
    Submission,
)
from benchmarks.submissions.naming.public_names import public_name, team_name
from benchmarks.submissions.team_models import Invitation, LimitRaise, Membership
from judging.coordination.clock import database_now
from leaderboard.models import DataExport
from leaderboard.models.notices import Notice, NoticeChoice, Webhook
from leaderboard.operations.files.file_marks import own_files

log = logging.getLogger(__name__)
KEPT = timedelta(days=7)  # who asked for it fetches it within days; it is personal, and a copy
LEASE = timedelta(minutes=10)  # the largest takes a minute; a worker that says nothing so long died
MOST_TRIES = 3
MOST_BYTES = 500 * 1024 * 1024
"""Of files handed in. What is over it is named, and downloaded from its submission's page."""
AT_ONCE = 500

Rows = Iterable[Mapping[str, Any]]


def ask_for_export(*, owner: User) -> None:
    """A worker makes it within minutes. One that was made before is replaced; one that waits goes
    on waiting."""
    made = DataExport.objects.filter(owner=owner, made__isnull=False).first()
    if made is not None:
        made.delete()
        made.file.delete(save=False)
    DataExport.objects.get_or_create(owner=owner)


def make_exports() -> bool:
    """The export that waits longest is made, and those that are too old are gone. Whether any was
    made: workers look each minute."""
    if own_files():  # nobody could fetch it
        return False
    forget_old()
    waiting = claim()
    if waiting is None:
        return False
    try:
        make_export(waiting)
    except Exception:
        if waiting.tries >= MOST_TRIES:
            log.error("The data export %s was given up", waiting.pk)
            DataExport.objects.filter(pk=waiting.pk, made__isnull=True).delete()
        raise
    return True


def claim(now: datetime | None = None) -> DataExport | None:
    """The export that waits longest, leased to this worker for LEASE; None where none waits or
    another worker was faster."""
    now = now or database_now()
    free = Q(begun__isnull=True) | Q(begun__lt=now - LEASE)
    waiting = DataExport.objects.filter(free, made__isnull=True, tries__lt=MOST_TRIES)
    for found in waiting.order_by("asked").select_related("owner")[:1]:
        mine = DataExport.objects.filter(pk=found.pk, begun=found.begun)
        found.tries += 1
        if mine.update(begun=now, tries=found.tries):
            return found
    return None


def make_export(export: DataExport) -> None:
    """Write the archive to a temporary file and store it whole, so that nobody downloads a
    part."""
    with tempfile.TemporaryFile() as file:
        write_export(export.owner, file)
        size = file.tell()
        file.seek(0)
        export.file.save(f"{export.owner_id}.zip", File(file), save=False)
    rows = DataExport.objects.filter(pk=export.pk, made__isnull=True)
    if not rows.update(made=database_now(), file=export.file.name, size=size):
        export.file.delete(save=False)  # the account is gone, or another worker was quicker


def forget_old(now: datetime | None = None) -> None:
    """No file is kept longer than KEPT, or than its owner's account, and nobody waits for one that
    cannot be made."""
    now = now or database_now()
    over = Q(made__lt=now - KEPT) | Q(owner__is_active=False)
    given_up = Q(made__isnull=True, tries__gte=MOST_TRIES, begun__lt=now - LEASE)
    for export in DataExport.objects.filter(over | given_up):
        if export.file:
            export.file.delete(save=False)
        export.delete()


def write_export(user: User, file: IO[bytes]) -> None:
    """The archive of this person, with what is held of them now."""
    own = submissions_of(user).order_by("created")
    with zipfile.ZipFile(file, "w") as archive:
        with archive.open(entry("account.json"), "w") as document:
            for piece in document_pieces(user):
                document.write(piece.encode())
        room = MOST_BYTES
        for submission in own.exclude(file="").iterator(chunk_size=AT_ONCE):
            room -= submission.file.size
            if room < 0:
                break
            name = f"files/{submission.file.name}"
            with (
                submission.file.open("rb") as source,
                archive.open(entry(name), "w") as target,
            ):
                shutil.copyfileobj(source, target)


def document_pieces(user: User) -> Iterator[str]:
    """One JSON object, a section at a time and a row at a time."""
    encoder = DjangoJSONEncoder(ensure_ascii=False)
    yield '{"about": ' + json.dumps(ABOUT)
    yield ', "account": ' + encoder.encode(account_row(user))
    for name, rows in SECTIONS.items():
        yield f', "{name}": ['
        for number, row in enumerate(rows(user)):
            yield ("," if number else "") + "\n" + encoder.encode(row)
        yield "]"
    yield "}\n"


ABOUT = (
    "What this site holds of one person. Times are UTC. Files that they submitted are in files/, "
    "by the name that their submission has under `stored_as`."
)


def account_row(user: User) -> Mapping[str, Any]:
    return {
        "user_name": user.username,
        "email": user.email,
        "public_name": public_name(user),
        "joined": user.date_joined,
        "last_login": user.last_login,
        "is_staff": user.is_staff,
        "groups": sorted(user.groups.values_list("name", flat=True)),
        "written_as_staff": {
            "descriptions": Description.objects.filter(author=user).count(),
            "unsaved_texts": UnsavedText.objects.filter(user=user).count(),
            "changes_in_the_admin": LogEntry.objects.filter(user=user).count(),
        },
    }


def values(found: "QuerySet[Any]", *fields: str) -> Rows:
    """The fields of each row, read some at a time."""
    return found.order_by("pk").values(*fields).iterator(chunk_size=AT_ONCE)


def team_rows(user: User) -> Rows:
    for one in Membership.objects.filter(user=user).select_related("team__public_name"):
        yield {"team": team_name(one.team), "role": one.role, "since": one.since}


def submissions_of(user: User) -> "QuerySet[Submission]":
    """What the person handed in, but for teams that they left: that is theirs no more."""
    return Submission.objects.held_by(user).filter(owner=user)


def submission_rows(user: User) -> Rows:
    found = submissions_of(user).select_related("model", "release", "team__public_name")
    for one in found.order_by("created").iterator(chunk_size=AT_ONCE):
        yield {
            "id": one.pk,
            "model": one.model.name,
            "release": one.release.slug,
            "team": team_name(one.team) if one.team else None,
            "visibility": one.visibility,
            "file_name": one.file_name,
            "stored_as": one.file.name,
            "sha256": one.sha256,
            "notes": one.reading_notes,
            "received": one.created,
            "confirmed": one.confirmed,
            "finished": one.finished,
            "withdrawn": one.withdrawn,
        }


SECTIONS: Mapping[str, Callable[[User], Rows]] = {
    "addresses": lambda user: values(
        EmailAddress.objects.filter(user=user), "email", "verified", "primary"
    ),
    "second_factors": lambda user: values(
        Authenticator.objects.filter(user=user), "type", "created_at", "last_used_at"
    ),
    "other_sites": lambda user: values(
        SocialAccount.objects.filter(user=user),
        *("provider", "uid", "extra_data", "date_joined", "last_login"),
    ),
    "devices": lambda user: values(
        UserSession.objects.filter(user=user), "ip", "user_agent", "created_at", "last_seen_at"
    ),
    "tokens": lambda user: values(
        AccessToken.objects.filter(owner=user),
        *("name", "prefix", "scope", "created", "expires", "last_used", "revoked"),
    ),
    "teams": team_rows,
    "invitations_sent": lambda user: values(
        Invitation.objects.filter(invited_by=user), "email", "created", "expires", "ended"
    ),
    "raised_limits": lambda user: values(
        LimitRaise.objects.filter(owner=user),
        *("submissions_day", "unfinished", "files", "until", "reason", "created"),
    ),
    "models": lambda user: values(
        EvaluatedModel.objects.held_by(user).filter(owner=user),
        *("name", *EvaluatedModel.FACTS, "created", "facts_changed"),
    ),
    "model_changes": lambda user: values(
        FactChange.objects.filter(changed_by=user),
        *("model__name", "field", "before", "after", "reason", "changed"),
    ),
    "submissions": submission_rows,
    "refused_files": lambda user: values(
        RefusedFile.objects.filter(owner=user), "file_name", "created"
    ),
    "files_without_an_answer": lambda user: values(
        IncomingFile.objects.filter(owner=user), "file_name", "started"
    ),
    "notices": lambda user: values(
        Notice.objects.filter(owner=user).still_theirs(),
        *("kind", "title", "sentence", "created", "read", "mailed"),
    ),
    "choices_of_mails": lambda user: values(NoticeChoice.objects.filter(owner=user), "kind", "how"),
    "webhooks": lambda user: values(
        Webhook.objects.filter(owner=user),
        "url",
        "on_finished",
        "on_paused",
        "on_replaced",
        "created",
        "off",
    ),
    "reports_of_questions": lambda user: values(
        QuestionReport.objects.filter(reporter=user), "question", "category", "text", "created"
    ),
    "corrected_labels": lambda user: values(
        LabelCorrection.objects.filter(author=user).annotate(comment=F("review_comment")),
        *("question__public_id", "label", "reference", "reason", "state", "comment", "created"),
    ),
}
