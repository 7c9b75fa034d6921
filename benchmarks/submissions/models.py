"""What was answered: evaluated models, their submissions, and every answer."""

import uuid

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmarks.models import Question, Release
from benchmarks.submissions.querysets import SubmissionQuerySet, TokenQuerySet


def private_storage() -> Storage:
    return storages["uploads"]


class EvaluatedModel(models.Model):
    """A vision-language model whose answers are submitted. Names are unique for their owner, not for the site."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="evaluated_models"
    )
    name = models.CharField(max_length=100)
    organisation = models.CharField(max_length=100, blank=True)
    link = models.URLField(blank=True)
    parameters_billions = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    is_open_weights = models.BooleanField(default=False)
    notes = models.TextField(blank=True, max_length=2000)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="model_name_once_per_owner"),
            models.UniqueConstraint(
                fields=["name"], condition=Q(owner__isnull=True), name="model_name_once_without_owner"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    """A file of answers to every question of a release. Its state is derived from its rows, never stored."""

    class Origin(models.TextChoices):
        UPLOAD = "upload"
        BASELINE = "baseline"
        SAMPLE = "sample"

    class Visibility(models.TextChoices):
        PRIVATE = "private"
        PUBLIC = "public"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    model = models.ForeignKey(EvaluatedModel, on_delete=models.PROTECT, related_name="submissions")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="submissions")
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.UPLOAD)
    visibility = models.CharField(max_length=10, choices=Visibility.choices, default=Visibility.PRIVATE)
    file = models.FileField(storage=private_storage)
    file_name = models.CharField(max_length=200, help_text="As its sender called it; shown, never used as a path")
    sha256 = models.CharField(max_length=64)
    reading_notes = models.JSONField(default=list, help_text="What the reader accepted with a remark")
    client_token = models.UUIDField(default=uuid.uuid4, help_text="A form or request sent twice names one submission")
    created = models.DateTimeField(default=timezone.now)
    confirmed = models.DateTimeField(null=True, blank=True)
    withdrawn = models.DateTimeField(null=True, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "id"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "client_token"], name="submission_once_per_client_token"),
            models.UniqueConstraint(
                fields=["client_token"], condition=Q(owner__isnull=True), name="system_submission_once_per_token"
            ),
            models.CheckConstraint(
                condition=Q(visibility="private") | Q(confirmed__isnull=False), name="only_confirmed_is_public"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} on {self.release}"


class Answer(models.Model):
    """What the model said to one question, verbatim."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="answers")
    text = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "question"], name="one_answer_per_question")]

    def __str__(self) -> str:
        return f"{self.question}: {self.text[:40]}"


class AccessToken(models.Model):
    """A personal key to the API. Only a digest is kept; the key itself is shown once."""

    class Scope(models.TextChoices):
        READ = "read"
        SUBMIT = "submit"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=60)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=Scope.choices)
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    last_used = models.DateTimeField(null=True, blank=True)
    revoked = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"{self.prefix}…"
