from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import OuterRef, Q, QuerySet

if TYPE_CHECKING:
    from judging.panel import models


class RatingFileQuerySet(QuerySet["models.RatingFile"]):
    def not_withdrawn(self) -> RatingFileQuerySet:
        return self.filter(withdrawn__isnull=True)


class RatingQuerySet(QuerySet["models.Rating"]):
    def not_withdrawn(self) -> RatingQuerySet:
        return self.filter(is_withdrawn=False)
