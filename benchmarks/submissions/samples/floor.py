"""Floor rows: the baselines of every open release, imported ones too.

They are made once, by the sweep, and judged by the offline rules, so they cost no money.
"""

import logging

from django.db import DatabaseError

from benchmarks.models import Release
from benchmarks.querysets import ReleaseQuerySet
from benchmarks.registry import protocols
from benchmarks.submissions.services import FLOOR_VERSION, ensure_baselines, set_floor_version

log = logging.getLogger(__name__)


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
