"""Studies: which answers people look at, who they are, and every vote.

A study counts nowhere until it is closed. Then its votes become an ordinary file of ratings
(RatingFile.study), and whoever reads ratings need not know of studies.
"""

import hashlib
import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from benchmarks.common.invitations import DIGEST_LENGTH, HasLink
from benchmarks.models import Release
from benchmarks.submissions.models import Answer, Submission
from judging.coordination.clock import database_now

MAX_RATERS_PER_ITEM = 20  # ten is the most a paper of ours had; more is a survey
NAME_LENGTH = 100
REASON_LENGTH = 300
NOTE_LENGTH = 4_000  # two pages: nobody reads more before a first item
VERSION_LENGTH = 12  # of a digest of a text: names one of a site's texts for good


class Study(models.Model):
    """Questions drawn from a release, with the answers of some entries, and what people are asked
    about them. What is drawn is fixed once it is open (immutability.py).

    `questionnaire`: the slugs of the dimensions asked, joined by "+". The draw follows from seed,
    size, entries and release alone (studies/draw.py).

    `late_until`: till when votes on items that were handed out before the end are taken.
    `unsettled`: since when votes stand that its ratings lack, or ratings whose votes do not.
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        CLOSED = "closed"
        WITHDRAWN = "withdrawn"

    class Failing(models.TextChoices):
        """What becomes of the votes of raters who fail attention checks."""

        KEPT = "kept", "Their votes count like all others"
        MARKED = "marked", "Their votes count, and the report marks these raters"
        LEFT_OUT = "left out", "Their votes do not count"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="studies")
    title = models.CharField(max_length=NAME_LENGTH)
    questionnaire = models.CharField(max_length=300)
    submissions: "models.ManyToManyField[Submission, models.Model]" = models.ManyToManyField(
        Submission, related_name="studies"
    )
    size = models.PositiveIntegerField(help_text="Questions drawn")
    seed = models.PositiveBigIntegerField()
    raters_per_item = models.PositiveSmallIntegerField(default=3)
    check_every = models.PositiveSmallIntegerField(
        default=20, help_text="One item in so many has an obvious answer, to see who looks; 0: none"
    )
    failing = models.CharField(
        max_length=10, choices=Failing.choices, default=Failing.KEPT, db_default=Failing.KEPT
    )
    least_passed = models.PositiveSmallIntegerField(
        default=75,
        db_default=75,
        help_text="Percent of the checks a rater got; raters who pass fewer fail",
    )
    quota = models.PositiveIntegerField(
        null=True, blank=True, help_text="Answers that one rater is given at most; empty: all"
    )
    note = models.TextField(
        blank=True,
        max_length=NOTE_LENGTH,
        help_text="Additional instructions for raters of this study",
    )
    consent = models.TextField(
        blank=True,
        db_default="",
        max_length=NOTE_LENGTH,
        help_text="What raters agree to before the first item",
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    created = models.DateTimeField(default=database_now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    opened = models.DateTimeField(null=True, blank=True)
    expires = models.DateTimeField(
        null=True, blank=True, help_text="When the links of its raters end"
    )
    closed = models.DateTimeField(null=True, blank=True)
    late_until = models.DateTimeField(null=True, blank=True)
    unsettled = models.DateTimeField(null=True, blank=True)
    withdrawn = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(
        max_length=REASON_LENGTH, blank=True, help_text="Why it was withdrawn"
    )

    class Meta:
        ordering = ["-created", "id"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(raters_per_item__gte=1, raters_per_item__lte=MAX_RATERS_PER_ITEM),
                name="raters_of_an_item",
            ),
            models.CheckConstraint(
                condition=~Q(state="withdrawn") | ~Q(reason=""), name="study_ends_with_a_reason"
            ),
            models.CheckConstraint(condition=Q(least_passed__lte=100), name="passed_in_percent"),
            models.CheckConstraint(condition=~Q(quota=0), name="a_quota_leaves_something"),
        ]
        indexes = [
            models.Index(
                fields=["unsettled"],
                condition=Q(unsettled__isnull=False),
                name="studies_unsettled",
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    def hands_out(self, now: datetime) -> bool:
        """Whether raters are given items."""
        return self.is_open and (self.expires is None or self.expires > now)

    def takes_votes(self, now: datetime) -> bool:
        """Whether votes on items that raters have are taken, late ones of a closed study too."""
        if self.state == self.State.CLOSED:
            return self.late_until is not None and self.late_until > now
        return self.is_open and (self.late_until is None or self.late_until > now)

    @property
    def consent_version(self) -> str:
        return hashlib.sha256(self.consent.encode()).hexdigest()[:VERSION_LENGTH]

    @property
    def code(self) -> str:
        """Short, for the names of its raters in files."""
        return self.id.hex[:8]

    @property
    def dimensions(self) -> tuple[str, ...]:
        return tuple(self.questionnaire.split("+"))


class StudyItem(models.Model):
    """An answer that people look at, with the texts that they see. `taken` counts those who have
    it or have voted, `wanted` how many are to; a check is shown to everybody and never counted.

    `passed_by`: of a check, the numbers on `check_dimension` that somebody attentive may give,
    with commas.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="study_items")
    position = models.PositiveIntegerField()
    shown_answer = models.TextField(blank=True)
    shown_reference = models.TextField(blank=True, help_text="Empty where none is shown")
    is_check = models.BooleanField(default=False)
    check_dimension = models.CharField(max_length=50, blank=True)
    passed_by = models.CharField(max_length=100, blank=True)
    about = models.CharField(max_length=100, blank=True, help_text="What a check shows")
    wanted = models.PositiveSmallIntegerField()
    taken = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="study_position_once"),
            models.CheckConstraint(
                condition=Q(is_check=False) | (~Q(passed_by="") & ~Q(check_dimension="")),
                name="a_check_can_be_passed",
            ),
        ]
        indexes = [
            # What is still to be given out: nothing of a study that is done.
            models.Index(
                fields=["study", "position"],
                condition=Q(taken__lt=F("wanted"), is_check=False),
                name="study_items_to_give_out",
            )
        ]

    def __str__(self) -> str:
        return f"item {self.position}"

    @property
    def passing(self) -> frozenset[int]:
        return frozenset(int(value) for value in self.passed_by.split(",") if value)


