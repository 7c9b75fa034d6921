"""What stands behind the figures of one run, judgement by judgement, as a file to compute with.

One row per slot of each answer; an answer that no judge was asked about has one row without a slot.
Hidden texts stay hidden (leaderboard.results.disclosure): of a reply that is not public the hash
remains.
"""

import json
from collections.abc import Iterator

from benchmarks.common.spreadsheets import csv_text, inert
from benchmarks.protocols.base import ScoredRow
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Answer
from benchmarks.submissions.selectors import answer_sheet
from judging.models import JudgeRun
from judging.panel.selectors import ratings_of
from judging.selectors import Decided, decided_by, verdicts_of
from leaderboard.results.disclosure import (
    ShownReply,
    public_texts,
    require_verdicts,
    shown_answer,
    shown_references,
    shown_replies,
)

AT_ONCE = 500
"""Answers whose replies are read together: some megabytes where a judge explains itself."""
TEXTS = (
    "entry",
    "model",
    "benchmark",
    "release",
    "judge",
    "question",
    "ability",
    "subtask",
    "question_text",
    "answer",
    "reference",
    "slot",
    "state",
    "verdict",
    "reason",
    "reply",
    "reply_sha256",
    "answer_verdict",
    "decided",
)
NUMBERS = ("score", "points")
COLUMNS = (*TEXTS, "is_right", *NUMBERS, "call")
"""`verdict`, `decided` (an instant) and `call` (its number in the ledger) are of the slot;
`answer_verdict`, `is_right`, `score` (what the judge gave, where it gives numbers) and `points`
(what the answer counts, 0 to 1, when questions are compared) are what the benchmark makes of all
slots of the answer. None: hidden, or there is none."""

Row = dict[str, str | bool | int | float | None]
NO_REPLY = ShownReply("", "", "", "", "", "", has_text=False)
UNDECIDED = Decided(None, None)


def answer_rows(run: JudgeRun) -> Iterator[list[Row]]:
    """The rows of AT_ONCE answers at a time, in the order of the file: of all of them only texts
    and verdicts are in memory, for an answer may be explained by others. Of a run that is not
    finished, as far as it is. Raises Http404 for a hidden test."""
    require_verdicts(run.submission.release)
    submission, release = run.submission, run.submission.release
    whole = answer_sheet(submission)
    ids = [view.public_id for view in whole.views]
    scored = protocol_of(release).explain(
        whole.views, whole.texts, verdicts_of(run, ids), ratings_of(submission, ids)
    )
    same: Row = {
        "entry": str(submission.pk),
        "model": submission.model.name,
        "benchmark": release.benchmark.slug,
        "release": release.slug,
        "judge": run.judge_spec.slug,
    }
    stored = Answer.objects.select_related("question__subtask__ability", "question__figure")
    for start in range(0, len(scored), AT_ONCE):
        asked = list(stored.filter(pk__in=whole.answers[start : start + AT_ONCE]).order_by("pk"))
        keys = [answer.pk for answer in asked]
        replies, decided = shown_replies(run, keys), decided_by(run, keys)
        references = shown_references(release, [answer.question_id for answer in asked])
        public = public_texts(release, asked)
        yield [
            {
                **same,
                **answer_cells(answer, shown_answer(answer, submission, public[answer.pk])),
                "reference": references.get(answer.question_id),
                **reply_cells(reply, decided.get((answer.pk, reply.slot), UNDECIDED)),
                **scored_cells(row),
            }
            for answer, row in zip(asked, scored[start : start + AT_ONCE], strict=True)
            for reply in replies.get(answer.pk) or [NO_REPLY]
        ]


def answer_cells(answer: Answer, shown: str | None) -> Row:
    question = answer.question
    return {
        "question": question.public_id,
        "ability": question.subtask.ability.title,
        "subtask": question.subtask.title,
        "question_text": question.text,
        "answer": shown,
    }


def scored_cells(row: ScoredRow) -> Row:
    return {
        "answer_verdict": row.verdict or None,
        "is_right": row.is_right,
        "score": row.score,
        "points": row.credit,
    }


def reply_cells(reply: ShownReply, decided: Decided) -> Row:
    return {
        "slot": reply.slot or None,
        "state": reply.state or None,
        "verdict": reply.verdict or None,
        "reason": reply.reason or None,
        "reply": reply.text or None,
        "reply_sha256": reply.sha256 or None,
        "decided": decided.at.isoformat() if decided.at else None,
        "call": decided.call,
    }


def answers_as_csv(run: JudgeRun) -> Iterator[str]:
    """With cells that cannot act as formulas."""
    yield csv_text([COLUMNS])
    for rows in answer_rows(run):
        yield csv_text([csv_cell(row.get(name)) for name in COLUMNS] for row in rows)


def csv_cell(value: str | bool | int | float | None) -> str:
    if isinstance(value, str):
        return inert(value)
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def answers_as_json_lines(run: JudgeRun) -> Iterator[str]:
    """An object per row, some hundred lines at a time."""
    for rows in answer_rows(run):
        yield "".join(f"{json.dumps(whole(row), ensure_ascii=False)}\n" for row in rows)


def whole(row: Row) -> Row:
    """With every column, in their order."""
    return {name: row.get(name) for name in COLUMNS}
