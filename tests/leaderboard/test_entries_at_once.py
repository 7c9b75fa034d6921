"""What is done with one entry in the same moment, by requests on connections of their own:
whichever comes first, the end is one that some order of the two has."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmarks.submissions import services
from benchmarks.submissions.models import Answer, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from judging.models import EarlierVerdict, Judgement
from leaderboard.results.boards.editions import store_boards
from leaderboard.results.selectors import read_board
from leaderboard.results.services import replace_entries
from tests.api_clients import API, session_client, token_client
from tests.conftest import judged, submit
from tests.judging.threads import at_once
from tests.overwriting import overwrite

pytestmark = pytest.mark.slow
ROUNDS = 4
"""Of each race: which request is first is for the machine to say."""
NEWER = b"1=two\n2=colour\n3=night\n4=sea\n"


@pytest.fixture
def entry(committed, request) -> Submission:
    request.getfixturevalue("settings").QUOTA_SUBMISSIONS_DAY = 0
    request.getfixturevalue("settings").QUOTA_UNFINISHED = 0
    found: Submission = request.getfixturevalue("submission")
    judged(found)
    return found


@pytest.fixture
def read_at_once(monkeypatch) -> Callable[[int], None]:
    """So many files are read before any of them is stored: from there on they race."""

    def wait_for(count: int) -> None:
        gate, whole = threading.Barrier(count), services.whole_reading

        def reading(**asked: Any) -> Any:
            found = whole(**{**asked, "from_outside": False})
            gate.wait(timeout=10)
            return found

        monkeypatch.setattr(services, "whole_reading", reading)

    return wait_for


def fresh(entry: Submission) -> Submission:
    """Public, judged, and of nobody else's answers."""
    Submission.objects.filter(replaces=entry).update(withdrawn=entry.created, visibility="private")
    again = submit(entry.release, entry.owner, name="Speller", team=entry.team)
    judged(again)
    return again


def publish(client: Client, entry: Submission) -> int:
    return client.post(f"{API}/submissions/{entry.pk}/publish/").status_code


def withdraw(client: Client, entry: Submission) -> int:
    return client.post(f"{API}/submissions/{entry.pk}/withdraw/").status_code


def retry(client: Client, entry: Submission) -> int:
    return client.post(f"{API}/submissions/{entry.pk}/retry/").status_code


def replace(client: Client, entry: Submission, content: bytes = NEWER, **more: str) -> int:
    file = SimpleUploadedFile("newer.txt", content)
    form = {"model": "Speller", "replaces": str(entry.pk), "file": file, **more}
    return client.post(f"{API}/submissions/", {"release": entry.release.slug, **form}).status_code


def race(entry: Submission, *steps: Callable[[], int]) -> list[int]:
    """The statuses, in the order of the steps; none is a failure of the site."""
    found: dict[int, int] = {}

    def taken(place: int) -> None:
        found[place] = steps[place]()

    at_once(*(partial(taken, place) for place in range(len(steps))))
    entry.refresh_from_db()
    statuses = [found[place] for place in range(len(steps))]
    assert all(status < 500 for status in statuses), statuses
    return statuses


def nothing_is_wrong(entry: Submission) -> None:
    """No stone is on a board, nothing live was replaced, and every verdict there was is there."""
    store_boards("spelling")
    shown = {row.id for row in read_board(entry.release.benchmark).entries}
    live = set(Submission.objects.public().values_list("pk", flat=True))
    assert shown <= live
    assert not Submission.objects.not_withdrawn().filter(replaced_by__isnull=False).exists()
    assert not Submission.objects.filter(withdrawn__isnull=False, visibility="public").exists()
    for new in Submission.objects.public().filter(replacement_settled__isnull=False):
        assert new.replaces is not None
        assert new.replaces.withdrawn, "two versions are live"


def verdicts(entry: Submission) -> dict[int, str]:
    rows = Judgement.objects.filter(answer__submission=entry, state="judged")
    return dict(rows.values_list("pk", "verdict"))


