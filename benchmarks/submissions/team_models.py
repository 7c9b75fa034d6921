"""Teams of people who hand in together, and what staff grant to a team or person for a while."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmarks.common.invitations import AbstractInvitation

REASON_LENGTH = 300


class Team(models.Model):
    """People who hand in together: each sees and acts on all that is the team's. Its name is its
    PublicName, which no account and no other team has; one that was closed has none."""

    created = models.DateTimeField(default=timezone.now)
    closed = models.DateTimeField(null=True, blank=True)
    verification = models.ForeignKey(
        "TeamVerification",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The newest decision of staff; public",
    )

    class Meta:
        ordering = ["-created", "-id"]

    def __str__(self) -> str:
        named = getattr(self, "public_name", None)
        return str(named.name) if named else f"team {self.pk}"


class Membership(models.Model):
    """Owners invite, remove and name; members see and act on the team's entries."""

    class Role(models.TextChoices):
        OWNER = "owner"
        MEMBER = "member"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["since", "id"]
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="member_once_per_team")
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.team_id}"

    @property
    def is_owner(self) -> bool:
        return self.role == self.Role.OWNER


class Invitation(AbstractInvitation):
    """Somebody who confirmed this address may join the team."""

    address = "team-join"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created", "-id"]
        indexes = [models.Index(fields=["invited_by", "created"], name="invitations_of_person")]

    def __str__(self) -> str:
        return f"to team {self.team_id}, until {self.expires:%Y-%m-%d}"


class TeamVerification(models.Model):
    """Staff know who a team is and grant, or take back, the badge "verified team". Never changed;
    the newest counts."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="verifications")
    is_verified = models.BooleanField()
    reason = models.CharField(max_length=REASON_LENGTH)
    decided = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-decided", "-id"]

    def __str__(self) -> str:
        return f"{'verified' if self.is_verified else 'no longer verified'}: {self.reason}"


class LimitRaise(models.Model):
    """More places for a person or a team until an instant (quota.py). Never changed; the newest of
    each counts, so that one with lower numbers ends an earlier one."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="limit_raises",
        verbose_name="person",
    )
    team = models.ForeignKey(
        Team, on_delete=models.PROTECT, null=True, blank=True, related_name="limit_raises"
    )
    submissions_day = models.PositiveIntegerField(
        null=True, blank=True, help_text="Files within 24 hours; empty: as for everybody"
    )
    unfinished = models.PositiveIntegerField(
        null=True, blank=True, help_text="Files not judged yet; empty: as for everybody"
    )
    files = models.PositiveIntegerField(
        null=True, blank=True, help_text="Files kept; empty: as for everybody"
    )
    until = models.DateTimeField()
    reason = models.CharField(max_length=REASON_LENGTH)
    created = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-created", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(owner__isnull=False, team__isnull=True)
                | Q(owner__isnull=True, team__isnull=False),
                name="limits_of_person_or_team",
            )
        ]

    def __str__(self) -> str:
        return f"until {self.until:%Y-%m-%d %H:%M}: {self.reason}"
