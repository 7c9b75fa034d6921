"""What a protocol says its judge reads is all that it reads: other texts change neither prompt nor
verdict."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from benchmarks.protocols.base import BenchmarkProtocol, JudgeCase, QuestionRow
from benchmarks.registry import protocol
from tests.each_case import each_case

SLUGS = (
    "hallusionbench",
    "touchstone",
    "touchstone_hallucination",
    "tiny_lvlm_ehub",
    "tiny_lvlm_ehub_ability",
)
KINDS = ("reference", "description")
ANSWER = "Yes, there are two kettles beside a red lamp."


def cases_of(family: BenchmarkProtocol) -> Iterator[JudgeCase]:
    with family.bundled[0].dataset.open("rb") as stream:
        rows = [row for row in family.dataset.read(stream) if isinstance(row, QuestionRow)]
    for row in islice(rows, 0, None, 7):
        view = row.view()
        for slot in family.judging.slots(view, 1):
            peer = "No." if family.judging.peer(view, slot) else None
            yield JudgeCase(slot, view, row.reference, row.description, ANSWER, peer)


def prompts_of(family: BenchmarkProtocol) -> Mapping[str, str] | None:
    if not family.default_prompts:
        return None
    text = (family.prompts / f"{family.default_prompts}.toml").read_text()
    texts: Mapping[str, str] = tomllib.loads(text)["texts"]
    return texts


def bundled(slug: str) -> BenchmarkProtocol:
    family = protocol(slug)
    return family if family.bundled else replace(family, bundled=protocol("touchstone").bundled)


def with_text(case: JudgeCase, kind: str, text: str) -> JudgeCase:
    if kind == "reference":
        return replace(case, reference=text)
    return replace(case, description=text)


@each_case("slug", SLUGS)
def test_a_text_that_is_not_read_changes_nothing(slug):
    family = bundled(slug)
    prompts = prompts_of(family)
    cases = list(cases_of(family))
    assert cases
    for asked in (None, prompts) if prompts else (None,):
        read = family.judging.texts_read(asked)
        for kind in set(KINDS) - read:
            for case in cases:
                other = with_text(case, kind, f"{ANSWER} An altogether different text.")
                assert family.judging.plain_verdict(case) == family.judging.plain_verdict(other)
                if asked is None:
                    for rules in (family.rules(), *family.other_rules):
                        assert rules.rule(case) == rules.rule(other)
                else:
                    sent = family.judging.messages(case, asked, "delimiter")
                    assert sent == family.judging.messages(other, asked, "delimiter")


@each_case("slug", SLUGS)
def test_a_text_that_is_read_is_in_some_prompt(slug):
    family = bundled(slug)
    if (prompts := prompts_of(family)) is None:
        assert family.judging.texts_read(None) == frozenset()
        return
    for kind in family.judging.texts_read(prompts):
        sent = [
            message.content
            for case in cases_of(family)
            for message in family.judging.messages(
                with_text(case, kind, "a word like no other"), prompts, "delimiter"
            )
        ]
        assert any("a word like no other" in content for content in sent)
