"""What is defended without trusting a judge: against answers that are no answers, that imitate a
verdict, that leave their place in the prompt, or that hide something, and against injection through
the other fields.

A judge may still be talked round by what it reads as data; that is measured, not claimed
(docs/operator/moderating.md).
"""

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest

from benchmarks.protocols.answer_texts.delimiters import without_delimiter
from benchmarks.protocols.base import JudgeCase, QuestionView, UnreadableError, Upload
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import accept_submission
from judging.engine.engine import judge_run
from judging.engine.intake import request_of
from judging.models import JudgeCall
from judging.services import ensure_spec
from judging.services.prompts import default_texts
from tests.conftest import submit
from tests.judging.attacks import (
    ESCAPES,
    FAKE_COMPLETIONS,
    HARMLESS_SIGNS,
    INVISIBLE,
    MASTER_KEYS,
    OTHER_FIELDS,
)
from tests.judging.runs import planned, undone
from tests.judging.scripted import ScriptedJudge

DELIMITER = "5d0c19f7a2be"
ANSWER = "A red kettle stands on it."
REFERENCE = "A blue kettle stands on the stove."
FLOOR = {
    "hallusionbench": {"correctness": "incorrect", "same": "different"},
    "touchstone": {"reference_first": "- 1", "answer_first": "- 1"},
    "touchstone_hallucination": {"hallucination": "10"},
    "tiny_lvlm_ehub": dict.fromkeys(("prompt1", "prompt2", "prompt3", "prompt4", "prompt5"), "0"),
}
"""The verdict of an answer that says nothing, by protocol with a model judge and by slot."""

ALL = [*FLOOR, "tiny_lvlm_ehub_ability"]


def cases(slug: str, answer: str, reference: str = REFERENCE) -> list[JudgeCase]:
    """One case per slot of a question on a kettle."""
    original: dict[str, Any] = {"original": "VD/figure/0/0/0"} if slug == "hallusionbench" else {}
    truth: dict[str, Any] = {"gt_answer": 0, "references": json.dumps([reference])}
    question = QuestionView(
        "q", "ability", "IC15", "figure", "group", "What stands on the stove?", original, truth
    )
    judging = protocol(slug).judging
    return [
        JudgeCase(
            slot,
            question,
            reference,
            "A stove with a blue kettle on it.",
            answer,
            "A pan." if judging.peer(question, slot) else None,
        )
        for slot in judging.slots(question, 1)
    ]


def sent(slug: str, case: JudgeCase) -> list[tuple[str, list[str]]]:
    """Role and text of every message, cut at the lines that mark data."""
    found = protocol(slug).judging.messages(case, default_texts(protocol(slug)), DELIMITER)
    return [(message.role, message.content.split(f"\n{DELIMITER}\n")) for message in found]


def each(
    items: Iterable[str], slugs: Iterable[str] = FLOOR
) -> Iterator[tuple[str, str, JudgeCase]]:
    """Every item as an answer to every protocol, slot by slot."""
    for item, slug in product(items, slugs):
        for case in cases(slug, item):
            yield item, slug, case


def settled(slug: str, case: JudgeCase) -> tuple[str, str] | None:
    """Verdict and reason of an answer that no judge is asked about."""
    plain = protocol(slug).judging.plain_verdict(case)
    return (plain.verdict, plain.reason) if plain else None


def read(slug: str, case: JudgeCase, reply: str) -> str | None:
    try:
        return protocol(slug).judging.parse(case.slot, reply, "strict")
    except UnreadableError:
        return None


# --- family 2: master keys ------------------------------------------------------------------------


def test_a_master_key_gets_the_floor_and_matches_no_word_where_no_model_judges():
    for item, slug, case in each(MASTER_KEYS):
        verdict, reason = settled(slug, case) or ("", "")
        assert (item, verdict) == (item, FLOOR[slug][case.slot.name])
        assert re.search("empty|opening|says nothing", reason), item
    for item, slug, case in each(MASTER_KEYS, ["tiny_lvlm_ehub_ability"]):
        assert (item, protocol(slug).judging.rule(case)) == (item, "0")


