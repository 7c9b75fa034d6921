"""People whom staff asked to join the groups of the site."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from benchmarks.common.invitations import AbstractInvitation


class PersonInvitation(AbstractInvitation):
    """Whoever opens the link may make the account of this address, or join the groups with the one
    that has confirmed it.

    email: empty once it ended: the account has it, or nobody. groups: names of those of the site
    that the person will be in.
    """

    address = "person-invitation-link"
    AT_END = {"email": ""}

    groups = models.JSONField(default=list)
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
