"""What a board says of how its entries compare, in marks and in sentences."""

import csv
import io
import re
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Benchmark
from benchmarks.protocols.base import ColumnGroup, Metric
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.differences import Difference
from benchmarks.submissions.models import Submission
from leaderboard.models import BoardFacts
from leaderboard.results.selectors import (
    EACH,
    BoardEntry,
    BoardReading,
    SmallestDifference,
    read_board,
)
from leaderboard.results.selectors.whole import EntryValues, WholeBoard
from leaderboard.web.board.cells import about_entry, against_cell
from leaderboard.web.board.comparison import (
    Lead,
    claims,
    days_of_namesakes,
    difference_words,
    lead_of,
    lead_sentence,
    name_with_day,
    names_of,
    ordinal,
    print_score,
    rank_sentence,
    smallest_sentence,
)
from leaderboard.web.board.tables import against_place
from leaderboard.web.exports import board_document, export_csv, export_latex
from tests.conftest import import_spelling, judged, submit

SCORE = Metric("s", "Score", "…", unit="score", digits=1)
PERCENT = Metric("a", "Share", "…")


def entry(number: int, rank: int | None = 1, best: int = 1, **figures: MetricValue) -> BoardEntry:
    return BoardEntry(
        id=UUID(int=number),
        model_id=number,
        model=f"Model {number}",
        facts=BoardFacts(),
        origin="upload",
        submitted=datetime(2026, 1, 1, tzinfo=UTC),
        rank=rank,
        rank_best=best if rank else None,
        rank_worst=9 if rank else None,
        coverage=1.0,
        judged=1,
        unreadable=0,
        failed=0,
        excluded=0,
        figures=figures,
    )


def figure(value: float | None, low: float | None = None, high: float | None = None) -> MetricValue:
    return MetricValue(value, low, high, None, 10, 10, 10)


def numbers(ids: Set[UUID]) -> list[int]:
    return sorted(found.int for found in ids)


def firsts_of(metric: Metric, entries: Sequence[BoardEntry], *, ranking: str) -> Set[UUID]:
    return WholeBoard(entries, EntryValues(entries)).firsts(metric, ranking=ranking)


# --- who may be first -----------------------------------------------------------------------------


def test_those_who_may_be_first_are_marked():
    """In the ranking whose rank range begins at one; elsewhere whose intervals do not tell them
    apart from the best; nobody without a rank, who is in nobody's way; and by the direction."""
    best, near = figure(0.9, 0.8, 1.0), figure(0.85, 0.75, 0.95)
    entries = [
        entry(1, s=best, a=best),
        entry(2, rank=2, best=1, s=figure(0.1, 0.0, 0.2)),
        entry(3, rank=7, best=6, s=best, a=near),
        entry(4, a=figure(0.2, 0.1, 0.3)),
        entry(5, rank=None, a=figure(0.99, 0.98, 1.0)),
        entry(6, rank=7, best=6),
    ]
    assert numbers(firsts_of(SCORE, entries[:3], ranking="s")) == [1, 2]
    assert numbers(firsts_of(PERCENT, entries, ranking="s")) == [1, 3]
    unranked = [entries[4], entries[3]]
    for ranking in ("a", "s"):
        assert numbers(firsts_of(PERCENT, unranked, ranking=ranking)) == [4]
    lower = Metric("a", "A", "…", higher_is_better=False)
    assert numbers(firsts_of(lower, entries, ranking="s")) == [4]
    assert not firsts_of(replace(lower, higher_is_better=None), entries, ranking="s")


def test_entries_of_equal_answers_are_compared_once_and_marked_together():
    """Thirty more names of the last one would raise the bar by which it is told apart."""
    entries = [
        entry(1, a=figure(0.6, 0.5, 0.7)),
        entry(2, a=figure(0.48, 0.38, 0.58)),
        replace(entry(3, a=figure(0.1, 0.0, 0.2)), same_answers_as=UUID(int=1)),
        *(
            replace(entry(n, a=figure(0.48, 0.38, 0.58)), same_answers_as=UUID(int=2))
            for n in range(4, 34)
        ),
    ]
    assert numbers(firsts_of(PERCENT, entries, ranking="s")) == [1, 3]


