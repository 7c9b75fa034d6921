"""Floor rows: the baselines of every open release, imported ones too.

They are made once, by the sweep, and judged by the offline rules, so they cost no money.
"""

import json
import logging
import uuid
from collections.abc import Mapping
from datetime import datetime

import numpy as np
from django.db import DatabaseError

from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.querysets import ReleaseQuerySet
from benchmarks.registry import protocols
from benchmarks.selectors import protocol_of, question_descriptions, question_views
from benchmarks.submissions.models import BASELINE_SEED, EvaluatedModel, Submission
from benchmarks.submissions.services import accept_submission

log = logging.getLogger(__name__)
FLOOR_VERSION = 1
"""To be raised when a protocol has other baselines: the sweep then makes those that releases
lack."""


def open_releases_without_floor() -> ReleaseQuerySet:
    return Release.objects.without_floor(FLOOR_VERSION).filter(benchmark__slug__in=protocols())


def ensure_floor() -> list[str]:
    """Every open release has its baselines afterwards; slugs of those for which any were looked
    for.

    A full disk or a database that is away ends it, and the next sweep goes on. A protocol whose
    baselines fail otherwise is logged and left alone until they have another version: the sweep
    must not fail over it again and again.
    """
    done = []
    for release in open_releases_without_floor().select_related("benchmark").order_by("pk"):
        try:
            ensure_baselines(release=release)
        except (OSError, DatabaseError):
            raise
        except Exception:
            log.exception("The baselines of release %s cannot be made", release.slug)
            set_floor_version(release)
        done.append(release.slug)
    return done


def ensure_baselines(*, release: Release, received: datetime | None = None) -> list[Submission]:
    """One public submission per baseline of the protocol exists afterwards, with the same answers
    every time, and the release knows that it has them. `received` as `accept_submission` has it."""
    protocol = protocol_of(release)
    found = []
    rng = np.random.default_rng(BASELINE_SEED)
    descriptions = question_descriptions(release)
    for baseline in protocol.predictions.baselines(question_views(release), descriptions, rng):
        is_hidden = baseline.is_hidden or repeats_any(descriptions, baseline.answers)
        token = uuid.uuid5(uuid.NAMESPACE_URL, f"baseline/{release.slug}/{baseline.slug}")
        known = Submission.objects.filter(client_token=token, origin=Submission.Origin.BASELINE)
        if is_hidden:
            known.filter(repeats_hidden_text=False).update(repeats_hidden_text=True)
        earlier = known.first()
        found.append(
            earlier
            or accept_submission(
                release=release,
                upload=jsonl_upload(f"{baseline.slug}.jsonl", baseline.answers),
                model=EvaluatedModel(
                    name=baseline.title, organisation="Assay baseline", notes=baseline.about
                ),
                owner=None,
                origin=Submission.Origin.BASELINE,
                visibility=Submission.Visibility.PUBLIC,
                client_token=token,
                repeats_hidden_text=is_hidden,
                received=received,
            )
        )
    set_floor_version(release)
    return found


def repeats_any(descriptions: Mapping[str, str], answers: Mapping[str, str]) -> bool:
    """Whether any answer holds the description of its figure: a protocol from elsewhere may not say
    so."""
    return any(text and text in answers.get(key, "") for key, text in descriptions.items())


def set_floor_version(release: Release) -> None:
    Release.objects.filter(pk=release.pk).update(floor_version=FLOOR_VERSION)


def jsonl_upload(name: str, answers: Mapping[str, str]) -> Upload:
    lines = (
        json.dumps({"id": key, "prediction": text}, ensure_ascii=False)
        for key, text in answers.items()
    )
    return Upload(name, "\n".join(lines).encode())
