"""What was answered: evaluated models, their submissions, and every answer."""

import uuid

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.storage import Storage, storages
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmarks.models import Question, Release
from benchmarks.submissions.naming.lookalike_names import SKELETON_LENGTH
from benchmarks.submissions.naming.names import is_unseen
from benchmarks.submissions.naming.slugs import SLUG_LENGTH
from benchmarks.submissions.querysets import (
    EvaluatedModelQuerySet,
    SubmissionQuerySet,
    TokenQuerySet,
)
from benchmarks.submissions.team_models import Team


def private_storage() -> Storage:
    return storages["uploads"]


BASELINE_SEED = 20_231_023
"""Any fixed number: another one draws other baselines, and marks of older submissions that repeat
one would differ."""


REASON_LENGTH = 300
"""Of why a submission was withdrawn: a few sentences, which a page shows whole."""


def refuse_unseen(text: str) -> None:
    """Of a few lines that others read: raises ValidationError where a character is not seen."""
    if unseen := next((c for c in text if is_unseen(c) and c not in "\r\n\t"), ""):
        raise ValidationError(
            f"A text may not hold characters that nobody sees: U+{ord(unseen):04X}.",
            code="unseen",
        )


class EvaluatedModel(models.Model):
    """A vision-language model whose answers are submitted. Names are unique for their owner, who is
    a person or a team, not for the site."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="evaluated_models",
    )
    team = models.ForeignKey(
        Team,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="evaluated_models",
        help_text="Whose it is, where a member handed it in for a team",
    )
    name = models.CharField(max_length=100)
    skeleton = models.CharField(
        max_length=SKELETON_LENGTH,
        blank=True,
        db_default="",
        db_index=True,
        editable=False,
        help_text="Equal for names that are easily taken for one another",
    )
    slug = models.SlugField(  # noqa: DJ001 - several may be without, and '' is unique
        max_length=SLUG_LENGTH,
        unique=True,
        null=True,
        editable=False,
        help_text="In addresses; never changed. None only of a model that older code made",
    )
    organisation = models.CharField(max_length=100, blank=True)
    link = models.URLField(blank=True, help_text="Paper, code or weights")
    parameters_billions = models.DecimalField(
        "parameters (billions)",
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
    )
    is_open_weights = models.BooleanField("open weights", default=False)
    licence = models.CharField(
        max_length=100,
        blank=True,
        default="",
        db_default="",
        help_text="Of the weights, such as Apache-2.0",
    )
    training_data = models.TextField(
        blank=True,
        default="",
        db_default="",
        max_length=2000,
        validators=[refuse_unseen],
        help_text="Data sets by name, and whether any of this benchmark's questions are among them",
    )
    notes = models.TextField(blank=True, max_length=2000, validators=[refuse_unseen])
    created = models.DateTimeField(auto_now_add=True)
    facts_changed = models.DateTimeField(
        null=True, editable=False, help_text="When its owner last changed what is said of it"
    )

    FACTS = (
        "organisation",
        "link",
        "parameters_billions",
        "is_open_weights",
        "licence",
        "training_data",
        "notes",
    )
    """Columns with what its owner says of it, in the order in which they are shown (facts.py)."""

    objects = EvaluatedModelQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"],
                condition=Q(team__isnull=True),
                name="model_name_once_per_owner",
            ),
            models.UniqueConstraint(fields=["team", "name"], name="model_name_once_per_team"),
            models.UniqueConstraint(
                fields=["name"],
                condition=Q(owner__isnull=True),
                name="model_name_once_without_owner",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class FactChange(models.Model):
    """One thing that is said of a model was changed: public where the model is. Never changed
    itself; texts as a page prints them."""

    model = models.ForeignKey(EvaluatedModel, on_delete=models.PROTECT, related_name="fact_changes")
    field = models.CharField(max_length=40)
    before = models.TextField(blank=True, max_length=2000)
    after = models.TextField(blank=True, max_length=2000)
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)
    changed = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    by_staff = models.BooleanField(default=False, help_text="And not by whose model it is")

    class Meta:
        ordering = ["-changed", "-id"]
        indexes = [models.Index(fields=["model", "-changed", "-id"], name="fact_changes_newest")]

    def __str__(self) -> str:
        return f"{self.field} of {self.model}"


class Submission(models.Model):
    """A file of answers to every question of a release. Its state is derived from its rows, never
    stored."""

    class Origin(models.TextChoices):
        UPLOAD = "upload"
        BASELINE = "baseline"
        SAMPLE = "sample"

    class Visibility(models.TextChoices):
        PRIVATE = "private"
        PUBLIC = "public"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="submissions",
        help_text="Who handed it in",
    )
    team = models.ForeignKey(
        Team,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="submissions",
        help_text="Whose it is, where it was submitted for a team: its members', nobody else's",
    )
    model = models.ForeignKey(EvaluatedModel, on_delete=models.PROTECT, related_name="submissions")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="submissions")
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.UPLOAD)
    visibility = models.CharField(
        max_length=10, choices=Visibility.choices, default=Visibility.PRIVATE
    )
    file = models.FileField(
        storage=private_storage, blank=True, help_text="None where it was cancelled"
    )
    file_name = models.CharField(
        max_length=200, help_text="As its sender called it; shown, never used as a path"
    )
    sha256 = models.CharField(max_length=64)
    reading_notes = models.JSONField(
        default=list, help_text="What the reader accepted with a remark"
    )
    repeats_hidden_text = models.BooleanField(
        default=False,
        db_default=False,
        help_text="A baseline made of descriptions: its answers are shown where references are",
    )
    flags = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="What is remarkable about its answers as a whole",
    )
    flags_version = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Of the rules that told them; 0: not told yet"
    )
    answers_digest = models.CharField(
        max_length=64, blank=True, db_default="", help_text="Equal for the same answers"
    )
    decision = models.ForeignKey(
        "RankingDecision",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The newest one of staff; public",
    )
    verification = models.ForeignKey(
        "VerificationDecision",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The newest one of staff; public",
    )
    client_token = models.UUIDField(
        default=uuid.uuid4, help_text="A form or request sent twice names one submission"
    )
    created = models.DateTimeField(default=timezone.now)
    confirmed = models.DateTimeField(null=True, blank=True)
    withdrawn = models.DateTimeField(null=True, blank=True)
    was_public = models.BooleanField(
        default=False, db_default=False, help_text="When it was withdrawn: its model's page says so"
    )
    withdrawal_reason = models.CharField(
        max_length=REASON_LENGTH,
        blank=True,
        default="",
        db_default="",
        help_text="Public where the submission was",
    )
    replaces = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="replacements",
        help_text="An earlier submission of the same owner, whose place it takes once it is scored "
        "and public",
    )
    replacement_settled = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it took the place of what it replaces, or that was found withdrawn",
    )
    replaced_by = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Which one took its place, and withdrew it",
    )
    finished = models.DateTimeField(
        null=True,
        blank=True,
        help_text="First judged to its end; the stage that scores sets it, and its owner may "
        "submit the next",
    )
    is_spent = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Takes one of its owner's places; not what came by the terminal, or what the "
        "site failed to judge",
    )

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "client_token"], name="submission_once_per_client_token"
            ),
            models.UniqueConstraint(
                fields=["client_token"],
                condition=Q(owner__isnull=True),
                name="system_submission_once_per_token",
            ),
            models.CheckConstraint(
                condition=Q(visibility="private") | Q(confirmed__isnull=False),
                name="only_confirmed_is_public",
            ),
            models.UniqueConstraint(
                fields=["replaces"],
                # Without the first part it would hold every row, and SQLite's planner walk it.
                condition=Q(replaces__isnull=False, withdrawn__isnull=True),
                name="one_replacement_at_a_time",
            ),
        ]
        indexes = [
            models.Index(fields=["-created", "id"], name="submissions_newest"),
            models.Index(fields=["owner", "-created", "id"], name="submissions_of_owner"),
            models.Index(
                fields=["finished"],
                condition=Q(
                    replaces__isnull=False,
                    replacement_settled__isnull=True,
                    visibility="public",
                    withdrawn__isnull=True,
                ),
                name="replacements_due",
            ),
            models.Index(
                fields=["-created", "-id"],
                condition=Q(visibility="public", withdrawn__isnull=True),
                name="public_submissions_newest",
            ),
            models.Index(
                fields=["finished", "withdrawn", "created"],
                condition=Q(finished__isnull=True, withdrawn__isnull=True),
                name="submission_unfinished",
            ),
            models.Index(
                fields=["flags_version"],
                condition=Q(finished__isnull=False),
                name="submission_flags_version",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} on {self.release}"


class LooseFile(models.Model):
    """A file among uploads that no row names: not yet, or not any more (files/loose.py)."""

    name = models.CharField(max_length=100, unique=True)
    since = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return self.name


class RefusedFile(models.Model):
    """What was wrong with a file, for its sender alone and for a day. Nothing of the file is kept
    but what its problems repeat of it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="refused_files"
    )
    created = models.DateTimeField(default=timezone.now, db_index=True)
    file_name = models.CharField(max_length=200)
    report = models.BinaryField(help_text="Problems and missing ids: JSON, packed (refusals.py)")

    def __str__(self) -> str:
        return self.file_name


