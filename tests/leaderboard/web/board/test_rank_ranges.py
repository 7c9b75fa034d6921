"""Rank ranges on boards: which may be first, and both readings, one by one and all at once."""

import csv
import html
import io

import numpy as np
import pytest
from django.contrib.auth.models import User

from benchmarks.models import Benchmark
from benchmarks.statistics.resampling import resample_weights
from benchmarks.submissions.models import Submission
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import (
    EACH,
    TOGETHER,
    read_board,
)
from leaderboard.results.selectors.ranking import (
    Order,
    SheetReader,
    draws_of,
    fewest_groups,
    once_per_owner,
    places_of,
    places_on,
    smallest_of_pairs,
)
from tests.api_clients import API
from tests.conftest import import_spelling, judged, submit
from tests.tiny_protocol.board import BOARD as SPELLING


def sheets(entries: int = 12, questions: int = 400) -> list[Scoresheet]:
    """Scoresheets of entries that come closer to each other than chance tells."""
    rng = np.random.default_rng(11)
    shares = np.linspace(0.6, 0.4, entries)
    right = (rng.random((entries, questions)) < shares[:, None]).astype(np.float64)
    draws = resample_weights(questions, seed=7) @ right.T / questions
    return [
        Scoresheet(pk=i, ranking=right[i].mean(), draws=draws[:, i].tobytes())
        for i in range(entries)
    ]


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    """Two entries of four words each, of which chance tells nothing, and one that has no rank."""
    release = import_spelling()
    owner = User.objects.create_user("rosa", "rosa@example.org")
    judged(submit(release, owner, name="Speller"))
    judged(submit(release, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    judged(submit(release, None, b"1=a\n2=b\n3=c\n4=d\n", name="Always", origin="baseline"))


@pytest.fixture
def entries(made, db) -> None:
    """Those that the module made."""


def board(ranges: str = EACH):
    return read_board(Benchmark.objects.get(slug="spelling"), ranges=ranges)


def test_ranges_that_hold_all_at_once_are_wider():
    each, together = (
        places_of(sheets(), higher_is_better=True, simultaneous=simultaneous)[0]
        for simultaneous in (False, True)
    )
    assert all(
        together[pk].best <= place.best and place.worst <= together[pk].worst
        for pk, place in each.items()
    )
    assert sum(place.worst - place.best for place in each.values()) < sum(
        place.worst - place.best for place in together.values()
    )


def test_a_board_has_the_ranges_that_were_asked_for():
    compared = tuple(sheets())
    for n, sheet in enumerate(compared):
        sheet.submission = Submission(owner_id=n)
    order = Order(sheets=(), standings={}, ranks={}, leads={}, compared=compared)
    reader = SheetReader(draws_of, lambda *_: None)
    for ranges in (EACH, TOGETHER):
        places, smallest = places_on(order, SPELLING, ranges=ranges, reader=reader)
        expected, _ = places_of(compared, higher_is_better=True, simultaneous=ranges == TOGETHER)
        assert places == expected
        assert smallest is not None
        assert not smallest.is_assumed
        assert [sheet.pk for sheet in compared if places[sheet.pk].to_leader is None] == [
            max(compared, key=lambda sheet: sheet.ranking or 0.0).pk
        ]


def test_the_spread_of_few_groups_is_known_less_well():
    """Ranges of the same resamples, of many groups and of twelve."""
    many, few = (
        places_of(sheets(), higher_is_better=True, groups=groups)[0] for groups in (10_000, 12)
    )
    assert sum(place.worst - place.best for place in few.values()) > sum(
        place.worst - place.best for place in many.values()
    )


def test_a_board_counts_the_groups_of_the_sheet_that_has_fewest():
    packed = [0.5, 0.4, 0.6, None, 9, 9, 9]
    kept = [
        Scoresheet(board_figures={"accuracy": figure})
        for figure in ([*packed, 30], [*packed, 12], packed)
    ]
    assert fewest_groups(kept, "accuracy") == 12
    assert fewest_groups(kept[2:], "accuracy") is None


# --- the smallest difference a board shows --------------------------------------------------------


def handed_in(owner: int | None, ranking: float = 0.5, origin: str = "upload") -> Scoresheet:
    return Scoresheet(ranking=ranking, submission=Submission(owner_id=owner, origin=origin))


def test_the_best_of_each_account_stands_for_it_and_samples_and_operators_for_themselves():
    kept = [handed_in(1, 0.4), handed_in(1, 0.6), handed_in(2, 0.5), handed_in(1, 0.5)]
    others = [handed_in(None), handed_in(None), handed_in(1, origin="sample")]
    assert once_per_owner([*kept, *others], higher_is_better=True) == [1, 2, 4, 5, 6]
    assert once_per_owner(kept, higher_is_better=False) == [0, 2]


def smallest_with_copies(copies: int, questions: int = 400) -> float:
    """Of a board of five accounts, the last of which also handed in copies, each with one answer of
    its own."""
    rng = np.random.default_rng(11)
    right = (rng.random((5, questions)) < 0.6).astype(np.float64)
    near = np.repeat(right[-1:], copies, axis=0)
    near[np.arange(copies), np.arange(copies)] = 1 - right[-1, :copies]
    every = np.vstack([right, near])
    draws = resample_weights(questions, seed=7) @ every.T / questions
    kept = [handed_in(min(i, 4), every[i].mean()) for i in range(len(every))]
    for i, sheet in enumerate(kept):
        sheet.pk, sheet.draws = i, draws[:, i].tobytes()
    found = places_of(kept, higher_is_better=True)[1]
    smallest = found and smallest_of_pairs(found, kept, higher_is_better=True)
    assert smallest is not None
    return smallest.value


def test_near_copies_of_one_account_do_not_buy_a_smaller_difference():
    """If every entry counted, twenty copies would make an eighth of it."""
    assert smallest_with_copies(20) == pytest.approx(smallest_with_copies(0), rel=0.1)


def test_the_page_offers_both_readings_and_keeps_the_choice(entries, client):
    plain = client.get("/boards/spelling/").text
    assert "?release=spelling-1&amp;judge=" in plain
    assert "ranges=together" in plain
    assert "Each rank range contains its entry&#x27;s true rank with 95 % confidence." in plain
    assert "Ranks: each range" in plain
    assert (
        "The simulated case nearest to this board (2 entries on 4 groups of questions) has 2 "
        "equally good entries that fail in similar ways, on 5 groups. There, 96.8 % of the ranges "
        "contained the true rank."
    ) in html.unescape(plain)
    chosen = client.get("/boards/spelling/?ranges=together").text
    assert "With 95 % confidence, all rank ranges of this board" in chosen
    assert "With 95 % confidence, all rank ranges of this board" not in plain
    exports = [
        part.split('"')[0] for part in chosen.split('href="') if part.startswith("export.csv")
    ]
    assert len(exports) == 2
    assert all("ranges=together" in export for export in exports)


def test_there_are_two_readings_whatever_is_asked_for_and_of_one_entry_there_is_no_choice(
    entries, client
):
    readings = {asked: board(ranges=asked).ranges for asked in ("", EACH, TOGETHER, "both")}
    assert readings == {"": EACH, EACH: EACH, TOGETHER: TOGETHER, "both": EACH}
    pages = {client.get(f"/boards/spelling/?ranges={asked}").text for asked in readings}
    assert len(pages) == 2
    Submission.objects.exclude(model__name="Speller").update(visibility="private")
    assert "ranges=together" not in client.get("/boards/spelling/").text


def test_exports_and_api_tell_the_reading_and_who_may_be_first(entries, client):
    lines = csv.DictReader(
        io.StringIO(client.get("/boards/spelling/export.csv?ranges=together").getvalue().decode())
    )
    assert [(line["model"], line["may be first"]) for line in lines] == [
        ("Speller", "yes"),
        ("Guesser", "yes"),
        ("Always", ""),
    ]
    document = client.get(f"{API}/boards/spelling/?ranges=together").json()
    assert document["ranges"] == TOGETHER
    assert [entry["may_be_first"] for entry in document["entries"]] == [True, True, False]
    assert client.get(f"{API}/boards/spelling/").json()["ranges"] == EACH
    assert client.get(f"{API}/boards/spelling/?ranges=both").status_code == 400
