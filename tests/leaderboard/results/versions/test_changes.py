"""Whatever changes a row that a board shows gives the board another number."""

import io
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, models, transaction
from django.db.models import Value
from django.db.models.functions import Concat, Now

from benchmarks.models import Benchmark, Description, Figure, Question, Reference, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import (
    EvaluatedModel,
    PublicName,
    Submission,
)
from benchmarks.submissions.naming.public_names import set_public_name
from benchmarks.submissions.services import set_visibility, withdraw_submission
from benchmarks.submissions.team_models import Membership, Team
from benchmarks.submissions.teams.services import decide_team_verification, found_team
from judging.models import JudgeSpec
from judging.services import ensure_spec
from leaderboard.models import BoardChange, BoardVersion, Scoresheet
from leaderboard.people.accounts.services import delete_account
from leaderboard.results.services import score_run
from leaderboard.results.versions import numbers
from leaderboard.results.versions.numbers import add_up, add_up_others, numbers_of
from leaderboard.web.caching.version import shown_version
from tests.conftest import confirmed, import_spelling, judged, submit
from tests.deleting import delete_linked
from tests.leaderboard.results.versions.shown_rows import digest_of_rows, small_fields


def number(slug: str = "") -> int:
    slug = slug or Benchmark.objects.earliest("pk").slug  # which a test may change
    return numbers_of([slug])[slug].number


def both() -> tuple[str, int]:
    return digest_of_rows("spelling"), number()


@pytest.fixture(scope="module")
def made(module_rows) -> UUID:
    """A public entry of a team, with a name, a decision and a badge."""
    owner, staff = (confirmed(User.objects.create_user(n, f"{n}@example.org")) for n in ("r", "s"))
    team = found_team(name="The Spellers", by=owner)
    submission = submit(import_spelling(), owner, team=team)
    judged(submission)
    set_public_name(owner=owner, name="Rosa")
    decide_ranking(submission=submission, is_ranked=True, reason="Looked at.", by=staff)
    return submission.pk


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.get(pk=made)


SHOWN = (Benchmark, Release, JudgeSpec, Scoresheet, Submission, EvaluatedModel)
OTHER: dict[type[Any], Callable[[Any], Any]] = {
    models.BooleanField: lambda old: not old,
    models.DateTimeField: lambda old: datetime(2020, 1, 1, tzinfo=UTC),
    models.FloatField: lambda old: (old or 0.0) / 2 + 0.25,
    models.DecimalField: lambda old: 7,
    models.IntegerField: lambda old: (old or 0) + 1,
    models.TextField: lambda old: f"{old}x",
    models.CharField: lambda old: f"{old}x",
    models.FileField: lambda old: f"{old}x",
    models.UUIDField: lambda old: uuid4(),
}


def another(field: Any, old: Any) -> Any:
    return next(make(old) for kind, make in OTHER.items() if isinstance(field, kind))


def columns() -> list[tuple[type[models.Model], str]]:
    return [
        (model, name)
        for model in SHOWN
        for name in small_fields(model)
        if not model._meta.get_field(name).is_relation
        and not model._meta.get_field(name).primary_key
    ]


def test_every_column_that_a_board_reads_is_counted(entry):
    """Written past all services, as a person with a shell does it; some may not be changed so."""
    changed, uncounted, unseen = 0, [], []
    for model, name in columns():
        field, before = model._meta.get_field(name), both()
        row = model._default_manager.filter(pk=model._default_manager.get().pk)
        with suppress(DatabaseError), transaction.atomic():
            row.update(**{name: another(field, getattr(row.get(), name))})
            after = both()
            changed += 1
            if after[0] != before[0] and after[1] <= before[1]:
                uncounted.append(f"{model.__name__}.{name}")
            if after[0] == before[0]:
                unseen.append(name)
            transaction.set_rollback(True)
    assert uncounted == []
    assert set(unseen) <= {"visibility"}
    assert changed > 40


def owner_of(entry: Submission) -> User:
    assert entry.owner is not None
    return entry.owner


def team_of(entry: Submission) -> Team:
    assert entry.team is not None
    return entry.team


