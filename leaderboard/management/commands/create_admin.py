from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand
from django.urls import reverse

from benchmarks.management.console import refuse, writable_database
from benchmarks.submissions.naming.addresses import person_address
from leaderboard.people.accounts.services import ensure_admin


class Command(BaseCommand):
    help = (
        "The account of this address is made, or found, and may do everything in the admin. Needs "
        "no mail: the address counts as confirmed, and a new account's password is printed once. "
        "Saying it twice changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument(
            "--reset-password", action="store_true", help="also where the account has one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            email = person_address(options["email"].strip())
        except ValidationError as error:
            why = f"{options['email']!r} is no e-mail address. {error.message}"
            raise refuse(why) from None
        with writable_database():
            password = ensure_admin(email=email, reset=options["reset_password"])
        self.stdout.write(f"{email} may do everything in the admin, at {reverse('admin:index')}.")
        if password:
            self.stdout.write(f"Password: {password}")
            self.stdout.write("It is shown once. Change it after signing in.")
        else:
            self.stdout.write("The password is what it was; --reset-password prints a new one.")