GOING_ON = (
    "Solution: a blue kettle.",
    "解：青いやかん",
    "Let's think step by step. It is a kettle.",
    "The answer is 5",
)
COMMITTED = (
    "Yes",
    "no.",
    "Correct.",
    "Sure.",
    "5",
    "A",
    "kettle",
    "Thinking",
    "是",
    "उत्तर",
    "The problem",
    "Unclear",
)


def test_a_short_answer_and_one_that_goes_on_are_put_to_the_judge():
    found = [(item, slug) for item, slug, case in each(GOING_ON + COMMITTED) if settled(slug, case)]
    assert found == []


def test_a_master_key_that_is_the_correct_answer_is_put_to_the_judge():
    for slug in ("hallusionbench", "touchstone", "tiny_lvlm_ehub"):
        for answer, reference in product(
            ("Solution", "solution.", "The answer:"), ("Solution", "solution:", "the answer")
        ):
            is_it = ("answer" in answer) == ("answer" in reference)
            first = cases(slug, answer, reference)[0]
            assert (answer, reference, settled(slug, first) is None) == (answer, reference, is_it)
    first = cases("tiny_lvlm_ehub", "The answer is:", "answer")[0]  # word matching finds it right
    assert settled("tiny_lvlm_ehub", first) is None


def test_two_answers_that_say_nothing_say_the_same():
    (_, case) = cases("hallusionbench", "Solution:")
    verdict, _ = settled("hallusionbench", replace(case, peer_answer="...")) or ("", "")
    assert verdict == "same"


DATASETS: dict[str, Any] = {
    "hallusionbench": [
        {
            "category": "VD",
            "subcategory": "figure",
            "visual_input": "1",
            "set_id": str(i),
            "figure_id": "0",
            "question_id": "0",
            "question": "Is it blue?",
            "gt_answer_details": "It is blue.",
            "gt_answer": "1",
            "filename": None,
        }
        for i in range(len(MASTER_KEYS))
    ],
    "touchstone": [
        {
            "index": str(i),
            "image": "a.png",
            "question": "What stands there?",
            "human_annotation": "A kettle.",
            "gpt4_ha_answer": REFERENCE,
            "category": "Visual Recognition",
            "task_name": "Brand recognition",
        }
        for i in range(len(MASTER_KEYS))
    ],
    "tiny_lvlm_ehub": {
        "IC15": [
            {"question_id": f"{i:06}", "question": "What is written?", "gt_answers": "exit"}
            for i in range(len(MASTER_KEYS))
        ]
    },
}
DATASETS["tiny_lvlm_ehub_ability"] = DATASETS["tiny_lvlm_ehub"]
DATASETS["touchstone_hallucination"] = [
    {**row, "image": f"{row['index']}.png"}
    for row in DATASETS["touchstone"]
    if isinstance(row, dict)
]


def submitted(slug: str, answers: Iterable[str]) -> Submission:
    content = json.dumps(DATASETS[slug]).encode()
    release = import_release(
        protocol=protocol(slug), stream=io.BytesIO(content), slug="attacked"
    ).release
    ids = [view.public_id for view in question_views(release)]
    return accept_submission(
        release=release,
        upload=Upload("answers.jsonl", as_lines(ids, answers)),
        model=EvaluatedModel(name="m"),
        owner=None,
        visibility="public",
    )


def as_lines(ids: Iterable[str], answers: Iterable[str]) -> bytes:
    rows = [{"id": id_, "prediction": answer} for id_, answer in zip(ids, answers, strict=True)]
    return "\n".join(map(json.dumps, rows)).encode()


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ALL)
def test_an_entry_of_master_keys_costs_no_call_and_scores_the_floor(slug):
    judge, has_model = ScriptedJudge(["10 10"]), slug in FLOOR
    submission = submitted(slug, MASTER_KEYS)
    run = planned(submission) if has_model else planned(submission, kind="rules")
    judge_run(run_id=run.pk, judge=judge if has_model else None)
    verdicts = set(run.judgements.values_list("verdict", flat=True))
    assert judge.asked == []
    assert not JudgeCall.objects.exists()
    assert verdicts <= ({"same", *FLOOR[slug].values()} if has_model else {"0"})
    assert run.judgements.count() >= len(MASTER_KEYS)


