"""A small site as the code of a checkout writes it, in the database of DATABASE_URL: entries of
three people, judged, on boards that are stored, and a study. Run in that checkout, by `make.py` and
by a drill."""

import os
import random
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402 - Django is there
from django.core.management import call_command  # noqa: E402

from leaderboard.operations.sweeps import sweep_here  # noqa: E402
from leaderboard.results.studies.stored import refresh_reports  # noqa: E402
from tests.conftest import confirmed, import_words, judged, submit  # noqa: E402
from tests.leaderboard.results.studies.test_report import people_say, rate  # noqa: E402

ITEMS = range(1, 31)
PEOPLE = ("rosa", "sam", "tove")


def answers(every: int) -> bytes:
    """Every so many of them wrong."""
    return "".join(f"{n}={'other' if n % every == 0 else f'word{n}'}\n" for n in ITEMS).encode()


def make() -> None:
    call_command("migrate", verbosity=0, interactive=False)
    release = import_words(ITEMS)
    entries = [
        submit(
            release,
            confirmed(User.objects.create_user(name, f"{name}@example.org")),
            answers(3 + number),
            f"Speller {number}",
        )
        for number, name in enumerate(PEOPLE)
    ]
    for entry in entries:
        judged(entry)
    dice = random.Random(25)
    rate(entries[0], {n: people_say(dice, int(n % 3 != 0)) for n in ITEMS})
    for _ in range(3):
        sweep_here(grace=timedelta(0))
    assert refresh_reports() == 1


make()
