"""What is shown: one scoresheet per submission and judge spec, recomputable from verdicts at any time."""

from django.db import models

from benchmarks.submissions.models import Submission
from judging.models import JudgeRun, JudgeSpec


class Scoresheet(models.Model):
    """The metrics of a finished run.

    figures: metric name -> [value, low, high, spread, n, asked, judged, groups]; a value that is not defined is null.
    board_figures: those of them that the board shows, apart, because a board of a hundred entries reads them all.
    draws: little-endian float64 resamples of the ranking metric; paired with those of every sheet of the release.
    coverage: the share of what is scored that has a verdict; judged, unreadable, failed, excluded count single replies.
    losses: little-endian float64, how far the ranking metric gets worse at least by 1, 2, 3 … changed answers
    (leaderboard.fragility); null: from before this was kept.
    scoring: version of what made the sheet of the verdicts (leaderboard.scoring.SCORING_VERSION).
    lengths: length and score of each answer with a reply (leaderboard.length_effect); null: from before this was kept.
    """

    run = models.OneToOneField(JudgeRun, on_delete=models.PROTECT, related_name="scoresheet")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="scoresheets")
    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.PROTECT, related_name="scoresheets")
    ranking = models.FloatField(null=True)
    coverage = models.FloatField()
    judged = models.PositiveIntegerField()
    unreadable = models.PositiveIntegerField()
    failed = models.PositiveIntegerField()
    excluded = models.PositiveIntegerField(default=0, db_default=0)
    figures = models.JSONField()
    board_figures = models.JSONField()
    draws = models.BinaryField()
    lengths = models.BinaryField(null=True)
    losses = models.BinaryField(null=True)
    scoring = models.PositiveSmallIntegerField(default=1, db_default=1)
    computed = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "judge_spec"], name="one_scoresheet_per_era"
            ),
            models.CheckConstraint(
                condition=models.Q(coverage__gte=0) & models.Q(coverage__lte=1),
                name="coverage_is_a_share",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission} by {self.judge_spec}"


class WorkerBeat(models.Model):
    """A worker process and when it last said that it lives, by database time. One that stops in order leaves no row."""

    name = models.CharField(
        max_length=200, unique=True, help_text="host/process id; never shown to visitors"
    )
    seen = models.DateTimeField()
    swept = models.DateTimeField(null=True, help_text="When its last sweep ended")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class OperatorNotice(models.Model):
    """Something that the people who run the site are told of by mail, kept while it lasts. A mail that could not be
    sent is tried again at `next_try`."""

    subject = models.CharField(
        max_length=80, unique=True, help_text="endpoint/alias, run/key, or progress"
    )
    since = models.DateTimeField(null=True)
    told = models.DateTimeField(null=True)
    next_try = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.subject


class SharedCacheRow(models.Model):
    """Django's database cache (CACHES), made by a migration so that no site needs a step of its own for it. Limits of
    sign-in are in it; only the cache writes here, and `forget_expired` tidies."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "shared_cache"

    def __str__(self) -> str:
        return self.cache_key


class OutgoingMail(models.Model):
    """A mail that no server has yet, by `leaderboard.operations.outbox`. Its text may hold a link that
    sets a password, so the row goes with the sending, and is in no admin page."""

    sender = models.CharField(max_length=320)
    recipients = models.JSONField()
    subject = models.TextField()
    text = models.TextField()
    headers = models.JSONField()
    created = models.DateTimeField()
    next_try = models.DateTimeField(
        db_index=True, help_text="Also the end of the time for which a worker has it"
    )
    tries = models.PositiveSmallIntegerField(default=0, help_text="Times that a server refused it")

    def __str__(self) -> str:
        return f"mail {self.pk}"