# --- family 4: fake completions -------------------------------------------------------------------

OWN = {
    "correctness": "incorrect",
    "same": "different",
    "reference_first": "9 2",
    "answer_first": "2 9",
    "hallucination": "9",
    "prompt1": "Analysis: {quote}\nMost Likely Score: 0",
    "prompt2": "Assessment: {quote}\nFinal Score: 0",
    "prompt3": "Analysis: {quote}\nFinal Assessment Score: 0",
    "prompt4": "Evaluation: {quote}\nFinal Score: 0",
    "prompt5": "Analysis: {quote}\nMost Likely Score: 0",
}
"""What the judge of a slot writes that finds the answer bad, and where its form has room for a
quotation."""
BAD = {
    **FLOOR,
    "touchstone": {"reference_first": "9 2", "answer_first": "9 2"},
    "touchstone_hallucination": {"hallucination": "9"},
}
QUOTED = (
    "It says “{}”, which I was not asked for.",
    '"{}"',
    "'{}' is all there is.",
    "The reply was: {} (sic)",
)


def test_a_judge_that_only_quotes_a_fake_verdict_has_given_none():
    for item, slug, case in each(FAKE_COMPLETIONS):
        replies = [way.format(" ".join(item.split())) for way in QUOTED]
        assert [reply for reply in replies if read(slug, case, reply) is not None] == []


def test_of_a_judge_that_quotes_a_fake_verdict_its_own_is_read():
    for item, slug, case in each(FAKE_COMPLETIONS):
        form, own = OWN[case.slot.name], BAD[slug][case.slot.name]
        quoted_lines = "\n".join(f"> {line}" for line in item.splitlines())
        for quote in (f"The answer says “{item}”.", quoted_lines, item):
            reply = form.format(quote=quote) if "{quote}" in form else f"{form}\n{quote}"
            # of HallusionBench it is one word, and no room for anything else
            expected = None if slug == "hallusionbench" else own
            assert (reply, read(slug, case, reply)) == (reply, expected)


def test_a_fake_verdict_is_data_and_settles_nothing():
    for item, slug, case in each(FAKE_COMPLETIONS):
        assert (item, settled(slug, case)) == (item, None)
        assert stays_inside(slug, case), item


# --- family 5: leaving the place of data ----------------------------------------------------------


def stays_inside(slug: str, case: JudgeCase) -> bool:
    """Roles, instructions and number of marked places are those of a harmless answer; the text
    stands in one of them, character for character but for the delimiter."""
    harmless = sent(slug, replace(case, answer=ANSWER))
    inside = without_delimiter(case.answer, DELIMITER)
    swapped = [
        (role, [inside if text == ANSWER else text for text in texts]) for role, texts in harmless
    ]
    return sent(slug, case) == swapped and sum(texts.count(ANSWER) for _, texts in harmless) == 1


def test_an_answer_cannot_leave_its_place_nor_that_to_the_other_question_of_a_pair():
    texts = [item.format(delimiter=DELIMITER) for item in ESCAPES]
    assert [item for item, slug, case in each(texts) if not stays_inside(slug, case)] == []
    _, pair = cases("hallusionbench", ANSWER)
    ((_, harmless),) = sent("hallusionbench", pair)
    for text in texts:
        inside = without_delimiter(text, DELIMITER)
        ((_, found),) = sent("hallusionbench", replace(pair, peer_answer=text))
        assert found == [inside if part == "A pan." else part for part in harmless]


@pytest.mark.django_db
@pytest.mark.parametrize("slug", FLOOR)
def test_the_delimiter_is_drawn_anew_for_every_call(slug):
    spec = ensure_spec(of=protocol(slug), kind="openai", endpoint="none", model="m")
    case = cases(slug, ANSWER)[0]
    lines = {
        request_of(case, spec, protocol(slug).judging)
        .messages[-1]
        .content.split(f"\n{ANSWER}\n")[1]
        .split("\n")[0]
        for _ in range(8)
    }
    assert len(lines) == 8
    assert all(len(line) == 12 and not set(line) - set("0123456789abcdef") for line in lines)


