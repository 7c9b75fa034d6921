"""Two people press a button at one instant: one of them wins or both do, nobody's words or comment
are lost, and whoever lost is told so. Over HTTP, each request in a thread of its own."""

import io
import threading
from collections.abc import Callable
from itertools import combinations_with_replacement

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from benchmarks.models import Description, Figure, UnsavedText
from benchmarks.registry import protocol
from benchmarks.services.descriptions import save_draft, submit_for_review
from benchmarks.services.importing import import_release
from tests.conftest import make_groups
from tests.judging.room import WORKLIST, page_of, place
from tests.slow import slow_except_every

State = Description.State
COMMENT = "Which of the two cats?"
Act = Callable[[Client, Figure, int], object]


def saves(button: str) -> Act:
    def act(client: Client, figure: Figure, who: int):
        data = {"text": f"Words of {who}.", "base_version": 2, button: "x"}
        return client.post(place(figure), data, follow=True)

    return act


def steps(name: str, version: int = 2, **sent: str) -> Act:
    def act(client: Client, figure: Figure, who: int):
        pk = Description.objects.get(figure=figure, version=version).pk
        return client.post(f"{WORKLIST}{pk}/{name}/", sent, follow=True)

    return act


ACTS: dict[str, Act] = {
    "save": saves("save"),
    "submit": saves("submit"),
    "approve": steps("approve"),
    "send back": steps("send-back", comment=COMMENT),
    "restore": steps("restore", version=1),
    "withdraw": steps("withdraw"),
}
PAIRS = list(combinations_with_replacement(ACTS, 2))
REFUSED = (
    "is out of date",
    "not in review",
    "Somebody saved before you",
    "Only its author",
    "saved version",
    "Nobody approves",
    "Nothing is changed",
)


@pytest.fixture
def room(committed) -> tuple[Figure, dict[str, Client]]:
    """A figure whose second version waits for review, and who may write or decide about it."""
    stream = io.BytesIO(b"1|two|two|one.png\n")
    import_release(protocol=protocol("spelling"), stream=stream, slug="spelling-1")
    make_groups()
    reviewers = Group.objects.get(name="reviewers")
    clients: dict[str, Client] = {}
    for name in ("author", "one", "two"):
        user = User.objects.create_user(name, f"{name}@example.org", is_staff=True)
        user.groups.add(reviewers)
        clients[name] = Client()
        clients[name].force_login(user)
    figure = Figure.objects.get()
    author = User.objects.get(username="author")
    for version, text in enumerate(("The first cat.", "The second cat.")):
        made = save_draft(
            figure=figure, language="en", text=text, author=author, base_version=version
        )
    submit_for_review(description=made)
    return figure, clients


def at_once(acts: list[Callable[[], object]]) -> list[object]:
    start = threading.Barrier(len(acts))
    answers: list[object] = [None] * len(acts)

    def run(i: int) -> None:
        start.wait()
        try:
            answers[i] = acts[i]()
        except Exception as error:  # told by the test, not lost with the thread
            answers[i] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[i]) for i in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def kept_somewhere(text: str) -> bool:
    return (
        Description.objects.filter(text=text).exists()
        or Description.objects.filter(review_comment=text).exists()
        or any(text in kept.fields.values() for kept in UnsavedText.objects.all())
    )


@pytest.mark.parametrize(("first", "second"), slow_except_every(5, PAIRS))
def test_two_steps_at_one_instant_lose_nothing(room, first, second):
    figure, clients = room
    people = [
        clients["author" if name == "withdraw" else who]
        for name, who in ((first, "one"), (second, "two"))
    ]
    answers = at_once(
        [
            lambda: ACTS[first](people[0], figure, 1),
            lambda: ACTS[second](people[1], figure, 2),
        ]
    )
    for who, (name, answer) in enumerate(zip((first, second), answers, strict=True), start=1):
        assert getattr(answer, "status_code", answer) in (200, 409)
        if name in ("save", "submit"):
            assert kept_somewhere(f"Words of {who}.")
        if name == "send back":
            assert kept_somewhere(COMMENT)
    versions = Description.objects.filter(figure=figure)
    assert len(set(versions.values_list("version", flat=True))) == versions.count()
    second_version = versions.get(version=2)
    done = {"approve": State.APPROVED, "send back": State.SENT_BACK, "withdraw": State.DRAFT}
    wanted = {done[name] for name in (first, second) if name in done}
    if wanted:
        assert second_version.state in wanted
    else:
        assert second_version.state == State.IN_REVIEW
    told = [page_of(answer) for answer in answers]
    losers = [
        name for name in (first, second) if name in done and done[name] != second_version.state
    ]
    for name in losers:
        page = told[(first, second).index(name)]
        assert any(sentence in page for sentence in REFUSED)
