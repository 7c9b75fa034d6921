"""A file that its sender has handed in before, and not confirmed yet: by another tab, or by a form
sent twice."""

from django.contrib.auth.models import User

from benchmarks.models import Release
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
