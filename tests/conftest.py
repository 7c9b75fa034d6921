"""Fixtures that more than one room's tests use."""

import gc
import io
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

import hypothesis
import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import connection, transaction
from django.db.models import Model
from django.test import client as test_client

from benchmarks.immutability import GUARDS
from benchmarks.models import Release
from benchmarks.protocols.base import BenchmarkProtocol, Upload
from benchmarks.registry import protocol
from benchmarks.releases.states import move_release
from benchmarks.services.importing import import_release
from benchmarks.submissions.immutability import GUARDS as DECISION_GUARDS
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import accept_submission
from judging.coordination import lost_leases, spending, witness
from judging.engine.engine import judge_run
from judging.immutability import GUARDS as VERDICT_GUARDS
from judging.models import JudgeRun
from judging.panel.immutability import GUARDS as RATING_GUARDS
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.project.middleware.utf8_requests import Utf8Request
from leaderboard.results.chain.triggers import GUARDS as CHAIN_GUARDS
from leaderboard.results.chain.triggers import TRIGGERS as CHAIN_TRIGGERS
from leaderboard.results.services import score_run
from leaderboard.results.snapshots.triggers import GUARDS as SHOWN_GUARDS
from leaderboard.results.versions.changes import TRIGGERS
from tests.database_template import copying
from tests.flushing import quick_flush, rows_by_table
from tests.small_disk import mounted_disk

# A shared machine may be slow for a moment; how fast something is, is measured by `make bench`.
# `make test` looks at a few examples of each property, `make test-all` and CI at many.
hypothesis.settings.register_profile("assay", deadline=None, max_examples=12)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=100)
hypothesis.settings.load_profile("assay")

admin.autodiscover()  # as leaderboard/urls.py does: its pages are parameters of tests
test_client.WSGIRequest = Utf8Request  # type: ignore[attr-defined]  # as leaderboard/wsgi.py has it

BASICS = ("owner", "spelling", "submission")
"""Fixtures that are made once for a file whose tests all ask for them."""
SHARED = pytest.StashKey[dict[Path, set[str]]]()

SPELLING = b"1|two|two\n2|colour|colour\n3|night|night\n4|sea|sea\n"
ANSWERS = b"1=two\n2=color\n3=night\n4=sea\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--only-database",
        action="store_true",
        help="leave out what is the same whichever database there is: tests that use none, and "
        "where nothing is committed slow ones, and all cases of a test but the first",
    )
    parser.addoption(
        "--one-in",
        type=int,
        metavar="N",
        help="one in N of each test's cases, others in every run (the order is random), and none "
        "marked `postgresql`; with --only-database of tests that commit nothing and have no mark",
    )


# After `-m` has chosen, so that the cases that count are those of this run.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    step = config.getoption("--one-in") or 1
    if config.getoption("--only-database"):
        alike = [next(filter(differs, items), None) for items in cases(items)]
        asked = {each for each in items if commits(each)} | set(alike[::step])
        asked |= {each for each in alike if each and has(each, "postgresql")}
    elif step > 1:
        asked = {item for items in cases(items) for item in items[::step]}
        asked -= {item for item in items if has(item, "postgresql")}
    else:
        asked = set(items)
    if len(asked) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in asked])
        items[:] = [item for item in items if item in asked]
    config.stash[SHARED] = shared_by_all(items)