class IncomingFile(models.Model):
    """A file that a process reads for its sender at this moment, or did as it ended
    (incoming.py)."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="incoming_files"
    )
    file_name = models.CharField(max_length=200)
    client_token = models.UUIDField()
    started = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return self.file_name


class RankingDecision(models.Model):
    """What staff decided about the rank of a submission where only rules judge, and why.

    Never changed; the newest counts.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="ranking_decisions"
    )
    is_ranked = models.BooleanField()
    reason = models.CharField(max_length=300)
    decided = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-decided", "-id"]

    def __str__(self) -> str:
        return f"{'ranked' if self.is_ranked else 'kept out'}: {self.reason}"


class VerificationDecision(models.Model):
    """Staff looked at a submission and grant, or take back, the badge "verified". Never changed;
    the newest counts."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="verification_decisions"
    )
    is_verified = models.BooleanField()
    reason = models.CharField(max_length=300)
    decided = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-decided", "-id"]

    def __str__(self) -> str:
        return f"{'verified' if self.is_verified else 'no longer verified'}: {self.reason}"


class PublicName(models.Model):
    """The name by which boards say who handed an entry in, a person or a team. No two are easily
    taken for one another."""

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="public_name",
    )
    team = models.OneToOneField(
        Team, on_delete=models.CASCADE, null=True, blank=True, related_name="public_name"
    )
    name = models.CharField(max_length=60)
    skeleton = models.CharField(max_length=SKELETON_LENGTH, unique=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(owner__isnull=False, team__isnull=True)
                | Q(owner__isnull=True, team__isnull=False),
                name="name_of_person_or_team",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Answer(models.Model):
    """What the model said to one question, verbatim."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="answers")
    text = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "question"], name="one_answer_per_question"
            )
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.text[:40]}"


