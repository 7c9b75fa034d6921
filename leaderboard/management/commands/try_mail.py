from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse, writable_database
from leaderboard.models import OutgoingMail
from leaderboard.operations.mail.outbox import reason


class Command(BaseCommand):
    help = (
        "Send one mail from this terminal at once, without the outbox, and say how many wait there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", help="whom to send it to")

    def handle(self, *args: Any, **options: Any) -> None:
        message = EmailMessage(
            f"{settings.EMAIL_SUBJECT_PREFIX}A test of mail",
            "Somebody who runs this site tried whether its mail arrives. It does.",
            settings.DEFAULT_FROM_EMAIL,
            [options["address"]],
        )
        try:
            get_connection(settings.MAIL_BACKEND).send_messages([message])
        except Exception as error:
            raise refuse(f"The mail was not taken: {reason(error)}. See EMAIL_URL.") from None
        with writable_database():
            waiting = OutgoingMail.objects.count()
        self.stdout.write(f"The mail was taken. {waiting} wait in the outbox.")
