"""Which few of an entry's answers are worth reading first: those furthest below the other models,
and those about which its judge's replies differ most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.protocols.base import ScoredRow
from leaderboard.models import Scoresheet
from leaderboard.results.boards.question_statistics import question_table
from leaderboard.results.formatting import print_share
from leaderboard.web.pages.entries.questions import (
    JudgedAnswer,
    QuestionCard,
    entry_line_url,
    question_cards,
)

SHOWN, DISPUTED = 5, 2
"""Of all that are shown, how many are disputed ones where there are any."""


@dataclass(frozen=True, slots=True)
class WorthReading:
    """`why` is what makes it stand out; `about` says how the other models did.
    url: of the answer among all others of the entry."""

    why: str
    about: str
    url: str
    card: QuestionCard


def worth_reading(sheet: Scoresheet, rows: Sequence[JudgedAnswer]) -> tuple[WorthReading, ...]:
    shares = field_shares(sheet)
    disputed = sorted((row for row in rows if row[2].dispute), key=lambda row: -row[2].dispute)[
        :DISPUTED
    ]
    below = [
        row
        for row in sorted(rows, key=lambda row: -behind(row, shares))
        if behind(row, shares) > 0 and row not in disputed
    ]
    chosen = [*below[: SHOWN - len(disputed)], *disputed]
    submission, judge = sheet.submission, sheet.judge_spec.slug
    cards = question_cards(submission, sheet.run, judge, chosen)
    places = {answer.question_id: place for place, (answer, _, _) in enumerate(rows)}
    return tuple(
        WorthReading(
            "Judge’s replies differ most" if row in disputed else "Furthest below other models",
            about_field(row[2], shares.get(row[0].question_id)),
            entry_line_url(submission.pk, judge, card.id, places[card.id]),
            card,
        )
        for row, card in zip(chosen, cards, strict=True)
    )


def field_shares(sheet: Scoresheet) -> Mapping[int, float]:
    """By question, what the ranked models reach on average, from 0 to 1; empty where the board was
    never stored."""
    table = question_table(sheet.submission.release, sheet.judge_spec)
    if table is None:
        return {}
    found = zip(table.question.tolist(), table.share.tolist(), table.answered.tolist(), strict=True)
    return {question: share for question, share, answered in found if answered}


def behind(row: JudgedAnswer, shares: Mapping[int, float]) -> float:
    credit, share = row[2].credit, shares.get(row[0].question_id)
    return 0.0 if credit is None or share is None else share - credit


def about_field(row: ScoredRow, share: float | None) -> str:
    if share is None:
        return ""
    if row.points is None:
        return f"{print_share(share)} of models get this right"
    return f"Credit {print_share(row.points)}; average model {print_share(share)}"