def shared_by_all(items: list[pytest.Item]) -> dict[Path, set[str]]:
    """By file, which of BASICS each of its tests that use a database asks for. None where one
    commits, or has fixtures of these names of its own."""
    shared: dict[Path, set[str]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and needs_database(item):
            defined = {
                name: [one.baseid for one in found]
                for name, found in item._fixtureinfo.name2fixturedefs.items()
            }
            asked = {name for name in BASICS if defined.get(name) == ["tests"]}
            shared.setdefault(item.path, asked).intersection_update(() if commits(item) else asked)
    return shared


def cases(items: list[pytest.Item]) -> Iterable[list[pytest.Item]]:
    """Those of each test, in the order of this run."""
    of_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        of_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return of_test.values()


def differs(item: pytest.Item) -> bool:
    """Whether another database may answer it in another way. Slow ones ask what quick ones ask, for
    longer; those that ask what a database may refuse say so."""
    return needs_database(item) and (has(item, "postgresql") or not has(item, "slow"))


def needs_database(item: pytest.Item) -> bool:
    return uses(item, "db", "transactional_db", "django_db_setup") or has(item, "django_db")


def commits(item: pytest.Item) -> bool:
    """Whether several may be at it at once, which each database settles in a way of its own."""
    return uses(item, "transactional_db") or has(item, "services")


def has(item: pytest.Item, marker: str) -> bool:
    return item.get_closest_marker(marker) is not None


def uses(item: pytest.Item, *fixtures: str) -> bool:
    return not set(fixtures).isdisjoint(getattr(item, "fixturenames", ()))


def pytest_collection() -> None:
    gc.disable()  # what is imported stays


def pytest_collection_finish() -> None:
    """All that was imported lives until the end: looking through it for garbage took a tenth of the
    suite's time."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings, pytestconfig) -> None:
    if connection.vendor == "sqlite":
        folder = pytestconfig.cache.mkdir("database")
        creation: Any = connection.creation
        creation.create_test_db = copying(creation.create_test_db, folder)
    else:  # a test stays in its transaction while it only computes, for minutes on a busy machine
        forever = " -c idle_in_transaction_session_timeout=0"
        connection.settings_dict["OPTIONS"]["options"] += forever


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        made = rows_by_table() if connection.vendor == "postgresql" else {}
    with quick_flush(made, make_groups):
        yield


@pytest.fixture(autouse=True)
def nothing_kept_of_spending() -> None:
    forget_spending()


def forget_spending() -> None:
    """A reason to wait of the test before is none of this one, and what left then is not missing
    now."""
    spending.look_again()
    witness.path().unlink(missing_ok=True)
    witness.noted, witness.is_unproven = -witness.NOTED_SECONDS, False


@pytest.fixture
def lost_at_once(monkeypatch) -> None:
    """A lease that has run out is lost: nobody waits to see whether it is renewed all the same."""
    monkeypatch.setattr(lost_leases, "STILL", 0)


@pytest.fixture
def committed(transactional_db):
    """The database with real commits. SQLite empties its tables by DELETE, which the guards would
    refuse."""
    yield
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            kept = (
                *GUARDS,
                *DECISION_GUARDS,
                *RATING_GUARDS,
                *VERDICT_GUARDS,
                *CHAIN_GUARDS,
                *SHOWN_GUARDS,
            )
            added = [*(one.name for one in TRIGGERS), *(one.name for one in CHAIN_TRIGGERS)]
            for name in (*(guard.name for guard in kept), *added):
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")


def fetched(made: Any) -> Any:
    """Rows that a fixture of a module made, and lists and mappings of them, read anew: a test may
    change what it gets."""
    if isinstance(made, Model):
        return type(made)._base_manager.get(pk=made.pk)
    if isinstance(made, dict):
        return {name: fetched(one) for name, one in made.items()}
    return [fetched(one) for one in made] if isinstance(made, list) else made


@pytest.fixture(scope="module")
def module_rows(django_db_setup, django_db_blocker) -> Iterator[None]:
    """For fixtures of a module that write rows: they stay until its last test. Each test, which
    needs `db`, runs in a transaction inside of this one."""
    forget_spending()
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


def confirmed(user: User) -> User:
    """The user, whose address is confirmed as that of everybody who can sign in."""
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def make_groups() -> None:
    """Those of the site, made again where a test of real commits emptied them."""
    if Group.objects.exists():
        return
    name = "leaderboard.migrations.0001_squashed_0035_moderators_run_studies"
    import_module(name).make_groups(apps, None)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with mounted_disk() as disk:
        yield disk


@pytest.fixture(scope="module")
def made_once(request, pytestconfig) -> UUID | None:
    """Makes those of BASICS that all tests of the file share; the key of the submission, if it is
    one of them."""
    shared = pytestconfig.stash[SHARED].get(request.path, set())
    if "spelling" not in shared:  # an account alone is made in a millisecond
        return None
    request.getfixturevalue("module_rows")
    release = import_spelling()
    return submit(release, make_owner()).pk if "submission" in shared else None


@pytest.fixture
def owner(made_once, db) -> User:
    return User.objects.filter(username="rosa").first() or make_owner()


def make_owner() -> User:
    password = "a long enough password"
    return confirmed(User.objects.create_user("rosa", "rosa@example.org", password))


@pytest.fixture
def stranger(db) -> User:
    password = "a long enough password"
    return confirmed(User.objects.create_user("sam", "sam@example.org", password))


@pytest.fixture
def spelling(made_once, db) -> Release:
    made = Release.objects.filter(slug="spelling-1").select_related("benchmark").first()
    return made or import_spelling()


def import_spelling() -> Release:
    """A small open release. Its baselines count as made, so that sweeps find what a test hands in
    and nothing else."""
    release: Release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(SPELLING), slug="spelling-1"
    ).release
    set_floor_version(release)
    return release


def freeze_release(*, release: Release) -> None:
    move_release(release=release, found=Release.State.OPEN, to=Release.State.FROZEN)


def import_words(
    questions: Iterable[int], *, of: BenchmarkProtocol | None = None, slug: str = "words"
) -> Release:
    """A release whose question number n is answered by "word" and n; its baselines count as
    made."""
    rows = "".join(f"{n}|word {n}|word{n}\n" for n in questions)
    release: Release = import_release(
        protocol=of or protocol("spelling"), stream=io.BytesIO(rows.encode()), slug=slug
    ).release
    set_floor_version(release)
    return release


@pytest.fixture
def submission(made_once, spelling, owner) -> Submission:
    if made_once is None:
        return submit(spelling, owner)
    found: Submission = Submission.objects.select_related("model").get(pk=made_once)
    found.release, found.owner = spelling, owner
    return found


def submit(
    release: Release, owner: User | None, content: bytes = ANSWERS, name: str = "Speller", **more
) -> Submission:
    return accept_submission(
        release=release,
        upload=Upload("answers.txt", content),
        model=EvaluatedModel(name=name),
        owner=owner,
        **{"visibility": "public", **more},
    )


def judged(submission: Submission, judge=None) -> JudgeRun:
    """The submission's run by the offline rules, finished and scored."""
    spec = ensure_spec(of=protocol(submission.release.benchmark.slug), kind="rules")
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=judge)
    score_run(run=run)
    return run
