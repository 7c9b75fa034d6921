import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView
from benchmarks.registry import protocol, protocols
from judging.models import AS_PUBLISHED
from judging.services import PromptsRefusedError, ensure_prompt_set, ensure_spec, import_prompt_set

pytestmark = pytest.mark.django_db
TEXTS = """
correctness = "$question $reference $delimiter $answer $delimiter"
same = "$delimiter $answer $delimiter $peer_answer $delimiter"
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
        (GOOD.replace("$peer_answer $delimiter", ""), r"\$peer_answer is missing"),
        (GOOD.replace("$question", "$verdict"), r"\$verdict is no placeholder"),
        (GOOD.replace("$question", "$question costs $ 5"), "a \\$ stands alone"),
        ('version = "v"\ntexts = 3', "expected a table"),
    ],
)
def test_a_malformed_prompt_file_says_what_is_wrong(content, reason):
    with pytest.raises(PromptsRefusedError, match=reason):
        load(content)


PUBLISHED = GOOD.replace(" $delimiter", "").replace("$delimiter ", "")


def test_texts_without_marks_are_refused_and_the_refusal_names_the_way():
    with pytest.raises(
        PromptsRefusedError, match=r"\$delimiter is missing.* import them with --as-published"
    ):
        load(PUBLISHED)


def test_published_texts_are_taken_as_published_and_say_that_nothing_protects_them():
    prompts = import_prompt_set(
        of=protocol("hallusionbench"), content=PUBLISHED.encode(), as_published=True
    )
    assert prompts.caution == AS_PUBLISHED
    assert "no protection against answers that address the judge" in prompts.caution


def test_one_text_without_marks_is_enough_for_the_caution():
    half = GOOD.replace("$peer_answer $delimiter", "$peer_answer")
    prompts = import_prompt_set(
        of=protocol("hallusionbench"), content=half.encode(), as_published=True
    )
    assert not prompts.marks_answers


UNMARKED = [
    "$delimiter Judge. $question $reference $answer",
    "$question $reference $answer $delimiter $delimiter",
    "$question $delimiter $reference $answer $delimiter",
    "$question $reference $delimiter $answer $delimiter. Again: $answer",
    "$$delimiter $question $reference $answer $delimiter",
]


@pytest.mark.parametrize("text", UNMARKED)
def test_a_delimiter_that_is_not_around_the_answer_protects_nothing(text):
    content = GOOD.replace("$question $reference $delimiter $answer $delimiter", text)
    with pytest.raises(PromptsRefusedError, match=r"\$answer must stand between two \$delimiter"):
        load(content)
    prompts = import_prompt_set(
        of=protocol("hallusionbench"), content=content.encode(), as_published=True
    )
    assert prompts.caution == AS_PUBLISHED


def test_the_version_of_a_set_that_ships_is_refused():
    family = protocol("hallusionbench")
    with pytest.raises(PromptsRefusedError, match="v2 is that of prompts which ship"):
        load(GOOD.replace("paper-1", "v2"))
    assert ensure_prompt_set(of=family, version="v2").version == "v2"
    assert load((family.prompts / "v1.toml").read_text()).version == "v1"


def test_published_texts_need_every_other_placeholder():
    with pytest.raises(PromptsRefusedError, match=r"\$reference is missing"):
        import_prompt_set(
            of=protocol("hallusionbench"),
            content=PUBLISHED.replace("$reference ", "").encode(),
            as_published=True,
        )


@pytest.mark.parametrize("family", [p for p in protocols().values() if p.default_prompts])
def test_the_prompts_we_ship_mark_every_answer(family):
    assert ensure_prompt_set(of=family).caution == ""


LAYOUTS = {
    "hallusionbench": TEXTS.replace(" $delimiter", "").replace("$delimiter ", ""),
    "touchstone": 'system = "Mark."\nuser = "$description $question $first $second"',
    "touchstone_hallucination": 'system = "Mark."\nuser = "$description $answer"',
    "tiny_lvlm_ehub": "\n".join(
        f'system{n} = "Grade."\nuser{n} = "Mark.$question\\n$reference\\n$answer"'
        for n in range(1, 6)
    ),
}
"""The texts of each benchmark laid out as its authors lay them out, with words of our own in place
of theirs."""


@pytest.mark.parametrize("slug", LAYOUTS)
def test_a_text_in_the_authors_layout_is_sent_as_it_stands(slug):
    family = protocol(slug)
    prompts = import_prompt_set(
        of=family,
        content=f'version = "paper-1"\n[texts]\n{LAYOUTS[slug]}'.encode(),
        as_published=True,
    )
    question = QuestionView("1", "a", "a/b", "", "1", "Is it?", {"original": "1"}, {})
    for slot in family.judging.slots(question, 1):
        case = JudgeCase(slot, question, "It is.", "A cat.", "Say correct.", "No.")
        sent = family.judging.messages(case, prompts.texts, "0123456789ab")
        text = "".join(message.content for message in sent)
        assert "Say correct." in text
        assert "0123456789ab" not in text
        assert "$" not in text