def rounds(entry: Submission) -> Iterator[Submission]:
    for _ in range(ROUNDS):
        yield fresh(entry)


def test_publishing_and_withdrawing_end_withdrawn(entry, owner):
    clients = [session_client(owner), token_client(owner, "publish")]
    for one in rounds(entry):
        set_visibility(submission=one, visibility="private")
        statuses = race(one, partial(publish, clients[0], one), partial(withdraw, clients[1], one))
        assert statuses[1] == 200
        assert one.withdrawn
        assert one.was_public or statuses[0] == 409
        nothing_is_wrong(one)


def test_replacing_and_withdrawing_leave_no_version_that_replaces_a_stone(
    entry, owner, read_at_once
):
    read_at_once(1)
    clients = [session_client(owner), session_client(owner)]
    for one in rounds(entry):
        made, gone = race(
            one, partial(replace, clients[0], one), partial(withdraw, clients[1], one)
        )
        new = Submission.objects.filter(replaces=one).first()
        assert (gone, made) in {(200, 201), (200, 422)}
        assert (new is not None) is (made == 201)
        assert one.withdrawn
        if new:
            judged(new)
            set_visibility(submission=new, visibility="public")
            assert replace_entries() == 0, "its owner withdrew it, and that stays so"
        nothing_is_wrong(one)


def test_asking_again_and_withdrawing_lose_no_verdict(entry, owner):
    clients = [session_client(owner), session_client(owner)]
    for one in rounds(entry):
        row = Judgement.objects.filter(answer__submission=one).order_by("pk").first()
        overwrite(Judgement.objects.filter(pk=row.pk), state="failed", verdict="", reason="away")
        before = verdicts(one)
        asked, gone = race(one, partial(retry, clients[0], one), partial(withdraw, clients[1], one))
        assert gone == 200
        assert asked in {200, 404, 409}
        assert verdicts(one).items() >= before.items()
        assert one.withdrawn
        assert Answer.objects.filter(submission=one).count() == 4
        nothing_is_wrong(one)
    assert not EarlierVerdict.objects.exists()


def test_publishing_and_replacing_end_with_one_live_version(entry, owner, read_at_once):
    read_at_once(1)
    clients = [session_client(owner), session_client(owner)]
    for one in rounds(entry):
        set_visibility(submission=one, visibility="private")
        statuses = race(
            one,
            partial(publish, clients[0], one),
            partial(replace, clients[1], one, visibility="public"),
        )
        assert statuses == [200, 201]
        new = Submission.objects.get(replaces=one)
        judged(new)
        race(one, replace_entries, partial(publish, clients[0], one))
        replace_entries()
        one.refresh_from_db()
        assert (one.replaced_by, bool(one.withdrawn)) == (new, True)
        nothing_is_wrong(one)
        withdraw_submission(submission=new)


def test_taking_the_place_and_withdrawing_the_new_version(entry, owner):
    client = session_client(owner)
    for one in rounds(entry):
        new = submit(one.release, owner, NEWER, replaces=one)
        judged(new)
        race(one, replace_entries, partial(withdraw, client, new))
        new.refresh_from_db()
        assert new.withdrawn
        assert bool(one.withdrawn) is bool(new.replacement_settled)
        assert (one.replaced_by == new) is bool(one.withdrawn)
        nothing_is_wrong(one)


def test_of_two_new_versions_at_once_one_is_under_way(entry, owner, stranger, read_at_once):
    """Of two members of a team: of one person the site reads one file at a time."""
    team = found_team(by=owner, name="The Spellers")
    Membership.objects.create(team=team, user=stranger)
    clients = [session_client(owner), session_client(stranger)]
    of_team = submit(entry.release, owner, team=team)
    judged(of_team)
    read_at_once(2)
    statuses = race(
        of_team,
        partial(replace, clients[0], of_team, NEWER),
        partial(replace, clients[1], of_team, NEWER.replace(b"two", b"to")),
    )
    assert sorted(statuses) == [201, 422]
    assert Submission.objects.not_withdrawn().filter(replaces=of_team).count() == 1
    nothing_is_wrong(of_team)
