"""What is defended without trusting a judge: against answers that are no answers, that imitate a
verdict, that leave their place in the prompt, or that hide something, and against injection through
the other fields.

A judge may still be talked round by what it reads as data; that is measured, not claimed
(docs/operating.md).
"""

import io
import json
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView, UnreadableError, Upload
from benchmarks.protocols.delimiters import without_delimiter
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import ModelDetails, accept_submission
from judging.engine.engine import judge_run
from judging.engine.intake import request_of
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
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


def against(
    items: Iterable[str], family: int, slugs: Iterable[str] = FLOOR
) -> pytest.MarkDecorator:
    """Every item for every protocol, named "family2-07of20-touchstone"."""
    listed = list(items)
    return pytest.mark.parametrize(
        ("slug", "item"),
        [
            pytest.param(slug, item, id=f"family{family}-{number:02}of{len(listed)}-{slug}")
            for slug in slugs
            for number, item in enumerate(listed, 1)
        ],
    )


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


# --- family 2: master keys ------------------------------------------------------------------------


@against(MASTER_KEYS, 2)
def test_a_master_key_gets_the_floor(slug, item):
    for case in cases(slug, item):
        plain = protocol(slug).judging.plain_verdict(case)
        assert plain
        assert plain.verdict == FLOOR[slug][case.slot.name]
        assert (
            "empty" in plain.reason or "opening" in plain.reason or "says nothing" in plain.reason
        )


@against(MASTER_KEYS, 2, ["tiny_lvlm_ehub_ability"])
def test_a_master_key_matches_no_word_where_no_model_judges(slug, item):
    for case in cases(slug, item):
        assert protocol(slug).judging.rule(case) == "0"


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


@against([*GOING_ON, *COMMITTED], 2)
def test_a_short_answer_and_one_that_goes_on_are_put_to_the_judge(slug, item):
    assert [protocol(slug).judging.plain_verdict(case) for case in cases(slug, item)] == [
        None
    ] * len(FLOOR[slug])


@pytest.mark.parametrize("answer", ["Solution", "solution.", "The answer:"])
@pytest.mark.parametrize("reference", ["Solution", "solution:", "the answer"])
def test_a_master_key_that_is_the_correct_answer_is_put_to_the_judge(answer, reference):
    is_it = ("answer" in answer) == ("answer" in reference)
    for slug in ("hallusionbench", "touchstone", "tiny_lvlm_ehub"):
        first = cases(slug, answer, reference)[0]
        assert (protocol(slug).judging.plain_verdict(first) is None) == is_it


def test_what_word_matching_finds_right_is_put_to_the_judge():
    assert (
        protocol("tiny_lvlm_ehub").judging.plain_verdict(
            cases("tiny_lvlm_ehub", "The answer is:", "answer")[0]
        )
        is None
    )


def test_two_answers_that_say_nothing_say_the_same():
    (_, case) = cases("hallusionbench", "Solution:")
    plain = protocol("hallusionbench").judging.plain_verdict(replace(case, peer_answer="..."))
    assert plain
    assert plain.verdict == "same"


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


def submitted(slug: str, answers: Iterable[str], name: str = "m") -> Submission:
    content = json.dumps(DATASETS[slug]).encode()
    release = import_release(
        protocol=protocol(slug), stream=io.BytesIO(content), slug="attacked"
    ).release
    ids = [view.public_id for view in question_views(release)]
    rows = [{"id": id_, "prediction": answer} for id_, answer in zip(ids, answers, strict=True)]
    upload = Upload("answers.jsonl", "\n".join(map(json.dumps, rows)).encode())
    return accept_submission(
        release=release, upload=upload, model=ModelDetails(name), owner=None, visibility="public"
    )


def judged_by(judge: ScriptedJudge, submission: Submission) -> JudgeRun:
    of = protocol(submission.release.benchmark.slug)
    kind = "openai" if of.default_prompts else "rules"
    run = request_run(
        submission=submission, spec=ensure_spec(of=of, kind=kind, endpoint="none", model="m")
    )
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=judge if of.default_prompts else None)
    return run


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ALL, ids=lambda slug: f"family2-all{len(MASTER_KEYS)}-{slug}")
def test_an_entry_of_master_keys_costs_no_call_and_scores_the_floor(slug):
    judge = ScriptedJudge(["10 10"])
    run = judged_by(judge, submitted(slug, MASTER_KEYS))
    verdicts = set(run.judgements.values_list("verdict", flat=True))
    assert judge.asked == []
    assert not JudgeCall.objects.exists()
    assert verdicts <= ({"same", *FLOOR[slug].values()} if slug in FLOOR else {"0"})
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