class SketchSecret(models.Model):
    """What decides which questions of a release the bands of its submissions look at. Shown to
    nobody: who knew it could copy answers and change just those."""

    release = models.OneToOneField(Release, on_delete=models.CASCADE, related_name="+")
    secret = models.CharField(max_length=32)

    def __str__(self) -> str:
        return f"of {self.release}"


class AnswerSketch(models.Model):
    """A little-endian 32-bit hash of each answer, in the order of the release
    (benchmarks.submissions.marks.sketches)."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="sketch")
    hashes = models.BinaryField()

    def __str__(self) -> str:
        return f"of {self.submission}"


class AnswerBand(models.Model):
    """A hash over a sample of a submission's answers: submissions that share one may be nearly
    equal."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="bands")
    key = models.BigIntegerField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key} of {self.submission}"


class NearEqual(models.Model):
    """A submission has the answers of an earlier one, all or nearly all. Told to staff, decides
    nothing."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="near_equals")
    other = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="near_equal_to")
    equal = models.PositiveIntegerField(help_text="Answers that are equal")
    of = models.PositiveIntegerField(help_text="Answers in all")

    class Meta:
        ordering = ["-equal", "id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "other"], name="near_equals_once")
        ]

    def __str__(self) -> str:
        return f"{self.equal:,} of {self.of:,} as {self.other.model}"


class AccessToken(models.Model):
    """A personal key to the API. Only a digest is kept; the key itself is shown once."""

    class Scope(models.TextChoices):
        """Each may do what those before it may."""

        READ = "read"
        SUBMIT = "submit"
        PUBLISH = "publish"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens"
    )
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

    def may(self, scope: str) -> bool:
        """Whether it was made for `scope`, or for more."""
        order: list[str] = self.Scope.values
        return order.index(self.scope) >= order.index(scope)
