import pytest

from benchmarks.registry import protocol
from judging.services import PromptsRefusedError, ensure_prompt_set, ensure_spec, import_prompt_set

pytestmark = pytest.mark.django_db
TEXTS = """
correctness = "$question $reference $answer $delimiter"
same = "$answer $peer_answer $delimiter"
"""
GOOD = f'version = "paper-1"\nabout = "Our trial."\n[texts]{TEXTS}'


def load(content: str):
    return import_prompt_set(of=protocol("hallusionbench"), content=content.encode())


def test_a_prompt_file_becomes_a_set_and_the_same_file_again_is_the_same():
    assert load(GOOD).pk == load(GOOD).pk


def test_other_texts_under_a_used_version_are_refused():
    load(GOOD)
    with pytest.raises(PromptsRefusedError, match="exist with other texts"):
        load(GOOD.replace("$question ", "Question: $question "))


def test_other_prompts_are_another_spec():
    load(GOOD)
    specs = [
        ensure_spec(
            of=protocol("hallusionbench"), kind="openai", endpoint="e", model="m", prompts=prompts
        )
        for prompts in ("", "paper-1")
    ]
    assert specs[0].content_hash != specs[1].content_hash


def test_prompts_that_were_never_imported_are_refused():
    with pytest.raises(PromptsRefusedError, match="no prompts 'paper-2'"):
        ensure_prompt_set(of=protocol("hallusionbench"), version="paper-2")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "version: expected"),
        ("version = ", "not TOML"),
        (GOOD.replace('"paper-1"', '"a b"'), "version: expected"),
        (GOOD.replace("same =", "other ="), "texts.same: missing"),
        (GOOD.replace("same =", "other ="), "texts.other: unknown"),
        (GOOD.replace("$peer_answer ", ""), r"\$peer_answer is missing"),
        (GOOD.replace("$question", "$verdict"), r"\$verdict is no placeholder"),
        (GOOD.replace("$question", "$question costs $ 5"), "a \\$ stands alone"),
        ('version = "v"\ntexts = 3', "expected a table"),
    ],
)
def test_a_malformed_prompt_file_says_what_is_wrong(content, reason):
    with pytest.raises(PromptsRefusedError, match=reason):
        load(content)
