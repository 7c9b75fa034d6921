"""A file that its sender has handed in before, and not confirmed yet: by another tab, or by a form
sent twice."""

import hashlib
import uuid

from django.contrib.auth.models import User

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.submissions.models import Submission
from benchmarks.submissions.team_models import Team


def same_draft(
    *,
    owner: User | None,
    sha256: str,
    model_name: str,
    release: Release | None,
    team: Team | None = None,
    replaces: Submission | None = None,
) -> Submission | None:
    """The same file of the same model, for the same team and in place of the same entry, that still
    waits to be confirmed. `release`: None where it is not known yet which is meant."""
    drafts = Submission.objects.not_withdrawn().filter(
        owner=owner, team=team, replaces=replaces, confirmed__isnull=True
    )
    of_release = {} if release is None else {"release": release}
    return drafts.filter(model__name=model_name, sha256=sha256, **of_release).first()


def token_of_form(
    *,
    owner: User,
    client_token: uuid.UUID,
    upload: Upload,
    model_name: str,
    release: Release | None,
    team: Team | None = None,
    replaces: Submission | None = None,
) -> uuid.UUID:
    """The token that a form was sent with. A new one where it was sent before, and stored, with
    something else in it: browsers bring a form back as it was, its token too, and who then chooses
    a mended file means another submission."""
    sent = Submission.objects.filter(owner=owner, client_token=client_token)
    earlier = sent.select_related("model").first()
    is_free = earlier is None or is_of(
        earlier, upload=upload, model_name=model_name, release=release, team=team, replaces=replaces
    )
    return client_token if is_free else uuid.uuid4()


def is_of(
    submission: Submission,
    *,
    upload: Upload,
    model_name: str,
    release: Release | None,
    team: Team | None,
    replaces: Submission | None,
) -> bool:
    """Whether the submission is of this very file, model and release, for the same team and in
    place of the same entry. `release`: None where the file says which is meant."""
    handed_in = (submission.model and submission.model.name, submission.team, submission.replaces)
    return (
        handed_in == (model_name, team, replaces)
        and release in (None, submission.release)
        and submission.sha256 == hashlib.sha256(upload.content).hexdigest()
    )
