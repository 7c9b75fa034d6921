"""What an entry's place in the chain stands on: its answers, and the verdicts of its run."""

import hashlib
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from benchmarks.submissions.selectors import AnswerSheet
from judging.models import JudgeRun

AT_ONCE = 1_000
"""Judgements whose replies are read together."""


def digest_of_answers(answered: AnswerSheet) -> str:
    """SHA-256 over a line per answer, in their order: its question and the SHA-256 of its text."""
    rows = zip(answered.views, answered.texts, strict=True)
    return digest_of((view.public_id, sha256(text)) for view, text in rows)


def digest_of_verdicts(run: JudgeRun) -> str:
    """SHA-256 over a line per judgement, by answer and slot: question, slot, state, verdict and the
    SHA-256 of the reply, empty where none came."""
    columns = ("answer", "answer__question__public_id", "slot", "state", "verdict", "raw_reply")
    rows = run.judgements.order_by("answer").values_list(*columns, "latency_ms", "reused_from")
    lines = (
        (answer, *row, sha256(reply) if latency is not None or reused is not None else "")
        for answer, *row, reply, latency, reused in rows.iterator(chunk_size=AT_ONCE)
    )
    by_answer = groupby(lines, itemgetter(0))  # slots are sorted here: databases order texts apart
    return digest_of(line[1:] for _, some in by_answer for line in sorted(some))


def digest_of(rows: Iterable[Iterable[str]]) -> str:
    """Fields are apart by a tab, lines end with a line feed."""
    found = hashlib.sha256()
    for row in rows:
        found.update(("\t".join(row) + "\n").encode())
    return found.hexdigest()


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
