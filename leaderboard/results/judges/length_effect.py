"""Whether a judge favours long answers: the rank correlation of an answer's length with what the
judge said of it.

Explaining a thousand answers is too much for a page, so length and score of each are kept with the
scoresheet.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from django.db.models import Count

from benchmarks.models import Release
from benchmarks.protocols.base import ScoredRow
from benchmarks.selectors import protocol_of
from benchmarks.statistics.correlation import spearman
from benchmarks.submissions.selectors import AnswerSheet
from judging.models import JudgeRun, JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import MISSING, StripFigure, print_number
from leaderboard.results.selectors import fully_shown_sheets

PAIR = np.dtype([("length", "<i4"), ("score", "<f8")])
FEWEST_ANSWERS = 20  # of twenty, chance makes a correlation of 0.44 one time in twenty
MOST_ENTRIES = 100
"""Of which a page about a judge tells: 100,000 answers and more, which take 100 ms to sort."""
TITLE = "Length and score"


def lengths_of(
    run: JudgeRun, sheet: AnswerSheet, verdicts: Mapping[str, Sequence[str | None]]
) -> bytes:
    """Characters and score of each answer that the judge replied to; what needed no call is left
    out."""
    with_reply = run.judgements.exclude(raw_reply="").order_by().values_list("answer_id", flat=True)
    replied = set(with_reply.distinct())
    if not replied:
        return b""
    scoring = protocol_of(run.submission.release).scoring
    rows = scoring.explain(sheet.views, sheet.texts, verdicts)
    pairs = [
        (len(text), score)
        for answer, text, row in zip(sheet.answers, sheet.texts, rows, strict=True)
        if answer in replied and (score := score_of(row)) is not None
    ]
    return np.array(pairs, dtype=PAIR).tobytes()


def score_of(row: ScoredRow) -> float | None:
    if row.score is not None:
        return row.score
    return None if row.is_right is None else float(row.is_right)


def length_figure(spec: JudgeSpec) -> StripFigure:
    """Over every public entry of the main release that this judge scored, without baselines and
    hidden tests; over
    the newest ones where these are too many for a page, and the note then says of how many."""
    sheets = Scoresheet.objects.filter(fully_shown_sheets(), judge_spec=spec).exclude(
        submission__origin="baseline"
    )
    counts = dict(sheets.order_by().values_list("submission__release").annotate(Count("pk")))
    release = Release.objects.filter(pk__in=counts).main_first().first()
    comparable = sheets.filter(submission__release=release).order_by(
        "-submission__created", "submission_id"
    )
    # Sorted by their keys alone: with them a database would sort the lengths of all entries.
    newest = Scoresheet.objects.filter(
        pk__in=list(comparable.values_list("pk", flat=True)[:MOST_ENTRIES])
    )
    packed = [bytes(pairs or b"") for pairs in newest.values_list("lengths", flat=True)]
    pairs = np.frombuffer(b"".join(packed), dtype=PAIR)
    if release is None or len(pairs) < FEWEST_ANSWERS:
        return StripFigure(
            TITLE, MISSING, f"{len(pairs)} judged answers, {FEWEST_ANSWERS} are needed"
        )
    found = spearman(pairs["length"].astype(np.float64), pairs["score"])
    where = f" of {release.title}" if len(counts) > 1 else ""
    note = f"rank correlation, {len(pairs):,} answers of {print_entries(counts[release.pk])}{where}"
    value = MISSING if found is None else print_number(found, 2, signed=True)
    return StripFigure(TITLE, value, note)


def print_entries(count: int) -> str:
    if count > MOST_ENTRIES:
        return f"the newest {MOST_ENTRIES} of {count:,} entries"
    return f"{count} entr{'y' if count == 1 else 'ies'}"