# --- in words -------------------------------------------------------------------------------------


def test_a_difference_is_said_in_plain_words():
    """The interval is of what the words name."""
    unknown = "these questions cannot show what chance does between the two"
    holds = "95 % for all comparisons at once"
    words = {
        (2.31, -0.4, 5.1): f"2.3 points ahead (−0.4 to +5.1, {holds}): too close to call",
        (-2.31, -5.1, 0.4): f"2.3 points behind (−0.4 to +5.1, {holds}): too close to call",
        (6.0, 3.1, 8.9): f"6.0 points ahead (+3.1 to +8.9, {holds}): clear difference",
        (-6.0, -8.9, -3.1): f"6.0 points behind (+3.1 to +8.9, {holds}): clear difference",
        (0.0, -1.0, 1.0): f"level (−1.0 to +1.0, {holds}): too close to call",
        (2.0, None, None): f"2.0 points ahead; {unknown}",
    }
    assert {ends: difference_words(SCORE, Difference(*ends)) for ends in words} == words
    # shares differ in points of a hundred
    share = difference_words(PERCENT, Difference(0.05, 0.01, 0.09))
    assert share.startswith("5.00 points ahead")


def test_where_lower_is_better_whoever_is_behind_has_the_higher_value():
    """163.9 against a leader's 155.1 is +8.8, whatever of that is better."""
    lower = replace(SCORE, higher_is_better=False)
    behind = replace(entry(2), to_leader=Difference(-8.8, -78.3, 60.8))
    assert (
        "<b>+8.8</b> <span>too close to call</span><small>−60.8 to +78.3</small>"
        in against_cell(lower, behind)
    )
    assert (
        "<b>−8.8</b> <span>too close to call</span><small>−78.3 to +60.8</small>"
        in against_cell(SCORE, behind)
    )
    lead = Lead(entry(1, s=figure(155.1)), entry(2), Difference(8.8, -60.8, 78.3))
    assert lead_sentence(replace(lower, name="s"), lead) == (
        "Model 1 leads with 155.1, lower is better, 8.8 points ahead of Model 2 (−60.8 to "
        "+78.3, 95 % for all comparisons at once): too close to call."
    )


def test_names_that_look_alike_are_told_by_who_handed_them_in():
    sample = replace(
        entry(1), model="Lucid 9B", origin="sample", handed_in_by="sample of this site"
    )
    same = replace(entry(2), model="Lucid-9b", handed_in_by="member 7")
    found = Lead(sample, same, Difference(0.0, None, None))
    assert lead_sentence(SCORE, found) == (
        "Lucid 9B (sample of this site) and Lucid-9b (submitted by member 7) lead with –, level; "
        "these questions cannot show what chance does between the two."
    )
    assert names_of(same, replace(same, submitted=datetime(2026, 1, 2, tzinfo=UTC))) == (
        "Lucid-9b (submitted by member 7 on 2026-01-01)",
        "Lucid-9b (submitted by member 7 on 2026-01-02)",
    )
    assert names_of(entry(1), entry(2)) == ("Model 1", "Model 2")


def test_a_name_from_right_to_left_stands_apart_from_the_figures_beside_it():
    hebrew = replace(
        entry(1), model="אורן", handed_in_by="ענר", facts=BoardFacts("ארז", billions=7.0)
    )
    said = lead_sentence(SCORE, Lead(hebrew, entry(2), Difference(1.0, None, None)))
    assert said.startswith("\u2068אורן\u2069 leads with ")
    assert name_with_day(hebrew, {hebrew.id: "2026-01-01"}) == "\u2068אורן\u2069 (2026-01-01)"
    assert about_entry(hebrew) == "by \u2068ענר\u2069 · \u2068ארז\u2069 · 7B"
    assert names_of(hebrew, replace(hebrew, id=UUID(int=9)))[0] == (
        "\u2068אורן\u2069 (submitted by \u2068ענר\u2069 on 2026-01-01)"
    )


