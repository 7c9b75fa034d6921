"""Which few of an entry's answers are worth reading first: those furthest below the other models,
and those about which its judge's replies differ most, or where none does those furthest above."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.protocols.base import ScoredRow
from leaderboard.models import Scoresheet
from leaderboard.results.boards.question_statistics import question_table
from leaderboard.results.formatting import print_share
from leaderboard.web.pages.entries.questions import JudgedAnswer, entry_line_url, question_cards

BELOW, OTHERS = 3, 2
WORST, DISPUTED = "Furthest behind other models", "The judge’s replies differ most"


def worth_reading(sheet: Scoresheet, rows: Sequence[JudgedAnswer]) -> list[dict[str, Any]]:
    """Few answers of all, and nothing of a hidden test, which has no rows here. `why` is what makes
    one stand out; `about` says how the other models did. `url`: of the answer among all others of
    the entry."""
    shares = field_shares(sheet) if rows else {}

    def ahead(row: JudgedAnswer) -> float:
        share, credit = shares.get(row[0].question_id), row[2].credit
        return 0.0 if credit is None or share is None else credit - share

    ordered = sorted(rows, key=ahead)
    worst = [row for row in ordered[:BELOW] if ahead(row) < 0]
    left = [row for row in ordered if row not in worst]
    above = [row for row in reversed(left) if ahead(row) > 0]
    disputed = [row for row in sorted(left, key=lambda row: -row[2].dispute) if row[2].dispute]
    others, why = (disputed, DISPUTED) if disputed else (above, "Furthest ahead of other models")
    chosen = [*worst, *others[:OTHERS]]
    submission, judge = sheet.submission, sheet.judge_spec.slug
    cards = question_cards(submission, sheet.run, judge, chosen)
    places = {answer.question_id: place for place, (answer, _, _) in enumerate(rows)}
    return [
        {
            "why": WORST if row in worst else why,
            "about": about_field(row[2], shares.get(row[0].question_id)),
            "url": entry_line_url(
                submission.pk, judge, row[0].question_id, places[row[0].question_id]
            ),
            "card": card,
        }
        for row, card in zip(chosen, cards, strict=True)
    ]


def field_shares(sheet: Scoresheet) -> Mapping[int, float]:
    """By question, what the ranked models reach on average, from 0 to 1; empty where the board was
    never stored."""
    table = question_table(sheet.submission.release, sheet.judge_spec)
    if table is None:
        return {}
    found = zip(table.question.tolist(), table.share.tolist(), table.answered.tolist(), strict=True)
    return {question: share for question, share, answered in found if answered}


def about_field(row: ScoredRow, share: float | None) -> str:
    if share is None:
        return ""
    if row.points is None:
        return f"{print_share(share)} of entries get this right"
    return f"{print_share(row.points)} of the credit; average model {print_share(share)}"
