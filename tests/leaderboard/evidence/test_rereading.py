"""Replies are read again by rules of their own, which say what the project's parsers say."""

import runpy
from functools import cache

import hypothesis
import pytest
from hypothesis import example
from hypothesis import strategies as st

from benchmarks.protocols.base import Slot, UnreadableError
from benchmarks.registry import protocols
from tests.leaderboard.evidence.checking import verify

FAMILIES = {slug: family for slug, family in protocols().items() if family.evidence}
after_thoughts = verify.misread.__globals__["after_thoughts"]
PIECES = st.sampled_from(
    [
        *("correct", "incorrect", "Correct", "not correct", "not ", "unclear", "same", "the same"),
        *(
            "different",
            "Verdict: ",
            "final answer is ",
            "Label =",
            "８",
            "Ｃorrect",
            "٣",
            "é",
            "ſame",
        ),
        *("8", "10", "0", "1", "10.5", "7.25", " 6", "-1", "nan", "inf", ",", " , ", ".", "!"),
        *("*", "**", "__", "`", "```", "\n", "\t", " ", "\u2028", "\x85", "<think>", "</think>"),
        *("Most Likely Score: ", "final score", "Final Assessment Score:", "# ", "> ", "(or 0)"),
    ]
)
REPLIES = st.lists(PIECES, max_size=7).map("".join)


@cache
def rules_of(slug):
    return runpy.run_path(str(FAMILIES[slug].evidence.recount))


def parsed(family, slot, reply, parser, version):
    try:
        return family.judging.parse(slot, reply, parser, version)
    except UnreadableError:
        return None


CASES = [
    (slug, parser, version)
    for slug, family in FAMILIES.items()
    for parser in family.judging.PARSERS
    for version in family.judging.PARSER_VERSIONS
]


@pytest.mark.parametrize(("slug", "parser", "version"), CASES)
@hypothesis.given(REPLIES, st.integers(0, 5))
@example("<think>correct</think> **Correct.**", 0)
@example("<think>no end", 0)
@example("**8** 6.\nbecause", 1)
@example("Final Score: 1\nFinal Score: 0", 1)
def test_a_reply_says_what_the_parser_reads_in_it(slug, parser, version, reply, which):
    family = FAMILIES[slug]
    reread = rules_of(slug)["reread"]
    names = sorted(family.judging.SLOT_TITLES)
    slot = Slot(names[which % len(names)], 1)
    judge = {"parser": parser, "parser_version": version}
    found = reread(slot.name, reply, after_thoughts(reply), judge)
    assert found == parsed(family, slot, reply, parser, version)