def test_entries_of_one_model_are_told_apart_by_the_day_and_only_they():
    first, second = (replace(entry(n), model_id=7) for n in (1, 2))
    second = replace(second, submitted=datetime(2026, 1, 2, 9, 5, tzinfo=UTC))
    third = replace(second, id=UUID(int=3), submitted=datetime(2026, 1, 2, 9, 7, tzinfo=UTC))
    alone = replace(entry(4), model_id=8)
    assert days_of_namesakes([first, alone]) == {}
    assert days_of_namesakes([first, second, alone]) == {
        first.id: "2026-01-01",
        second.id: "2026-01-02",
    }
    assert list(days_of_namesakes([first, second, third]).values()) == [
        "2026-01-01",
        "2026-01-02 09:05",
        "2026-01-02 09:07",
    ]
    gone = [replace(one, is_gone=True) for one in (first, second)]
    assert days_of_namesakes(gone) == {}


def test_the_smallest_difference_says_where_it_is_estimated():
    paired, single = (SmallestDifference(2.9, is_assumed=is_it) for is_it in (False, True))
    sentence = smallest_sentence(SCORE, paired, 1200)
    assert sentence == (
        "With 1,200 questions, this board can usually (in 80 % of cases) separate only models at "
        "least 2.9 points apart."
    )
    assert "estimated" in smallest_sentence(SCORE, single, 1200)


