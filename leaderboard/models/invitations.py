"""People whom staff asked to join the groups of the site."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

DIGEST_LENGTH = 64  # SHA-256 in hex


class PersonInvitation(models.Model):
    """Whoever opens the link may make the account of this address, or join the groups with the one
    that has confirmed it; until it expires, and once. Of the link only a digest is kept.

    email: empty once it ended: the account has it, or nobody. groups: names of those of the site
    that the person will be in. ended: when it was accepted or taken back.
    """

    email = models.EmailField(blank=True)
    groups = models.JSONField(default=list)
    digest = models.CharField(max_length=DIGEST_LENGTH, unique=True, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-id"]
        verbose_name = "invitation of a person"
        verbose_name_plural = "invitations of people"
        indexes = [
            models.Index(
                fields=["email"], condition=Q(ended__isnull=True), name="person_invitations_open"
            ),
            models.Index(fields=["invited_by", "created"], name="person_invitations_of"),
        ]

    def __str__(self) -> str:
        return f"Invitation {self.pk}"
