"""The questions that one of the compared entries wins and another loses."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from benchmarks.models import Question, Release, ReleaseQuestion
from benchmarks.selectors import protocol_of
from leaderboard.models import Scoresheet
from leaderboard.results.scoresheets.question_scores import STEPS, unpacked_scores
from leaderboard.web.board.choices import note_beyond
from leaderboard.web.pages.boards.compare_choices import CompareChoices

PER_PAGE = 25
UNFOLDED = 5
"""Of a page that was not asked for: on a phone a question is as high as a paragraph."""
Scores = NDArray[np.float32]
LEAST = 0.5 / STEPS
"""By which a score must be higher: what is less is rounding."""


@dataclass(frozen=True, slots=True)
class WonCell:
    """How many questions the entry of the row wins against that of the column, and where they are
    listed. `url` is empty for an entry against itself."""

    count: int
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class WonQuestion:
    """What the answers of the one and the other counted, as printed."""

    id: int
    public_id: str
    ability: str
    subtask: str
    text: str
    won: str
    lost: str


@dataclass(frozen=True, slots=True)
class WonQuestions:
    """won, lost: places of the two listed, from 0. `compared`: questions that both have a score of,
    `even` of these alike. `missing`: places of entries whose scores by question are not kept."""

    right_means: str
    rows: tuple[tuple[WonCell, ...], ...]
    missing: tuple[int, ...]
    won: int
    lost: int
    compared: int
    even: int
    total: int
    lines: tuple[WonQuestion, ...]
    page: int
    pages: int
    note: str
    previous_url: str
    next_url: str

    @property
    def first_lines(self) -> tuple[WonQuestion, ...]:
        return self.lines[:UNFOLDED]

    @property
    def further_lines(self) -> tuple[WonQuestion, ...]:
        """Folded away on the first page."""
        return self.lines[UNFOLDED:]


def won_questions(
    release: Release, sheets: Sequence[Scoresheet], choices: CompareChoices
) -> WonQuestions:
    """sheets: of the entries in the order of the page, with `item_scores`."""
    scores, missing = scores_of(release, sheets)
    won, lost = choices.won - 1, choices.lost - 1
    if max(won, lost) >= len(sheets):
        won, lost = 0, 1
    ahead = scores[won] - scores[lost]  # nan where either has no verdict
    places = np.flatnonzero(ahead > LEAST)
    places = places[np.argsort(-ahead[places], kind="stable")]
    pages = max(1, -(-len(places) // PER_PAGE))
    page = min(choices.page, pages)
    shown = places[(page - 1) * PER_PAGE : page * PER_PAGE]
    is_known = ~np.isnan(ahead)
    return WonQuestions(
        right_means=protocol_of(release).right_means,
        rows=won_table(scores, (won, lost), choices),
        missing=missing,
        won=won,
        lost=lost,
        compared=int(is_known.sum()),
        even=int((np.abs(ahead[is_known]) <= LEAST).sum()),
        total=len(places),
        lines=question_lines(release, shown, scores[won], scores[lost]),
        page=page,
        pages=pages,
        note=note_beyond(choices.page, pages),
        previous_url=listed_url(choices, won, lost, page - 1) if page > 1 else "",
        next_url=listed_url(choices, won, lost, page + 1) if page < pages else "",
    )


def scores_of(release: Release, sheets: Sequence[Scoresheet]) -> tuple[Scores, tuple[int, ...]]:
    """(entries, questions), nan where an answer has no verdict, and the places of the entries that
    have none kept: they are scored anew sooner or later."""
    size = release.question_count
    packed = [bytes(sheet.item_scores or b"") for sheet in sheets]
    missing = tuple(place for place, scores in enumerate(packed) if len(scores) != size)
    found = np.full((len(sheets), size), np.nan, dtype=np.float32)
    for place, scores in enumerate(packed):
        if place not in missing:
            found[place] = unpacked_scores([scores], size)[0]
    return found, missing


def won_table(
    scores: Scores, current: tuple[int, int], choices: CompareChoices
) -> tuple[tuple[WonCell, ...], ...]:
    size = len(scores)
    cells = {(place, place): WonCell(0, "", is_current=False) for place in range(size)}
    for won, lost in permutations(range(size), 2):
        count = int((scores[won] - scores[lost] > LEAST).sum())
        url = listed_url(choices, won, lost)
        cells[won, lost] = WonCell(count, url, is_current=(won, lost) == current)
    return tuple(tuple(cells[row, column] for column in range(size)) for row in range(size))


def listed_url(choices: CompareChoices, won: int, lost: int, page: int = 1) -> str:
    chosen = choices.url(won=str(won + 1), lost=str(lost + 1), page=str(page) if page > 1 else "")
    return f"{chosen}#questions"


def question_lines(
    release: Release, places: NDArray[np.intp], won: Scores, lost: Scores
) -> tuple[WonQuestion, ...]:
    """places: among the questions of the release, in its order."""
    if not len(places):
        return ()
    keys = list(
        ReleaseQuestion.objects.filter(release=release)
        .order_by("position")
        .values_list("question", flat=True)
    )
    wanted = [keys[place] for place in places.tolist()]
    questions = Question.objects.select_related("subtask__ability").in_bulk(wanted)
    plain = is_plain(won) and is_plain(lost)
    found = []
    for key, place in zip(wanted, places.tolist(), strict=True):
        question = questions[key]
        found.append(
            WonQuestion(
                id=key,
                public_id=question.public_id,
                ability=question.subtask.ability.title,
                subtask=question.subtask.title,
                text=question.text,
                won=print_credit(won[place], plain=plain),
                lost=print_credit(lost[place], plain=plain),
            )
        )
    return tuple(found)


def is_plain(scores: Scores) -> bool:
    """Whether its answers are right or wrong, and nothing between."""
    known = scores[~np.isnan(scores)]
    return bool(np.isin(known, (0.0, 1.0)).all())


def print_credit(score: np.float32, *, plain: bool) -> str:
    if plain:
        return "right" if score > LEAST else "wrong"
    return f"{float(score):.2f}"
