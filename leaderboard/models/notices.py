"""What people are told of their entries, how they wish to be told, and the programs of theirs that
are told too."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.urls import reverse

from benchmarks.submissions.models import Submission
from benchmarks.submissions.team_models import Membership

TITLE_LENGTH, SENTENCE_LENGTH = 250, 600


class NoticeQuerySet(models.QuerySet["Notice"]):
    def still_theirs(self) -> "NoticeQuerySet":
        """Not those of entries of a team that the person has left since, who sees nothing of the
        team's any more: neither on a page, nor in a mail or a webhook that was still to be sent."""
        is_member = Membership.objects.filter(
            team=OuterRef("submission__team"), user=OuterRef("owner")
        )
        return self.filter(Q(submission__team__isnull=True) | Exists(is_member))


class Notice(models.Model):
    """Something one person is told of an entry, once. key: what happened, of this person once;
    mail_at: when it is due by mail, null where it is not wished; mailed: when its mail was left in
    the outbox. happened: when what it tells was so last, and times: how often it was seen since
    the notice was made, of what comes and goes. path: where it leads, of what is about no entry."""

    class Kind(models.TextChoices):
        FINISHED = "finished", "Judging finished"
        PAUSED = "paused", "Judging paused"
        NEEDS_YOU = "needs-you", "Something waits for you"
        DECIDED = "decided", "Withdrawn, or staff decided about its rank"
        REJUDGED = "rejudged", "Judged or scored anew"
        REPLACED = "replaced", "Replaced by a new version"
        REVIEWED = "reviewed", "A description that you wrote was reviewed"
        ANSWERED = "answered", "A report of yours was answered"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    key = models.CharField(max_length=150)
    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, null=True, related_name="notices"
    )
    title = models.CharField(max_length=TITLE_LENGTH)
    sentence = models.CharField(max_length=SENTENCE_LENGTH)
    created = models.DateTimeField(db_default=Now())
    read = models.DateTimeField(null=True)
    mail_at = models.DateTimeField(null=True)
    mailed = models.DateTimeField(null=True)
    happened = models.DateTimeField(null=True)
    times = models.PositiveSmallIntegerField(default=1, db_default=1)
    path = models.CharField(max_length=200, blank=True, default="", db_default="")

    objects = NoticeQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "key"], name="told_once_of_the_same")
        ]
        indexes = [
            models.Index(fields=["owner", "-id"], name="notices_newest"),
            models.Index(fields=["owner"], condition=Q(read__isnull=True), name="notices_unread"),
            models.Index(
                fields=["mail_at"],
                condition=Q(mailed__isnull=True, mail_at__isnull=False),
                name="notices_to_mail",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.owner_id}"

    def get_absolute_url(self) -> str:
        if self.path or not self.submission_id:
            return self.path or reverse("webhooks")
        return reverse("submission", args=[self.submission_id])


class NoticeChoice(models.Model):
    """How a person wishes to get mails of a kind of notice. Without a row: as everybody does
    (notices.choices.USUAL)."""

    class How(models.TextChoices):
        INSTANT = "instant", "at once"
        DAILY = "daily", "once a day"
        OFF = "off", "no mail"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choices"
    )
    kind = models.CharField(max_length=10, choices=Notice.Kind.choices)
    how = models.CharField(max_length=10, choices=How.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "kind"], name="one_choice_per_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.how}"


class NoticeCursor(models.Model):
    """Up to where people were told. One row, held by the worker that looks. link: number in the
    chain; paused, unconfirmed: moments up to which runs were paused and files came; described: up
    to which descriptions were decided about, answered: up to which reports were, null where nobody
    has looked yet."""

    ONLY = 1

    link = models.PositiveBigIntegerField()
    paused = models.DateTimeField()
    unconfirmed = models.DateTimeField()
    described = models.DateTimeField(null=True)
    answered = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"told up to link {self.link}"


class Webhook(models.Model):
    """An address of a person's own program that is told what happens to their entries. secret: by
    which what is sent is signed; shown once. failures: tries in a row that failed. off: when it
    was switched off for them."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks"
    )
    url = models.CharField(max_length=500)
    secret = models.CharField(max_length=80)
    on_finished = models.BooleanField(default=True)
    on_paused = models.BooleanField(default=False)
    on_replaced = models.BooleanField(default=False, db_default=False)
    created = models.DateTimeField(db_default=Now())
    failures = models.PositiveSmallIntegerField(default=0)
    off = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"webhook {self.pk}"


class Outgoing(models.Model):
    """Something that leaves the site, by `leaderboard.operations.mail.outgoing`. next_try: also the
    end of the time for which a worker has it; null once nobody tries any more. tries: that failed,
    and the one by which it arrived."""

    created = models.DateTimeField(db_default=Now(), db_index=True)
    next_try = models.DateTimeField(null=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True


class WebhookDelivery(Outgoing):
    """One thing one webhook is told, kept for its owner to see. status: of the last answer.
    outcome: what came of the last try, in our words."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, null=True, related_name="+")
    event = models.CharField(max_length=10)
    body = models.TextField()
    status = models.PositiveSmallIntegerField(null=True)
    outcome = models.CharField(max_length=200, blank=True)
    arrived = models.BooleanField(default=False)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["webhook", "notice"], name="delivered_once")]
        indexes = [models.Index(fields=["webhook", "-id"], name="deliveries_newest")]

    def __str__(self) -> str:
        return f"{self.event} to webhook {self.webhook_id}"
