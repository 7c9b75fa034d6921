"""What reads a text from outside takes no longer than its length: every function of the project
that is given nothing but texts, and every form.

Found by their annotations, so that a new one is measured without being named. Time is counted in
processor seconds and compared at sizes that grow fourfold (tests/growth.py).
"""

import inspect
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any

import pytest
from django import forms

from benchmarks.forms.diff import word_diff
from benchmarks.forms.hidden_characters import without_hidden
from benchmarks.forms.typed_text import PlainTextField, TypedTextField
from tests.each_case import each_case
from tests.growth import SIZES, UNITS, growth_fault, modules, repeated, seconds

pytestmark = pytest.mark.slow
PARTS = 12  # CI measures a few of them in each run
FOLLOWED = 3
"""Texts of a function that are timed at every size: those that took longest at the first."""
SLOW_SECONDS = 3.0  # at the first size already: a cubic one must not run at the second
SURROGATES = "\ud800"
EVERY_UNIT = (
    *UNITS,
    SURROGATES,
    "no ",
    "**",
    "_a_",
    "[a](",
    "`",
    "|",
    "&amp;",
    "%",
    "a\u0301\u0302",
)
NOT_READERS = {
    "benchmarks.submissions.files.reading.document_of": "starts a process for each file",
    "benchmarks.submissions.files.reader.function_at": "imports what the site itself names",
    "judging.services.prompts.read_prompts": "of the project's own files and an operator's; TOML's"
    " reader takes the square of a key with thousands of dots",
    "leaderboard.people.notices.addresses.look_up": "asks the network",
    "leaderboard.operations.sweeps.end_worker": "ends the process that calls it",
    "leaderboard.operations.processes.supervisor.work_as_child": "is a process, which it ends",
    "leaderboard.web.pages.site.sharing.download": "writes names of files that the site makes",
    "benchmarks.protocols.files.workbooks._place": "of a cell's name, which openpyxl has read",
}
VALUES: dict[Any, Callable[[str], Any]] = {
    str: lambda text: text,
    bytes: lambda text: text.encode("utf-8", "surrogatepass"),
    str | None: lambda text: text,
    object: lambda text: text,
    int: lambda text: 1,
    bool: lambda text: True,
    Iterable[str]: lambda text: (text,),
}


def required(function: Callable[..., Any]) -> list[inspect.Parameter]:
    found = inspect.signature(function).parameters.values()
    many = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one for one in found if one.default is one.empty and one.kind not in many]


def is_of_texts(function: Callable[..., Any]) -> bool:
    kinds = [one.annotation for one in required(function)]
    return any(kind in (str, bytes) for kind in kinds) and all(map(VALUES.__contains__, kinds))


@cache
def readers() -> dict[str, Callable[..., Any]]:
    """By name. Migrations and what draws the bundled pictures read nothing from outside."""
    return {
        f"{module.__name__}.{name}": found
        for module in modules()
        if ".migrations" not in module.__name__ and ".bundled" not in module.__name__
        for name, found in vars(module).items()
        if inspect.isfunction(found)
        and found.__module__ == module.__name__
        and is_of_texts(found)
        and f"{module.__name__}.{name}" not in NOT_READERS
    }


def call(function: Callable[..., Any], text: str) -> None:
    """A refusal is an answer like another, and takes its time as well."""
    positional, named = [], {}
    for one in required(function):
        value = VALUES[one.annotation](text)
        if one.kind == one.KEYWORD_ONLY:
            named[one.name] = value
        else:
            positional.append(value)
    with suppress(Exception, SystemExit):
        found = function(*positional, **named)
        if isinstance(found, Iterator):
            deque(found, maxlen=0)


def fault_of(read: Callable[[str], object]) -> str:
    """How a function takes longer than the length of some text; empty where it does not."""
    timed = []
    for unit in EVERY_UNIT:
        text = repeated(unit, SIZES[0])
        took = seconds(lambda: read(text))  # noqa: B023 - used at once
        if took > SLOW_SECONDS:
            return f"{unit!r} repeated: {took:.3f} s for {SIZES[0]:,} characters"
        timed.append((took, unit))
    for _, unit in sorted(timed, reverse=True)[:FOLLOWED]:
        text_of = cache(lambda size: repeated(unit, size))  # noqa: B023
        if fault := growth_fault(lambda size: read(text_of(size))):  # noqa: B023
            return f"{unit!r} repeated: {fault}"
    return ""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_function_takes_longer_than_a_text_is_long(part):
    for name, function in sorted(readers().items())[part::PARTS]:
        assert not fault_of(lambda text: call(function, text)), name  # noqa: B023 - used at once


def test_what_is_no_reader_is_still_there():
    known = {f"{module.__name__}.{name}" for module in modules() for name in vars(module)}
    assert NOT_READERS.keys() <= known


# --- readers of more than texts -------------------------------------------------------------------


@pytest.mark.parametrize("end", ["", "b", " a"])
def test_comparing_texts_takes_no_longer_than_they_are(end):
    assert not fault_of(lambda text: word_diff(text, f"b {text}{end}"))


FIELDS = {
    "typed": TypedTextField(limit=20_000, what="A description"),
    "plain": PlainTextField(limit=20_000, what="A description"),
    "plain, of any length": PlainTextField(limit=10**9, what="A description"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_checked_in_the_time_of_its_text(name):
    def clean(text: str) -> None:
        with suppress(forms.ValidationError):
            FIELDS[name].clean(text)

    assert not fault_of(clean)


NEED_MORE = {
    "leaderboard.people.accounts.other_sites.DisconnectForm": "the request",
    "leaderboard.people.accounts.other_sites.SignupForm": "what the other site said",
    "leaderboard.people.staff.account_admin.AccountForm": "the account",
    "leaderboard.people.staff.next_release_step.NextReleaseForm": "the release",
}


def form_classes() -> dict[str, type[forms.BaseForm]]:
    """Those that need nothing but what was sent."""
    return {
        f"{module.__name__}.{name}": found
        for module in modules()
        for name, found in vars(module).items()
        if isinstance(found, type)
        and issubclass(found, forms.BaseForm)
        and found.__module__ == module.__name__
        and not required(found)
        and f"{module.__name__}.{name}" not in NEED_MORE
    }


@each_case("form_class", lambda: form_classes().values())
def test_a_form_is_checked_in_the_time_of_its_texts(form_class: Any, db):
    def clean(text: str) -> None:
        form = form_class(dict.fromkeys(form_class.base_fields, text))
        with suppress(UnicodeEncodeError):  # of the database; no browser sends surrogates
            form.is_valid()

    assert not fault_of(clean)


# --- the test itself ------------------------------------------------------------------------------


def cleaned_again_and_again(text: str) -> None:
    """As without_hidden was."""
    while (shorter := text.removeprefix("\u200d").removesuffix("\u200d")) != text:
        text = "".join(shorter.partition("none"))


@pytest.mark.parametrize(
    "read",
    [
        cleaned_again_and_again,
        lambda text: [text[:place].count("a") for place in range(len(text))],
        lambda text: [
            n for n, letter in zip(count(), text, strict=False) if letter in text[n:][::-1]
        ],
    ],
)
def test_what_takes_longer_is_found(read):
    assert fault_of(read)


def test_what_takes_as_long_is_not():
    assert not fault_of(without_hidden)
