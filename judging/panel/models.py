"""What people said of answers. A rating is never changed: a wrong file is withdrawn and a corrected
one imported."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from benchmarks.submissions.models import Answer, Submission, private_storage
from judging.panel.querysets import RatingFileQuerySet, RatingQuerySet
from judging.panel.study_models import (
    Assignment,
    RaterDevice,
    Study,
    StudyItem,
    StudyRater,
    Vote,
)

__all__ = [
    "Assignment",
    "RaterDevice",
    "Rating",
    "RatingFile",
    "Study",
    "StudyItem",
    "StudyRater",
    "Vote",
]

MAX_RATER_CHARACTERS = 100
MAX_REASON_CHARACTERS = 300


class RatingFile(models.Model):
    """A file of ratings, taken whole. `submissions` are those it rates: what is scored again when
    it changes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    file = models.FileField(storage=private_storage)
    file_name = models.CharField(
        max_length=200, help_text="As its sender called it; shown, never used as a path"
    )
    sha256 = models.CharField("SHA-256", max_length=64)
    rating_count = models.PositiveIntegerField("ratings")
    submissions: "models.ManyToManyField[Submission, models.Model]" = models.ManyToManyField(
        Submission, related_name="rating_files"
    )
    study = models.ForeignKey(
        Study,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="files",
        help_text="Whose votes these are; none where the file came from elsewhere",
    )
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField()
    withdrawn = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(
        max_length=MAX_REASON_CHARACTERS, blank=True, help_text="Why it was withdrawn"
    )

    objects = RatingFileQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["sha256"],
                condition=Q(withdrawn__isnull=True),
                name="one_standing_file_of_ratings",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn__isnull=True, reason="")
                | (Q(withdrawn__isnull=False) & ~Q(reason="")),
                name="withdrawn_with_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(rating_count__gt=0), name="a_file_of_ratings_has_some"
            ),
        ]

    def __str__(self) -> str:
        return self.file_name

    @property
    def report_id(self) -> uuid.UUID:
        """Under which its report is found: a study keeps its own when its files are replaced."""
        return self.study_id or self.id


class Rating(models.Model):
    """A person's score of one answer on one dimension of its protocol's panel. `rater` is never
    shown in public."""

    file = models.ForeignKey(RatingFile, on_delete=models.PROTECT, related_name="ratings")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="ratings")
    rater = models.CharField(max_length=MAX_RATER_CHARACTERS)
    dimension = models.CharField(max_length=50)
    score = models.SmallIntegerField()
    is_withdrawn = models.BooleanField(default=False)

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "rater", "dimension"],
                condition=Q(is_withdrawn=False),
                name="one_standing_rating",
            ),
            models.CheckConstraint(
                condition=~Q(rater="") & ~Q(dimension=""), name="a_rating_names_all"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} {self.score}"