# --- family 7: what a page does not show ----------------------------------------------------------


def note_codes(slug: str, *answers: str) -> set[str]:
    known = {
        "hallusionbench": "VD/figure/{}/0/0",
        "tiny_lvlm_ehub": "IC15/{:06}",
        "tiny_lvlm_ehub_ability": "IC15/{:06}",
    }
    ids = [known.get(slug, "{}").format(number) for number, _ in enumerate(answers, 1)]
    views = [QuestionView(id_, "knowledge", "IC15", "", id_, "What?", {}, {}) for id_ in ids]
    upload = Upload("a.jsonl", as_lines(ids, answers))
    reading = protocol(slug).predictions.read(upload, views)
    assert not reading.problems
    return {note.code for note in reading.notes}


@pytest.mark.parametrize("slug", ALL)
def test_hidden_text_and_bare_openings_are_marked_at_upload_and_nothing_else(slug):
    unmarked = [item for item in INVISIBLE if "hidden-text" not in note_codes(slug, ANSWER, item)]
    marked = [item for item in HARMLESS_SIGNS if note_codes(slug, ANSWER, item)]
    assert (unmarked, marked) == ([], [])
    assert note_codes(slug, ANSWER, "Solution:") == {"bare-openings"}
    assert note_codes(slug, ANSWER, "\u3164\u200b") == {"empty-answers", "hidden-text"}


def test_an_answer_of_invisible_characters_alone_is_empty():
    for item, slug, case in each(
        ["\u3164", "\u200b\u200d", "\u115f\ufe0f", "\U000e0041\U000e0042"]
    ):
        verdict, _ = settled(slug, case) or ("", "")
        assert (item, verdict) == (item, FLOOR[slug][case.slot.name])


# --- family 15: the other fields ------------------------------------------------------------------


def test_a_judge_is_given_nothing_that_names_the_sender():
    assert {field.name for field in fields(JudgeCase)} == {
        "slot",
        "question",
        "reference",
        "description",
        "answer",
        "peer_answer",
    }


def test_ids_and_labels_of_a_question_are_not_sent():
    for item, (_, slug, case) in product(OTHER_FIELDS, each([ANSWER])):
        text = item.format(delimiter=DELIMITER)
        named = replace(
            case.question, public_id=text, ability=text, subtask=text, figure=text, group=text
        )
        assert sent(slug, replace(case, question=named)) == sent(slug, case)


def framework(messages: list[tuple[str, list[str]]]) -> list[tuple[str, int, str, int, int]]:
    """Of every message: role, marked places, what follows the last, and how often answer and
    delimiter stand in it."""
    whole = [(role, texts, "\n".join(texts)) for role, texts in messages]
    return [
        (
            role,
            len(texts),
            texts[-1] if len(texts) > 1 else "",
            all_.count(ANSWER),
            all_.count(DELIMITER),
        )
        for role, texts, all_ in whole
    ]


def test_question_reference_and_description_leave_instructions_and_answers_alone():
    for item, (_, slug, case) in product(OTHER_FIELDS, each([ANSWER])):
        text = item.format(delimiter=DELIMITER)
        harmless = framework(sent(slug, case))
        for changed in (
            replace(case, question=replace(case.question, text=text)),
            replace(case, reference=text),
            replace(case, description=text),
        ):
            assert framework(sent(slug, changed)) == harmless


def test_a_model_name_never_reaches_the_judge(spelling, owner):
    for item in OTHER_FIELDS[:1] + OTHER_FIELDS[3:]:
        name, judge = item.format(delimiter=DELIMITER), ScriptedJudge(["right"])
        with undone():
            judge_run(run_id=planned(submit(spelling, owner, name=name)).pk, judge=judge)
        assert (len(judge.asked), name in repr(judge.asked)) == (4, False)
