"""From the plan to the score each reader of answers reads a text once."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

import pytest

from benchmarks.protocols.answer_texts.yes_no import read_yes_no
from benchmarks.protocols.hallusionbench.kits import reply_of_words
from benchmarks.protocols.tiny_lvlm_ehub.guarded_matching import is_answered
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches, shared_tokens
from benchmarks.protocols.touchstone.judging import lexical_score
from benchmarks.registry import protocol
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.samples.bundled import ensure_release
from benchmarks.submissions.samples.floor import jsonl_upload
from benchmarks.submissions.services import accept_submission
from leaderboard.results.services import score_run
from tests.conftest import judged

READERS: tuple[Callable[..., object], ...] = (
    read_yes_no,
    reply_of_words,
    is_answered,
    matches,
    shared_tokens,
    lexical_score.__globals__["_score"],
)
LONG = "it is not hard to see, and yes, there is a cat " * 40  # nearly two thousand characters


@contextmanager
def counted() -> Iterator[Counter[tuple[str, str]]]:
    """How often each of the readers was begun with the same texts, on all threads of this one."""
    codes: dict[CodeType, str] = {unwrap(read).__code__: read.__name__ for read in READERS}
    found: Counter[tuple[str, str]] = Counter()

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in codes:
            found[codes[frame.f_code], repr(frame.f_locals)] += 1

    sys.setprofile(look)
    try:
        yield found
    finally:
        sys.setprofile(None)


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["hallusionbench", "tiny_lvlm_ehub", "touchstone"])
def test_no_reader_reads_a_text_twice(owner, slug):
    family = protocol(slug)
    release = ensure_release(family, family.bundled[0])
    ids = release.questions.values_list("public_id", flat=True)
    answers = jsonl_upload("answers.jsonl", {key: f"{slug} {key}: {LONG}" for key in ids})
    submission = accept_submission(
        release=release,
        upload=answers,
        model=EvaluatedModel(name="M"),
        owner=owner,
        visibility="private",
    )
    with counted() as found:
        run = judged(submission)
        score_run(run=run)
    assert found
    assert [key for key, times in found.items() if times > 1] == []