# --- a board --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    """Three of four right, then one of four, then the first again under another name, and a
    baseline."""
    release = import_spelling()
    owner = User.objects.create_user("rosa", "rosa@example.org")
    judged(submit(release, owner, name="Good"))
    judged(submit(release, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    judged(submit(release, owner, name="Good again"))
    judged(submit(release, None, b"1=a\n2=b\n3=c\n4=d\n", name="Always", origin="baseline"))


@pytest.fixture
def board(made, db) -> BoardReading:
    return spelling_board()


def spelling_board(ranges: str = EACH) -> BoardReading:
    return read_board(Benchmark.objects.get(slug="spelling"), ranges=ranges)


def by_model(reading: BoardReading) -> dict[str, BoardEntry]:
    return {entry.model: entry for entry in reading.entries}


def test_every_ranked_entry_is_compared_with_the_leader_who_is_with_the_next(board):
    entries = by_model(board)
    behind = entries["Guesser"].to_leader
    assert entries["Good"].to_leader is entries["Always"].to_leader is None
    assert behind is not None
    assert behind.ahead == pytest.approx(-0.5)
    assert behind.low < -0.5 < behind.high
    found = lead_of(board)
    assert (found.leader.model, found.second.model) == ("Good", "Guesser")
    assert found.difference.ahead == pytest.approx(0.5)


def test_one_entry_leads_nobody_and_without_entries_nothing_is_claimed(board):
    Submission.objects.exclude(model__name="Good").update(visibility="private")
    reading = spelling_board()
    assert lead_of(reading) is None
    assert reading.smallest.is_assumed
    assert len(claims(reading)) == 1
    Submission.objects.update(visibility="private")
    empty = spelling_board()
    assert (claims(empty), empty.matching) == ((), 0)


def test_the_page_says_what_the_lead_is_and_marks_who_may_be_first(board, client):
    """No figure of a row but the ranking comes before its difference."""
    text = client.get("/boards/spelling/").text
    for claim in claims(board):
        assert claim in text
    rows = re.findall(r"<tr data-entry.*?</tr>", text, re.DOTALL)
    (row,) = (row for row in rows if "Guesser" in row)
    behind = by_model(board)["Guesser"].to_leader
    ends = f"{100 * behind.low:+.2f} to {100 * behind.high:+.2f}".replace("-", "−")
    verdict = "clear difference" if behind.is_significant else "too close to call"
    cell = f"<b>−50.00</b> <span>{verdict}</span><small>{ends}</small></td>"
    assert f'<td class="against" data-label="Against the leader">{cell}' in row
    assert '<td class="against" data-label="Against the leader">leads</td>' in text
    assert "statistically tied for first in its column" in text
    assert {row.split('class="against"')[0].count('class="figure') for row in rows} <= {0, 1}
    heads = text[text.index("data-sortable") :]
    assert "each covers all questions" in text  # once, and not in a column
    assert "Coverage" not in heads
    leader, other = (
        client.get(f"/entries/{by_model(board)[name].id}/").text for name in ("Good", "Guesser")
    )
    assert "Against Good, the leader: 50.00 points behind" in other
    assert "Good leads with 75.00 %, 50.00 points ahead of Guesser" in leader


def test_the_difference_to_the_leader_stands_behind_the_ranking_or_the_models():
    """Behind all columns of figures it was out of sight on a wide screen too."""
    alone, other = ColumnGroup("Ranking", (SCORE,)), ColumnGroup("Another", (PERCENT,))
    pair = ColumnGroup("Overall", (SCORE, PERCENT))
    assert against_place([alone, pair], "s") == 1
    assert against_place([other, pair], "s") == 0
    assert against_place([pair], "s") == 0
    assert against_place([], "s") == 0


def test_exports_say_the_same(board):
    """And fold equal answers as the page does."""
    document = board_document(board)
    assert document["claims"] == list(claims(board))
    (guesser,) = [found for found in document["entries"] if found["model"] == "Guesser"]
    assert guesser["to_leader"]["ahead"] == pytest.approx(-0.5)
    assert guesser["to_leader"]["sentence"].startswith("50.00 points behind")
    head, *_ = "".join(export_csv(board)).splitlines()
    assert head.endswith(
        "may be first,handed in by,verified,ahead of leader,ahead of leader low,"
        "ahead of leader high,texts,ranges,caution,scored anew since ranked,"
        "release,judge,texts edition,as of,open weights,parameters (billions)"
    )
    table = "".join(export_latex(board))
    assert "Always & 0.00" in table
    assert r"Good (and 1 with the same answers) & 75.00" in table
    assert "Good again" not in table


def test_the_csv_says_which_ranges_it_holds(board):
    for ranges, said in (("each", "each"), ("together", "all at once"), ("x", "each")):
        text = "".join(export_csv(spelling_board(ranges=ranges)))
        told = {line["model"]: line["ranges"] for line in csv.DictReader(io.StringIO(text))}
        assert told == {"Good": said, "Good again": said, "Guesser": said, "Always": ""}


@pytest.mark.parametrize(
    ("best", "worst", "sentence"),
    [
        (1, 5, "Could rank 1st to 5th of 5 (95 %): no clear difference from any other."),
        (1, 4, "Could rank 1st to 4th of 5 (95 %): clearly ahead of 1 entry."),
        (3, 5, "Could rank 3rd to 5th of 5 (95 %): clearly behind 2 entries."),
        (2, 3, "Could rank 2nd to 3rd of 5 (95 %): clearly ahead of 2 entries and behind 1."),
    ],
)
def test_a_rank_says_how_many_are_clearly_better_and_worse(board, best, worst, sentence):
    reading = replace(board, counts=replace(board.counts, ranked_rows=5))
    placed = replace(board.entries[0], rank_best=best, rank_worst=worst)
    assert rank_sentence(reading, placed) == sentence


@pytest.mark.parametrize(
    ("number", "printed"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (13, "13th"), (22, "22nd")],
)
def test_a_place_is_printed_as_an_ordinal(number, printed):
    assert ordinal(number) == printed


def test_a_sum_of_shares_is_printed_with_the_end_of_its_scale_and_a_share_in_percent():
    summed = protocol("tiny_lvlm_ehub_ability").board
    assert print_score(summed.METRICS[summed.BOARD.ranking], 4.75) == "475.0 of 500"
    share = protocol("hallusionbench").board
    assert print_score(share.METRICS[share.BOARD.ranking], 0.889) == "88.90 %"
