"""What people did in the admin, as it was written."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

NAME_LENGTH = 200
"""As much of a name as one line of a list shows."""
REASON_LENGTH = 300
"""Of a reason, as everywhere on the site."""


class StaffAction(models.Model):
    """One thing that somebody did in the admin. Added with it in one transaction, and never changed
    (immutability.py).

    by: null where it was done at the terminal. about: label of the model, as
    "submissions.submission"; object_id: its key there; name: what it was called. Accounts and
    addresses are named by their number: a log that is never changed must not keep who has left.
    what: slug of the step, as "withdraw". sentence: what the history of the object says. told: what
    the page that asked said would follow. before, after: what changed, by field. undoes: the action
    that this one took back.
    """

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())
    about = models.CharField(max_length=100)
    object_id = models.CharField(max_length=64)
    name = models.CharField(max_length=NAME_LENGTH)
    what = models.CharField(max_length=40)
    sentence = models.TextField(blank=True)
    told = models.TextField(blank=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)
    undoes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="undone_by"
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["about", "object_id"], name="staff_actions_of_object"),
            models.Index(fields=["at"], name="staff_actions_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.what}: {self.name}"
