"""Spelling once more, with faults that an answer calls for: what a protocol at fault does to a
site."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.protocols.base import (
    NOT_RATED,
    Contributions,
    JudgeCase,
    PlainVerdict,
    QuestionView,
    Ratings,
)
from tests import tiny_protocol
from tests.tiny_protocol import judging, scoring

SECRET = "the hidden reference"
STEP_SECONDS = 0.2


class Gate:
    """Where a thread waits until the test has looked around."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()

    def wait(self) -> None:
        self.reached.set()
        assert self.opened.wait(timeout=20)


gates: list[Gate] = []
"""The next thread that settles or scores "wait" takes one; without any it goes on."""


def plain_verdict(case: JudgeCase) -> PlainVerdict | None:
    if case.answer == "unplannable":
        raise ValueError(SECRET)
    if case.answer == "slow":
        time.sleep(STEP_SECONDS)
    if case.answer == "wait" and gates:
        gates.pop().wait()
    return judging.plain_verdict(case)


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
    ratings: Ratings = NOT_RATED,
) -> Contributions:
    if "unscorable" in answers:
        raise KeyError(SECRET)
    if "wait for people" in answers and gates:
        gates.pop().wait()
    return scoring.contributions(questions, answers, verdicts, ratings)


PROTOCOL = replace(
    tiny_protocol.PROTOCOL,
    slug="failing",
    title="Failing",
    judging=cast(Any, SimpleNamespace(**{**vars(judging), "plain_verdict": plain_verdict})),
    scoring=cast(Any, SimpleNamespace(**{**vars(scoring), "contributions": contributions})),
)