@against(FAKE_COMPLETIONS, 4)
def test_a_judge_that_only_quotes_a_fake_verdict_has_given_none(slug, item):
    quotable = " ".join(item.split())
    for case in cases(slug, item):
        for way in QUOTED:
            with pytest.raises(UnreadableError):
                protocol(slug).judging.parse(case.slot, way.format(quotable), "strict")


@against(FAKE_COMPLETIONS, 4)
def test_of_a_judge_that_quotes_a_fake_verdict_its_own_is_read(slug, item):
    for case in cases(slug, item):
        for quote in (
            f"The answer says “{item}”.",
            "\n".join(f"> {line}" for line in item.splitlines()),
            item,
        ):
            form = OWN[case.slot.name]
            if slug == "hallusionbench":  # one word, and no room for anything else
                with pytest.raises(UnreadableError):
                    protocol(slug).judging.parse(case.slot, f"{form}\n{quote}", "strict")
                continue
            reply = form.format(quote=quote) if "{quote}" in form else f"{form}\n{quote}"
            assert (
                protocol(slug).judging.parse(case.slot, reply, "strict")
                == BAD[slug][case.slot.name]
            )


@against(FAKE_COMPLETIONS, 4)
def test_a_fake_verdict_is_data_and_settles_nothing(slug, item):
    for case in cases(slug, item):
        assert protocol(slug).judging.plain_verdict(case) is None
        assert stays_inside(slug, case)


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


@against(ESCAPES, 5)
def test_an_answer_cannot_leave_its_place(slug, item):
    for case in cases(slug, item.format(delimiter=DELIMITER)):
        assert stays_inside(slug, case)


@against(ESCAPES, 5, ["hallusionbench"])
def test_neither_can_the_answer_to_the_other_question_of_a_pair(slug, item):
    text = item.format(delimiter=DELIMITER)
    (_, case) = cases(slug, ANSWER)
    ((_, harmless),) = sent(slug, case)
    ((_, texts),) = sent(slug, replace(case, peer_answer=text))
    assert texts == [
        without_delimiter(text, DELIMITER) if part == "A pan." else part for part in harmless
    ]


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
    rows = [{"id": id_, "prediction": answer} for id_, answer in zip(ids, answers, strict=True)]
    reading = protocol(slug).predictions.read(
        Upload("a.jsonl", "\n".join(map(json.dumps, rows)).encode()), views
    )
    assert not reading.problems
    return {note.code for note in reading.notes}


@against(INVISIBLE, 7, ALL)
def test_hidden_text_is_marked_at_upload(slug, item):
    assert "hidden-text" in note_codes(slug, ANSWER, item)


@against(HARMLESS_SIGNS, 7, ALL)
def test_signs_that_scripts_and_emoji_need_are_not_marked(slug, item):
    assert not note_codes(slug, ANSWER, item)


@pytest.mark.parametrize("slug", ALL)
def test_bare_openings_are_told_at_upload(slug):
    assert note_codes(slug, ANSWER, "Solution:") == {"bare-openings"}
    assert note_codes(slug, ANSWER, "\u3164\u200b") == {"empty-answers", "hidden-text"}


@against(["\u3164", "\u200b\u200d", "\u115f\ufe0f", "\U000e0041\U000e0042"], 7)
def test_an_answer_of_invisible_characters_alone_is_empty(slug, item):
    for case in cases(slug, item):
        plain = protocol(slug).judging.plain_verdict(case)
        assert plain
        assert plain.verdict == FLOOR[slug][case.slot.name]


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


@against(OTHER_FIELDS, 15)
def test_ids_and_labels_of_a_question_are_not_sent(slug, item):
    text = item.format(delimiter=DELIMITER)
    for case in cases(slug, ANSWER):
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


@against(OTHER_FIELDS, 15)
def test_question_reference_and_description_leave_instructions_and_answers_alone(slug, item):
    text = item.format(delimiter=DELIMITER)
    for case in cases(slug, ANSWER):
        harmless = sent(slug, case)
        for changed in (
            replace(case, question=replace(case.question, text=text)),
            replace(case, reference=text),
            replace(case, description=text),
        ):
            assert framework(sent(slug, changed)) == framework(harmless)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "item", OTHER_FIELDS[:1] + OTHER_FIELDS[3:], ids=lambda item: "family15-model-name"
)
def test_a_model_name_never_reaches_the_judge(item, spelling, owner):
    name = item.format(delimiter=DELIMITER)
    judge = ScriptedJudge(["right"])
    run = request_run(
        submission=submit(spelling, owner, name=name),
        spec=ensure_spec(of=protocol("spelling"), kind="openai", endpoint="none", model="m"),
    )
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=judge)
    assert judge.asked
    assert not any(name in repr(request) for request in judge.asked)