ACTIONS: dict[str, Callable[[Submission], object]] = {
    "publish another": lambda entry: judged(submit(entry.release, None, name="Another")),
    "make private": lambda entry: set_visibility(submission=entry, visibility="private"),
    "withdraw": lambda entry: withdraw_submission(submission=entry),
    "score anew": lambda entry: score_run(run=entry.runs.get()),
    "decide": lambda entry: decide_ranking(
        submission=entry, is_ranked=False, reason="Bought.", by=owner_of(entry)
    ),
    "choose a public name": lambda entry: set_public_name(owner=owner_of(entry), name="R. Luz"),
    "give the public name back": lambda entry: set_public_name(owner=owner_of(entry), name=""),
    "rename by hand": lambda entry: PublicName.objects.update(name="By hand"),
    "call the account otherwise": lambda entry: User.objects.filter(pk=owner_of(entry).pk).update(
        username="other"
    ),
    "delete the account": lambda entry: delete_account(user=owner_of(entry)),
    "add a judge": lambda entry: ensure_spec(of=protocol("spelling"), kind="scripted", model="m"),
    "import a release": lambda entry: import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(b"9|ink|ink\n"), slug="spelling-2"
    ),
    "add a reference": lambda entry: Reference.objects.create(
        question=Question.objects.earliest("pk"), version=9, text="new", origin="human"
    ),
    "approve a description": lambda entry: Description.objects.create(
        figure=Figure.objects.create(benchmark=entry.release.benchmark, key="f", content_hash="h"),
        version=1,
        text="A figure.",
        state=Description.State.APPROVED,
    ),
    "verify the team": lambda entry: decide_team_verification(
        team=team_of(entry), is_verified=True, reason="Called them.", by=owner_of(entry)
    ),
    "lose a scoresheet": lambda entry: delete_linked(Scoresheet.objects.all()),
}


def done_and_undone(entry: Submission, action: Callable[[Submission], object], look):
    """What `look` finds before the action and after it."""
    with transaction.atomic():
        before = look()
        action(Submission.objects.get(pk=entry.pk))
        after = look()
        transaction.set_rollback(True)
    return before, after


def test_every_action_that_changes_a_board_is_counted(entry, subtests):
    for name, action in ACTIONS.items():
        with subtests.test(name):
            before, after = done_and_undone(entry, action, both)
            assert after[0] != before[0]  # or there would be nothing to count
            assert after[1] > before[1]


UNSEEN: dict[str, Callable[[Submission], object]] = {
    "sign in": lambda entry: User.objects.update(last_login=datetime(2026, 1, 1, tzinfo=UTC)),
    "hand in privately": lambda entry: judged(
        submit(entry.release, None, name="Private", visibility="private")
    ),
    "draft a description": lambda entry: Description.objects.create(
        figure=Figure.objects.create(benchmark=entry.release.benchmark, key="f", content_hash="h"),
        version=1,
        text="A figure.",
    ),
    "another benchmark": lambda entry: Benchmark.objects.create(slug="else", title="Else"),
}


def test_what_no_board_shows_is_not_counted(entry, subtests):
    for name, action in UNSEEN.items():
        with subtests.test(name):
            before, after = done_and_undone(entry, action, both)
            assert after == before


def taken_back() -> int:
    """The number inside of a transaction that renames the model and is taken back."""
    with transaction.atomic():
        EvaluatedModel.objects.update(name="Renamed")
        found = number()
        transaction.set_rollback(True)
    return found


def test_what_is_taken_back_was_never_counted(entry):
    before = number()
    assert taken_back() > before
    assert number() == before


def test_changes_are_added_up_however_many_they_are_and_the_number_stays(entry, monkeypatch):
    monkeypatch.setattr(numbers, "MOST_ADDED", 3)  # of one statement
    benchmark, before = Benchmark.objects.get(), number()
    assert BoardChange.objects.count() > 3
    add_up(benchmark)
    add_up(benchmark)
    assert (number(), benchmark.board_changes.count()) == (before, 0)
    assert BoardVersion.objects.get().number == before


OF_OTHER_PAGES: dict[str, Callable[[Submission], object]] = {
    "make a private team known": lambda entry: found_team(name="Readers", by=owner_of(entry)),
    "leave a team": lambda entry: Membership.objects.all().delete(),
    "close a team": lambda entry: Team.objects.update(closed=Now()),
    "rename an account": lambda entry: User.objects.update(username=Concat("username", Value("x"))),
    "withdraw what is not judged": lambda entry: withdraw_submission(
        submission=submit(entry.release, owner_of(entry), name="Not judged")
    ),
    "make a release known": lambda entry: Release.objects.update(title="Renamed"),
}


def test_what_other_pages_show_changes_the_version_of_all(entry, subtests):
    for name, action in OF_OTHER_PAGES.items():
        with subtests.test(name):
            before, after = done_and_undone(entry, action, shown_version)
            assert after != before


def test_changes_of_no_benchmark_become_one_and_the_version_stays(entry):
    found_team(name="Readers", by=owner_of(entry))
    Membership.objects.all().delete()
    before = shown_version()
    assert BoardChange.objects.filter(benchmark=None).count() > 1
    add_up_others()
    add_up_others()
    assert BoardChange.objects.filter(benchmark=None).count() == 1
    assert shown_version() == before


def test_the_number_is_one_query_however_much_changed(entry, django_assert_num_queries):
    for name in ("One", "Two", "Three"):
        EvaluatedModel.objects.update(name=name)
    with django_assert_num_queries(1):
        number("spelling")


def test_a_site_restored_from_a_copy_counts_to_other_numbers(entry):
    """The same change twice, from the same rows: else pages of the one would be found for the
    other."""
    assert len({taken_back() for _ in range(3)}) == 3
