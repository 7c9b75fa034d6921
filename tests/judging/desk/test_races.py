"""Two people press a button at one instant: one of them wins or both do, nobody's words or comment
are lost, and whoever lost is told so. Over HTTP, each request in a thread of its own."""

import io
from collections.abc import Callable
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from benchmarks.models import Description, Figure, UnsavedText
from benchmarks.registry import protocol
from benchmarks.services.descriptions import save_draft, submit_for_review
from benchmarks.services.importing import import_release
from tests.conftest import make_groups
from tests.judging.conftest import make_people
from tests.judging.room import WORKLIST, page_of, place
from tests.judging.threads import at_once
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
    "Someone else saved first",
    "Only its author",
    "saved version",
    "You cannot approve",
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
    answers: dict[int, Any] = {}

    def act(who: int, name: str) -> None:
        answers[who] = ACTS[name](people[who - 1], figure, who)

    at_once(partial(act, 1, first), partial(act, 2, second))
    for who, name in enumerate((first, second), start=1):
        assert answers[who].status_code in (200, 409)
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
    for who, name in enumerate((first, second), start=1):
        if name in done and done[name] != second_version.state:
            page = page_of(answers[who])
            assert any(sentence in page for sentence in REFUSED)


def test_all_who_open_next_at_one_instant_get_different_figures(committed):
    stream = io.BytesIO("".join(f"{n}|word|word|figure{n}.png\n" for n in range(5)).encode())
    import_release(protocol=protocol("spelling"), stream=stream, slug="spelling-1")
    people = make_people()
    given: list[str] = []

    def ask(name: str) -> None:
        client = Client()
        client.force_login(people[name])
        given.append(client.post(f"{WORKLIST}next/", {})["Location"])

    at_once(*(partial(ask, name) for name in ("annotator", "reviewer", "other_reviewer")))
    assert len(set(given)) == 3
    assert all("/figure/" in where for where in given)
