"""Agreement of people and a judge written plainly, a loop at a time: what reports are held
against. Votes are lists of lists, None where somebody was not asked."""

import re
from collections import Counter
from html import unescape
from itertools import combinations

import pytest

Votes = list[list[int | None]]


def given(votes):
    return [vote for vote in votes if vote is not None]


def majority(votes):
    ranked = Counter(given(votes)).most_common()
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def like_majority(items: Votes) -> float:
    same = asked = 0
    for votes in items:
        most = majority(votes)
        if most is not None and len(given(votes)) > 2:
            same += sum(vote == most for vote in given(votes))
            asked += len(given(votes))
    return float(same / asked)


def pairs_that_agree(items: Votes) -> float:
    pairs = [pair for votes in items for pair in combinations(given(votes), 2)]
    return float(sum(one == other for one, other in pairs) / len(pairs))


def nominal_alpha(items: Votes) -> float:
    """1 - seen / expected disagreement, each pair of an item weighted by 1 / (votes - 1)."""
    told = [given(votes) for votes in items if len(given(votes)) > 1]
    everything = [vote for votes in told for vote in votes]
    n = len(everything)
    seen = 0.0
    for votes in told:
        unequal = sum(one != other for one, other in combinations(votes, 2))
        seen += 2 * unequal / (len(votes) - 1)
    counts = Counter(everything)
    expected = sum(counts[a] * counts[b] for a in counts for b in counts if a != b) / (n - 1)
    return 1 - seen / expected


def fleiss(items: Votes) -> float:
    told = [given(votes) for votes in items if len(given(votes)) > 1]
    agreement = 0.0
    shares: dict[int, float] = {}
    for votes in told:
        pairs = list(combinations(votes, 2))
        agreement += sum(one == other for one, other in pairs) / len(pairs)
        for vote in votes:
            shares[vote] = shares.get(vote, 0.0) + 1 / len(votes)
    seen = agreement / len(told)
    chance = sum((share / len(told)) ** 2 for share in shares.values())
    return (seen - chance) / (1 - chance)


def cohen(one: list[int | None], other: list[int | None]) -> float:
    both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    seen = sum(a == b for a, b in both) / len(both)
    firsts, seconds = Counter(a for a, _ in both), Counter(b for _, b in both)
    chance = sum(firsts[value] * seconds[value] for value in firsts) / len(both) ** 2
    return (seen - chance) / (1 - chance)


def judge_like_majority(items: Votes, judge: list[int | None]) -> float:
    known = [(majority(v), j) for v, j in zip(items, judge, strict=True) if majority(v) is not None]
    return float(sum(most == said for most, said in known) / len(known))


def judge_like_votes(items: Votes, judge: list[int | None]) -> float:
    pairs = [(vote, j) for votes, j in zip(items, judge, strict=True) for vote in given(votes)]
    return float(sum(vote == said for vote, said in pairs) / len(pairs))


def rater_like_others(items: Votes, rater: int) -> float:
    same = asked = 0
    for votes in items:
        if votes[rater] is not None:
            others = given(votes[:rater] + votes[rater + 1 :])
            same += sum(other == votes[rater] for other in others)
            asked += len(others)
    return float(same / asked)


def others_among_each_other(items: Votes, rater: int) -> float:
    pairs = [
        pair
        for votes in items
        if votes[rater] is not None
        for pair in combinations(given(votes[:rater] + votes[rater + 1 :]), 2)
    ]
    return float(sum(one == other for one, other in pairs) / len(pairs))


def won_against(items: Votes, judge: list[int | None], rater: int) -> tuple[float, float]:
    """In which share of the items judge and rater agree with the others at least as well as the
    other of the two does."""
    won = lost = number = 0
    for votes, said in zip(items, judge, strict=True):
        others = given(votes[:rater] + votes[rater + 1 :])
        if votes[rater] is not None and others:
            ours = sum(said == other for other in others)
            theirs = sum(votes[rater] == other for other in others)
            won, lost, number = won + (ours >= theirs), lost + (theirs >= ours), number + 1
    return won / number, lost / number


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def assert_printed(page: str, items: Votes, judge: list[int | None]) -> None:
    """Every figure that the page of a study prints of all answers, people and its one judge is the
    one written here, to the printed digit."""
    page = unescape(page)  # a browser's page has signs where what was sent has names of them
    raters = range(len(items[0]))
    columns = [[votes[rater] for votes in items] for rater in raters]
    two = [cohen(one, other) for one, other in combinations(columns, 2)]
    most = [majority(votes) for votes in items]
    for title, expected in (
        ("Votes with the majority", percent(like_majority(items))),
        ("Pairs that agree", percent(pairs_that_agree(items))),
        ("Krippendorff's alpha, nominal", f"{nominal_alpha(items):.2f}"),
        ("Fleiss' kappa, unweighted", f"{fleiss(items):.2f}"),
    ):
        assert re.findall(rf'class="key">{re.escape(title)}</span>.*?<b>(.*?)</b>', page, re.S) == [
            expected
        ], title
    for label, values in (
        ("Agrees with the majority", [percent(judge_like_majority(items, judge))]),
        ("Raters do", [percent(like_majority(items))]),
        ("Agrees with single votes", [percent(judge_like_votes(items, judge))]),
        ("Cohen's kappa", [f"{cohen(judge, most):.2f}"]),
        ("Agrees with others", [percent(rater_like_others(items, r)) for r in raters]),
        ("Others with each other", [percent(others_among_each_other(items, r)) for r in raters]),
    ):
        shown = re.findall(rf'data-label="{label}"><b>(.*?)</b>', page)
        # people are on the page of abilities and models too, after the judge's own row
        assert sorted(shown[: len(values)]) == sorted(values), label
    mean = f"{sum(two) / len(two):.2f} on average of {len(two)} pairs of raters"
    assert f"{mean}, {min(two):.2f} to {max(two):.2f}." in page


def near(value):
    return pytest.approx(value, abs=1e-12)


def assert_figures(part, items: Votes, judge: list[int | None]) -> None:
    """Every figure that a part of a study's document has of people, of its one judge, of each rater
    and of each two; raters in the order of their columns."""
    people, (found,) = part["people"], part["judges"]
    for name, expected in (
        ("like_majority", like_majority(items)),
        ("with_fourth", like_majority(items)),
        ("pairs", pairs_that_agree(items)),
        ("alpha", nominal_alpha(items)),
        ("fleiss", fleiss(items)),
    ):
        assert people[name]["value"] == near(expected), name
    whole = found["whole"]
    assert whole["like_majority"]["value"] == near(judge_like_majority(items, judge))
    assert whole["like_votes"]["value"] == near(judge_like_votes(items, judge))
    assert whole["people"]["value"] == near(like_majority(items))
    assert whole["kappa"]["value"] == near(cohen(judge, [majority(votes) for votes in items]))
    for place, one in enumerate(part["each"]):
        assert one["votes"] == sum(votes[place] is not None for votes in items)
        assert one["like_others"]["value"] == near(rater_like_others(items, place))
        assert one["others"]["value"] == near(others_among_each_other(items, place))
    assert len(part["pairs"]) == len(part["each"]) * (len(part["each"]) - 1) // 2
    for pair in part["pairs"]:
        one, other = ([votes[n - 1] for votes in items] for n in pair["raters"])
        assert pair["kappa"]["value"] == near(cohen(one, other))
    for place, one in enumerate(found["replacing"]["people"]):
        assert (one["judge"], one["person"]) == near(won_against(items, judge, place))