class StudyRater(HasLink):
    """Somebody who rates in one study: by an account, or by a link. Others see the alias alone;
    `name` is what staff typed.

    `total`: how many items this rater is given at most, checks included. `consent_version`: of the
    text this rater agreed to. `withdrew`: when the rater took all votes back, for good.
    """

    address = "rate-join"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="raters")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=NAME_LENGTH, blank=True)
    email = models.EmailField(blank=True)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="studies_rated",
    )
    digest = models.CharField(max_length=DIGEST_LENGTH, blank=True, editable=False)
    link_made = models.DateTimeField(null=True, blank=True)
    invited = models.DateTimeField(default=database_now)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    total = models.PositiveIntegerField(default=0)
    consented = models.DateTimeField(null=True, blank=True)
    consent_version = models.CharField(max_length=VERSION_LENGTH, blank=True, db_default="")
    withdrew = models.DateTimeField(null=True, blank=True)
    removed = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=REASON_LENGTH, blank=True, help_text="Why removed")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="rater_number_once"),
            models.UniqueConstraint(fields=["study", "account"], name="rater_account_once"),
            models.UniqueConstraint(
                fields=["digest"], condition=~Q(digest=""), name="rater_link_once"
            ),
        ]

    def __str__(self) -> str:
        return self.alias

    @property
    def alias(self) -> str:
        return f"rater {self.number}"


class RaterDevice(models.Model):
    """A browser that was given items of a rater, and may hold votes on them that were not sent.
    `key`: drawn for this browser and study alone."""

    rater = models.ForeignKey(StudyRater, on_delete=models.CASCADE, related_name="devices")
    key = models.UUIDField()
    seen = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rater", "key"], name="device_of_rater")]

    def __str__(self) -> str:
        return f"device of {self.rater_id}"


class Assignment(models.Model):
    """An item that was given to a rater. It is the rater's until the lease ends; then others may
    have it too. `turn` is its place in the rater's own order."""

    item = models.ForeignKey(StudyItem, on_delete=models.CASCADE, related_name="assignments")
    rater = models.ForeignKey(StudyRater, on_delete=models.CASCADE, related_name="assignments")
    turn = models.PositiveIntegerField()
    lease_until = models.DateTimeField()
    voted = models.DateTimeField(null=True, blank=True)
    is_released = models.BooleanField(default=False)

    class Meta:
        ordering = ["turn"]
        constraints = [
            models.UniqueConstraint(fields=["item", "rater"], name="item_once_per_rater")
        ]
        indexes = [
            models.Index(fields=["rater", "voted", "turn"], name="assignments_of_rater"),
            models.Index(
                fields=["lease_until"],
                condition=Q(voted__isnull=True, is_released=False),
                name="assignments_that_expire",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} to {self.rater_id}"


class Vote(models.Model):
    """What a rater said of an item on one dimension. It is never changed, only taken back once.

    `key`: the browser's own, so that a vote sent twice is one. `milliseconds`: from showing to
    voting, as the browser tells; None where it does not.
    """

    item = models.ForeignKey(StudyItem, on_delete=models.PROTECT, related_name="votes")
    rater = models.ForeignKey(StudyRater, on_delete=models.PROTECT, related_name="votes")
    dimension = models.CharField(max_length=50)
    value = models.SmallIntegerField()
    at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    key = models.UUIDField()
    taken_back = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "rater", "dimension"],
                condition=Q(taken_back__isnull=True),
                name="one_standing_vote",
            ),
            models.UniqueConstraint(
                fields=["rater", "key", "dimension"], name="a_vote_is_sent_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} {self.value}"
